"""Variants: the same for the same seed, and such that every mistake shows."""

import json
import re
import shutil
from dataclasses import replace
from fractions import Fraction
from hashlib import sha256
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dense_cli.errors import DenseError
from dense_cli.grading.exercises.calculations import CALCULATIONS
from dense_cli.grading.exercises.drawing import below, drawn_numbers, seed_of, student_seed, words
from dense_cli.grading.exercises.placeholders import drawn_given, shown, with_numbers
from dense_cli.grading.exercises.set_files import builtin_folder, load_set
from dense_cli.grading.handouts.lint import lint
from dense_cli.grading.handouts.pages import one_paragraph
from dense_cli.grading.handouts.solution import solved
from dense_cli.grading.marks.marking import Marker, Rules
from dense_cli.grading.marks.questions import questions_about
from dense_cli.grading.variants.separating import MARGIN, OF_METHOD, hidden_ids, numeric, tell_all
from dense_cli.grading.variants.variant import Markers, variant, variant_set
from dense_cli.grading.variants.witnesses import LAWS
from dense_cli.lang import LANGUAGES
from dense_cli.mistakes.agreement import agreement
from dense_cli.mistakes.diagnosis import FAILURES
from dense_cli.reading.answers import told
from tests.grading.marked import SET, drawn_once

VARIED = [one for one in SET.exercises if one.variation is not None]
SEEDS = [str(seed) for seed in range(20)]
DRAWN = [(one.id, seed) for one in VARIED for seed in SEEDS]


def drawn(exercise, seed):
    return drawn_once(SET.exercise(exercise), seed)


def answer_of(question):
    """The right answer as a student would write it."""
    right = question.right
    if isinstance(right, bool):
        return "yes" if right else "no"
    return right if isinstance(right, str) else told(right)


# --- drawing


def test_words_are_sha_256_of_the_seed_and_a_counter():
    """The literal is what `sha256sum` says of the bytes of scheme, seed, exercise and counter 0."""
    assert list(islice(words("7", "1"), 2)) == [0x9B4C32D4806082B9, 0x677DC8F4588301BA]


PINNED = {
    "7": {
        "1": {"query": "-1, 0", "key": "3, -3", "positions": "5, 7", "angle": "1/4turn"},
        "2": {"x": "-4, 6, 2, 5", "eps": "0"},
        "3": {"x": "-2, 4, 3", "shift": "5", "eps": "0"},
        "4": {"x": "-1, 1", "wg": "1, -1 : 0, 1", "wu": "3, -3 : -3, 0", "wd": "1, 0 : 0, 1"},
        "5": {"width": "10", "hidden": "60"},
        "6": {},
    },
    "chapter-25:s01": {
        "1": {"query": "2, 3", "key": "0, -3", "positions": "1, 2", "angle": "1/4turn"},
        "2": {"x": "-5, -4, -5, -6", "eps": "0"},
        "3": {"x": "1, 4, 4", "shift": "4", "eps": "0"},
        "4": {"x": "2, 1", "wg": "1, 1 : 0, 1", "wu": "1, 2 : -3, 2", "wd": "1, 0 : 0, 1"},
        "5": {"width": "20", "hidden": "114"},
        "6": {},
    },
}


@pytest.mark.parametrize("seed", PINNED)
def test_a_seed_keeps_its_numbers(seed):
    """Sheets with these seeds may be handed out: a change of any number here breaks them."""
    drawn = variant_set(load_set(), seed).set
    assert {one.id: dict(one.given) for one in drawn.exercises} == PINNED[seed]


def test_no_seed_changes_its_numbers():
    """SHA-256 of the numbers of twenty seeds, as they were when sheets were first handed out."""
    given = {" ".join(each): dict(drawn(*each)[0].exercise.given) for each in DRAWN}
    found = sha256(json.dumps(given, sort_keys=True).encode()).hexdigest()
    assert found == "4590013d8a2abc32760331f6403bd171c8a84ded4e0767932f6e9cfd41fe5e1c"


@given(st.integers(1, 1000), st.text(max_size=20))
@settings(max_examples=40, deadline=None)
def test_numbers_below_stay_below(count, seed):
    assert all(0 <= below(words(seed), count) < count for _ in range(3))


def test_each_number_is_drawn_about_as_often():
    """6000 draws of 6: each 1000 times, within five standard deviations (29 each)."""
    drawn = words("fair")
    counts = [0] * 6
    for _ in range(6000):
        counts[below(drawn, 6)] += 1
    assert all(abs(count - 1000) < 145 for count in counts)


@pytest.mark.parametrize("typed", ["", "  ", "a" * 201, "a\x1bb", "a\nb", "\u202e7"])
def test_what_is_no_seed_is_refused(typed):
    with pytest.raises(DenseError, match="variant-seed"):
        seed_of(typed)


def test_a_students_seed_does_not_depend_on_how_the_name_is_typed():
    assert student_seed("c", " José ") == student_seed("c", "JOSE\u0301") == "c:josé"
    assert student_seed("c", "s01") != student_seed("d", "s01")


# --- what is drawn


@pytest.mark.parametrize(("exercise", "seed"), DRAWN)
def test_every_mistake_shows_in_some_field(exercise, seed):
    questions = drawn(exercise, seed)
    unseen = set(questions[0].exercise.variation.unseen)
    assert hidden_ids(questions, OF_METHOD) <= unseen
    assert "width-alone" not in hidden_ids(questions)
    for question in numeric(questions):
        for path in question.paths.singles:
            if question.paths.catalogue[path.steps[0]].kind in OF_METHOD:
                assert not 5e-5 < worst(question.pick(path.result), question.right) <= MARGIN * 5e-5


def worst(value, right):
    """The largest difference of two entries, by a way of its own; none where they cannot be compared."""
    values, rights = ((one if isinstance(one, tuple) else (one,)) for one in (value, right))
    if len(values) != len(rights) or None in values:
        return 0
    return max(abs(Fraction(a) - Fraction(t)) for a, t in zip(values, rights, strict=True))


@pytest.mark.parametrize(("exercise", "seed"), DRAWN)
def test_computed_answers_are_right_and_wrong_ones_are_named(questions_once, exercise, seed):
    questions = drawn(exercise, seed)
    marker = Markers(SET).of(seed)
    answers = {one.field.key: answer_of(one) for one in questions}
    marks = {mark.field.key: mark for mark in marker.sheet(answers) if mark.given is not None}
    assert {mark.verdict for mark in marks.values()} == {"correct"}
    strict = Marker(marker.questions, Rules(follow_through=False))
    for question in numeric(questions):
        for path in question.paths.singles[:8]:
            mistake, value = question.paths.catalogue[path.steps[0]], question.pick(path.result)
            if (
                isinstance(value, bool)
                or mistake.kind not in OF_METHOD
                or worst(value, question.right) < 0.001
            ):
                continue
            written = told(tuple(map(Fraction, value)) if isinstance(value, tuple) else Fraction(value))
            (mark,) = (
                one
                for one in strict.sheet({question.field.key: written})
                if one.field.key == question.field.key
            )
            assert mistake.id in {found.id for found in mark.mistakes}, (written, mark)


@pytest.mark.parametrize("exercise", [one.id for one in VARIED])
def test_seeds_give_different_numbers_and_never_the_printed_ones(exercise):
    givens = {tuple(drawn(exercise, seed)[0].exercise.given.items()) for seed in SEEDS}
    assert len(givens) >= 15
    assert tuple(SET.exercise(exercise).given.items()) not in givens


@pytest.mark.parametrize(("exercise", "seed"), [(one.id, seed) for one in VARIED for seed in SEEDS[:3]])
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_words_have_the_numbers(exercise, seed, language):
    questions = drawn(exercise, seed)
    one = questions[0].exercise
    text = one_paragraph(one.text[language])
    for name, value in one.given.items():
        if name not in one.variation.given or name in ("angle", "positions"):
            continue
        assert shown(value) in text
    assert one.remarks == one.variation.remarks
    for words_ in (one.title, one.text, one.remarks, *(field.ask for field in one.fields)):
        assert "{" not in words_[language]
    assert solved(one, questions, language).result["answers"].keys() == {each.name for each in one.fields}


def with_choices(one, given, **numbers):
    """The exercise with these numbers alone to draw from."""
    varied = replace(one.variation, numbers=numbers, given=given)
    return replace(one, variation=varied)


def test_numbers_whose_wrong_values_are_near_are_drawn_again():
    """Dividing by the mean of the absolute values: 13 tolerances off for [13, 14], hundreds for [−1, 6]."""
    one = with_choices(SET.exercise("3"), {"x": "{x}", "shift": "{s}"}, x=("2, 3", "-12, -5"), s=("11",))
    assert {variant(one, seed)[0].exercise.given["x"] for seed in SEEDS} == {"-12, -5"}


def test_the_numbers_that_are_there_already_are_drawn_again():
    one = replace(SET.exercise("5"), given={"width": "20", "hidden": "114"})
    one = with_choices(one, {"hidden": "{f}"}, f=("114", "120"))
    assert {variant(one, seed)[0].exercise.given["hidden"] for seed in SEEDS} == {"120"}


def test_an_exercise_without_variants_stays_as_it_is():
    (question, *_) = variant(SET.exercise("6"), "7")
    assert question.exercise is SET.exercise("6")


def test_first_numbers_of_the_chapter_hide_what_variants_show():
    assert "width-alone" in hidden_ids(questions_about(SET.exercise("2")))
    everything = {
        one.id for question in numeric(questions_about(SET.exercise("3"))) for one in question.paths.catalogue
    }
    assert not tell_all(questions_about(SET.exercise("3")), everything)  # mean-absolute is 13 tolerances away


def is_suitable_in_full(questions, unseen):
    """The rule written down plainly: every wrong path of every question is calculated and compared."""
    apart = [
        agreement(question.pick(path.result), question.right, 1e300)
        for question in numeric(questions)
        for path in question.paths.singles
        if question.paths.catalogue[path.steps[0]].kind in OF_METHOD
    ]
    is_near = any(difference is not None and 5e-5 < difference <= MARGIN * 5e-5 for difference in apart)
    return hidden_ids(questions, OF_METHOD) <= set(unseen) and not is_near


def decided(rule, questions, unseen):
    try:
        return rule(questions, unseen)
    except FAILURES:
        return False


@pytest.mark.parametrize("one", VARIED, ids=lambda one: one.id)
def test_the_short_way_to_see_whether_numbers_are_suitable_agrees_with_the_long_one(one):
    """On the first draws of many seeds, from ranges so narrow that many are unsuitable."""
    narrow = {
        name: (*choices[:3], choices[-1], choices[-1]) for name, choices in one.variation.numbers.items()
    }
    found = set()
    for seed in range(25):
        numbers = drawn_numbers(narrow, words(str(seed), one.id))
        questions = questions_about(with_numbers(one, drawn_given(one, numbers)))
        for unseen in (one.variation.unseen, ()):
            long = decided(is_suitable_in_full, questions, unseen)
            assert decided(tell_all, questions, unseen) == long
            found.add(long)
    assert found == {True, False}


# --- laws


@pytest.mark.parametrize(("name", "given", "attribute"), [
    ("rope", {"query": "1, 2", "key": "3, -1", "positions": "1, 4"}, "query"),
    ("rope", {"query": "1, 2", "key": "3, -1", "positions": "1, 4"}, "key"),
    ("rope", {"query": "1, 2", "key": "3, -1", "positions": "1, 4"}, "dot"),
    ("rmsnorm", {"x": "1, 2, 5"}, "normalized"),
    ("rmsnorm", {"x": "1, 2, 5", "shift": "2", "eps": "1/2"}, "denominator"),
    ("layernorm", {"x": "1, 2, 5"}, "normalized"),
    ("swiglu", {"x": "1, -1", "wg": "1, 1 : 0, 1", "wu": "2, 0 : 0, -3", "wd": "1, 0 : 1, 1"}, "output"),
    ("budget", {"width": "24", "hidden": "96"}, "hidden"),
    ("budget", {"width": "24", "hidden": "96"}, "growth"),
])  # fmt: skip
def test_laws_hold_for_right_results_and_for_no_others(name, given, attribute):
    calculation = CALCULATIONS[name]
    right = calculation.compute(calculation.read(given))
    assert LAWS[name](given, right)
    value = getattr(right, attribute)
    other = (value[0] + 1e-6, *value[1:]) if isinstance(value, tuple) else value + 1
    assert not LAWS[name](given, replace(right, **{attribute: other}))


def test_every_calculation_has_a_law():
    assert LAWS.keys() == CALCULATIONS.keys()


# --- what is wrong in a file


@pytest.fixture
def folder(tmp_path):
    shutil.copytree(builtin_folder() / "chapter-25", tmp_path / "set")
    return tmp_path / "set"


def only(folder, name):
    """The exercise of that file, alone in its set: the others have no part in what is wrong with it."""
    path = folder / "set.toml"
    text, listed = re.subn(
        r"(?m)^exercises = .*", f'exercises = ["{Path(name).stem}"]', path.read_text(encoding="utf-8")
    )
    assert listed == 1
    path.write_text(text, encoding="utf-8")
    return folder / name


FAULTS = [
    ("1.toml", "a = { from = -3, to = 3 }", "a = { from = 3, to = -3 }", "exercise-variant"),
    ("1.toml", "a = { from = -3, to = 3 }", "a = { from = 0, to = 99999 }", "exercise-variant"),
    ("1.toml", "a = { from = -3, to = 3 }", "a = []", "exercise-variant"),
    ("1.toml", "a = { from = -3, to = 3 }", "a = [true]", "exercise-variant"),
    ("1.toml", "a = { from = -3, to = 3 }", "a = { from = -3, bis = 3 }", "exercise-variant"),
    ("1.toml", "a = { from = -3, to = 3 }", "a = { from = -3, to = 3 }\nz = [1]", "variant-number-unused"),
    ("1.toml", 'angle = ["1/4turn", "1/8turn"]', 'angle = ["1/4turn", "1/8trn"]', "unknown-name"),
    ("1.toml", 'query = "{a}, {b}"', 'query = "{a}, {z}"', "variant-place"),
    ("1.toml", 'query = "{a}, {b}"', 'quarry = "{a}, {b}"', "exercise-given-name"),
    ("1.toml", "query is {query}", "query is {quarry}", "exercise-place"),
    ("1.toml", "position {positions.1},", "position {positions.3},", "exercise-place"),
    ("1.toml", '"mixed-table", ', "", "variant-not-found"),
    ("1.toml", "unseen = [", 'unseen = ["clockwise", ', "variant-unseen"),
    ("1.toml", 'zh = "八分之一"', 'de = "ein Achtel"', "exercise-language"),
    ("1.toml", "[phrases.angle]", "[phrase.angle]", "exercise-key"),
    ("2.toml", "[variant.given]", "[variant.geben]", "exercise-key"),
    ("2.toml", 'x = "{a}, {b}, {c}, {d}"', 'x = "{a}, {a}"\neps = "{b}{c}{d}"', "variant-not-found"),
    ("5.toml", 'quantity = "growth"\n', "", "variant-answer"),
    ("5.toml", "width = [8, 10,", "width = [24] #", "variant-few"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "old", "new", "key"), FAULTS)
def test_a_fault_in_a_variant_is_told(folder, name, old, new, key):
    path = only(folder, name)
    text = path.read_text(encoding="utf-8")
    assert old in text
    text = text.replace(old, new, 1)
    if key == "variant-few":
        start = text.index("hidden = [30")
        text = text[:start] + "hidden = [30, 36]" + text[text.index("]", start) + 1 :]
    path.write_text(text, encoding="utf-8")
    faults = lint(folder).faults
    assert key in {fault.key for fault in faults}
    assert all(fault.facts["source"] for fault in faults)


def test_the_mistakes_that_no_numbers_show_are_named(folder):
    """It is the one that the exercise named as unseen, and does not any more."""
    path = only(folder, "1.toml")
    content = path.read_text(encoding="utf-8")
    path.write_text(content.replace('"mixed-table", ', ""), encoding="utf-8")
    (fault,) = lint(folder).faults
    assert (fault.hint, fault.facts["unseen"]) == ("variant-not-found-unseen", ("mixed-table",))
