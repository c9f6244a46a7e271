"""Turnover and result of the house by day and game, to the cent, from the rows that were written with each round.

A day is a day of GMT. Voided rounds gave everything back and practice is no play: neither is counted (X-08). What two
persons put right afterwards stands apart, on the day on which it moved (R-08).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from ventuno.core.rules.money import Cents
from ventuno.house.accounts.player_limits import DAY
from ventuno.house.money.corrections import CorrectionMade
from ventuno.house.store.store import Store

SETTLE_DELAY = 60_000
"""A day that is over for so long has no more rounds to come: what it sums to is kept."""
MOST_DAYS = 92
"""Days of one reading: a quarter."""


class TurnoverLine(NamedTuple):
    """A game on a day; `day` counts from 1970. What the house kept is `staked - returned - corrected`."""

    day: int
    game: str
    rounds: int = 0
    staked: Cents = 0
    returned: Cents = 0
    corrected: Cents = 0

    @property
    def result(self) -> Cents:
        return self.staked - self.returned - self.corrected


class Turnover:
    """Sums days, each that is over but once: rows are only ever added, and none to a day that is over."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._days: dict[int, tuple[TurnoverLine, ...]] = {}

    async def read(self, first: int, last: int, corrections: Iterable[CorrectionMade], at: int) -> list[TurnoverLine]:
        """The games of each of these days, oldest first; days without play are left out."""
        await self._sum_missing(first, min(last, at // DAY), at)
        lines = {(line.day, line.game): line for day in range(first, last + 1) for line in self._days.get(day, ())}
        for correction in corrections:
            key = correction.at // DAY, correction.game
            if first <= key[0] <= last:
                line = lines.get(key, TurnoverLine(*key))
                lines[key] = line._replace(corrected=line.corrected + sum(correction.amounts.values()))
        for day in [day for day in self._days if not _is_over(day, at)]:
            del self._days[day]
        return [lines[key] for key in sorted(lines)]

    async def _sum_missing(self, first: int, last: int, at: int) -> None:
        missing = [day for day in range(first, last + 1) if day not in self._days or not _is_over(day, at)]
        if not missing:
            return
        sums = await self._store.sum_days(missing[0] * DAY, (missing[-1] + 1) * DAY - 1)
        for day in missing:
            self._days[day] = tuple(TurnoverLine(*row) for row in sums if row[0] == day)


def _is_over(day: int, at: int) -> bool:
    return at >= (day + 1) * DAY + SETTLE_DELAY
