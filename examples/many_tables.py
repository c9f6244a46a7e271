#!/usr/bin/env python3
"""The fourth bot: several games at the same time, over one socket.

python examples/many_tables.py first-person duello --rounds 5
"""

from __future__ import annotations

import argparse
import asyncio

from ventuno.client import Client, Decision, Table


def decide(now: Decision) -> str:
    wishes = ("decline", "stand" if now.total >= 17 else "hit", "left", *now.options)
    return next(action for action in wishes if action in now.options)


async def sit(table: Table, rounds: int) -> int:
    return sum([(await table.play_round(decide)).net for _ in range(rounds)])


async def play(url: str, games: list[str], rounds: int) -> dict[str, int]:
    """Cents won, or lost, at each table."""
    async with Client.guest(url) as client:
        await client.deposit(100_000 * len(games))
        tables = [await client.join_game(game) for game in games]
        async with asyncio.TaskGroup() as group:
            tasks = {table.name: group.create_task(sit(table, rounds)) for table in tables}
    won = {name: task.result() for name, task in tasks.items()}
    for name, net in won.items():
        print(f"{name}  {net / 100:+.2f}")
    return won


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("games", nargs="+")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--url", default="http://127.0.0.1:2121")
    asyncio.run(play(**vars(parser.parse_args())))
