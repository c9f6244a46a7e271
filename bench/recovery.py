"""How long a killed house is away: 500 tables with open rounds, from the start of the process to all of them playing.

A child process fills the store, leaves every table in the middle of a round, and ends without closing anything. Another
one starts, recovers, checks chains and money, and takes a decision at each table; several times from the same store,
because other work on the machine slows it: the best counts. Exits 1 above the goal (G-4).
"""

from __future__ import annotations

import asyncio
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

TABLES, SEATS, ROUNDS = 500, 3, 12
GOAL = 3.0
RUNS = 3
MONEY = 10**7


async def fill(url: str) -> None:
    """Tables that have played some rounds and stand in the next one."""
    from bench.durable_bets import SHEET, Unlimited, shoes
    from ventuno.core.messages.commands import BringMoney, PlaceBet, Spot, TakeSeat
    from ventuno.core.table.ledger import Posting
    from ventuno.core.table.state import Phase
    from ventuno.house.store.clock import JumpingClock
    from ventuno.house.store.durability import open_store
    from ventuno.house.store.records import Batch, Head, PostingRow, chain_events
    from ventuno.house.tables.authority import Authority, Request
    from ventuno.house.tables.bonus_draws import BonusDraws
    from ventuno.house.tables.table_host import TableHost

    store, clock = await open_store(url), JumpingClock()
    authority = Authority(Unlimited(), BonusDraws(random.randrange), {SHEET.hash: SHEET})
    house = await TableHost.open(store, authority, {SHEET.hash: SHEET}, clock, shoes)
    names = [f"T{number}" for number in range(TABLES)]
    await asyncio.gather(*[house.open_table(name, SHEET) for name in names])
    players = {name: [f"{name}-{seat}" for seat in range(1, SEATS + 1)] for name in names}
    everybody = [player for listed in players.values() for player in listed]
    records, _ = chain_events(Head(), "house", house.commits.now(), [("Funded", b"{}")])
    rows = [PostingRow("house", 1, f"player:{player}", MONEY, "", "") for player in everybody]
    rows.append(PostingRow("house", 1, "cashier", -MONEY * len(everybody), "", ""))
    authority.wallet.post([Posting(row.account, row.amount) for row in rows])
    await house.commits.write(Batch(records, tuple(rows)))

    async def seated(name: str) -> None:
        for seat, player in enumerate(players[name], 1):
            await house.ask(Request(name, BringMoney(player, MONEY, 0), "bring", player))
            await house.ask(Request(name, TakeSeat(player, seat, 0), "seat", player))

    async def bet(name: str, number: int) -> None:
        for seat, player in enumerate(players[name], 1):
            await house.ask(Request(name, PlaceBet(player, (Spot(seat, "main"),), 500, 0), f"bet{number}", player))

    await asyncio.gather(*[seated(name) for name in names])
    for number in range(ROUNDS):
        await asyncio.gather(*[bet(name, number) for name in names])
        while any(room.table.phase is Phase.BETTING for room in house.committed.values()):
            clock.move(1_000)
            await asyncio.sleep(0.1)
        while number < ROUNDS - 1 and any(room.table.phase is not Phase.BETTING for room in house.committed.values()):
            clock.move(1_000)
            await asyncio.sleep(0.01)
    stand = [room.table.phase is Phase.ROUND for room in house.committed.values()]
    print(f"filled: {sum(stand)} tables in a round, {sum(room.version for room in house.committed.values()):,} records")
    sys.stdout.flush()
    os._exit(0)


async def come_back(url: str, began: float) -> None:
    from bench.durable_bets import SHEET, Unlimited, shoes
    from ventuno.core.messages.commands import AllowBehind
    from ventuno.core.table.state import Phase
    from ventuno.house.store.clock import JumpingClock
    from ventuno.house.store.durability import open_store
    from ventuno.house.tables.authority import Authority, Request
    from ventuno.house.tables.bonus_draws import BonusDraws
    from ventuno.house.tables.table_host import TableHost

    loaded = time.time()
    store = await open_store(url)
    opened = time.time()
    authority = Authority(Unlimited(), BonusDraws(random.randrange), {SHEET.hash: SHEET})
    house = await TableHost.open(store, authority, {SHEET.hash: SHEET}, JumpingClock(1_800_000_000_000), shoes)
    recovered = time.time()
    names = list(house.committed)
    answers = await asyncio.gather(
        *[house.ask(Request(name, AllowBehind(f"{name}-1", False, 0), "back", f"{name}-1")) for name in names]
    )
    ready, spent = time.time(), time.process_time()
    rounds = sum(room.table.phase is Phase.ROUND and room.table.pause is None for room in house.committed.values())
    bad = sum(bool(answer.refused) for answer in answers)
    print(
        f"{len(names)} tables, {rounds} in open rounds, all playing {ready - began:.2f} s after the start "
        f"(goal {GOAL} s): imports {loaded - began:.2f}, migration and settings {opened - loaded:.2f}, "
        f"recovery and checks {recovered - opened:.2f}, first answers {ready - recovered:.2f}; "
        f"{spent:.2f} s of CPU in all; {bad} refused"
    )
    await house.stop()
    os._exit(int(ready - began > GOAL or bad or rounds < TABLES * 9 // 10))


def main() -> int:
    if len(sys.argv) > 2:
        asyncio.run(fill(sys.argv[2]) if sys.argv[1] == "fill" else come_back(sys.argv[2], float(sys.argv[3])))
        return 0
    root = Path(__file__).resolve().parents[1]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(root), str(root / "src"), *sys.path])}
    with tempfile.TemporaryDirectory(prefix="ventuno-bench-") as folder:
        url = f"sqlite:///{folder}/house.db"
        subprocess.run([sys.executable, __file__, "fill", url], check=True, env=env)
        size = sum(file.stat().st_size for file in Path(folder).iterdir())
        print(f"store: {size / 1e6:.0f} MB")
        found = []
        for number in range(RUNS):
            copy = Path(folder) / f"copy{number}"
            copy.mkdir()
            for file in Path(folder).glob("house.db*"):
                shutil.copy(file, copy)
            os.sync()
            print(f"load {os.getloadavg()[0]:.1f}: ", end="", flush=True)
            line = [sys.executable, __file__, "back", f"sqlite:///{copy}/house.db", str(time.time())]
            found.append(subprocess.run(line, check=False, env=env).returncode)
            shutil.rmtree(copy)
        return min(found)


if __name__ == "__main__":
    sys.exit(main())
