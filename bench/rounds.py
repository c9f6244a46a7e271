"""How fast the rules play: rounds of the live table a second of CPU, beside Gymnasium's Blackjack-v1.

Prints one line for each figure and exits 1 where a goal is missed. All of a round counts: bets, deal, decisions,
settlement, the shuffles in between. The measures take turns, and the best turn of each counts: noise only slows.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable, Iterable

import gymnasium

from ventuno.core.messages.commands import Act, ActAll, ChooseFollow, Command, LoadShoe, PlaceBet, Spot, TakeSeat, Tick
from ventuno.core.messages.refusals import Refusal
from ventuno.core.rules.cards import pack
from ventuno.core.rules.sheet import Sheet
from ventuno.core.table.fold import advance, open_table
from ventuno.core.table.legal import turn
from ventuno.core.table.round import Action, Stage
from ventuno.core.table.shoes import cut_window
from ventuno.core.table.state import Phase, Table
from ventuno.sheets import load

ONE_BOX_GOAL = 10_000
SEVEN_BOX_GOAL = 800
TURNS = 7
PURSE = 10**9
STAKE = 1_000
STAND_FROM = 16

Bet = tuple[str, tuple[Spot, ...]]
"""Who bets, and on which spots."""


def main() -> int:
    sheet = load("ventuno")
    measures: dict[str, tuple[Callable[[int], None], int]] = {
        "one box": (lambda rounds: play(sheet, one_box(), rounds), 1_500),
        "seven boxes": (lambda rounds: play(sheet, seven_boxes(), rounds), 150),
        "gymnasium": (blackjack_v1, 1_500),
    }
    best = dict.fromkeys(measures, 0.0)
    for _ in range(TURNS):
        for name, (measure, count) in measures.items():
            began = time.process_time()
            measure(count)
            best[name] = max(best[name], count / (time.process_time() - began))
    one, seven, other = best.values()
    print(f"one box: {one:,.0f} rounds/s (goal {ONE_BOX_GOAL:,})")
    print(f"seven boxes, bets behind, side bets: {seven:,.0f} rounds/s (goal {SEVEN_BOX_GOAL:,})")
    print(f"Gymnasium Blackjack-v1: {other:,.0f} hands/s")
    print(f"ratio, one box to Gymnasium: {one / other:.2f}")
    return 0 if one >= ONE_BOX_GOAL and seven >= SEVEN_BOX_GOAL else 1


def one_box() -> list[Bet]:
    return [("p1", (Spot(1, "main"),))]


def seven_boxes() -> list[Bet]:
    """A player on each box, his neighbour behind it, side bets on two boxes."""
    mains = [(f"p{box}", (Spot(box, "main"),)) for box in range(1, 8)]
    sides = [(f"p{box}", (Spot(box, "perfect-pairs"), Spot(box, "21+3"))) for box in (2, 5)]
    behind = [(f"p{box % 7 + 1}", (Spot(box, "behind"),)) for box in range(1, 8)]
    return [*mains, *sides, *behind]


def play(sheet: Sheet, bets: list[Bet], rounds: int) -> None:
    """So many rounds of these bets: hit below 16, no insurance."""
    rng, deck = random.Random(1), list(pack(sheet.shoe.decks))
    cut = cut_window(sheet)[1]
    table = open_table("T1", sheet, purses=dict.fromkeys(dict.fromkeys(player for player, _ in bets), PURSE))
    for command in seating(bets):
        table = after(table, command)
    at = 0
    for _ in range(rounds):
        if table.phase is Phase.SHUFFLING:
            rng.shuffle(deck)
            table = after(table, LoadShoe(tuple(deck), cut, at))
        for player, spots in bets:
            table = after(table, PlaceBet(player, spots, STAKE, at))
        at = table.deadline or at
        table = after(table, Tick(at))
        while table.phase is Phase.ROUND:
            at += 1
            table = after(table, decision(table, at))
        at = table.deadline or at
        table = after(table, Tick(at))


def seating(bets: list[Bet]) -> Iterable[Command]:
    """Owners sit down; bettors behind follow doubles and splits."""
    for player, spots in bets:
        for box, bet in spots:
            if bet == "main":
                yield TakeSeat(player, box, 0)
            elif bet == "behind":
                yield ChooseFollow(player, box, True, True, 0)


def decision(table: Table, at: int) -> Command:
    now = table.round
    assert now is not None
    if now.stage is Stage.INSURANCE:
        waiting = next(box.player for box in now.boxes if box.insurance is None)
        return ActAll(waiting, Action.DECLINE, at)
    asked = turn(now)
    assert asked is not None
    box, index = asked
    return Act(box.player, box.number, Action.HIT if box.hands[index].total < STAND_FROM else Action.STAND, at)


def after(table: Table, command: Command) -> Table:
    outcome = advance(table, command)
    if isinstance(outcome, Refusal):
        raise AssertionError(f"{command}: {outcome}")
    return outcome[1]


def blackjack_v1(hands: int) -> None:
    """Whole hands by the same rule: hit below 16."""
    env = gymnasium.make("Blackjack-v1")
    env.reset(seed=1)
    for _ in range(hands):
        (total, _, _), _ = env.reset()
        over = False
        while not over:
            (total, _, _), _, over, _, _ = env.step(int(total < STAND_FROM))


if __name__ == "__main__":
    sys.exit(main())
