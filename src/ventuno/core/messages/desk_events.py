"""What happens at tables with scanned cards alone (X-27); a decision there is an `events.DecisionTaken` first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from ventuno.core.rules.cards import Card
from ventuno.core.rules.money import PlayerId
from ventuno.core.table.round import CardPlace


@dataclass(frozen=True, slots=True)
class DeskTaken:
    """Who deals from now on (X-27)."""

    player: PlayerId
    at: int


@dataclass(frozen=True, slots=True)
class DeskLeft:
    player: PlayerId
    at: int


@dataclass(frozen=True, slots=True)
class ShoeDeclared:
    """The dealer has a shuffled shoe ready; its cards become known as they are scanned (V-81)."""

    number: int
    cut: int
    player: PlayerId
    at: int


@dataclass(frozen=True, slots=True)
class CardScanned:
    """A card left a real shoe for a place. A face-down one has a commitment at once, and never leaves the house before
    the rules turn it (X-27).
    """

    card: Card
    place: CardPlace
    player: PlayerId
    at: int
    salt: str = ""
    commitment: str = ""


@dataclass(frozen=True, slots=True)
class ScanTakenBack:
    """The last scan does not count, and why; it stays in the log."""

    player: PlayerId
    reason: str
    at: int


@dataclass(frozen=True, slots=True)
class CutCardShown:
    """This round is the last of its shoe (V-81)."""

    player: PlayerId
    at: int


@dataclass(frozen=True, slots=True)
class MisdealDeclared:
    """The dealer says that cards went wrong; the supervisor resumes or voids (V-76, V-77)."""

    player: PlayerId
    reason: str
    at: int


@dataclass(frozen=True, slots=True)
class HelpCalled:
    player: PlayerId
    reason: str
    at: int


DeskEvent: TypeAlias = (
    DeskTaken | DeskLeft | ShoeDeclared | CardScanned | ScanTakenBack | CutCardShown | MisdealDeclared | HelpCalled
)
