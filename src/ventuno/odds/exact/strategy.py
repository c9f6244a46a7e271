"""The best-play chart on totals: what a person can learn, what the simulator plays."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

UP_CARDS = (2, 3, 4, 5, 6, 7, 8, 9, 10, 1)
"""Up-cards by value, in the order in which charts print them; 1 is the ace."""


@dataclass(frozen=True, slots=True)
class Chart:
    """Actions by total and up-card value.

    `hard` (4…20) and `soft` (12…20, an ace counting 11) hold one of: `H` hit, `S` stand, `D` double else hit,
    `d` double else stand, `R` surrender else hit, `r` surrender else stand. The alternatives after "else" are what is
    played with three or more cards and wherever doubling is not allowed. `pair` (card value 1…10) says whether two
    equal cards are split; where it says no, the total's line is played. `insure` says whether insurance is taken.
    """

    hard: Mapping[tuple[int, int], str]
    soft: Mapping[tuple[int, int], str]
    pair: Mapping[tuple[int, int], bool]
    insure: bool
