"""A class marked on the machines of a Dask cluster: a recipe, for whoever has more students than cores.

With the extra ``dask`` installed on all machines::

    from functools import partial
    from dask.distributed import Client
    from dense_cli.grading.classes.dask_recipe import on_cluster

    with Client("tcp://scheduler:8786") as client, open("marks.jsonl", "wb") as out:
        found = stream(job, path, "error", out, partial(on_cluster, client))

A shard is a block, and marking one is pure: whichever machine marks it, and however often, its part of the
file is the same, and so is the sum of the tallies.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from typing import Any

from dense_cli.grading.classes.blocks import Block, Done, mark_block

AHEAD = 64
"""Blocks that wait on the cluster: enough for its workers, not the whole class."""


def on_cluster(client: Any, job: bytes, blocks: Iterable[Block]) -> Iterator[Done]:
    """Mark blocks with a `dask.distributed.Client`; the results come in the order of the blocks."""
    everywhere = client.scatter(job, broadcast=True, hash=False)
    waiting: deque[Any] = deque()
    for block in blocks:
        waiting.append(client.submit(mark_block, everywhere, block, pure=False))
        if len(waiting) > AHEAD:
            yield waiting.popleft().result()
    while waiting:
        yield waiting.popleft().result()
