"""The house: what may import what, and where words may stand."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

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
"""Hundreds of files, and nothing to tell of those that keep to a rule: each test names those that do not."""


def home(path: Path) -> str:
    """The package or module directly under dense_cli that a file belongs to."""
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def statements(tree: ast.AST) -> Iterator[ast.AST]:
    """Everything below a node but expressions, in which no statement can stand."""
    for node in ast.iter_child_nodes(tree):
        if not isinstance(node, ast.expr):
            yield node
            yield from statements(node)


def imported(tree: ast.AST) -> set[str]:
    names = set()
    for node in statements(tree):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("dense_cli"):
            below = node.module.split(".")[1:2]
            names |= set(below) if below else {alias.name for alias in node.names}
        elif isinstance(node, ast.Import):
            names |= {alias.name.split(".")[1] for alias in node.names if alias.name.startswith("dense_cli.")}
    return {name for name in names if name in HEIGHT}


def test_imports_point_down():
    upward = [
        f"{path.relative_to(PACKAGE)} must not import {name}"
        for path in SOURCES
        if (own := home(path)) != "__init__"
        for name in imported(ast.parse(path.read_text(encoding="utf-8")))
        if name != own and HEIGHT[name] >= HEIGHT[own]
    ]
    assert upward == []


def test_imports_within_grading_point_down():
    height = {name: height for height, row in enumerate(IN_GRADING) for name in row}
    upward = []
    for path in sorted((PACKAGE / "grading").rglob("*.py")):
        own = path.relative_to(PACKAGE / "grading").parts[0].removesuffix(".py")
        assert own in (*height, "__init__")
        upward += [
            f"{path.relative_to(PACKAGE)} must not import {name}"
            for name in re.findall(r"dense_cli\.grading\.(\w+)", path.read_text(encoding="utf-8"))
            if name != own and height[name] >= height[own]
        ]
    assert upward == []


def test_every_module_has_its_row():
    assert {home(path) for path in SOURCES} - {"__init__"} == set(HEIGHT)


def reads_typing(path: Path) -> bool:
    """Whether a file knows what people type, in any language."""
    return home(path) == "reading" or path.name in ("sheets.py", "tables.py", "escaping.py")


def chinese(path: Path) -> Iterator[str]:
    """The texts in Chinese in a source, besides its docstrings."""
    text = path.read_text(encoding="utf-8")
    if not re.search(r"[一-鿿]|\\[uUN]", text):
        return  # neither as it is nor escaped, not even in a docstring
    tree = ast.parse(text)
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        text = node.value if isinstance(node, ast.Constant) and id(node) not in docstrings else None
        if isinstance(text, str) and re.search(r"[一-鿿]", text):
            yield text


def test_no_chinese_stands_in_code():
    """Chinese in code is a word for users (lang/ has those), or what people type and reading must know."""
    found = {str(path.relative_to(PACKAGE)): [*chinese(path)] for path in SOURCES if not reads_typing(path)}
    assert {path: texts for path, texts in found.items() if texts} == {}


def test_files_hold_one_idea():
    files = *SOURCES, *PACKAGE.rglob("*.toml")
    lengths = {str(path.relative_to(PACKAGE)): len(path.read_bytes().splitlines()) for path in files}
    assert {path: length for path, length in lengths.items() if length > 320} == {}
