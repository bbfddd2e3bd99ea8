"""Marking block by block: the same bytes and the same words as marking all at once."""

import io
import os
import pickle
from dataclasses import replace
from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dense_cli.cli import check_call, check_stream
from dense_cli.grading.classes import usual
from dense_cli.grading.classes.blocks import Block, Job, mark_block
from dense_cli.grading.classes.processes import in_processes
from dense_cli.grading.classes.streaming import blocks_of, stream
from dense_cli.grading.classes.usual import Unusual
from dense_cli.grading.documents import from_json
from dense_cli.grading.export import STREAMED, export
from dense_cli.grading.export.gradebook import Gradebook
from dense_cli.grading.intake.duplicates import without_duplicates
from dense_cli.grading.intake.sheets import FieldNames
from dense_cli.grading.intake.sources import Reader, read_sources
from dense_cli.grading.marks import marking
from dense_cli.grading.marks.marked import Marked
from dense_cli.grading.marks.marking import Marker, Rules
from dense_cli.grading.marks.telling import Teller
from dense_cli.grading.reports.report import class_report
from dense_cli.grading.reports.tally import Total, tally
from dense_cli.grading.variants.variant import Markers, marked_with
from tests.cli.calling import call
from tests.grading.marked import MARKER, QUESTIONS, SET

pytestmark = pytest.mark.usefixtures("questions_once")

LINES = """\
{"student": "s01", "1.query": "[-1, 0]", "5.hidden": "96"}
{"student": "s02", "1.query": "[-1, 0]", "5.hidden": "96"}

{"student": "s03", "1.query": "[-1, 0]", "5.hidden": 96}
{"student":"s04","1.query": "[-1, 0]", "5.hidden": "96"}
{"1.query": "[-1, 0]", "student": "s05", "5.hidden": "96"}
{"student": "Ann \\"A\\", B", "4.output": "[1.462117, -0.806824]", "4.putput": 1}
{"student": "张三\u202e", "1": {"query": [-1, 0], "dot": 0.5}, "variant": "7"}
{"student": "s06", "5.hidden": "64"
{"student": "s06", "5.hidden": "64", "variant": "student"}
{"student": "s07", "5.hidden": "64", "variant": "student"}
{"student": "s08"}
{"student": "s09", "student": "s10", "5.hidden": "64"}
[1]
{"student": "", "5.hidden": "64"}
{"student": "=1+1", "1.query": "0, 1\u2028", "1.key": "1, 2", "1.dot": "2"}
{"student": "s11", "5.hidden": "64"}\r
{"student": "s12", "5.hidden": "64"}\r
"""
TWICE = (
    LINES + '{"student": "s02", "1.query": "[0, -1]"}\n{"student": "s11"}\n{"student": "s12", "1.dot": "1"}'
)
TABLE = """\
student,1.query,4.output,6.test,odd
s01,"[-1, 0]",,x,
s02,"[-1, 0]",,x,
s03,"[-1, 0]",,"two
lines",
s04,"[-1, 0]",,x,,too long
"s05","[-1, 0]",,x,

,"[-1, 0]",,x,
-s06,"[-1, 0]",,"a ""quoted"" word",
s07 ,"[-1, 0]",,x,\r
s08, "[-1, 0]",,x,\r
s09,-1;0,"[2, -3]",x
"""
FILES = {
    "a.jsonl": LINES,
    "twice.jsonl": TWICE,
    "a.csv": TABLE,
    "twice.csv": TABLE + "s02,,,y,\ns01,1,,,\n",
    "a.tsv": TABLE.replace(",", "\t"),
    "bom.csv": "\ufeff" + TABLE,
    "returns.csv": TABLE.replace("\n", "\r"),
    "open.csv": TABLE + 's10,"[-1, 0],,x,\n',
    "header.csv": "student,1.query\n",
    "empty.jsonl": "",
}


def whole(path, to, rule="error", markers=None):
    """The export of all sheets of a file at once, and its warnings."""
    names, markers = FieldNames.of(SET), markers or Markers(SET)
    kept = without_duplicates(read_sources([str(path)], Reader(names)), rule)
    students = tuple(marked_with(markers, one, "") for one in kept.sheets)
    return export(to, Gradebook(students, Teller(SET, "en")))[0].encode(), students


def job_for(path, to, **more):
    return Job(SET, Rules(), "en", to, str(path), FieldNames.of(SET), **more)


def streamed(path, to, rule="error", letters=100, counted=False, **more):
    out = io.BytesIO()
    found = stream(job_for(path, to, counted=counted), path, rule, out, letters=letters, **more)
    return out.getvalue(), found


@pytest.mark.parametrize("to", STREAMED)
@pytest.mark.parametrize(
    ("name", "rule"),
    [
        (name, rule)
        for name in FILES
        for rule in (("error", "first", "best") if name.startswith("twice") else ("error",))
    ],
)
def test_a_call_gives_the_same_bytes_and_words_either_way(tmp_path, monkeypatch, name, to, rule):
    path = tmp_path / name
    path.write_text(FILES[name], newline="")
    words = ("check", str(path), "--to", to, "--duplicates", rule)
    block_by_block = call(*words)
    monkeypatch.setattr(check_call, "streamed", lambda *rest: None)
    at_once = call(*words)
    assert (block_by_block.exit, block_by_block.err) == (at_once.exit, at_once.err)
    assert block_by_block.out == at_once.out


@pytest.mark.parametrize("more", [(), ("--statistics",), ("--lang", "zh", "--format", "markdown")])
@pytest.mark.parametrize("name", ["a.jsonl", "twice.jsonl", "a.csv", "twice.csv", "header.csv"])
def test_a_page_about_a_large_class_is_the_same_either_way(tmp_path, monkeypatch, name, more):
    monkeypatch.setattr(check_stream, "SMALLEST", 0)
    path = tmp_path / name
    path.write_text(FILES[name], newline="")
    asked = []
    monkeypatch.setattr(check_stream, "class_report", lambda *rest: asked.append(1) or class_report(*rest))
    words = ("check", str(path), "--duplicates", "last", *more)
    block_by_block = call(*words)
    assert bool(asked) == (name != "header.csv")
    monkeypatch.setattr(check_call, "streamed", lambda *rest: None)
    once = call(*words)
    assert (block_by_block.exit, block_by_block.err) == (once.exit, once.err)
    assert block_by_block.out == once.out


def test_a_small_class_is_shown_answer_by_answer(tmp_path, monkeypatch):
    monkeypatch.setattr(check_stream, "SMALLEST", 0)
    path = tmp_path / "a.csv"
    path.write_text("student,5.hidden\ns1,96\ns2,64\n")
    few = call("check", str(path))
    monkeypatch.setattr(check_stream, "SMALLEST", 1000)
    assert few.out == call("check", str(path)).out
    assert "5.hidden" in few.out


@pytest.mark.parametrize("name", ["a.jsonl", "twice.jsonl", "a.csv", "twice.csv", "bom.csv"])
@pytest.mark.parametrize("letters", [1, 64, 333])
def test_where_blocks_are_cut_makes_no_difference(tmp_path, name, letters):
    path = tmp_path / name
    path.write_text(FILES[name], newline="")
    smallest = 60 if "csv" in name else 1  # the header of a table must be in the first block
    found, _ = streamed(path, "csv", "last", max(letters, smallest))
    assert found == whole(path, "csv", "last")[0]


def test_an_answer_that_came_before_is_not_read_again(tmp_path, monkeypatch):
    path = tmp_path / "a.jsonl"
    path.write_text("".join(f'{{"student": "s{n}", "5.hidden": "64"}}\n' for n in range(9)))
    read = []
    monkeypatch.setattr(usual, "from_json", lambda *line: read.append(line) or from_json(*line))
    text, found = streamed(path, "csv-wide")
    assert len(read) < 3
    assert found.sheets == 9
    assert text.count(b"\ns8,") == 1


def test_a_column_that_the_call_calls_the_student_counts_before_a_usual_one(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text("".join(f'{{"student": "{name}", "nick": "x", "5.hidden": "64"}}\n' for name in "xyz"))
    job = replace(
        job_for(path, "csv-wide"), names=FieldNames.of(SET, {"nick": "student", "student": "student"})
    )
    assert mark_block(job.packed(), next(blocks_of(job, path)[1])).students == ("x", "x", "x")


def test_every_warning_is_told_and_that_of_a_header_once(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("student,5.hidden,odd\n" + "".join(f"s{number},64,\n" for number in range(9)))
    job, blocks = blocks_of(job_for(path, "csv"), path, letters=40)
    warnings = [len(mark_block(job.packed(), one).warnings) for one in blocks]
    assert len(warnings) > 1
    assert warnings == [1] + [0] * (len(warnings) - 1)
    line = '{"student": "s", "5.hidden": "64", "5.hiden": "64"}\n'
    told = mark_block(job_for(path, "csv").packed(), Block(line * 2)).warnings
    assert [one.key for one in told] == ["unknown-field"] * 2


def test_what_is_at_hand_is_bounded(monkeypatch):
    monkeypatch.setattr(marking, "MOST_KNOWN", 40)
    marker = Marker(QUESTIONS)
    for number in range(60):
        marker.sheet({"5.hidden": str(number), "1.dot": str(number)})
        assert len(marker._known) <= 40


def test_two_processes_write_the_same_bytes(tmp_path):
    path = tmp_path / "twice.jsonl"
    path.write_text(TWICE, newline="")
    several, found = streamed(path, "jsonl", "last", 300, marking=partial(in_processes, 2))
    alone, told = streamed(path, "jsonl", "last")
    assert several == alone
    assert list(map(str, found.warnings)) == list(map(str, told.warnings))


def test_a_block_that_fails_ends_the_processes_and_is_told(tmp_path):
    path = tmp_path / "open.csv"
    path.write_text(FILES["open.csv"])
    job, blocks = blocks_of(job_for(path, "csv"), path)
    with pytest.raises(Unusual):
        list(in_processes(2, job.packed(), blocks))


def test_shards_in_any_order_add_up_to_the_whole(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text(LINES, newline="")
    job, shards = blocks_of(job_for(path, "jsonl", counted=True), path, letters=200)
    cut = list(shards)
    done = [mark_block(job.packed(), one) for one in reversed(cut)][::-1]
    assert len(cut) > 3
    data, students = whole(path, "jsonl")
    assert b"".join(one.data for one in done) == data
    summed, counted = sum((one.tally for one in done[1:]), done[0].tally), tally(students, SET)
    assert replace(summed, waiting=()) == replace(counted, waiting=())
    assert [(one.student, one.mark.given) for one in summed.waiting] == [
        (one.student, one.mark.given) for one in counted.waiting
    ]


@pytest.mark.parametrize("many", [0, 1, 2, 3, 7, 8, 20])
def test_a_total_is_the_sum_in_order(many):
    students = [
        Marked(f"s{n}", "a.csv", MARKER.sheet({"6.test": f"text {n}", "5.hidden": str(n)}))
        for n in range(many)
    ]
    total = Total()
    for one in students:
        total.add(tally([one], SET))
    assert total.sum() == (tally(students, SET) if many else None)


def test_a_tally_travels_to_another_process():
    sheet = {"4.output": "[1.462117, -0.806824]", "5.hidden": "96", "1.query": "7"}
    counted = tally([Marked("s01", "a.csv", MARKER.sheet(sheet))], SET)
    assert counted.found
    assert pickle.loads(pickle.dumps(counted)).found == counted.found


def test_an_interruption_leaves_the_old_file_and_nothing_beside_it(tmp_path, monkeypatch):
    source, target = tmp_path / "a.jsonl", tmp_path / "marks.csv"
    source.write_text(LINES)
    target.write_text("old")

    def interrupted(job, blocks):
        yield mark_block(job, next(iter(blocks)))
        raise KeyboardInterrupt

    monkeypatch.setattr(check_stream, "one_by_one", interrupted)
    assert call("check", str(source), "-o", str(target)).exit == 130
    assert target.read_text() == "old"
    assert sorted(os.listdir(tmp_path)) == ["a.jsonl", "marks.csv"]


class Screen(io.StringIO):
    def __init__(self, terminal):
        super().__init__()
        self.terminal = terminal

    def isatty(self):
        return self.terminal


@pytest.mark.parametrize(("terminal", "seconds"), [(True, 1.0), (True, 60.0), (False, 1.0)])
def test_a_long_call_tells_a_terminal_how_far_it_is_and_wipes_it(monkeypatch, terminal, seconds):
    screen = Screen(terminal)
    monkeypatch.setattr(check_stream.sys, "stderr", screen)
    clock = iter([0.0, 0.9, 1.1])
    monkeypatch.setattr(check_stream, "monotonic", lambda: next(clock))
    monkeypatch.setattr(check_stream, "SECONDS", seconds)
    with check_stream._progress() as progress:
        progress(11_111, 0.2)
        progress(12_345, 0.25)
    told = screen.getvalue()
    assert ("12,345" in told) == (terminal and seconds == 1)
    assert "11,111" not in told
    assert not told or told.endswith(" \r")


@pytest.mark.parametrize("typed", ["0", "two", "-1", "257", "1.5", "²"])
def test_a_number_of_processes_that_is_none_is_refused(tmp_path, typed):
    (tmp_path / "a.jsonl").write_text(LINES)
    called = call("check", str(tmp_path / "a.jsonl"), "--jobs", typed, "--to", "csv")
    assert called.exit == 2
    assert "--jobs" in called.err


@settings(max_examples=40, deadline=None)
@given(st.lists(st.text(alphabet='s1",;\n\r {}[]0.=张', max_size=30), max_size=8))
def test_any_text_gives_the_same_bytes_either_way(tmp_path_factory, rows):
    for name, header in (("a.csv", "student,5.hidden\ns0,64\n"), ("a.jsonl", "")):
        path = tmp_path_factory.mktemp("any") / name
        path.write_text(header + "\n".join(rows), newline="")
        try:
            found = streamed(path, "csv", "first")[0]
        except Unusual:
            continue
        assert found == whole(path, "csv", "first")[0]


def test_a_cluster_writes_the_same_bytes(tmp_path):
    """Needs the extra `dask`; two workers on this machine."""
    distributed = pytest.importorskip("dask.distributed", reason="the extra dask is not installed")
    from dense_cli.grading.classes.dask_recipe import on_cluster

    path = tmp_path / "twice.jsonl"
    path.write_text(TWICE, newline="")
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        assert (
            streamed(path, "jsonl", "last", 300, marking=partial(on_cluster, client))[0]
            == (whole(path, "jsonl", "last")[0])
        )
