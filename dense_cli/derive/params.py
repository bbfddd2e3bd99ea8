"""The story of table 25.2: plain and gated networks, and the gated width that costs the same."""

from __future__ import annotations

from fractions import Fraction

from dense_cli.core.budget import Budget, FfnCount
from dense_cli.derivation import Data, Derivation, Fact, Line, Note, Step, Table
from dense_cli.derive import symbols
from dense_cli.derive.stating import define, given
from dense_cli.expression import Constant, Expression, Negative, Quotient, Sum, Symbol, product


def ffn_budget(budget: Budget, assumed: tuple[Note, ...] = ()) -> Derivation:
    """What a plain network costs, what a gated one of the same width costs, and which width costs the same.

    Source: Shazeer, GLU Variants Improve Transformer, section 2: the hidden width is cut to 2/3.

    >>> from dense_cli.core.budget import budget
    >>> ffn_budget(budget(12, 48)).result["matched_hidden"]
    32
    """
    plain = Line(Note("params.plain"), cost(budget, 2, budget.hidden), budget.plain.parameters)
    same = Line(Note("params.gated"), cost(budget, 3, budget.hidden), budget.same_width.parameters)
    return Derivation(
        command="params",
        title=Note("params.title"),
        given=_given(budget),
        result=_result(budget),
        assumed=(*(() if budget.bias else (Note("params.no-bias"),)), *assumed),
        answer=_answer(budget),
        steps=(
            Step("plain", Note("params.plain-title"), lines=(plain,), notes=(_counted(budget, 2),)),
            Step(
                "same-width",
                Note("params.same-width-title"),
                lines=(same, *_excess(budget)),
                notes=(_counted(budget, 3),),
            ),
            _match(budget),
            *_fits(budget),
            *_multiples(budget),
            _table(budget),
        ),
        cautions=(Note("params.no-quality"),),
    )


def cost(budget: Budget, matrices: int, hidden: int, name: Symbol = symbols.HIDDEN) -> Expression:
    """matrices·C·F, with (matrices − 1)·F + C where there are biases."""
    return _cost(matrices, given(symbols.COORDINATES, budget.width), given(name, hidden), budget.bias)


def _cost(matrices: int, width: Symbol, hidden: Symbol, bias: bool) -> Expression:
    weights = product(Constant(matrices), width, hidden)
    if not bias:
        return weights
    into = hidden if matrices == 2 else product(Constant(matrices - 1), hidden)
    return Sum((weights, into, width))


def _counted(budget: Budget, matrices: int) -> Note:
    return Note(f"params.{'with-bias' if budget.bias else 'matrices'}-{matrices}")


def _excess(budget: Budget) -> tuple[Line, ...]:
    """What the gated network of the same width has more, and that as a part of the budget."""
    before, after = budget.plain.parameters, budget.same_width.parameters
    difference = Sum((Constant(after), Negative(Constant(before))))
    growth = Fraction(after - before, before)
    part = Quotient(Constant(after - before), Constant(before))
    return (
        Line(Note("params.excess"), difference, budget.same_width.difference),
        Line(Note("params.growth"), part, growth),
    )


def _match(budget: Budget) -> Step:
    """Both costs set equal, and solved for the gated width."""
    width, hidden = given(symbols.COORDINATES, budget.width), given(symbols.HIDDEN, budget.hidden)
    both = (
        _cost(2, symbols.COORDINATES, symbols.HIDDEN, budget.bias),
        _cost(3, symbols.COORDINATES, symbols.MATCHED_HIDDEN, budget.bias),
    )
    if budget.bias:
        top: Expression = product(hidden, Sum((product(Constant(2), width), Constant(1))))
        bottom: Expression = Sum((product(Constant(3), width), Constant(2)))
    else:
        top, bottom = product(Constant(2), hidden), Constant(3)
    ideal = int(budget.ideal) if budget.matched else budget.ideal
    line, _ = define(symbols.MATCHED_HIDDEN, Quotient(top, bottom), ideal)
    note = "params.width-with-bias" if budget.bias else "params.width-cancels"
    return Step("match", Note("params.match"), formula=both, lines=(line,), notes=(Note(note),))


def _fits(budget: Budget) -> tuple[Step, ...]:
    """The matching width counted, or the nearest widths on both sides."""
    if budget.matched is not None:
        return (
            Step(
                "check",
                Note("params.check"),
                lines=(_gated_line(budget, budget.matched, "params.gated-matched"),),
                notes=(Note("params.same-count", {"count": budget.plain.parameters}),),
            ),
        )
    sides = (("below", budget.below), ("above", budget.above))
    steps = [_side(budget, name, count) for name, count in sides if count is not None]
    return (Step("nearest", Note("params.nearest"), steps=tuple(steps)),)


def _multiples(budget: Budget) -> tuple[Step, ...]:
    """The widths that are multiples of what the hardware likes."""
    if budget.multiple_of is None:
        return ()
    sides = (("multiple-below", budget.multiple_below), ("rounded", budget.rounded))
    told = [(name, count) for name, count in sides if count is not None]
    if budget.multiple_below == budget.rounded:
        told = told[-1:]
    steps = tuple(_side(budget, name, count) for name, count in told)
    title = Note("params.multiples", {"multiple": budget.multiple_of})
    whole = Note("params.rounding", {"multiple": budget.multiple_of, "floor": int(budget.ideal)})
    return (Step("multiples", title, steps=steps, notes=(whole,)),)


def _side(budget: Budget, name: str, count: FfnCount) -> Step:
    difference = Sum((Constant(count.parameters), Negative(Constant(budget.plain.parameters))))
    lines = [
        _gated_line(budget, count, "params.gated"),
        Line(Note("params.difference"), difference, count.difference),
    ]
    if budget.multiple_of is not None and name in ("multiple-below", "rounded"):
        multiple = given(symbols.MULTIPLE, budget.multiple_of)
        steps = Constant(count.hidden // budget.multiple_of)
        lines.insert(0, Line(symbols.MATCHED_HIDDEN, product(steps, multiple), count.hidden))
    return Step(name, Note(f"params.{name}", {"hidden": count.hidden}), lines=tuple(lines))


def _gated_line(budget: Budget, count: FfnCount, key: str) -> Line:
    return Line(Note(key), cost(budget, 3, count.hidden, symbols.MATCHED_HIDDEN), count.parameters)


def _all_counts(budget: Budget) -> tuple[FfnCount, ...]:
    """The rows of table 25.2, then the multiples that are not among them."""
    rows = budget.rows
    extra = (count for count in (budget.multiple_below, budget.rounded) if count is not None)
    return (*rows, *(count for count in dict.fromkeys(extra) if count not in rows[2:]))


def _table(budget: Budget) -> Step:
    columns = (
        Note("params.network"),
        Note("params.matrices"),
        symbols.COORDINATES,
        symbols.HIDDEN,
        Note("params.parameters"),
        Note("params.difference"),
    )
    rows: tuple[tuple[Fact, ...], ...] = tuple(
        (
            Note(f"params.kind.{count.kind}"),
            count.matrices,
            count.width,
            count.hidden,
            count.parameters,
            count.difference,
        )
        for count in _all_counts(budget)
    )
    return Step("table", Note("params.table"), table=Table(columns, rows))


def _answer(budget: Budget) -> tuple[Line, ...]:
    plain = Line(Note("params.plain"), None, budget.plain.parameters)
    same = Line(Note("params.gated-same-width"), None, budget.same_width.parameters)
    if budget.matched is not None:
        return (plain, same, Line(Note("params.matching"), None, budget.matched.hidden))
    sides = [count for count in (budget.below, budget.above) if count is not None]
    near = tuple(
        Line(Note("params.near", {"hidden": count.hidden}), None, count.parameters) for count in sides
    )
    return (plain, same, Line(Note("params.matching"), None, budget.ideal), *near)


def _given(budget: Budget) -> dict[str, Data]:
    told: dict[str, Data] = {"width": budget.width, "hidden": budget.hidden, "bias": budget.bias}
    return told | ({} if budget.multiple_of is None else {"multiple_of": budget.multiple_of})


def _result(budget: Budget) -> dict[str, Data]:
    told: dict[str, Data] = {
        "ffn": [_count(count) for count in budget.rows],
        "matched_hidden": None if budget.matched is None else budget.matched.hidden,
        "matched_exactly": budget.matched is not None,
    }
    if budget.multiple_of is None or budget.rounded is None:
        return told
    return told | {
        "multiple_of": budget.multiple_of,
        "rounded": _count(budget.rounded),
        "multiple_below": None if budget.multiple_below is None else _count(budget.multiple_below),
    }


def _count(count: FfnCount) -> dict[str, Data]:
    return {
        "kind": count.kind,
        "matrices": count.matrices,
        "width": count.width,
        "hidden": count.hidden,
        "parameters": count.parameters,
        "difference": count.difference,
    }
