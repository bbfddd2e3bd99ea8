"""Every format in every language on a derivation that has everything."""

from __future__ import annotations

import json
import re
import unicodedata
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest
from rich.cells import cell_len

from dense_cli.derivation import Derivation, Line, Note
from dense_cli.lang import LANGUAGES, say_in
from dense_cli.render import FORMATS, show
from dense_cli.render.escaping import escaped
from dense_cli.render.latex_notation import Latex
from dense_cli.render.layout import columns_of
from dense_cli.render.lines import grid
from dense_cli.render.page import Grid
from tests.render.sample import HOSTILE, LONG, TEXTS, sample, say_sample

WIDTHS = (20, 40, 80, 120)
ESCAPE = "\x1b"

languages = pytest.mark.parametrize("language", LANGUAGES)


def shown(name: str, language: str, width: int = 80, colour: bool = False, rows: int = 4) -> str:
    return show(sample(rows), format=name, say=say_sample(language), digits=6, width=width, colour=colour)


def numbers_in(text: str) -> list[str]:
    return re.findall(r"\d+(?:\.\d+)?", re.sub(r"\s", " ", text))


@languages
@pytest.mark.parametrize("name", FORMATS)
def test_no_character_of_a_users_text_controls_the_screen(name: str, language: str) -> None:
    """Nothing that moves a cursor, hides or reorders text reaches a page, whatever was typed."""
    text = shown(name, language)
    assert not [
        mark for mark in text if unicodedata.category(mark) in ("Cc", "Cf", "Cs", "Co") and mark != "\n"
    ]
    assert text.endswith("\n")


@languages
@pytest.mark.parametrize("name", [name for name in FORMATS if name != "json"])
def test_every_word_and_every_result_is_on_the_page(name: str, language: str) -> None:
    text = re.sub(r"<[^>]*>|\s", "", shown(name, language, width=120))
    for key in ("turn", "first", "norm", "dot", "allowed", "caution"):
        assert re.sub(r"\s", "", TEXTS[language][key]) in text, key
    assert "1.414214" in text
    assert "3.428571" in text
    assert "-3.125" in text


@pytest.mark.parametrize("name", FORMATS)
def test_the_same_derivation_gives_the_same_bytes(name: str) -> None:
    assert shown(name, "zh") == shown(name, "zh")


def test_an_unknown_format_is_refused() -> None:
    with pytest.raises(KeyError):
        shown("pdf", "en")


# --- terminal


@languages
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("rows", [4, 60])
def test_no_line_is_wider_than_the_screen(width: int, rows: int, language: str) -> None:
    """By Rich's own measure, at any width, in short tables and in long ones."""
    text = shown("rich", language, width, rows=rows)
    assert [line for line in text.splitlines() if cell_len(line) > width] == []


@languages
@pytest.mark.parametrize("width", WIDTHS)
def test_no_number_is_lost_on_a_narrow_screen(width: int, language: str) -> None:
    """Every number of the plain page is on the screen whole, and nothing is cut with an ellipsis."""
    text = shown("rich", language, width)
    found = set(numbers_in(text))
    assert [number for number in numbers_in(shown("plain", language)) if number not in found] == []
    assert "…" not in text


@languages
def test_without_colour_there_is_no_escape_and_with_it_no_other_text(language: str) -> None:
    with_colour = shown("rich", language, colour=True)
    assert ESCAPE in with_colour
    stripped = re.sub(r"\x1b\[[\d;]*m", "", with_colour)
    plain = shown("rich", language)
    assert ESCAPE not in plain
    assert [line.rstrip() for line in stripped.splitlines()] == plain.splitlines()


def test_a_width_below_the_floor_still_shows_everything() -> None:
    assert shown("rich", "en", width=1) == shown("rich", "en", width=20)
    assert shown("svg", "en", width=1) == shown("svg", "en", width=20)


def test_continued_chains_stand_under_their_first_sign() -> None:
    lines = shown("rich", "en", width=40).splitlines()
    first = next(place for place, line in enumerate(lines) if line.startswith("  rms = "))
    assert [line[:8] for line in lines[first : first + 3]] == ["  rms = ", "      = ", "      ≈ "]


def test_columns_of_numbers_meet_at_the_point() -> None:
    rows = [line for line in shown("rich", "en").splitlines() if ".npy" in line]
    assert len({line.index("0.") for line in rows}) == 1


def test_a_wide_table_is_split_evenly_and_each_part_keeps_its_first_column() -> None:
    lines = shown("rich", "en", width=70).splitlines()
    heads = [line.split() for line in lines if "x₁" in line or "x₇" in line if "query position" in line]
    assert [(head[:2], len(head) - 2) for head in heads] == [(["query", "position"], 6)] * 2


def test_a_table_that_cannot_be_split_is_told_row_by_row() -> None:
    lines = shown("rich", "en", width=20).splitlines()
    assert lines.index("  query position: 3") > lines.index("    q₁: 0.333333")


def test_words_in_a_table_wrap_within_the_room_there_is() -> None:
    words = "a sentence that is much longer than the forty columns of this screen"
    rows = grid(Grid(("n", "what it is"), (("1", words),), ("number", "words")), 40, ": ")
    lines = [" " * row.indent + row.text for row in rows]
    assert [columns_of(line) for line in lines[:2]] == [16, 40]
    assert " ".join(line[6:].strip() for line in lines[2:]) == words


# --- plain


@languages
def test_plain_text_needs_no_drawing_and_no_width(language: str) -> None:
    text = shown("plain", language)
    assert text == shown("plain", language, width=20, colour=True)
    assert not re.search("[\u2500-\u257f]", text)


def test_plain_text_begins_with_its_title_and_ends_with_result_and_cautions() -> None:
    lines = shown("plain", "en").splitlines()
    assert lines[0] == "A sample with vectors at positions 1"
    assert lines[2:4] == ["Given", "  query: [-3, 4]"]
    assert "  input: 2 × 40 numbers" in lines
    assert lines[-2:] == ["Keep in mind", f"  {TEXTS['en']['caution']}"]
    assert lines.index("Result") > lines.index("2. Normalise the row") > lines.index("1.1 The first pair")
    assert "  the query may use the key: no" in lines
    assert "  dot product ≈ 1.414214" in lines


# --- JSON


@languages
def test_json_is_strict_and_keeps_full_precision(language: str) -> None:
    text = shown("json", language)
    document = json.loads(text, parse_constant=lambda name: pytest.fail(name))
    assert list(document)[:5] == ["schema", "command", "given", "assumed", "result"]
    assert (document["schema"], document["command"]) == ("dense/1", "sample")
    assert document["result"]["dot"] == 1.4142135623730951
    assert document["given"]["file"] == HOSTILE
    assert document["assumed"][0]["id"] == "assumed"
    assert document["steps"][1]["lines"][3]["value"] == list(LONG)
    assert document["steps"][0]["steps"][0]["lines"][0]["value"] == 1.5707963267948966
    assert document["comparison"]["matches"] is False
    assert text.count("\n") == 1


def test_what_is_not_finite_is_null() -> None:
    derivation = Derivation("sample", Note("sample.norm"), {}, {"deep": [{"value": float("inf")}, 1.0]})
    text = show(derivation, format="json", say=say_sample("en"), digits=6, width=80, colour=False)
    assert json.loads(text)["result"] == {"deep": [{"value": None}, 1.0]}


def test_a_line_tells_symbol_numbers_and_value() -> None:
    line = json.loads(shown("json", "en"))["steps"][0]["steps"][0]["lines"][1]
    assert line == {
        "symbol": "q′₁",
        "formula": "q₁ · cos φ - q₂ · sin φ",
        "substituted": "-3 × cos(π/2) - 4 × sin(π/2)",
        "value": -4.0,
    }


# --- Markdown


@languages
def test_no_cell_of_a_user_breaks_a_markdown_table(language: str) -> None:
    tables = re.findall(r"(?:^\|.*\|\n)+", shown("markdown", language), re.MULTILINE)
    assert len(tables) == 3
    for table in tables:
        assert len({line.count("|") for line in table.splitlines()}) == 1


@languages
def test_markdown_of_a_user_is_only_text(language: str) -> None:
    text = shown("markdown", language)
    assert "<" not in text
    assert not re.search(r"(?<!\\)[`\[]", re.sub(r"\$[^$]*\$", "", text))
    assert "@all" not in text
    assert ":x:" not in text


@languages
def test_markdown_formulas_survive_readers_that_unescape_punctuation(language: str) -> None:
    """Dollars come in pairs, and no backslash in a formula stands before punctuation."""
    for line in shown("markdown", language).splitlines():
        assert line.count("$") % 2 == 0
        for formula in re.findall(r"\$([^$]*)\$", line):
            assert not re.search(r"\\[^a-zA-Z]", formula), formula


def test_a_single_result_is_a_table() -> None:
    derivation = Derivation(
        "sample", Note("sample.norm"), {}, {}, answer=(Line(Note("sample.dot"), None, 0.0),)
    )
    text = show(derivation, format="markdown", say=say_sample("en"), digits=6, width=80, colour=False)
    assert "| Quantity | Value |\n| --- | --- |\n| dot product | 0 |" in text


# --- LaTeX


@languages
def test_latex_is_balanced(language: str) -> None:
    """Braces, environments and dollars close in order, so that the document compiles."""
    text = shown("latex", language)
    bare = re.sub(r"\\[\\{}$&#%_]", "", text)
    depth = 0
    for mark in bare:
        depth += {"{": 1, "}": -1}.get(mark, 0)
        assert depth >= 0
    assert depth == 0
    assert bare.count("$") % 2 == 0
    opened: list[str] = []
    for verb, name in re.findall(r"\\(begin|end)\{([a-z]+\*?)\}", text):
        if verb == "begin":
            opened.append(name)
        else:
            assert opened.pop() == name
    assert opened == []
    assert text.count(r"\left(") == text.count(r"\right)")


@languages
def test_latex_of_a_user_is_only_text(language: str) -> None:
    text = shown("latex", language)
    body = text.partition(r"\begin{document}")[2]
    assert r"\input{x}" not in body.replace(r"\{", "{").replace(r"\}", "}")
    assert not re.search(r"(?<!\\)[#%~]", body)
    assert r"\$x\$" in body


def test_chinese_latex_asks_for_ctex_and_english_stays_in_latin_letters() -> None:
    assert r"{ctexart}" in shown("latex", "zh")
    english = shown("latex", "en")
    assert r"{article}" in english
    assert english.isascii()


def test_chinese_text_of_a_user_in_an_english_document_brings_ctex() -> None:
    derivation = Derivation("sample", Note("sample.norm"), {"file": "查询 🙂.npy"}, {})
    text = show(derivation, format="latex", say=say_sample("en"), digits=6, width=80, colour=False)
    assert "scheme=plain]{ctexart}" in text
    assert "查询 U+1F642.npy" in text


# --- HTML and SVG


class Tags(HTMLParser):
    """Checks that tags close in order and notes which there are."""

    VOID = ("meta",)

    def __init__(self) -> None:
        super().__init__()
        self.opened: list[str] = []
        self.seen: set[str] = set()
        self.attributes: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.add(tag)
        self.attributes.update(name for name, _ in attrs)
        if tag not in self.VOID:
            self.opened.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.opened.pop() == tag


@languages
def test_html_is_well_formed_and_needs_no_network(language: str) -> None:
    text = shown("html", language)
    tags = Tags()
    tags.feed(text)
    tags.close()
    assert tags.opened == []
    assert not tags.seen & {"script", "link", "img", "iframe", "a"}
    assert not tags.attributes & {"src", "href", "onclick"}
    assert "url(" not in text
    assert "&lt;script&gt;" in text
    assert {"h1", "table", "sub", "section"} <= tags.seen


@languages
@pytest.mark.parametrize("width", WIDTHS)
def test_svg_is_well_formed_and_needs_no_network(width: int, language: str) -> None:
    text = shown("svg", language, width)
    root = ElementTree.fromstring(text)
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert "url(" not in text
    assert text.count("http") == 1
    words = re.sub(r"\s", "", "".join(root.itertext()))
    assert re.sub(r"\s", "", TEXTS[language]["caution"]) in words


def test_svg_places_text_by_columns_and_counts_chinese_twice() -> None:
    text = show(
        Derivation("sample", Note("sample.caution"), {}, {}),
        format="svg",
        say=lambda key, /, **_: "旋转 Q" if key == "sample.caution" else "",
        digits=6,
        width=80,
        colour=False,
    )
    starts = [float(x) for x in re.findall(r'<tspan x="([\d.]+)"', text)]
    assert starts[1] - starts[0] == pytest.approx(4 * 8.4)


# --- comparison


@pytest.mark.parametrize(
    ("comparison", "told"),
    [
        ({"matches": True, "max_abs_error": 0.0, "first_difference": None, "mistakes": []}, ["It is right."]),
        (
            {"matches": False, "first_difference": None, "mistakes": []},
            ["It is not right.", "No known mistake, alone or two together, makes these numbers."],
        ),
        (
            {
                "matches": False,
                "max_abs_error": None,
                "first_difference": {"index": None, "found": None, "found_shape": [3], "expected_shape": [2]},
                "mistakes": [{"id": "m", "title": "T", "explanation": "E."}],
            },
            ["It is not right.", "Its shape is [3]; the right shape is [2].", "T. E."],
        ),
        (
            {
                "matches": False,
                "max_abs_error": 2.0,
                "first_difference": {"index": [0, 2], "found": 1, "expected": 3},
                "mistakes": [{"id": "c", "title": "T", "explanation": "E."}],
                "convention": {"id": "c", "title": "half layout", "users": "Most model code."},
            },
            [
                "It is not right.",
                "Largest difference: 2",
                "First difference at entry 1, 3: yours is 1, right is 3.",
                "A convention, not a slip: half layout. Most model code.",
            ],
        ),
    ],
)
def test_a_comparison_is_told_in_sentences(comparison: dict[str, object], told: list[str]) -> None:
    derivation = Derivation("sample", Note("sample.norm"), {}, {}, comparison=comparison)  # type: ignore[arg-type]
    text = show(derivation, format="plain", say=say_sample("en"), digits=6, width=80, colour=False)
    assert text.splitlines()[3:] == [f"  {sentence}" for sentence in told]


def test_latex_keeps_the_two_dashes_of_an_option() -> None:
    assert escaped("use --cast, not ---") == "use -{}-cast, not -{}-{}-"


def test_latex_can_break_a_path_and_sets_steps_below_one_another() -> None:
    """A run-in heading would be drawn over the heading before it."""
    assert r"\paragraph" not in shown("latex", "en")
    assert Latex(say_in("en")).quoted("a/b_c") == r"a/\allowbreak{}b\_c"


def test_words_of_a_row_that_is_told_in_lines_are_broken_between_words():
    """The table has no room side by side, and no English word comes in two."""
    title = "The down matrix becomes the identity"
    wide = Grid(("Exercise", "Title", "Fields"), (("4", title, "x" * 28),), ("number", "words", "words"))
    told = [row.text for row in grid(wide, 40, ": ")]
    assert told[1].startswith("Title: The down matrix")
    assert " ".join(line.strip() for line in told[1:-1]) == f"Title: {title}"
