"""Many rounds with a given strategy, in blocks: each block has its own random stream, so the result depends on the seed
and the number of rounds, never on how many cores or machines shared the work.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy
from itertools import islice
from typing import Any, Protocol, runtime_checkable

from ventuno.core.rules.sheet import DUEL, Sheet
from ventuno.odds.exact.chart import Chart
from ventuno.odds.exact.duel import DuelChoice, Visible, solve_duel
from ventuno.odds.exact.solver import best_chart
from ventuno.odds.simulator.automaton import TooManyStates
from ventuno.odds.simulator.machines import build_blackjack_machine, build_duel_machine
from ventuno.odds.simulator.tally import NOTHING, Estimate, Faces, Result, Tally

BLOCK = 1 << 20
"""Rounds in a block."""
MOST_ROUNDS = 10**13
MOST_CORES = 1024
MOST_SEED = 1 << 128

Strategy = Chart | Mapping[Visible, DuelChoice]
Watch = Callable[[Tally], bool]
"""Told the tally after each block, in order; True stops the simulation there."""
BATCH = 16
"""Blocks in one task: long enough that sending it costs nothing, short enough to share the work."""
SECONDS_TO_CONNECT = 5


class NotSimulated(ValueError):
    """The call asks for something impossible; the message says what and why."""


@runtime_checkable
class Machine(Protocol):
    """A sheet and a strategy made ready for a kernel."""

    @property
    def faces(self) -> dict[str, Faces]: ...

    def play(self, seed: int, block: int, rounds: int) -> Tally: ...


Blocks = Callable[[Machine, int, int], Iterator[Tally]]
"""Plays all blocks of `rounds` with a seed and yields their tallies in order."""


def machine(sheet: Sheet, strategy: Strategy, statistics: bool = True) -> Machine:
    """Compile a sheet of either family."""
    try:
        if isinstance(strategy, Chart):
            return build_blackjack_machine(sheet, strategy, statistics=statistics)
        if sheet.shoe.reshuffle != "every-round":
            raise NotSimulated("shoe.reshuffle: a duel is simulated from a fresh shoe each round, as it is solved")
        return build_duel_machine(sheet, strategy, statistics=statistics)
    except TooManyStates as fault:
        raise NotSimulated(str(fault)) from None


def best_strategy(sheet: Sheet) -> Strategy:
    """The certified play of a sheet: the chart on totals, or the duel's plans."""
    return solve_duel(sheet).chart if sheet.game.family == DUEL else best_chart(sheet)


def simulate(
    sheet: Sheet,
    chart: Strategy | Machine,
    rounds: int,
    seed: int = 1,
    cores: int = 1,
    statistics: bool = True,
    *,
    watch: Watch | None = None,
    blocks: Blocks | None = None,
) -> Result:
    """Play `rounds` rounds of one box; `statistics` counts the side bets in the same pass.

    `chart` may be a machine made before. `watch` sees the tally grow and may stop; `blocks` plays the blocks elsewhere
    (see `Grid`).

    >>> from ventuno.sheets import load
    >>> sheet = load("duello")
    >>> result = simulate(sheet, best_strategy(sheet), 100_000, seed=21)
    >>> result.rounds, abs(result.main.value - 0.9838) < 4 * result.main.error
    (100000, True)
    """
    check_size(rounds, seed, cores)
    ready = chart if isinstance(chart, Machine) else machine(sheet, chart, statistics)
    if blocks is None:
        ready.play(seed, 0, 1)  # loads the kernels
    begun = time.perf_counter()
    tally = NOTHING
    for block_tally in (blocks or _threads(cores))(ready, seed, rounds):
        tally += block_tally
        if watch is not None and watch(tally):
            break
    seconds = time.perf_counter() - begun
    bets = {bet: estimate_bet(sheet, ready, tally, bet) for bet in tally.counts}
    return Result(sheet.game.id, sheet.hash, seed, cores, seconds, bets)


def check_size(rounds: int, seed: int, cores: int) -> None:
    if not 1 <= rounds <= MOST_ROUNDS:
        raise NotSimulated(f"rounds: {rounds} is not between 1 and {MOST_ROUNDS}")
    if not 1 <= cores <= MOST_CORES:
        raise NotSimulated(f"cores: {cores} is not between 1 and {MOST_CORES}")
    if not 0 <= seed < MOST_SEED:
        raise NotSimulated(f"seed: {seed} is not between 0 and 2^128 - 1")


def estimate_bet(sheet: Sheet, ready: Machine, tally: Tally, bet: str) -> Estimate:
    return Estimate(ready.faces[bet], tally.counts[bet], sheet.published.base)


def list_blocks(rounds: int) -> Iterator[tuple[int, int]]:
    """Number and rounds of each block."""
    for block in range((rounds + BLOCK - 1) // BLOCK):
        yield block, min(BLOCK, rounds - block * BLOCK)


def _threads(cores: int) -> Blocks:
    """Kernels release the interpreter, so threads are enough."""

    def play(ready: Machine, seed: int, rounds: int) -> Iterator[Tally]:
        if cores == 1:
            for block, count in list_blocks(rounds):
                yield ready.play(seed, block, count)
            return
        with ThreadPoolExecutor(cores) as pool:
            submitted = (pool.submit(ready.play, seed, block, count) for block, count in list_blocks(rounds))
            yield from yield_in_order(submitted, 2 * cores)

    return play


def yield_in_order(futures: Iterable[Any], ahead: int) -> Iterator[Any]:
    """Results in the order of submission, with at most `ahead` blocks under way."""
    waiting: list[Any] = []
    try:
        for future in futures:
            waiting.append(future)
            if len(waiting) >= ahead:
                yield waiting.pop(0).result()
        while waiting:
            yield waiting.pop(0).result()
    finally:
        for future in waiting:
            future.cancel()


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
        submitted = (self._client.submit(play_blocks, sent, seed, batch, pure=False) for batch in _batches(rounds))
        for tallies in yield_in_order(submitted, 3 * self.cores):
            yield from tallies


def play_blocks(ready: Machine, seed: int, batch: list[tuple[int, int]]) -> list[Tally]:
    """One task: blocks by number and rounds."""
    # What travelled lies in the memory of its message, read-only and at any address; kernels want arrays of their own.
    ready = deepcopy(ready)
    return [ready.play(seed, block, rounds) for block, rounds in batch]


def _batches(rounds: int) -> Iterator[list[tuple[int, int]]]:
    blocks = list_blocks(rounds)
    while batch := list(islice(blocks, BATCH)):
        yield batch
