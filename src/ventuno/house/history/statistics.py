"""Personal statistics from a player's own rounds, recomputable from the export (X-17).

Results only. What they should have been, and decisions against best play, is the mathematics of the odds room, which
the house never imports: a worker computes it from the same export.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from ventuno.core.rules.money import Cents
from ventuno.house.history.account_history import HistoryLine


class Figures(NamedTuple):
    """Rounds that counted, and what they came to. A round is won or lost by its net result."""

    rounds: int = 0
    staked: Cents = 0
    returned: Cents = 0
    won: int = 0
    lost: int = 0
    even: int = 0
    best: Cents = 0
    worst: Cents = 0

    @property
    def net(self) -> Cents:
        return self.returned - self.staked


class Streaks(NamedTuple):
    """Rounds won (positive) or lost (negative) in a row; an even one changes nothing."""

    now: int = 0
    longest_won: int = 0
    longest_lost: int = 0


class Statistics(NamedTuple):
    total: Figures
    by_game: dict[str, Figures]
    streaks: Streaks
    voided: int


def statistics(listed: Iterable[HistoryLine]) -> Statistics:
    """The figures of these rounds, in any order."""
    total, streaks, voided = Figures(), Streaks(), 0
    by_game: dict[str, Figures] = {}
    for line in sorted(listed, key=lambda one: (one.ended, one.code)):
        if line.voided:
            voided += 1
            continue
        total = _with(total, line)
        by_game[line.game] = _with(by_game.get(line.game, Figures()), line)
        streaks = _longer(streaks, line.net)
    return Statistics(total, by_game, streaks, voided)


def _with(held: Figures, line: HistoryLine) -> Figures:
    return Figures(
        held.rounds + 1,
        held.staked + line.staked,
        held.returned + line.returned,
        held.won + (line.net > 0),
        held.lost + (line.net < 0),
        held.even + (line.net == 0),
        max(held.best, line.net),
        min(held.worst, line.net),
    )


def _longer(held: Streaks, net: Cents) -> Streaks:
    if net == 0:
        return held
    step = 1 if net > 0 else -1
    now = held.now + step if held.now * step > 0 else step
    return Streaks(now, max(held.longest_won, now), max(held.longest_lost, -now))
