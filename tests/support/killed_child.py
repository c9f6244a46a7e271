"""The process that the kill test kills: a house on SQLite with five tables of five games, and its scripted players.

    python tests/support/killed_child.py PIPE

A first process loads everything once. For each line on its input, `FILE SEED NOW PLANTED`, it forks a house, prints
the house's process id, waits until it is dead and prints `dead`. The house tells on the pipe what it has said:

    R                            it has recovered and plays
    A KEY                        a command was acknowledged
    S TABLE VERSION HASH STATE   a version of a table was shown: its link of the chain, a digest of all its cards
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from hashlib import sha256
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.support.scripted_evening import PLAYERS, SHEETS, SHEETS_BY_HASH, Script, Shoes, authority, fund
from ventuno.core.messages.commands import BringMoney, Command, TakeSeat
from ventuno.core.table.state import Table
from ventuno.house.store import sqlite
from ventuno.house.store.durability import open_store
from ventuno.house.store.records import encode_table
from ventuno.house.store.sqlite import Connection
from ventuno.house.tables.authority import Request
from ventuno.house.tables.table_host import TableCommitted, TableHost, stored_key
from ventuno.sheets import GAMES

SPEED = 200
"""Seconds of the house in one second: rounds begin, time out and end between two kills."""
MONEY = 10**7


class FastClock:
    def __init__(self, start: int) -> None:
        self._start, self._begun = start, time.monotonic()

    def now(self) -> int:
        return self._start + self.steady()

    def steady(self) -> int:
        return int((time.monotonic() - self._begun) * 1000 * SPEED)

    async def sleep(self, milliseconds: int, /) -> None:
        await asyncio.sleep(milliseconds / 1000 / SPEED)


def state_of(table: Table) -> str:
    """A digest of everything on a table that a restart may not change."""
    plain = json.loads(encode_table(table._replace(deadline=None, pause=None)))
    plain["forbids"].sort()
    return sha256(json.dumps(plain, sort_keys=True).encode()).hexdigest()


class Player:
    """Speaks at one table for whoever should, and tells the pipe what was acknowledged."""

    def __init__(self, house: TableHost, name: str, seed: int, pipe: int, planted: str) -> None:
        self._house, self._name, self._pipe, self._planted = house, name, pipe, planted
        self._script = Script(seed)
        self._seed, self._count = seed, 0

    async def say(self, command: Command) -> None:
        self._count += 1
        player = getattr(command, "player", "")
        request = Request(self._name, command, f"{self._seed}-{self._count}", player)
        if self._planted == "early":
            tell(self._pipe, f"A {stored_key(request)}")
        answer = await self._house.ask(request)
        if not answer.refused and self._planted != "early":
            tell(self._pipe, f"A {stored_key(request)}")

    async def play(self) -> None:
        table = self._house.committed[self._name].table
        if not table.purses:
            await self._sit(table)
        while True:
            table = self._house.committed[self._name].table
            command = self._script.says(table, 0) if table.shoe and not table.pause else None
            if command:
                await self.say(command)
            else:
                await asyncio.sleep(0.001)

    async def _sit(self, table: Table) -> None:
        owners = [table.owner(1) or ""] if table.sheet.game.solo else list(PLAYERS)
        for player in owners:
            await self.say(BringMoney(player, 50_000, 0))
            if not table.sheet.game.solo:
                await self.say(TakeSeat(player, PLAYERS.index(player) + 1, 0))


def tell(pipe: int, line: str) -> None:
    os.write(pipe, f"{line}\n".encode())


async def run(file: str, seed: int, now: int, planted: str, pipe: int) -> None:
    store = await open_store(f"sqlite:///{file}")
    house = await TableHost.open(store, authority(seed), SHEETS_BY_HASH, FastClock(now), Shoes(seed))
    if not house.committed:
        await fund(house, dict.fromkeys(PLAYERS, MONEY))
        for number, game in enumerate(GAMES):
            sheet = SHEETS[game]
            await house.open_table(game, sheet, PLAYERS[number % len(PLAYERS)] if sheet.game.solo else "")

    def show(news: TableCommitted) -> None:
        head, table = news.live.head, news.live.table
        tell(pipe, f"S {news.table} {head.seq} {head.hash.hex()} {state_of(table)}")

    for name in house.committed:
        house.watch(name, show)
    tell(pipe, "R")
    players = [Player(house, name, seed * 10 + number, pipe, planted) for number, name in enumerate(house.committed)]
    await asyncio.gather(*[player.play() for player in players])


def plant(fault: str) -> None:
    """Two transactions where there must be one: the records first, the money a little later."""
    if fault != "split":
        return
    whole = sqlite.insert

    def halved(connection: Connection, table: str, rows: Any) -> list[Any]:
        if table == "postings":
            connection.execute("COMMIT")
            time.sleep(0.002)
            connection.execute("BEGIN IMMEDIATE")
        return whole(connection, table, rows)

    sqlite.insert = halved


def main() -> None:
    pipe = int(sys.argv[1])
    for line in sys.stdin:
        file, seed, now, planted = line.split()
        process = os.fork()
        if process == 0:
            plant(planted)
            try:
                asyncio.run(run(file, int(seed), int(now), planted, pipe))
            except BaseException as fault:
                tell(pipe, f"F {type(fault).__name__}: {fault}")
            os._exit(1)
        print(process, flush=True)
        os.waitpid(process, 0)
        print("dead", flush=True)


if __name__ == "__main__":
    main()
