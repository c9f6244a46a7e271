"""What a player's own limits must forbid, kept a second time beside the guard (R-33…R-38).

The guard says no before a stake is written; this says whether it should have.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import get_args

from tests.support.simulation.disk import Broken, Disk
from ventuno.core.rules.money import Cents, PlayerId
from ventuno.house.accounts.player_limits import (
    CoolOffTaken,
    Excluded,
    ExclusionRevoked,
    LimitEvent,
    LimitSet,
    PlayerLimits,
    RaiseAsked,
    RaiseConfirmed,
    evolve,
)
from ventuno.house.protection.limit_check import LimitCheck
from ventuno.house.store.records import Record, ShareRow, make_reader

DAY = 86_400_000
WINDOWS = {"day": DAY, "week": 7 * DAY, "month": 30 * DAY}
RAISE_WAIT = 7 * DAY
read_shield = make_reader(get_args(LimitEvent))


@dataclass
class Promise:
    """What one player was promised: limits, and a time before which he does not play."""

    limits: dict[str, Cents] = field(default_factory=dict)
    asked: dict[str, tuple[int, Cents | None]] = field(default_factory=dict)
    closed: int = 0
    endless: bool = False
    open_again: int = 0

    def take(self, event: LimitEvent, at: int) -> None:
        """A change the shield has accepted; one that breaks an earlier promise is a fault (R-35, R-38)."""
        match event:
            case LimitSet(name, amount):
                if amount > self.limits.get(name, amount):
                    raise Broken(f"R-35: {name} was raised at once")
                self.limits[name] = amount
                self.asked.pop(name, None)
            case RaiseAsked(name, amount, removed):
                self.asked[name] = at, None if removed else amount
            case RaiseConfirmed(name):
                since, wanted = self.asked.pop(name)
                if at < since + RAISE_WAIT:
                    raise Broken(f"R-35: {name} was raised after {at - since} ms")
                del self.limits[name]
                if wanted is not None:
                    self.limits[name] = wanted
            case CoolOffTaken(until):
                self.closed = max(self.closed, until)
            case Excluded(until=0):
                self.endless, self.open_again = True, 0
            case Excluded(until=until):
                self.closed = max(self.closed, until)
            case ExclusionRevoked(effective):
                self.open_again = effective
            case _:
                pass

    def is_closed(self, at: int) -> bool:
        return at < self.closed or (self.endless and not (self.open_again and at >= self.open_again))


class Protection:
    """All promises and the money that counts against them."""

    def __init__(self) -> None:
        self.promises: dict[PlayerId, Promise] = {}
        self.flows: list[ShareRow] = []

    def changed(self, player: PlayerId, events: Iterable[LimitEvent], at: int) -> None:
        promise = self.promises.setdefault(player, Promise())
        for event in events:
            promise.take(event, at)

    def check(self, player: PlayerId, added: Cents, open_stakes: Cents, at: int) -> None:
        """A stake was taken: was it within every promise? (R-36)"""
        promise = self.promises.get(player)
        if promise is None:
            return
        if promise.is_closed(at):
            raise Broken(f"R-38: {player} staked {added} while excluded")
        for name, limit in promise.limits.items():
            kind, period = name.split(":")
            if kind in ("stake", "loss"):
                since = at - WINDOWS[period]
                mine = [row for row in self.flows if row.player == player and row.ended > since]
                used = sum([row.staked - (row.returned if kind == "loss" else 0) for row in mine])
                if max(used, 0) + open_stakes + added > limit:
                    raise Broken(f"R-36: {player} staked {added} over his {name} limit {limit}, {used} used")

    def reread(self, disk: Disk, practice: frozenset[str]) -> None:
        """After a crash: what was committed counts, and nothing else."""
        self.promises, self.flows = {}, counted(disk, practice)
        for player, records in disk.shields.items():
            for record in records:
                self.changed(player, [read_shield(record.kind, record.body)], record.at)


def counted(disk: Disk, practice: frozenset[str]) -> list[ShareRow]:
    """The shares that count: practice is no money (X-08), and what was voided was never at stake (R-07)."""
    return [
        row for row in disk.shares if row.code.partition("-")[0] not in practice and not disk.rounds[row.code].voided
    ]


def guard_of(disk: Disk, practice: frozenset[str], in_play: Callable[[PlayerId], Cents]) -> LimitCheck:
    """The guard as a house makes it when it comes up: shields folded from their streams, flows from the shares."""
    guard = LimitCheck(in_play)
    for player, records in disk.shields.items():
        guard.set_player_limits(player, shield_of(records))
    guard.recover(counted(disk, practice))
    return guard


def shield_of(records: list[Record]) -> PlayerLimits:
    shield = PlayerLimits()
    for record in records:
        shield = evolve(shield, read_shield(record.kind, record.body))
    return shield
