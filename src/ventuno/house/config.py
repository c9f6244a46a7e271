"""What a house is set up with; everything has a sound default, tests bring their own."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ventuno import __version__
from ventuno.core.rules.sheet import Sheet
from ventuno.core.rules.sheet_reader import list_by_hash
from ventuno.house.accounts.passwords import Argon2, Hasher
from ventuno.house.accounts.registration import PLAY_MONEY, HouseRules
from ventuno.house.history import program_check
from ventuno.house.money.cashier import PlayMoney, Provider
from ventuno.house.shoes.entropy import EntropySource
from ventuno.house.store.clock import Clock, RealClock
from ventuno.house.tables.beacon_client import BeaconClient
from ventuno.house.tables.concession import Issuer, LocalIssuer
from ventuno.house.tables.shoe_supply import CUT_SECONDS
from ventuno.sheets import load_games

BOOKS, KEY, CERTIFICATES = "house.db", "house.key", "certificates"
"""Two files and a folder in the house's own folder; the books may lie elsewhere."""


@dataclass(frozen=True, slots=True)
class Config:
    name: str = "ventuno"
    helpline: str = ""
    """Who helps with gambling, in this house's words; empty: the client's own (V-74)."""
    rules: HouseRules = PLAY_MONEY
    games: Mapping[str, Sheet] = field(default_factory=load_games)
    older: tuple[Sheet, ...] = ()
    """Sheets of earlier versions on which tables are still open (T-11)."""
    clock: Clock = field(default_factory=RealClock)
    hasher: Hasher = field(default_factory=Argon2)
    source: EntropySource = field(default_factory=EntropySource)
    issuer: Issuer = field(default_factory=LocalIssuer)
    provider: Provider = field(default_factory=PlayMoney)
    tokens: Callable[[int], bytes] = os.urandom
    cut_seconds: int = CUT_SECONDS
    beacon: BeaconClient | None = None
    """A public beacon that takes part in the cuts of shared tables; none where the house asks no network."""
    version: str = __version__
    program: Path = program_check.PROGRAM
    accepted: str = ""
    """Why an operator takes the program that lies there now, though its version was another (R-19)."""
    new_house: bool = False
    """Whether to begin new books where the key of an older house lies without its own."""
    apart: bool = False
    """Whether a process of its own writes the books: play then has this one for itself."""

    @property
    def sheets(self) -> dict[str, Sheet]:
        """Every sheet by its hash, those of the games with scanned cards too (X-27)."""
        return list_by_hash((*self.games.values(), *self.older))
