"""Markers of harm: what in a player's own record asks for a conversation, by fixed rules with fixed numbers (R-39).

Pure: a record and a moment in, marks out, the same every time. The numbers are the house's choice and follow the kinds
that regulators name; they are no diagnosis, and were not validated on people. Withdrawals that are taken back are not
among them: a withdrawal here is done at once, and there is none to take back.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from typing import NamedTuple

from ventuno.core.rules.money import Cents
from ventuno.house.accounts.player_limits import DAY, MINUTE

HOUR = 60 * MINUTE
SPAN = 35 * DAY
"""How far back a record must go: a week, and the four before it."""


class Marker(StrEnum):
    DEPOSITS_RISING = "deposits-rising"
    DEPOSITS_SURGING = "deposits-surging"
    CHASING = "chasing"
    LONG_PLAY = "long-play"
    NIGHT_PLAY = "night-play"
    LIMITS_RAISED = "limits-raised"


class PlayedRound(NamedTuple):
    """A round for money that was not voided, by its end."""

    at: int
    staked: Cents
    returned: Cents


class Habits(NamedTuple):
    """A player's own record, each part oldest first: deposits, rounds, and when he asked for a higher limit or none."""

    deposits: tuple[tuple[int, Cents], ...] = ()
    rounds: tuple[PlayedRound, ...] = ()
    raises: tuple[int, ...] = ()


class Mark(NamedTuple):
    """A marker that stands at a moment, with the numbers that made it."""

    marker: Marker
    numbers: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Bounds:
    """From which number on a marker stands. Amounts are cents, hours of the day UTC."""

    deposits_a_day: int = 3
    """`deposits-rising`: so many within 24 hours, each larger than the one before, the last twice the first or more."""
    surge_factor: int = 3
    surge_least: Cents = 20_000
    """`deposits-surging`: the last 7 days brought at least so much, and so many times a mean week of the 28 days
    before, in which there must have been a deposit.
    """
    chases: int = 5
    chase_factor: int = 2
    chase_within: int = 10 * MINUTE
    chase_share: int = 25
    """`chasing`: so many times in 24 hours, and after so many of a hundred lost rounds that were followed in time, the
    next round staked at least twice as much.
    """
    sitting: int = 4 * HOUR
    sitting_break: int = 30 * MINUTE
    """`long-play`: from the first to the last round of a sitting, which a break of that length ends."""
    nights: int = 4
    night_rounds: int = 30
    night: tuple[int, int] = (23, 5)
    """`night-play`: on so many of the last 7 nights, with so many rounds in all. From midnight to six by Italian winter
    time; the house does not know where a player lives.
    """
    raises: int = 3
    """`limits-raised`: so many times asked within 30 days."""


BOUNDS = Bounds()


def find_marks(habits: Habits, at: int, bounds: Bounds = BOUNDS) -> list[Mark]:
    """The markers that stand at this moment; what lies after it is not looked at."""
    habits_until = Habits(
        tuple(entry for entry in habits.deposits if entry[0] <= at),
        tuple(entry for entry in habits.rounds if entry.at <= at),
        tuple(entry for entry in habits.raises if entry <= at),
    )
    rules = (
        _find_rising_deposits,
        _find_surging_deposits,
        _find_chasing,
        _find_long_play,
        _find_night_play,
        _find_raised_limits,
    )
    return [mark for rule in rules if (mark := rule(habits_until, at, bounds))]


def _find_rising_deposits(habits: Habits, at: int, bounds: Bounds) -> Mark | None:
    recent = [amount for when, amount in habits.deposits if when > at - DAY]
    last = recent[-bounds.deposits_a_day :]
    if len(last) < bounds.deposits_a_day or not all(a < b for a, b in pairwise(last)) or last[-1] < 2 * last[0]:
        return None
    return Mark(Marker.DEPOSITS_RISING, {"deposits": len(recent), "first": last[0], "last": last[-1]})


def _find_surging_deposits(habits: Habits, at: int, bounds: Bounds) -> Mark | None:
    week = sum(amount for when, amount in habits.deposits if when > at - 7 * DAY)
    before = sum(amount for when, amount in habits.deposits if at - SPAN < when <= at - 7 * DAY)
    if not before or week < bounds.surge_least or 4 * week < bounds.surge_factor * before:
        return None
    return Mark(Marker.DEPOSITS_SURGING, {"week": week, "four_weeks_before": before})


def _find_chasing(habits: Habits, at: int, bounds: Bounds) -> Mark | None:
    recent = [played for played in habits.rounds if played.at > at - DAY]
    after_loss = [
        (played, then)
        for played, then in pairwise(recent)
        if played.returned < played.staked and then.at - played.at <= bounds.chase_within
    ]
    chases = sum(then.staked >= bounds.chase_factor * played.staked for played, then in after_loss)
    if chases < bounds.chases or 100 * chases < bounds.chase_share * len(after_loss):
        return None
    return Mark(Marker.CHASING, {"chases": chases, "losses_followed": len(after_loss)})


def _find_long_play(habits: Habits, at: int, bounds: Bounds) -> Mark | None:
    """The longest sitting that was still going on within the last 24 hours."""
    longest = max((end - start for start, end in _iterate_sittings(habits.rounds, bounds) if end > at - DAY), default=0)
    return Mark(Marker.LONG_PLAY, {"minutes": longest // MINUTE}) if longest >= bounds.sitting else None


def _iterate_sittings(rounds: Sequence[PlayedRound], bounds: Bounds) -> Iterator[tuple[int, int]]:
    if not rounds:
        return
    start = last = rounds[0].at
    for played in rounds[1:]:
        if played.at - last >= bounds.sitting_break:
            yield start, last
            start = played.at
        last = played.at
    yield start, last


def _find_night_play(habits: Habits, at: int, bounds: Bounds) -> Mark | None:
    """A night is counted by the day on which it ends."""
    begins, ends = bounds.night
    late = [
        played.at
        for played in habits.rounds
        if played.at > at - 7 * DAY and not ends <= played.at % DAY // HOUR < begins
    ]
    nights = {(when + (24 - begins) * HOUR) // DAY for when in late}
    if len(nights) < bounds.nights or len(late) < bounds.night_rounds:
        return None
    return Mark(Marker.NIGHT_PLAY, {"nights": len(nights), "rounds": len(late)})


def _find_raised_limits(habits: Habits, at: int, bounds: Bounds) -> Mark | None:
    asked = sum(when > at - 30 * DAY for when in habits.raises)
    return Mark(Marker.LIMITS_RAISED, {"asked": asked}) if asked >= bounds.raises else None
