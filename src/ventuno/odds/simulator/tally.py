"""What a simulation counted, and what follows from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from math import sqrt

import numpy as np
from numpy.typing import NDArray

Counts = Mapping[str, NDArray[np.int64]]


@dataclass(frozen=True)
class Faces:
    """The possible outcomes of a bet, in stakes: what each wins and what it has put down."""

    won: tuple[float, ...]
    staked: tuple[float, ...]


@dataclass(frozen=True)
class Tally:
    """How often each outcome of each bet came; tallies of blocks add up, in any order, to the same whole numbers."""

    counts: Counts

    @property
    def rounds(self) -> int:
        return int(self.counts["main"].sum()) if self.counts else 0

    def __add__(self, other: Tally) -> Tally:
        if not self.counts:
            return other
        return Tally({bet: counts + other.counts[bet] for bet, counts in self.counts.items()})


NOTHING = Tally({})


@dataclass(frozen=True)
class Estimate:
    """One bet: returns on both bases as fractions of the stakes, each with its standard error."""

    faces: Faces
    counts: NDArray[np.int64]
    base: str

    @property
    def rounds(self) -> int:
        return int(self.counts.sum())

    @cached_property
    def _sums(self) -> tuple[float, float, float, float, float]:
        """Means of won, staked, won², won x staked, staked²."""
        won, staked = self.faces.won, self.faces.staked
        seen = [(int(n), won[k], staked[k]) for k, n in enumerate(self.counts) if n]
        n = self.rounds
        return (
            sum(k * w for k, w, _ in seen) / n,
            sum(k * s for k, _, s in seen) / n,
            sum(k * w * w for k, w, _ in seen) / n,
            sum(k * w * s for k, w, s in seen) / n,
            sum(k * s * s for k, _, s in seen) / n,
        )

    @property
    def return_initial(self) -> float:
        return 1 + self._sums[0]

    @property
    def return_total(self) -> float:
        return 1 + self._sums[0] / self._sums[1]

    @property
    def sd(self) -> float:
        """Standard deviation of the net result of one round, in initial stakes."""
        return sqrt(max(self._sums[2] - self._sums[0] ** 2, 0.0))

    @property
    def error_initial(self) -> float:
        return self.sd / sqrt(self.rounds)

    @property
    def error_total(self) -> float:
        """Standard error of a ratio: of what was won beyond the mean share of what was staked."""
        won, staked, won2, product, staked2 = self._sums
        ratio = won / staked
        return sqrt(max(won2 - 2 * ratio * product + ratio**2 * staked2, 0.0) / self.rounds) / staked

    @property
    def value(self) -> float:
        return self.return_total if self.base == "total" else self.return_initial

    @property
    def error(self) -> float:
        return self.error_total if self.base == "total" else self.error_initial

    def count_outcomes(self) -> dict[tuple[float, float], int]:
        """Rounds by what they won and what they had staked."""
        rounds_by_outcome: dict[tuple[float, float], int] = {}
        for won, staked, count in zip(self.faces.won, self.faces.staked, self.counts, strict=True):
            if count:
                rounds_by_outcome[won, staked] = rounds_by_outcome.get((won, staked), 0) + int(count)
        return dict(sorted(rounds_by_outcome.items()))


@dataclass(frozen=True)
class Result:
    """A finished (or stopped) simulation."""

    game: str
    sheet: str
    seed: int
    cores: int
    seconds: float
    bets: Mapping[str, Estimate]

    @property
    def main(self) -> Estimate:
        return self.bets["main"]

    @property
    def rounds(self) -> int:
        return self.main.rounds

    @property
    def rounds_per_second(self) -> float:
        return self.rounds / self.seconds if self.seconds else 0.0
