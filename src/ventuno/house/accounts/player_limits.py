"""What a player has put between himself and the games: limits, pauses, exclusion (R-33…R-39, X-13).

A fold like everything else: `set_limit`, `confirm`, `cool_off`, `exclude`, `revoke` give events or a refusal, `evolve`
applies them. Lowering a limit acts at once; raising or removing one needs a wait and a second, fresh word.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias, assert_never

from ventuno.core.messages.refusals import Refusal
from ventuno.core.rules.money import Cents

MINUTE = 60_000
DAY = 24 * 60 * MINUTE
PERIODS = {"day": DAY, "week": 7 * DAY, "month": 30 * DAY}
"""Rolling windows: the last 24 hours, 7 days, 30 days, counted back from the moment of the bet."""


REALITY_RANGE = (5, 240)
"""Minutes between two reality checks, at least and at most."""


class LimitKind(StrEnum):
    """What is limited. A deposit limit counts gross deposits and nothing else may bear that name (R-33)."""

    DEPOSIT = "deposit"
    STAKE = "stake"
    LOSS = "loss"
    SESSION = "session"


@dataclass(frozen=True, slots=True)
class Profile:
    """The waits of a jurisdiction (R-35, R-38)."""

    raise_wait: int = 7 * DAY
    revoke_after: int = 180 * DAY
    revoke_wait: int = 7 * DAY
    exclusions: tuple[int, ...] = (30, 60, 90)
    cool_offs: tuple[int, int] = (1, 42)
    """A pause lasts from so many to so many days."""


ITALY = Profile()
HALF_YEAR = 184
"""Days that no six months exceed (R-39)."""
MALTA = Profile(raise_wait=DAY, exclusions=(HALF_YEAR, 365, 1825))
BRITAIN = Profile(raise_wait=DAY, exclusions=(HALF_YEAR, 365, 1825))


@dataclass(frozen=True, slots=True)
class LimitSet:
    name: str
    amount: Cents


@dataclass(frozen=True, slots=True)
class RaiseAsked:
    """A higher limit, or none (amount 0 and `removed`), that may be confirmed from `ready` on."""

    name: str
    amount: Cents
    removed: bool
    ready: int


@dataclass(frozen=True, slots=True)
class RaiseConfirmed:
    name: str


@dataclass(frozen=True, slots=True)
class CoolOffTaken:
    until: int


@dataclass(frozen=True, slots=True)
class Excluded:
    """Until a day, or without an end (until 0)."""

    at: int
    until: int


@dataclass(frozen=True, slots=True)
class ExclusionRevoked:
    """An exclusion without end is lifted, effective later."""

    effective: int


@dataclass(frozen=True, slots=True)
class RealityCheckChosen:
    """How often he is told how long and for how much he has played (R-37)."""

    minutes: int


LimitEvent: TypeAlias = (
    LimitSet | RaiseAsked | RaiseConfirmed | CoolOffTaken | Excluded | ExclusionRevoked | RealityCheckChosen
)


class NoSuchLimit(Refusal):
    name: str
    known: str


class NotBefore(Refusal):
    ready: int
    at: int


class NothingAsked(Refusal):
    name: str


class Irrevocable(Refusal):
    """R-38: a timed exclusion runs to its end."""


class NoSuchExclusion(Refusal):
    known: str


class PauseUnfit(Refusal):
    """A pause may be made longer, never shorter."""

    least: int
    most: int
    asked: int


class CheckUnfit(Refusal):
    least: int
    most: int
    asked: int


class PlayExcluded(Refusal):
    until: int


class CoolingOff(Refusal):
    until: int


_NOTHING: Mapping[str, Any] = MappingProxyType({})
LIMIT_NAMES = (*(f"{kind}:{period}" for kind in ("deposit", "stake", "loss") for period in PERIODS), "session:minutes")


class PlayerLimits(NamedTuple):
    """A player's protection between two events. No revocation acts before `bound`, the end of a timed exclusion."""

    limits: Mapping[str, Cents] = _NOTHING
    asked: Mapping[str, RaiseAsked] = _NOTHING
    cooling: int = 0
    excluded: Excluded | None = None
    revoked: int = 0
    bound: int = 0
    reality_minutes: int = 60

    def check_play(self, at: int) -> Refusal | None:
        """Why this player may not play or deposit at all now; None when he may (R-38)."""
        if self.excluded and (running := self.find_exclusion(at)):
            return PlayExcluded(running.until or self.revoked)
        return CoolingOff(self.cooling) if at < self.cooling else None

    def find_exclusion(self, at: int) -> Excluded | None:
        """The exclusion that runs now."""
        out = self.excluded
        if out is None or 0 < out.until <= at or 0 < self.revoked <= at:
            return None
        return out


def set_limit(
    player_limits: PlayerLimits, name: str, amount: Cents | None, at: int, profile: Profile
) -> list[LimitEvent] | Refusal:
    """A first or lower limit is in force with this very event; a higher one or none waits (R-35)."""
    if name not in LIMIT_NAMES or (amount is not None and amount < 0):
        return NoSuchLimit(name, ", ".join(LIMIT_NAMES))
    current = player_limits.limits.get(name)
    if amount is not None and (current is None or amount <= current):
        return [LimitSet(name, amount)]
    if current is None:
        return NothingAsked(name)
    return [RaiseAsked(name, amount or 0, amount is None, at + profile.raise_wait)]


def confirm(player_limits: PlayerLimits, name: str, at: int) -> list[LimitEvent] | Refusal:
    """The fresh confirmation after the wait."""
    waiting = player_limits.asked.get(name)
    if waiting is None:
        return NothingAsked(name)
    return NotBefore(waiting.ready, at) if at < waiting.ready else [RaiseConfirmed(name)]


def cool_off(player_limits: PlayerLimits, until: int, at: int, profile: Profile = ITALY) -> list[LimitEvent] | Refusal:
    """A pause may be made longer, never shorter."""
    shortest, longest = profile.cool_offs
    least, most = max(at + shortest * DAY, player_limits.cooling + 1), at + longest * DAY
    return [CoolOffTaken(until)] if least <= until <= most else PauseUnfit(least, most, until)


def choose_reality(minutes: int) -> list[LimitEvent] | Refusal:
    """The interval is the player's choice, within reason (R-37)."""
    least, most = REALITY_RANGE
    return [RealityCheckChosen(minutes)] if least <= minutes <= most else CheckUnfit(least, most, minutes)


def exclude(player_limits: PlayerLimits, days: int, at: int, profile: Profile) -> list[LimitEvent] | Refusal:
    """At once, for a number of days or without end (0); one that lasts longer takes the place of a shorter one."""
    if days and days not in profile.exclusions:
        return NoSuchExclusion(", ".join(map(str, profile.exclusions)))
    until = at + days * DAY if days else 0
    running = player_limits.find_exclusion(at)
    end = (running.until or player_limits.revoked) if running else at
    return Irrevocable() if running and (not end or 0 < until <= end) else [Excluded(at, until)]


def revoke(player_limits: PlayerLimits, at: int, profile: Profile) -> list[LimitEvent] | Refusal:
    """Only an exclusion without end, only after half a year, effective a week later (R-38).

    Where it took the place of a timed one, that one still runs to its end.
    """
    running = player_limits.find_exclusion(at)
    if running is None:
        return NothingAsked("exclusion")
    if running.until or player_limits.revoked:
        return Irrevocable()
    ready = running.at + profile.revoke_after
    return (
        NotBefore(ready, at) if at < ready else [ExclusionRevoked(max(at + profile.revoke_wait, player_limits.bound))]
    )


def evolve(player_limits: PlayerLimits, event: LimitEvent) -> PlayerLimits:
    match event:
        case LimitSet(name, amount):
            asked = {key: asked_raise for key, asked_raise in player_limits.asked.items() if key != name}
            return player_limits._replace(limits={**player_limits.limits, name: amount}, asked=asked)
        case RaiseAsked(name):
            return player_limits._replace(asked={**player_limits.asked, name: event})
        case RaiseConfirmed(name):
            waiting = player_limits.asked[name]
            limits = {key: amount for key, amount in player_limits.limits.items() if key != name}
            if not waiting.removed:
                limits[name] = waiting.amount
            return player_limits._replace(
                limits=limits, asked={k: v for k, v in player_limits.asked.items() if k != name}
            )
        case CoolOffTaken(until):
            return player_limits._replace(cooling=until)
        case Excluded(until=until):
            return player_limits._replace(excluded=event, revoked=0, bound=max(player_limits.bound, until))
        case ExclusionRevoked(effective):
            return player_limits._replace(revoked=effective)
        case RealityCheckChosen(minutes):
            return player_limits._replace(reality_minutes=minutes)
        case _:
            assert_never(event)
