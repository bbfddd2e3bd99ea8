"""Names and sizes of all tensors are those that the model library makes, for every family."""

from __future__ import annotations

import re
from collections import Counter
from itertools import islice
from typing import Any

import pytest

from dense_cli.models.config import config_of
from dense_cli.models.counting import count
from dense_cli.models.shape import model_shape
from dense_cli.models.tensors import tensor_patterns, tensors
from tests.models.reference import cases

TINY = [case for case in cases("tiny_model_counts.json") if "tensors" in case]
PUBLISHED = [case for case in cases("model_counts.json") if "newer" in case]


def folded(config: dict[str, Any]) -> Counter[tuple[str, tuple[int, ...]]]:
    """How often each name, with {i} for the layer, and size."""
    shape = model_shape(config_of(config, "m"))
    return Counter((re.sub(r"\.\d+\.", ".{i}.", name, count=1), sizes) for name, sizes in tensors(shape))


def expected(case: dict[str, Any]) -> Counter[tuple[str, tuple[int, ...]]]:
    """The same from outside."""
    return Counter({(name, tuple(sizes)): number for name, sizes, number in case["tensors"]})


@pytest.mark.parametrize("case", PUBLISHED, ids=lambda case: case["id"])
def test_published_models(case: dict[str, Any]) -> None:
    assert folded(case["newer"]) == expected(case)


def test_tiny_models_of_every_family() -> None:
    wrong = [case["id"] for case in TINY if folded(case["config"]) != expected(case)]
    assert wrong == []


def test_every_tensor_is_counted_once() -> None:
    for case in TINY:
        shape = model_shape(config_of(case["config"], "m"))
        numbers = 0
        for _, sizes in tensors(shape):
            product = 1
            for size in sizes:
                product *= size
            numbers += product
        assert numbers == count(config_of(case["config"], "m")).total, case["id"]


def test_a_trillion_layers_are_named_one_by_one() -> None:
    config = {"model_type": "llama", "num_hidden_layers": 10**12}
    shape = model_shape(config_of(config, "m"))
    assert len(tensor_patterns(shape)) == 12
    assert len(list(islice(tensors(shape), 50))) == 50
