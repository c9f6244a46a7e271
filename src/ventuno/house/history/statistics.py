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


def compute_statistics(listed: Iterable[HistoryLine]) -> Statistics:
    """The figures of these rounds, in any order."""
    total, streaks, voided = Figures(), Streaks(), 0
    by_game: dict[str, Figures] = {}
    for line in sorted(listed, key=lambda row: (row.ended, row.code)):
        if line.voided:
            voided += 1
            continue
        total = _add_line(total, line)
        by_game[line.game] = _add_line(by_game.get(line.game, Figures()), line)
        streaks = _extend_streaks(streaks, line.net)
    return Statistics(total, by_game, streaks, voided)


def _add_line(figures: Figures, line: HistoryLine) -> Figures:
    return Figures(
        figures.rounds + 1,
        figures.staked + line.staked,
        figures.returned + line.returned,
        figures.won + (line.net > 0),
        figures.lost + (line.net < 0),
        figures.even + (line.net == 0),
        max(figures.best, line.net),
        min(figures.worst, line.net),
    )


def _extend_streaks(streaks: Streaks, net: Cents) -> Streaks:
    if net == 0:
        return streaks
    step = 1 if net > 0 else -1
    now = streaks.now + step if streaks.now * step > 0 else step
    return Streaks(now, max(streaks.longest_won, now), max(streaks.longest_lost, -now))
