"""The page about a class: whole, safe, readable without eyes, colours, scripts or a network."""

import shutil
import subprocess
from html.parser import HTMLParser
from itertools import pairwise

import pytest

from dense_cli.derivation import Note
from dense_cli.errors import DenseError
from dense_cli.grading.export.gradebook import Gradebook
from dense_cli.grading.export.html import write
from dense_cli.grading.marks.marked import Marked
from dense_cli.grading.marks.telling import Teller
from tests.grading.marked import MARKER, SET
from tests.grading.test_report import RIGHT

EMPTY = frozenset({"meta", "br", "link", "img", "input", "hr"})
HOSTILE = "<script>alert(1)</script>\"'><b>&\u202e\x00\x1b[2J"
SHEETS = {
    "Ada": {"2.output": "[0, 1]", "2.denominator": "2", "6.test": "swap red\nand blue"},
    HOSTILE: {"2.output": "[0, 1]", "5.hidden": "<img src=x onerror=alert(1)>", "6.test": HOSTILE},
    "王小明": {"1.query": "[-1, 0]", "5.hidden": "63"},
    "https://example.org/": {"4.output": "[7, 7]"},
}


class Document(HTMLParser):
    """What stands on a page: elements with attributes, text, and whether every element is closed."""

    def __init__(self, html):
        super().__init__()
        self.elements, self.text, self.open, self.tables = [], [], [], []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag == "table":
            self.tables.append([])
        if tag == "tr":
            self.tables[-1].append([])
        if tag in ("td", "th"):
            self.tables[-1][-1].append((tag, dict(attrs)))
        if tag not in EMPTY:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] != "style":
            self.text.append(data)

    def all(self, *tags):
        return [attributes for tag, attributes in self.elements if tag in tags]

    @property
    def told(self):
        return " ".join(" ".join(self.text).split())


def book(sheets=SHEETS, language="en", unread=True):
    students = [Marked(name, "class.jsonl", MARKER.sheet(one)) for name, one in sheets.items()]
    if unread:
        students.append(Marked("s99", "<s99>.json", error=DenseError("sheet-empty", source="<s99>.json")))
    return Gradebook(tuple(students), Teller(SET, language))


@pytest.fixture(params=["en", "zh"])
def page(request):
    return write(book(language=request.param))


def test_the_document_is_well_formed_and_names_its_language(page):
    document = Document(page)
    assert page.startswith("<!DOCTYPE html>")
    assert document.open == []
    assert document.all("html")[0]["lang"] in ("en", "zh-Hans")
    assert [len(document.all(tag)) for tag in ("title", "h1", "main", "nav")] == [1, 1, 1, 1]


def test_nothing_is_loaded_and_nothing_runs(page):
    document = Document(page)
    assert {tag for tag, _ in document.elements} & {
        "script",
        "img",
        "iframe",
        "link",
        "object",
        "form",
    } == set()
    for _, attributes in document.elements:
        assert not any(name.startswith("on") or name in ("src", "action") for name in attributes)
        assert attributes.get("href", "#").startswith("#")
    style = page.partition("<style>")[2].partition("</style>")[0]
    assert "url(" not in style
    assert "@import" not in style
    assert "default-src 'none'" in str(document.all("meta"))


def test_what_students_typed_is_text(page):
    document = Document(page)
    assert "alert(1)</script>" not in page
    assert "<script>alert(1)</script>" in document.told
    assert "<img src=x onerror=alert(1)>" in document.told
    assert not any(mark in page for mark in "\u202e\x00\x1b")
    assert r"\u202e\x00\x1b[2J" in document.told
    assert "https://example.org/" in document.told
    assert "<s99>.json" in document.told


def test_lines_of_an_open_answer_stay_lines(page):
    assert "swap red<br>and blue" in page


def test_every_table_has_a_caption_and_heads(page):
    document = Document(page)
    assert len(document.all("caption")) == len(document.tables) > 8
    for table in document.tables:
        assert all(tag == "th" and attributes["scope"] == "col" for tag, attributes in table[0])
        for row in table[1:]:
            assert [tag for tag, _ in row] == ["th", *["td"] * (len(table[0]) - 1)]
            assert row[0][1]["scope"] == "row"


def test_headings_go_down_by_one_and_links_lead_somewhere(page):
    document = Document(page)
    levels = [int(tag[1]) for tag, _ in document.elements if tag in ("h1", "h2", "h3", "h4")]
    assert levels[0] == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))
    ids = [attributes["id"] for _, attributes in document.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    assert {one["href"][1:] for one in document.all("a")} <= set(ids)


def test_parts_that_scroll_are_reached_with_a_keyboard_and_have_a_name(page):
    regions = [one for one in Document(page).all("div") if one.get("class") == "wide"]
    assert regions
    assert all(one["tabindex"] == "0" and one["role"] == "region" and one["aria-label"] for one in regions)
    assert ":focus-visible" in page


def test_no_meaning_is_in_a_bar_alone(page):
    """Each bar is hidden from readers and has its number right behind it."""
    assert page.count('class="track" aria-hidden="true"') == page.count('<span class="label">')
    assert '<span class="label"></span>' not in page


def test_there_are_styles_for_the_dark_a_phone_and_paper(page):
    for query in ("prefers-color-scheme: dark", "max-width: 40rem", "@media print", "forced-colors"):
        assert query in page
    assert "width=device-width" in page


@pytest.mark.parametrize(
    ("language", "words"),
    [
        (
            "en",
            ("4 sheets marked", "1 sheets not read", "root left out", "output [0, 1]", "5.hidden 63",
             "Moodle", "correct 1 · blank 3", "not known"),
        ),
        (
            "zh",
            ("4 份答卷已批改", "1 份答卷未能读取", "没有开平方", "output [0, 1]", "5.hidden 63",
             "Moodle", "正确 1 · 空白 3", "未知"),
        ),
    ],
)  # fmt: skip
def test_the_page_tells_what_a_teacher_asks(language, words):
    told = Document(write(book(language=language))).told
    assert [word for word in words if word not in told] == []


def test_facility_and_points_are_those_of_the_marks():
    """Of four students two have both points and two none: 50 %."""
    sheets = {
        "a": {"2.output": "[0, √2]"},
        "b": {"2.output": "[0, √2]"},
        "c": {},
        "d": {"2.output": "[9, 9]"},
    }
    html = write(book(sheets, unread=False))
    row = next(
        line for line in html.splitlines() if line.startswith('<tr><th scope="row" class=short>output')
    )
    assert '<span class="label">50 %</span>' in row
    assert "width:50.0%" in row
    assert "correct\u00a02 · wrong\u00a01 · blank\u00a01" in row  # a count stays with its word


def test_the_spread_counts_every_student_once_full_marks_in_the_last():
    sheets = {"a": {}, "b": {"1.dot": "0", "1.visible": "no"}, "c": {}, "d": {**RIGHT, "6.test": "x"}}
    html = write(book(sheets, unread=False))
    part = html.partition('id="distribution"')[2].partition("</section>")[0]
    assert [int(count.partition("<")[0]) for count in part.split('class="label">')[1:]] == [3] + [0] * 8 + [1]


def test_an_empty_class_is_a_page_too():
    for students in ((), (Marked("s", "a", error=DenseError("sheet-empty", source="a")),)):
        document = Document(write(Gradebook(students, Teller(SET, "en"))))
        assert "0 sheets marked" in document.told
        assert document.open == []


def test_the_same_sheets_give_the_same_bytes(page):
    language = "zh" if 'lang="zh' in page else "en"
    assert write(book(language=language)) == page


def test_explanations_are_whole_sentences_in_both_languages():
    for language in ("en", "zh"):
        teller = Teller(SET, language)
        found = next(one for one in MARKER.sheet({"4.output": "[2, 0]"}) if one.mistakes).mistakes[0]
        assert teller.about(found) == teller.text(Note("check.mistake", _facts(teller, found)))
        assert teller.name(found) in write(book({"a": {"4.output": "[2, 0]"}}, language))


def _facts(teller, found):
    (mistake,) = found.mistakes
    return {name: Note(mistake.words(name)) for name in ("title", "explanation", "tell")}


# --- in a browser

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
QUIET = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
)  # fmt: skip


@pytest.mark.skipif(BROWSER is None, reason="no Chromium is installed")
def test_a_browser_shows_it_all_and_runs_nothing(tmp_path):
    (tmp_path / "class.html").write_text(write(book()), encoding="utf-8")
    shown = subprocess.run(
        [BROWSER, *QUIET, f"--user-data-dir={tmp_path / 'profile'}", "--dump-dom",
         (tmp_path / "class.html").as_uri()],
        capture_output=True, timeout=60, check=True,
    ).stdout.decode()  # fmt: skip
    document = Document(shown)
    assert document.all("script", "img") == []
    assert len(document.tables) == len(Document(write(book())).tables)
    assert "<script>alert(1)</script>" in document.told
    assert "root left out" in document.told
