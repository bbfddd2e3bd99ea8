"""Ratios to yardsticks timed in the same run, round by round, and a table of them at the end."""

from __future__ import annotations

from collections.abc import Callable
from statistics import median
from time import perf_counter

import pytest

RATIOS: list[tuple[str, str, float]] = []

Call = Callable[[], object]


@pytest.fixture
def against(benchmark):
    """A function that times a call and, before each of its rounds, what it is compared with.

    Milliseconds do not travel, and a busy machine slows both alike; so only the ratio of the medians is kept.
    `per` is how many times as much the call does as its yardstick.
    """

    def measure(
        name: str, call: Call, yardsticks: dict[str, Call], rounds: int = 15, per: float = 1.0
    ) -> None:
        times: dict[str, list[float]] = {label: [] for label in yardsticks}

        def beside() -> None:
            for label, yardstick in yardsticks.items():
                began = perf_counter()
                yardstick()
                times[label].append(perf_counter() - began)

        benchmark.pedantic(call, setup=beside, rounds=rounds, warmup_rounds=2)
        for label, taken in times.items():
            ratio = benchmark.stats.stats.median / median(taken[2:]) / per
            benchmark.extra_info[label] = ratio
            RATIOS.append((name, label, ratio))

    return measure


def pytest_terminal_summary(terminalreporter):
    if not RATIOS:
        return
    terminalreporter.section("time as a ratio to a yardstick in the same run")
    terminalreporter.line("| what | yardstick | ratio |")
    terminalreporter.line("|---|---|---:|")
    for name, label, ratio in RATIOS:
        terminalreporter.line(f"| {name} | {label} | {ratio:.3g} |")
