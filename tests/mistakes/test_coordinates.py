"""Single coordinates are those of the whole calculation, so that a glance rules nothing out that fits."""

from __future__ import annotations

import pytest

from dense_cli.core.rope import rope
from dense_cli.errors import DenseError
from dense_cli.mistakes import catalogue
from dense_cli.mistakes.agreement import agreement
from dense_cli.mistakes.coordinates import GLANCES, turned_pair
from dense_cli.mistakes.diagnosis import WrongPaths
from dense_cli.mistakes.pairing import changed
from tests.mistakes.test_mistakes_laws import APART

GIVEN = APART["rope"][0]
PATHS = WrongPaths(catalogue("rope"), GIVEN, rope)
"""What all mistakes make of one rotation, worked out where it is first asked for."""

WHOLE = {
    "query": lambda row: row.query,
    "key": lambda row: row.key,
    "dot": lambda row: row.dot,
    "score": lambda row: row.scaled_score,
}


def ways():
    for given in APART["rope"]:
        yield given
        for mistake in catalogue("rope"):
            yield from changed(mistake, given)


@pytest.mark.parametrize("name", GLANCES)
def test_a_glance_is_the_first_number_of_the_calculation(name):
    for given in ways():
        try:
            value = WHOLE[name](rope(given)[0])
        except DenseError:
            continue
        first = value[0] if isinstance(value, tuple) else value
        assert GLANCES[name](given) == first


def test_every_coordinate_is_that_of_the_calculation():
    for given in ways():
        row = rope(given)[0]
        place = given.query_turn(*given.positions[0])
        for i in range(len(given.rates)):
            for where, value in turned_pair(given, given.query, place, i):
                assert value == row.query[where]


@pytest.mark.parametrize("name", GLANCES)
def test_pairs_are_the_same_with_a_glance_and_without(name):
    """Of some of them, what they make is looked for in both ways."""

    def pick(rows):
        return WHOLE[name](rows[0])

    for path in PATHS.pairs[::40]:
        value = pick(path.result)
        seen = PATHS.diagnose(pick, value, 1e-9, glance=GLANCES[name])
        assert [one.ids for one in seen] == [one.ids for one in PATHS.diagnose(pick, value, 1e-9)]
        assert all(found.max_abs_error <= 1e-9 for found in seen)


def test_a_glance_that_fails_rules_nothing_out():
    right = rope(GIVEN)[0].query
    path = next(
        path
        for path in PATHS.pairs
        if agreement(path.result[0].query, right, 1e-3) is None
        and not PATHS.diagnose(lambda rows: rows[0].query, path.result[0].query, 1e-9, pairs=False)
    )

    def failing(given):
        raise DenseError("rope-overflow")

    value = path.result[0].query
    told = PATHS.diagnose(lambda rows: rows[0].query, value, 1e-9, glance=failing)
    assert told == PATHS.diagnose(lambda rows: rows[0].query, value, 1e-9)
    assert told
