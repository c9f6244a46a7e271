"""A player's options as he sees them: each with its price, or with the reasons why not (X-19).

The same few come again and again. Each is made once, so that an option that stays is the very same object.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import lru_cache

from ventuno.core.messages.refusals import Refusal
from ventuno.core.rules.money import Cents
from ventuno.core.table.legal import Verdict


@dataclass(frozen=True, slots=True)
class Reason:
    """Why not (X-19): the name of the refusal, and the numbers that explain it. Words are in catalogues."""

    code: str
    numbers: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Option:
    """Something one could do: its price in cents where it is open, every reason where it is closed."""

    price: Cents | None
    reasons: tuple[Reason, ...]


@dataclass(frozen=True, slots=True)
class DecisionOption(Option):
    """`total` is what the hand would show, where a decision takes a card that lies open (D-08)."""

    box: int
    action: str
    total: str


@dataclass(frozen=True, slots=True)
class SpotOption(Option):
    """`price` is how much the spot still takes, up to its maximum."""

    box: int
    bet: str


@dataclass(frozen=True, slots=True)
class Options:
    decisions: tuple[DecisionOption, ...]
    early: tuple[DecisionOption, ...]
    betting: Mapping[str, Option]
    spots: tuple[SpotOption, ...]


@lru_cache(maxsize=4_096)
def make_reason(refusal: Refusal) -> Reason:
    return Reason(refusal.code, asdict(refusal))


@lru_cache(maxsize=4_096)
def make_option(verdict: Verdict) -> Option:
    if isinstance(verdict, tuple):
        return Option(None, tuple([make_reason(refusal) for refusal in verdict]))
    return Option(verdict, ())


@lru_cache(maxsize=4_096)
def make_decision(box: int, action: str, verdict: Verdict, total: str = "") -> DecisionOption:
    option = make_option(verdict)
    return DecisionOption(option.price, option.reasons, box, action, total)


@lru_cache(maxsize=16_384)
def make_spot(box: int, bet: str, verdict: Verdict) -> SpotOption:
    option = make_option(verdict)
    return SpotOption(option.price, option.reasons, box, bet)
