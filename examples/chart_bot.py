#!/usr/bin/env python3
"""The second bot: it plays the best chart of the very rules that are in force. It needs the extra `odds` too.

python examples/chart_bot.py first-person --rounds 20
"""

from __future__ import annotations

import argparse
import asyncio

from ventuno.client import Client, Decision
from ventuno.odds import Chart, load, solve

CHOICES = {
    "H": ("hit",),
    "S": ("stand",),
    "D": ("double", "hit"),
    "d": ("double", "stand"),
    "R": ("surrender", "hit"),
    "r": ("surrender", "stand"),
}
"""What a letter of the chart means: the first of these that is allowed."""


def decide(chart: Chart, now: Decision) -> str:
    up, values = now.dealer_value, now.values
    if "decline" in now.options:
        return "insure" if chart.insure and "insure" in now.options else "decline"
    if "split" in now.options and chart.pair[values[0], up]:
        return "split"
    letter = "S" if now.total > 20 else (chart.soft if now.is_soft else chart.hard)[now.total, up]
    return next(action for action in (*CHOICES[letter], *now.options) if action in now.options)


async def play(url: str, game: str, rounds: int) -> int:
    """Cents won, or lost."""
    net, sheet = 0, load(game)
    chart = solve(sheet).chart
    async with Client.guest(url) as client:
        await client.deposit(100_000)
        table = await client.join_game(game)
        if table.public.sheet != sheet.hash:
            raise SystemExit("this house plays by other rules than this chart was made for")
        for _ in range(rounds):
            result = await table.play_round(lambda now: decide(chart, now))
            net += result.net
            print(f"{result.code}  {result.net / 100:+.2f}")
    return net


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("game")
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--url", default="http://127.0.0.1:2121")
    asyncio.run(play(**vars(parser.parse_args())))
