#!/usr/bin/env python3
"""The second bot: it plays the best chart of the very rules that are in force. It needs the extra `odds` too.

python examples/chart_bot.py first-person --rounds 20
"""

from __future__ import annotations

import argparse
import asyncio

import ventuno
from ventuno.client import Client


async def play(url: str, game: str, rounds: int) -> int:
    """Cents won, or lost."""
    net, sheet = 0, ventuno.load_sheet(game)
    chart = ventuno.solve(sheet).chart
    async with Client.guest(url) as client:
        await client.deposit(100_000)
        table = await client.join_game(game)
        if table.public.sheet != sheet.hash:
            raise SystemExit("this house plays by other rules than this chart was made for")
        for _ in range(rounds):
            result = await table.play_round(chart.choose)
            net += result.net
            print(f"{result.code}  {result.net / 100:+.2f}")
    return net


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("game")
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--url", default="http://127.0.0.1:2121")
    asyncio.run(play(**vars(parser.parse_args())))
