"""The house: what may import what, and where words may stand."""

import ast
import re
from pathlib import Path

import pytest

import dense_cli

PACKAGE = Path(dense_cli.__file__).parent
ROWS = (
    {"frozen"},
    {"numerals", "rows"},
    {"errors", "expression"},
    {"derivation"},
    {"core", "reading"},
    {"models"},
    {"mistakes", "derive", "render", "lang"},
    {"grading"},
    {"cli"},
    {"__main__", "api"},
)
"""From the bottom up; a module may import its own package and rows below it."""

IN_GRADING = (
    {"documents", "exercises"},
    {"marks"},
    {"reports", "intake"},
    {"variants", "export"},
    {"handouts", "classes"},
    {"practice"},
)
"""The same within the largest package."""

HEIGHT = {name: height for height, row in enumerate(ROWS) for name in row}
SOURCES = sorted(PACKAGE.rglob("*.py"))


def home(path: Path) -> str:
    """The package or module directly under dense_cli that a file belongs to."""
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imported(tree: ast.AST) -> set[str]:
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("dense_cli"):
            below = node.module.split(".")[1:2]
            names |= set(below) if below else {alias.name for alias in node.names}
        elif isinstance(node, ast.Import):
            names |= {alias.name.split(".")[1] for alias in node.names if alias.name.startswith("dense_cli.")}
    return {name for name in names if name in HEIGHT}


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_point_down(path):
    own = home(path)
    if own == "__init__":
        return
    for name in imported(ast.parse(path.read_text(encoding="utf-8"))):
        assert name == own or HEIGHT[name] < HEIGHT[own], f"{own} must not import {name}"


@pytest.mark.parametrize("path", sorted((PACKAGE / "grading").rglob("*.py")), ids=lambda path: path.name)
def test_imports_within_grading_point_down(path):
    height = {name: height for height, row in enumerate(IN_GRADING) for name in row}
    own = path.relative_to(PACKAGE / "grading").parts[0].removesuffix(".py")
    assert own in (*height, "__init__")
    for name in re.findall(r"dense_cli\.grading\.(\w+)", path.read_text(encoding="utf-8")):
        assert name == own or height[name] < height[own], f"{own} must not import {name}"


def test_every_module_has_its_row():
    assert {home(path) for path in SOURCES} - {"__init__"} == set(HEIGHT)


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_no_chinese_stands_in_code(path):
    """Chinese in code is a word for users (lang/ has those), or what people type and reading must know."""
    reads_typing = home(path) == "reading" or path.name in ("sheets.py", "tables.py", "escaping.py")
    tree = ast.parse(path.read_text(encoding="utf-8"))
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
            found = re.search(r"[一-鿿]", node.value)
            assert not found or reads_typing, node.value


@pytest.mark.parametrize(
    "path", [*SOURCES, *sorted(PACKAGE.rglob("*.toml"))], ids=lambda path: str(path.relative_to(PACKAGE))
)
def test_files_hold_one_idea(path):
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 320
