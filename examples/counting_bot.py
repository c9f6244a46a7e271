#!/usr/bin/env python3
"""The third bot: it counts the cards that it sees (Hi-Lo), and bets more when the rest of the shoe is good.

python examples/counting_bot.py first-person --rounds 20
"""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Iterable

from ventuno.client import Client, Decision, RoundResult

DECK = 52
SPREAD = 8
"""The highest stake, in stakes of the least."""


class Count:
    """The count of one shoe: small cards that are gone are good for players, tens and aces are not."""

    def __init__(self) -> None:
        self.shoe, self.running = 0, 0

    def see(self, shoe: int, cards: Iterable[str]) -> None:
        if shoe != self.shoe:
            self.shoe, self.running = shoe, 0
        self.running += sum((card[0] in "23456") - (card[0] in "TJQKA") for card in cards)

    def units(self, shoe: int, cards_left: int) -> int:
        """How many stakes to bet: one more for each point of the count for a deck that is left, from the second on."""
        per_deck = self.running * DECK / max(cards_left, DECK / 2) if shoe == self.shoe else 0
        return max(1, min(SPREAD, int(per_deck)))


def seen(result: RoundResult) -> list[str]:
    """Every card of the round that lay open."""
    boxes = [card for box in result.view.boxes for hand in box.hands for card in hand.cards]
    return [*boxes, *result.view.dealer.cards, *result.view.dealer.community]


def decide(now: Decision) -> str:
    """Hit and stand alone: it is the stakes that follow the count here."""
    stands = now.total >= (18 if now.is_soft else 12 if 2 <= now.dealer_value <= 6 else 17)
    wishes = ("decline", "stand" if stands else "hit", *now.options)
    return next(action for action in wishes if action in now.options)


async def play(url: str, game: str, rounds: int) -> list[int]:
    """The stake of each round, in units of the least."""
    count, stakes = Count(), []
    async with Client.guest(url) as client:
        await client.deposit(400_000)
        table = await client.join_game(game)
        least = next(line.least for line in (await client.lobby()).games if line.game == game)
        for _ in range(rounds):
            units = count.units(table.public.shoe, table.public.cards_left)
            result = await table.play_round(decide, stake=units * least)
            count.see(result.view.shoe, seen(result))
            stakes.append(units)
            print(f"{result.code}  {units} x {least / 100:.2f}  {result.net / 100:+8.2f}  count {count.running:+d}")
    return stakes


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("game")
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--url", default="http://127.0.0.1:2121")
    asyncio.run(play(**vars(parser.parse_args())))
