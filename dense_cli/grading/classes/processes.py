"""Blocks marked by several processes of this machine, their results in the order of the blocks."""

from __future__ import annotations

import signal
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from multiprocessing import get_context

from dense_cli.grading.classes.blocks import Block, Done, mark_block

AHEAD = 2
"""Blocks for each process that are read before their turn."""


def in_processes(count: int, job: bytes, blocks: Iterable[Block]) -> Iterator[Done]:
    """Mark blocks in `count` processes. Each starts anew, as every system can; an interruption ends all."""
    pool = ProcessPoolExecutor(count, mp_context=get_context("spawn"), initializer=_leave_interrupts)
    waiting: deque[Future[Done]] = deque()
    try:
        for block in blocks:
            waiting.append(pool.submit(mark_block, job, block))
            if len(waiting) > AHEAD * count:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _leave_interrupts() -> None:
    """Ctrl-C reaches every process of a terminal; only the one that has begun the others ends them."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
