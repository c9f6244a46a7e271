"""How a house of pits begins on PostgreSQL: accounts with money at their homes, live tables with a shoe each."""

from __future__ import annotations

import os
import random
from collections.abc import Iterable
from dataclasses import replace
from itertools import count
from typing import NamedTuple

import asyncpg

from tests.support.pit_simulation.sealed_shoes import bring_shoe, make_seals
from tests.support.simulation.opening import BY_HASH, SHEETS
from ventuno.core.rules.money import PlayerId
from ventuno.core.rules.sheet import Sheet
from ventuno.core.table.ledger import Posting
from ventuno.house.accounts.players import PlayerJoined
from ventuno.house.pits.leases import LEASE
from ventuno.house.pits.pit import Pit
from ventuno.house.pits.pit_node import Game
from ventuno.house.pits.placement import PITS, PitNumber, find_pit, find_player_pit, find_table_pit, number_unit
from ventuno.house.pits.renewal import read_clock
from ventuno.house.store.fenced_commit import PitBatch, commit_pits, first_place, give_up_pits, prepare, take_pits
from ventuno.house.store.records import Batch, make_posting_rows

MONEY = 500_000
SLOW, _QUICK = SHEETS["ventuno"], ("betting", "results", "deal_now_floor", "after_pause")
SHEET = replace(SLOW, hash="a" * 64, clocks=replace(SLOW.clocks, **dict.fromkeys(_QUICK, 1)))
"""A live game whose rounds follow each other quickly."""
_PATIENT = {"betting": 600, "deal_now_floor": 0, "decision": 600, "insurance": 600, "results": 1}
LONG = replace(SLOW, hash="b" * 64, clocks=replace(SLOW.clocks, **_PATIENT))
"""One whose players are never hurried, and wait for nothing but each other."""
GAMES = BY_HASH | {sheet.hash: sheet for sheet in (SHEET, LONG)}
OPENER = "opener"


class Place(NamedTuple):
    """Where somebody plays: a live table, which need not be in the pit of his home."""

    player: PlayerId
    table: str


def make_game() -> Game:
    return Game(GAMES, make_seals(os.urandom))


def choose_places(number: int) -> list[Place]:
    """So many players, each at a table of his own away from home; all homes and tables lie in pits of their own."""
    places, used = list[Place](), set[PitNumber]()
    names, tables = (f"p{one}" for one in count()), (f"T{one}" for one in count())
    while len(places) < number:
        player, table = next(names), next(tables)
        pits = {find_player_pit(player), find_table_pit(table)}
        if len(pits) == 2 and not pits & used:
            used |= pits
            places.append(Place(player, table))
    return places


def list_pits(places: Iterable[Place]) -> list[PitNumber]:
    return sorted({pit for one in places for pit in (find_player_pit(one.player), find_table_pit(one.table))})


async def open_books(url: str, places: Iterable[Place], sheet: Sheet = SHEET, *, has_shoes: bool = True) -> None:
    """As an owner of all these pits writes them, who then gives them up; several may play at one table."""
    places, opened = list(places), set[str]()
    session = await asyncpg.connect(url)
    try:
        await prepare(session)
        taken = await take_pits(session, map(number_unit, list_pits(places)), OPENER, LEASE)
        epochs = dict.fromkeys(range(PITS), 0) | {find_pit(unit): epoch for unit, epoch in taken.epochs.items()}
        at, group = read_clock(), list[PitBatch]()
        for player, table in places:
            home, away = find_player_pit(player), find_table_pit(table)
            group.append(PitBatch(number_unit(home), _fund(Pit(home, epochs, make_game().seals, GAMES), player, at)))
            if table in opened:
                continue
            opened.add(table)
            pit = Pit(away, epochs, make_game().seals, GAMES)
            group.append(PitBatch(number_unit(away), pit.authority.open(table, sheet, at)))
            for outcome in bring_shoe(pit, table, random.random, at, is_sealed=True) if has_shoes else ():
                assert outcome.batch is not None
                group.append(PitBatch(number_unit(away), outcome.batch))
        held = {unit: epoch for unit, epoch in taken.epochs.items() if unit in taken.units}
        await commit_pits(session, group, held, {unit: first_place(unit) for unit in held})
        await give_up_pits(session, OPENER, held)
    finally:
        await session.close()


def _fund(pit: Pit, player: PlayerId, at: int) -> Batch:
    records = pit.accounts.write(player, at, [PlayerJoined(player, guest=False)])
    first = Posting(f"player:{player}", MONEY), Posting(f"cashier#{pit.number}", -MONEY)
    return Batch(records, make_posting_rows(records[0], first))
