"""What the worlds reach: every event of the core's vocabulary and every refusal, or the reason why not."""

from __future__ import annotations

from collections import Counter
from typing import get_args

from tests.support.simulation.world import STEPS, World
from ventuno.core.messages import refusals
from ventuno.core.messages.events import Event
from ventuno.core.messages.refusals import Refusal
from ventuno.house.accounts import player_limits
from ventuno.house.protection import limit_check
from ventuno.house.tables import authority
from ventuno.house.tables.authority import Decision, Request

UNREACHABLE = {
    "HandSurrendered": "no sheet of the five offers surrender",
    "SeatsFull": "a player may hold all seven seats of the only shared table: then no seat is free",
    "CardImpossible": "the few rounds of a world do not bring out every copy of a card",
}
"""What no world can reach, and why."""


class Counted(World):
    """A world that counts what happens in it."""

    def __init__(self, seed: int, counts: Counter[str]) -> None:
        self.counts = counts
        super().__init__(seed)

    def deliver(self, request: Request) -> Decision:
        decided = super().deliver(request)
        self.counts["deliveries"] += 1
        self.counts["accepted"] += decided.batch is not None
        self.counts.update([type(event).__name__ for event in decided.events])
        if decided.answer.refused:
            self.counts[decided.answer.refused] += 1
        return decided

    def crash(self) -> None:
        self.counts["crashes"] += 1
        super().crash()

    def run(self, steps: int = STEPS) -> bytes:
        digest = super().run(steps)
        self.counts.update([line.rpartition(" ")[2] for line in self.trace if line.count(" ") == 2])
        self.counts["steps"] += steps
        self.counts["rounds"] += sum(not row.voided for row in self.disk.rounds.values())
        return digest


def counted(seeds: range) -> Counter[str]:
    counts: Counter[str] = Counter()
    for seed in seeds:
        Counted(seed, counts).run()
    return counts


def vocabulary() -> tuple[list[str], list[str]]:
    """The names of all events, and of all refusals of the table and of the house around it."""
    events = [kind.__name__ for kind in get_args(Event)]
    found = [
        name
        for module in (refusals, authority, limit_check, player_limits)
        for name, kind in vars(module).items()
        if isinstance(kind, type) and issubclass(kind, Refusal) and kind is not Refusal
    ]
    return events, sorted(set(found))


def missing(counts: Counter[str]) -> list[str]:
    events, found = vocabulary()
    return [name for name in (*events, *found) if not counts[name]]


def report(seeds: int) -> str:
    counts = counted(range(seeds))
    lines = [
        f"{seeds} worlds: " + ", ".join(f"{counts[name] / seeds:.2f} {name}" for name in _EACH) + " in each",
        *[f"{name:20} {counts[name]:8}" for names in vocabulary() for name in names],
        *[f"not reached: {name} ({UNREACHABLE.get(name, 'WHY?')})" for name in missing(counts)],
    ]
    return "\n".join(lines)


_EACH = ("steps", "deliveries", "accepted", "rounds", "crashes")
