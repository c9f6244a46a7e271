"""What a round leaves on the disk: solo rounds through the whole house, then the growth of its file, by table and kind.

Shoes, their proofs, snapshots and the money to play with are in it, as they are in a real house. Prints one line for
each figure and exits 1 where a goal is missed.

    python3 dev.py bench storage [--rounds 400] [--game first-person] [--live 40]

Then seven players at a live table, for the bytes that one action leaves: what docs/scale.md reckons with.
"""

from __future__ import annotations

import argparse
import asyncio
import sqlite3
import sys
import tempfile
from contextlib import closing
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.support.report import Report
from tests.support.house import LIVE, OpenHouse
from tests.support.sample_shoes import fixed_source
from ventuno.core.messages.commands import Spot
from ventuno.core.rules.money import PlayerId

GOAL = 8 << 10
"""Bytes of a solo round."""
LOG_GOAL = 32 << 20
"""Bytes of SQLite's log."""
MONEY = 10_000_000
SPOTS = (Spot(1, "main"),)
GAME, SEATS = "ventuno", range(1, 8)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=400)
    parser.add_argument("--game", default="first-person")
    parser.add_argument("--live", type=int, default=40, help="rounds of seven players at a live table")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "house.db"
        before, log = asyncio.run(play(file, given.game, given.rounds))
        grown = measure(file)
        report = Report()
        report.line(f"{given.game}: bytes of a round on the disk", (file.stat().st_size - before) / given.rounds, GOAL)
        report.line("the log of SQLite, at its largest", log, LOG_GOAL, "bytes")
        for name, size in grown:
            print(f"    {name:<40} {size / given.rounds:>10,.0f} bytes a round")
    with tempfile.TemporaryDirectory() as folder:
        grown_by, actions = asyncio.run(play_live(Path(folder) / "house.db", given.live))
        report.line("live table of seven: bytes of an action on the disk", grown_by / actions)
    return 1 if report.missed else 0


async def play(file: Path, game: str, rounds: int) -> tuple[int, int]:
    """The size of the file before the first of these rounds, and the most its log had."""
    house = OpenHouse(f"sqlite:///{file}", file.parent, fixed_source("storage"))
    house.certify(game)
    await house.open()
    player = await house.joined("Ada", MONEY)
    table = await house.application.tables.open_solo(player, game)
    assert isinstance(table, str), table
    await house.application.tables.bring(player, table, MONEY // 2, "bring-it-in")
    await house.solo_round(player, table, SPOTS)
    before, log = carry_over(file), 0
    for _ in range(rounds):
        await house.solo_round(player, table, SPOTS)
        log = max(log, Path(f"{file}-wal").stat().st_size)
    await house.application.close()
    return before, log


async def play_live(file: Path, rounds: int) -> tuple[int, int]:
    """By how much the file grows in these rounds of a full live table, and the actions that they are."""
    house = OpenHouse(f"sqlite:///{file}", file.parent, fixed_source("storage"))
    house.certify(GAME)
    await house.open()
    await house.application.tables.open(LIVE, GAME)
    players = tuple([await house.joined(f"Player{box}", MONEY) for box in SEATS])
    for box, player in zip(SEATS, players, strict=True):
        await house.sit(player, LIVE, box, MONEY // 2)
    await live_round(house, players)
    before, first = carry_over(file), count_actions(file)
    for _ in range(rounds):
        await live_round(house, players)
    await house.application.close()
    return carry_over(file) - before, count_actions(file) - first


async def live_round(house: OpenHouse, players: tuple[PlayerId, ...]) -> None:
    await house.betting(LIVE)
    for box, player in zip(SEATS, players, strict=True):
        await house.bet(player, LIVE, (Spot(box, "main"),))
    await house.deal(LIVE, players[0])
    await house.finish(LIVE, players)


def count_actions(file: Path) -> int:
    """Each has a key, and so has every command of the house's own."""
    with closing(sqlite3.connect(file)) as connection:
        return int(connection.execute("SELECT COUNT(*) FROM keys").fetchone()[0])


def carry_over(file: Path) -> int:
    """The size of the file with all that its log holds."""
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    return file.stat().st_size


def measure(file: Path) -> list[tuple[str, int]]:
    """What is in the file: its tables and indexes by their pages, and its records by stream and kind, largest first."""
    with closing(sqlite3.connect(file)) as connection:
        pages = connection.execute("SELECT name, SUM(pgsize) FROM dbstat GROUP BY name ORDER BY 2 DESC").fetchall()
        kinds = connection.execute(
            "SELECT 'log ' || substr(stream, 1, instr(stream, ':')) || ' ' || kind, SUM(length(body)) FROM log "
            "GROUP BY 1 ORDER BY 2 DESC LIMIT 16"
        ).fetchall()
    return [*pages, *kinds]


if __name__ == "__main__":
    sys.exit(main())
