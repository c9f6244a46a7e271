#!/usr/bin/env python3
"""The first bot: it plays at random whatever the house allows.

python examples/random_bot.py first-person --rounds 5
"""

from __future__ import annotations

import argparse
import asyncio
import random

from ventuno.client import Client, Decision


def decide(now: Decision) -> str:
    return random.choice(list(now.options))


async def play(url: str, game: str, rounds: int) -> int:
    """Cents won, or lost."""
    net = 0
    async with Client.guest(url) as client:
        await client.deposit(100_000)
        table = await client.join_game(game)
        for _ in range(rounds):
            result = await table.play_round(decide)
            net += result.net
            print(f"{result.code}  {result.net / 100:+.2f}")
    return net


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("game")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--url", default="http://127.0.0.1:2121")
    asyncio.run(play(**vars(parser.parse_args())))
