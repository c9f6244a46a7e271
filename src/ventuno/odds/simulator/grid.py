"""Blocks of a simulation on a Dask cluster (extra `grid`): the same blocks, so the same result as at home."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from itertools import islice
from typing import Any

from ventuno.odds.simulator.simulation import Machine, NotSimulated, list_blocks
from ventuno.odds.simulator.tally import Tally

BATCH = 16
"""Blocks in one task: long enough that sending it costs nothing, short enough to share the work."""
SECONDS_TO_CONNECT = 5


class Grid:
    """A cluster by the address of its scheduler; close it, or use it in a `with` statement."""

    def __init__(self, address: str) -> None:
        try:
            import distributed
        except ImportError:
            raise NotSimulated("grid: Dask is not installed; install the extra: pip install 'ventuno[grid]'") from None
        try:
            client: Any = distributed.Client
            self._client: Any = client(address, timeout=SECONDS_TO_CONNECT, set_as_default=False)
        except (OSError, ValueError, TypeError) as fault:
            raise NotSimulated(f"grid: no scheduler answers at {address!r}: {fault}") from None
        self.cores = sum(self._client.nthreads().values())
        if not self.cores:
            self.close()
            raise NotSimulated(f"grid: the scheduler at {address!r} has no workers")

    def __enter__(self) -> Grid:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._client.close()

    def __call__(self, ready: Machine, seed: int, rounds: int) -> Iterator[Tally]:
        """All blocks, their tallies in order; a few batches for each core are under way at any time."""
        sent = self._client.scatter(ready, broadcast=True, hash=False)
        waiting: list[Any] = []
        try:
            for batch in _batches(rounds):
                waiting.append(self._client.submit(play_blocks, sent, seed, batch, pure=False))
                if len(waiting) >= 3 * self.cores:
                    yield from waiting.pop(0).result()
            while waiting:
                yield from waiting.pop(0).result()
        finally:
            self._client.cancel(waiting)


def play_blocks(ready: Machine, seed: int, batch: list[tuple[int, int]]) -> list[Tally]:
    """One task: blocks by number and rounds."""
    # What travelled lies in the memory of its message, read-only and at any address; kernels want arrays of their own.
    ready = deepcopy(ready)
    return [ready.play(seed, block, rounds) for block, rounds in batch]


def _batches(rounds: int) -> Iterator[list[tuple[int, int]]]:
    blocks = list_blocks(rounds)
    while batch := list(islice(blocks, BATCH)):
        yield batch
