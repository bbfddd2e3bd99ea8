"""Every refusal of marking has the facts that its words speak of."""

import ast
from pathlib import Path

import pytest

import dense_cli.cli
import dense_cli.grading
from dense_cli.lang import placeholders, topic_texts

FILES = [
    path
    for package in (dense_cli.grading, dense_cli.cli)
    for folder in package.__path__
    for path in Path(folder).rglob("*.py")
]
TEXTS = topic_texts("en", "errors")


def _texts(node):
    """The words of a literal, or of either side of a choice between two; None for anything else."""
    if isinstance(node, ast.IfExp):
        return [*_texts(node.body), *_texts(node.orelse)]
    return [node.value] if isinstance(node, ast.Constant) else []


def _refusals(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "DenseError":
            given = {keyword.arg: keyword.value for keyword in node.keywords}
            if None not in given:  # facts that are gathered elsewhere
                yield node.lineno, _texts(node.args[0]), given


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_words_speak_of_facts_that_are_given(path):
    for line, keys, given in _refusals(path):
        for key in keys:
            hints = _texts(given["hint"]) if "hint" in given else [key]
            spoken = [TEXTS[f"{key}.message"], *(TEXTS[f"{hint}.hint"] for hint in hints if hint)]
            missing = set().union(*map(placeholders, spoken)) - given.keys()
            assert not missing, f"{path.name}:{line}: {key} lacks {missing}"
