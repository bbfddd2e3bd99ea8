"""Several models side by side, and what each is called there."""

from __future__ import annotations

from dense_cli.derivation import Line, Note, Step, Table
from dense_cli.expression import Constant, Negative, Sum
from dense_cli.models.counting import Count

COMPARED = ("total", "active", "non_embedding", "biases", "weight_bytes", "kv_cache_bytes_per_token")


def names_of(counts: tuple[Count, ...]) -> tuple[Note, ...]:
    """What each model is called on the page; numbered where two would be called the same."""
    names = [_short(count.name) for count in counts]
    return tuple(
        Note(
            "params.model" if names.count(name) == 1 else "params.model-numbered",
            {"name": name, "number": number},
        )
        for number, name in enumerate(names, start=1)
    )


def _short(path: str) -> str:
    """The last part of a path that says something: the folder of a file named config.json, else the file."""
    parts = [part for part in path.replace("\\", "/").split("/") if part] or [path]
    return parts[-2] if parts[-1] == "config.json" and len(parts) > 1 else parts[-1]


def side_by_side(counts: tuple[Count, ...], names: tuple[Note, ...]) -> Step:
    """All models in one table; where there are two, with the difference."""
    pair = len(counts) == 2
    columns = (Note("params.quantity"), *names, *((Note("params.second-less-first"),) if pair else ()))
    quantities = [
        (Note(f"params.{name.replace('_', '-')}"), [getattr(c, name) for c in counts]) for name in COMPARED
    ]
    parts = [part for part in counts[0].parts if any(count.parts[part] for count in counts)]
    quantities[1:1] = [(Note(f"params.part.{part}"), [c.parts[part] for c in counts]) for part in parts]
    rows = tuple((name, *sizes, *((sizes[1] - sizes[0],) if pair else ())) for name, sizes in quantities)
    steps = () if pair else tuple(_difference(counts, names, place) for place in range(1, len(counts)))
    return Step("side-by-side", Note("params.side-by-side"), table=Table(columns, rows), steps=steps)


def _difference(counts: tuple[Count, ...], names: tuple[Note, ...], place: int) -> Step:
    first, other = counts[0], counts[place]
    formula = Sum((Constant(other.total), Negative(Constant(first.total))))
    line = Line(Note("params.total-difference"), formula, other.total - first.total)
    title = Note("params.less-first", {"model": names[place], "first": names[0]})
    return Step(f"difference-{place + 1}", title, lines=(line,))
