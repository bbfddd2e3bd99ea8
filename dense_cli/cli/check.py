"""`dense check`: the options of marking; `check_answers` marks typed answers, `check_call` sheets."""

from __future__ import annotations

from typing import Annotated

from dense_cli.cli.options import (
    DigitsOption,
    Example,
    FormatOption,
    JsonOption,
    LangOption,
    Outcome,
    OutputOption,
    option,
    positional,
)
from dense_cli.cli.page import Page
from dense_cli.frozen import dataclass

EXAMPLES = {
    "check": (
        Example("one", "check --exercise 4 --answer output=1.761594,-2.857722"),
        Example("file", "check answers.toml"),
    )
}


@dataclass(frozen=True, slots=True)
class Asked:
    """What was typed, option by option."""

    source: tuple[str, ...]
    exercise: str | None
    answer: tuple[str, ...]
    exercises: str | None
    atol: str | None
    rtol: str | None
    encoding: str | None
    from_: str | None
    map_: tuple[str, ...]
    student_from: str | None
    duplicates: str | None
    roster: str | None
    to: str | None
    no_follow_through: bool
    variant: str | None
    watch: bool
    scores: str | None
    statistics: bool
    into: str | None
    jobs: str | None
    format: str | None
    json_: bool


def check(
    page: Page,
    source: Annotated[tuple[str, ...], positional("SOURCE")] = (),
    exercise: Annotated[str | None, option("--exercise", metavar="ID")] = None,
    answer: Annotated[tuple[str, ...], option("--answer", metavar="FIELD=VALUE")] = (),
    exercises: Annotated[str | None, option("--exercises", metavar="DIR")] = None,
    atol: Annotated[str | None, option("--atol", metavar="A")] = None,
    rtol: Annotated[str | None, option("--rtol", metavar="R")] = None,
    encoding: Annotated[str | None, option("--encoding", metavar="NAME")] = None,
    from_: Annotated[str | None, option("--from", metavar="SYSTEM")] = None,
    map_: Annotated[tuple[str, ...], option("--map", metavar="COLUMN=FIELD")] = (),
    student_from: Annotated[str | None, option("--student-from", metavar="REGEX")] = None,
    duplicates: Annotated[str | None, option("--duplicates", metavar="RULE")] = None,
    roster: Annotated[str | None, option("--roster", metavar="FILE")] = None,
    to: Annotated[str | None, option("--to", metavar="SYSTEM")] = None,
    no_follow_through: Annotated[bool, option("--no-follow-through")] = False,
    variant: Annotated[str | None, option("--variant", metavar="SEED|student")] = None,
    watch: Annotated[bool, option("--watch")] = False,
    scores: Annotated[str | None, option("--scores", metavar="FILE")] = None,
    statistics: Annotated[bool, option("--statistics")] = False,
    into: Annotated[str | None, option("--into", metavar="DIR")] = None,
    jobs: Annotated[str | None, option("--jobs", metavar="N")] = None,
    format: FormatOption = None,
    json_: JsonOption = False,
    output: OutputOption = None,
    digits: DigitsOption = None,
    lang: LangOption = None,
) -> Outcome:
    """Mark answers and name the mistakes behind the wrong ones."""
    asked = Asked(
        source=source,
        exercise=exercise,
        answer=answer,
        exercises=exercises,
        atol=atol,
        rtol=rtol,
        encoding=encoding,
        from_=from_,
        map_=map_,
        student_from=student_from,
        duplicates=duplicates,
        roster=roster,
        to=to,
        no_follow_through=no_follow_through,
        variant=variant,
        watch=watch,
        scores=scores,
        statistics=statistics,
        into=into,
        jobs=jobs,
        format=format,
        json_=json_,
    )
    if exercise is not None or answer:
        from dense_cli.cli.check_answers import answers_marked

        return answers_marked(page, asked)
    from dense_cli.cli.check_call import marked

    return marked(page, asked)
