"""A derivation with everything in it that a page must be able to show, words included.

It belongs to no topic: its numbers are chosen for the page, not for a model.
"""

from __future__ import annotations

import string
from fractions import Fraction

from dense_cli.derivation import Derivation, Line, Note, Say, Step, Table
from dense_cli.expression import (
    COS,
    SIN,
    Call,
    Constant,
    Negative,
    Power,
    Product,
    Quotient,
    Root,
    Sum,
    Symbol,
)
from dense_cli.lang import say_in
from dense_cli.numerals import PiMultiple

HOSTILE = "[/b] \x1b[31m \u202ecba |a|b $x$ <script>alert(1)</script> :x: \\input{x} @all &amp; %20 ~ `c`"
LONG = tuple(index / 7 for index in range(1, 25))
"""A vector too long for any line."""
WIDE = tuple(tuple(round(row * 1.25 + column, 2) for column in range(12)) for row in range(2))

QUERY = Symbol("q", "q")
TURNED = Symbol("q′", "q'")
ANGLE = Symbol("φ", r"\varphi")
ROW = Symbol("x", "x")
RMS = Symbol("rms", r"\operatorname{rms}")

TEXTS = {
    "en": {
        "title": "A sample with vectors at positions {position}",
        "assumed": "Each position turns by {angle}, so four positions make a turn, and the fifth repeats.",
        "turn": "Turn the query",
        "first": "The first pair",
        "norm": "Normalise the row",
        "table": "All positions side by side",
        "nested": "note inside {inner}",
        "inner": "a note with {value}",
        "query-position": "query position",
        "rotated": "rotated query",
        "mean": "mean of the squares",
        "dot": "dot product",
        "allowed": "the query may use the key",
        "file": "file",
        "caution": "The dot product says nothing about visibility; the causal mask decides that.",
    },
    "zh": {
        "title": "位置 {position} 上的向量示例",
        "assumed": "每前进一个位置转过 {angle}，四个位置正好转一整圈，第五个位置与第一个位置的结果重复。",
        "turn": "旋转查询",
        "first": "第一对坐标",
        "norm": "归一化这一行",
        "table": "各个位置并列",
        "nested": "注：{inner}",
        "inner": "其中的值为 {value}",
        "query-position": "查询位置",
        "rotated": "旋转后的查询",
        "mean": "平方的平均",
        "dot": "点积",
        "allowed": "这个查询能否使用这个键",
        "file": "文件",
        "caution": "点积本身不说明因果可见性，能否使用由因果掩码决定。",
    },
}


def say_sample(language: str) -> Say:
    """The real words of `common`, and the sample's own."""
    real = say_in(language)

    def say(key: str, /, **facts: str) -> str:
        topic, _, name = key.partition(".")
        if topic != "sample":
            return real(key, **facts)
        return string.Formatter().vformat(TEXTS[language][name], (), facts)

    return say


def turn_step() -> Step:
    x, y = QUERY.at(1), QUERY.at(2)
    general = Sum((Product((x, Call(COS, ANGLE))), Negative(Product((y, Call(SIN, ANGLE))))))
    x, y, angle = x.bound(-3.0), y.bound(4.0), ANGLE.bound(PiMultiple(Fraction(1, 2)))
    put_in = Sum((Product((x, Call(COS, angle))), Negative(Product((y, Call(SIN, angle))))))
    lines = (
        Line(
            ANGLE,
            Product((Constant(1), Symbol("θ", r"\theta").bound(PiMultiple(Fraction(1, 2))))),
            PiMultiple(Fraction(1, 2)),
        ),
        Line(TURNED.at(1), put_in, -4.0),
        Line(TURNED, None, (-4.0, -3.0)),
    )
    first = Step(
        "first",
        Note("sample.first"),
        lines=lines,
        notes=(Note("sample.nested", {"inner": Note("sample.inner", {"value": -0.5})}),),
    )
    return Step("turn", Note("sample.turn"), formula=(TURNED.at(1), general), steps=(first,))


def norm_step() -> Step:
    values = (3.0, -4.0, 12.25)
    squares = Sum(
        tuple(Power(ROW.at(place).bound(value), Constant(2)) for place, value in enumerate(values, 1))
    )
    mean = Quotient(squares, Constant(3))
    root = Root(mean)
    lines = (
        Line(Note("sample.mean"), mean, mean.evaluate()),
        Line(RMS, root, root.evaluate()),
        Line(Symbol("y", "y").at(1), Quotient(ROW.at(1).bound(0.0), RMS.bound(0.0)), None),
        Line(Symbol("v", "v"), None, LONG),
        Line(Symbol("W", "W"), None, ((1.0, 0.0), (-2.5, 1 / 3))),
        Line(Symbol("U", "U"), None, WIDE),
    )
    return Step("norm", Note("sample.norm"), lines=lines)


def table_step(rows: int = 4) -> Step:
    columns = (
        Note("sample.query-position"),
        Note("sample.rotated"),
        QUERY.at(1),
        Note("sample.dot"),
        Note("sample.file"),
    )
    turned = ((1, 0), (0, 1), (-1, 0), (0, -1))
    told = tuple((row, turned[row % 4], 1 / (row + 3), -row, f"w|{row}.npy") for row in range(rows))
    return Step("table", Note("sample.table"), table=Table(columns, told))


def wide_step() -> Step:
    columns = (Note("sample.query-position"), *(ROW.at(place) for place in range(1, 13)))
    rows = tuple((place, *row) for place, row in enumerate(WIDE))
    return Step("wide", Note("sample.table"), table=Table(columns, rows))


def sample(rows: int = 4) -> Derivation:
    """The whole of it; the table has `rows` rows."""
    return Derivation(
        command="sample",
        title=Note("sample.title", {"position": 1}),
        given={
            "query": [-3.0, 4.0],
            "file": HOSTILE,
            "x": [[0.5] * 40, [0.25] * 40],
            "layout": "interleaved",
        },
        assumed=(Note("sample.assumed", {"angle": PiMultiple(Fraction(1, 2))}),),
        answer=(
            Line(TURNED, None, (-4.0, -3.0)),
            Line(Note("sample.dot"), None, 1.4142135623730951),
            Line(Note("sample.allowed"), None, False),
            Line(Note("sample.file"), None, HOSTILE),
        ),
        result={"query": [-4.0, -3.0], "dot": 1.4142135623730951, "mean_square": None, "file": HOSTILE},
        steps=(turn_step(), norm_step(), table_step(rows), wide_step()),
        cautions=(Note("sample.caution"),),
        comparison={
            "matches": False,
            "max_abs_error": 0.125,
            "first_difference": {"index": [1], "found": -3.125, "expected": -3.0},
            "mistakes": [
                {
                    "id": "clockwise",
                    "kind": "slip",
                    "title": "Turned by -θ",
                    "explanation": "All signs of sin are reversed.",
                    "max_abs_error": 0.0,
                },
                {
                    "id": "hostile",
                    "kind": "slip",
                    "title": HOSTILE,
                    "explanation": HOSTILE,
                    "max_abs_error": 0.0,
                },
            ],
            "convention": None,
        },
    )
