"""What it costs to show a live table: seven seats, bets behind, side bets, ten viewers, in every phase (H-6, X-06).

Prints microseconds of CPU for the public view, and for the private view of a seated player, of one who only bets
behind, and of a watcher; exits 1 where a goal is missed. The measures take turns, and the best turn of each counts:
noise only slows.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable

from ventuno.core.messages.commands import (
    Act,
    ActAll,
    ActEarly,
    BringMoney,
    ChooseFollow,
    Command,
    LoadShoe,
    PlaceBet,
    Spot,
    TakeSeat,
    Tick,
)
from ventuno.core.messages.refusals import Refusal
from ventuno.core.rules.cards import cards, pack
from ventuno.core.table.fold import advance, open_table
from ventuno.core.table.legal import turn
from ventuno.core.table.round import Action, Stage
from ventuno.core.table.state import Phase, Table
from ventuno.core.views.private_view import build_private_view
from ventuno.core.views.public_view import build_public_view
from ventuno.sheets import load

SEATED = tuple(f"p{box}" for box in range(1, 8))
BEHIND = ("b1", "b2")
WATCHER = "w"
TURNS, TIMES = 7, 40
PUBLIC_GOAL, BETTING_GOAL, ROUND_GOAL, WATCHER_GOAL = 150, 100, 40, 10
"""Microseconds: the public part, a seated player's own while bets are taken and while a round runs, a watcher's."""


def main() -> int:
    missed = 0
    print(f"{'us of CPU':12}{'public':>8}{'seated':>8}{'behind':>8}{'watcher':>8}")
    for name, table in phases().items():
        public, seated, behind, watcher = measure(table)
        print(f"{name:12}{public:8.1f}{seated:8.1f}{behind:8.1f}{watcher:8.1f}")
        goal = BETTING_GOAL if table.phase is Phase.BETTING else ROUND_GOAL
        missed += public > PUBLIC_GOAL or seated > goal or behind > goal or watcher > WATCHER_GOAL
    print(f"goals: public {PUBLIC_GOAL}, own {BETTING_GOAL} in betting and {ROUND_GOAL} after, watcher {WATCHER_GOAL}")
    return 1 if missed else 0


def measure(table: Table) -> list[float]:
    """Microseconds for one viewer of each kind: the mean of its kind in the best turn."""
    measures: list[tuple[Callable[[], object], int]] = [
        (lambda: build_public_view(table), 1),
        (lambda: [build_private_view(table, player) for player in SEATED], len(SEATED)),
        (lambda: [build_private_view(table, player) for player in BEHIND], len(BEHIND)),
        (lambda: build_private_view(table, WATCHER), 1),
    ]
    best = [float("inf")] * len(measures)
    for _ in range(TURNS):
        for place, (build, count) in enumerate(measures):
            began = time.process_time_ns()
            for _ in range(TIMES):
                build()
            best[place] = min(best[place], (time.process_time_ns() - began) / TIMES / count / 1000)
    return best


def phases() -> dict[str, Table]:
    """The live table in every phase of a full round: an ace for the dealer, somebody with a pair, early decisions."""
    table = open_table("T1", load("ventuno"))
    found = {"shuffling": table}
    for player in (*SEATED, *BEHIND):
        table = after(table, BringMoney(player, 100_000, 0))
    table = after(table, LoadShoe(shoe(), 0, 0, stacked=True))
    for box, player in enumerate(SEATED, start=1):
        table = after(table, TakeSeat(player, box, 0))
    found["empty felt"] = table
    table = found["betting"] = betting(table)
    table = after(table, Tick(table.deadline or 0))
    found["insurance"] = table
    at = (table.deadline or 0) - 1
    for player in (*SEATED, *BEHIND):
        table = after(table, ActAll(player, Action.DECLINE, at))
    table = after(table, ActEarly("p5", 5, Action.HIT, at))
    found["decisions"] = table
    while table.phase is Phase.ROUND:
        table = after(table, decision(table))
    found["results"] = table
    return found


def betting(table: Table) -> Table:
    """A main bet and two side bets on every box, three bets behind each of two boxes."""
    for box, player in enumerate(SEATED, start=1):
        table = after(table, PlaceBet(player, (Spot(box, "main"),), 1_000, 1))
        table = after(table, PlaceBet(player, (Spot(box, "perfect-pairs"), Spot(box, "21+3")), 500, 2))
    for player in (*BEHIND, "p7"):
        table = after(table, ChooseFollow(player, 1, True, True, 2))
        table = after(table, PlaceBet(player, (Spot(1, "behind"), Spot(2, "behind")), 1_000, 2))
    return table


def shoe() -> tuple[int, ...]:
    """An ace up for the dealer and no ten under it; the rest by one seed."""
    first = cards("8S 9S 5D TC 6H 2C 7D AD 8H 9D 6S 3H 5C KD QS 4H")
    rest = list(pack(8))
    for one in first:
        rest.remove(one)
    random.Random(1).shuffle(rest)
    return (*first, *rest)


def decision(table: Table) -> Command:
    at, play = (table.deadline or 0) - 1, table.round
    asked = turn(play) if play else None
    if asked is None or play is None or play.stage is Stage.INSURANCE:
        raise AssertionError(f"{table.phase} waits for nobody")
    box, index = asked
    return Act(box.player, box.number, Action.HIT if box.hands[index].total < 16 else Action.STAND, at)


def after(table: Table, command: Command) -> Table:
    outcome = advance(table, command)
    if isinstance(outcome, Refusal):
        raise AssertionError(f"{command}: {outcome}")
    return outcome[1]


if __name__ == "__main__":
    sys.exit(main())
