"""Players of a house of pits: they bring money to a table away from home, play rounds and take money home."""

from __future__ import annotations

import random
import time
from collections import Counter
from typing import Any

from tests.support.pit_cluster.books import GAMES
from ventuno.core.games import insurance
from ventuno.core.messages.commands import Act, BringMoney, Command, DealNow, PlaceBet, Spot, TakeMoney, TakeSeat
from ventuno.core.rules.money import PlayerId
from ventuno.core.table.fold import evolve, open_table
from ventuno.core.table.legal import turn
from ventuno.core.table.round import INSURANCE, Action
from ventuno.core.table.state import BETTING, ROUND, Table
from ventuno.house.pits.asks import Ask, AskBody
from ventuno.house.store.records import decode_body, read_table_event
from ventuno.house.tables.authority import Answer, TableOpened
from ventuno.web.doors.pit_asker import PitAsker
from ventuno.web.sockets.limits import HouseBusy

BROUGHT, TAKEN = 20_000, 5_000


class TableReader:
    """Tables as their records say, read behind everybody's back."""

    def __init__(self, pool: Any) -> None:
        self._pool = pool
        self._tables: dict[str, tuple[int, Table]] = {}

    async def read(self, name: str) -> Table:
        last, table = self._tables.get(name, (0, None))
        rows = await self._pool.fetch(
            "SELECT seq, kind, body FROM log WHERE stream = $1 AND seq > $2 ORDER BY seq", f"table:{name}", last
        )
        for seq, kind, body in rows:
            if table is None:
                table = open_table(name, GAMES[decode_body(body, TableOpened).sheet], None)
            else:
                table = evolve(table, read_table_event(kind, body))
            last = seq
        assert table is not None
        self._tables[name] = last, table
        return table


class PitPlayer:
    """Asks until he is answered; what was acknowledged is noted for the checks."""

    def __init__(self, player: PlayerId, table: str, asker: PitAsker, reader: TableReader) -> None:
        self.player, self.table, self._asker, self._reader = player, table, asker, reader
        self.acknowledged: dict[str, Answer] = {}
        self.refused: list[str] = []
        self.pauses: list[float] = []
        """Seconds that each answer took."""
        self.done: Counter[str] = Counter()
        """Asks that were done, by what was asked."""
        self.busy = self._number = 0

    @property
    def rounds(self) -> int:
        return self.done["DealNow"]

    async def ask(self, body: AskBody, table: str = "") -> Answer | HouseBusy:
        self._number += 1
        return await self.repeat(f"ask:{self.player} {self._number}", body, table)

    async def repeat(self, key: str, body: AskBody, table: str = "") -> Answer | HouseBusy:
        """An ask under this key; where the house is busy it is asked once more."""
        began = time.monotonic()
        ask = Ask(key, self.player, body, table or self.table)
        answer = await self._asker.ask(ask)
        while isinstance(answer, HouseBusy) and self.busy < 20:
            self.busy += 1
            answer = await self._asker.ask(ask)
        self.pauses.append(time.monotonic() - began)
        if isinstance(answer, Answer) and not answer.refused:
            self.acknowledged[key] = answer
            self.done[type(body).__name__] += 1
        elif isinstance(answer, Answer):
            self.refused.append(answer.refused)
        return answer

    async def step(self) -> None:
        """Whatever makes sense at this moment."""
        table = await self._reader.read(self.table)
        command = self._choose(table)
        if command is not None:
            await self.ask(command)

    def _choose(self, table: Table) -> Command | None:
        player, play = self.player, table.round
        if table.phase is BETTING:
            purse = table.purse(player)
            boxes = [box for box, seat in enumerate(table.seats, start=1) if seat and seat.player == player]
            slip = table.slips.get(player)
            if slip and slip.steps:
                return None if slip.final else DealNow(player, 0)
            if purse < 1_000:
                return BringMoney(player, BROUGHT, 0)
            if purse > TAKEN and random.random() < 0.25:
                return TakeMoney(player, random.choice((TAKEN, purse)), 0)
            if not boxes:
                return TakeSeat(player, 1, 0)
            return PlaceBet(player, (Spot(boxes[0], "main"),), 500, 0)
        if table.phase is not ROUND or play is None:
            return None
        if play.stage is INSURANCE:
            waiting = [box for who, box in insurance.waiting(play) if who == player]
            return Act(player, waiting[0].number, Action.DECLINE, 0) if waiting else None
        now = turn(play)
        if now is None or now[0].player != player:
            return None
        return Act(player, now[0].number, Action.STAND, 0)
