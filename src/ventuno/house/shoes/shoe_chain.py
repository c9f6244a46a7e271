"""The chain of a table's shoes as anybody may read it: which there were, and that one checkpoint continues another."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import NamedTuple

from ventuno.house.shoes import commitment, cut
from ventuno.house.shoes.cut import Origin
from ventuno.house.shoes.shoe_log import (
    PUBLIC,
    CutCounts,
    RoundChained,
    ShoeCommitted,
    ShoeCut,
    ShoeLog,
    ShoeLogEvent,
    ShoeOpened,
    read,
)
from ventuno.house.store.store import Store

PAGE = 500
LONGEST = 20_000
"""Records that are read for one proof: who asks across more asks in steps."""
LISTED = 25
"""Shoes in one page of a list."""


class ShoeLine(NamedTuple):
    """One shoe of a table, also one that no round was dealt from; `retired` is empty as long as it is not open."""

    shoe: int
    commitment: str
    root: str
    previous: str
    game: str
    rounds: int = 0
    voids: int = 0
    players: int = 0
    withheld: int = 0
    absent: int = 0
    cut: bool = False
    retired: str = ""


async def list_shoes(store: Store, table: str, after: int) -> list[ShoeLine]:
    """The shoes of a table from the one after this number on, with what became of each."""
    lines: dict[int, ShoeLine] = {}
    async for event in _iterate_events(store, table, after):
        if isinstance(event, ShoeCommitted):
            if event.shoe > after + LISTED + 2:
                break
            made = commitment.read(event.body)
            lines[event.shoe] = ShoeLine(event.shoe, made.digest.hex(), made.root.hex(), made.previous.hex(), made.game)
        elif isinstance(event, ShoeCut | RoundChained | ShoeOpened) and event.shoe in lines:
            lines[event.shoe] = _add(lines[event.shoe], event)
    return [line for shoe, line in sorted(lines.items()) if after < shoe <= after + LISTED]


def _add(line: ShoeLine, event: ShoeCut | RoundChained | ShoeOpened) -> ShoeLine:
    match event:
        case RoundChained(_, body):
            return line._replace(rounds=line.rounds + 1, voids=line.voids + ("void" in body))
        case ShoeOpened(_, retired):
            return line._replace(retired=retired)
        case ShoeCut(_, body):
            counts = CutCounts().after(event)
            parts = cut.read(body).contributions
            players = sum(part.origin is Origin.PLAYER for part in parts)
            return line._replace(cut=True, players=players, withheld=counts.withheld, absent=counts.absent)


async def prove_consistency(store: Store, table: str, shoe: int, old: int, size: int) -> tuple[bytes, ...] | None:
    """That the chain of `size` records begins with the one of `old`; `shoe` says from where to read. None where there
    is no such chain.
    """
    base = await store.find_permanent_snapshot(f"{PUBLIC}{table}", shoe - 1)
    log, count = ShoeLog("", table), 0
    async for page in store.iterate_records(f"{PUBLIC}{table}", page=PAGE, after=base.seq - 1 if base else 0):
        if count == 0 and base:
            log.replay(page[:1], base)
        for record in page[1:] if count == 0 and base else page:
            log.apply(read(record.kind, record.body))
        count += len(page)
        if log.chain.height >= size or count >= LONGEST:
            break
    try:
        return log.chain.prove_consistency(old, size)
    except IndexError:
        return None


async def count_cuts(store: Store, table: str) -> CutCounts:
    """How all cuts of a table went, read from its first record: for a snapshot of before they were counted."""
    counts = CutCounts()
    async for event in _iterate_events(store, table, 0):
        counts = counts.after(event)
    return counts


async def _iterate_events(store: Store, table: str, shoe: int) -> AsyncIterator[ShoeLogEvent]:
    """The log of a table from before the shoe that follows this one, or from the beginning."""
    base = await store.find_permanent_snapshot(f"{PUBLIC}{table}", shoe) if shoe else None
    async for page in store.iterate_records(f"{PUBLIC}{table}", page=PAGE, after=base.seq if base else 0):
        for record in page:
            yield read(record.kind, record.body)


def sum_counts(logs: dict[str, ShoeLog]) -> dict[str, CutCounts]:
    """How the cuts of all tables went, game by game."""
    totals: dict[str, CutCounts] = {}
    for log in logs.values():
        if log.pending and log.counts:
            game = log.pending.cut.commitment.game
            totals[game] = totals.get(game, CutCounts()).add(log.counts)
    return totals
