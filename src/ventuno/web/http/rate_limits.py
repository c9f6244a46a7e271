"""How much anybody may ask: token buckets by address and by account, in bounded memory (ASVS 2.4, DoS)."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from math import ceil
from typing import NamedTuple

from ventuno.core.messages.refusals import Refusal
from ventuno.web.operations.settings import Settings

REMEMBERED = 50_000
"""Keys of one kind that are remembered; the one that asked longest ago is forgotten, and it had the fullest bucket."""


@dataclass(frozen=True, slots=True)
class TooMany(Refusal):
    what: str
    seconds: int


@dataclass(frozen=True, slots=True)
class TooManySockets(Refusal):
    """Not a matter of time: one of them has to be closed first."""

    most: int


class BucketSize(NamedTuple):
    """So many at once, and so many in a second after that."""

    burst: int
    per_second: float


@dataclass(frozen=True, slots=True)
class RateLimits:
    """`entry` is what costs a hash or an account: guest, register, login, password; `odds` what has to be computed."""

    address: BucketSize = BucketSize(200, 50)
    account: BucketSize = BucketSize(100, 20)
    entry: BucketSize = BucketSize(30, 0.5)
    connections: int = 200
    odds: BucketSize = BucketSize(30, 2)

    @classmethod
    def from_settings(cls, settings: Settings) -> RateLimits:
        address = BucketSize(4 * settings.calls_per_second, settings.calls_per_second)
        entry = BucketSize(settings.entries_per_minute, settings.entries_per_minute / 60)
        return cls(address=address, entry=entry, connections=settings.sockets_per_address)


class TokenBuckets:
    """A bucket for each key: it fills by time, and a call takes from it."""

    __slots__ = ("_allowance", "_levels", "_most")

    def __init__(self, allowance: BucketSize, most: int = REMEMBERED) -> None:
        self._allowance, self._most = allowance, most
        self._levels: OrderedDict[str, tuple[float, int]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._levels)

    def take(self, key: str, now: int, cost: int = 1) -> int:
        """0 where there was enough, else the milliseconds until there will be; nothing is taken then."""
        burst, rate = self._allowance
        level, since = self._levels.pop(key, (float(burst), now))
        level = min(burst, level + max(now - since, 0) * rate / 1000)
        wait = 0 if level >= cost else max(ceil(round((cost - level) * 1000 / rate, 3)), 1)
        self._levels[key] = level if wait else level - cost, now
        while len(self._levels) > self._most:
            self._levels.popitem(last=False)
        return wait


class RateLimiter:
    """Everything that is counted at the doors."""

    def __init__(self, allowances: RateLimits) -> None:
        self.allowances = allowances
        self._buckets = {
            "address": TokenBuckets(allowances.address),
            "account": TokenBuckets(allowances.account),
            "entry": TokenBuckets(allowances.entry),
            "odds": TokenBuckets(allowances.odds),
        }
        self._connections: dict[str, int] = {}

    def check(self, what: str, key: str, now: int, cost: int = 1) -> TooMany | None:
        wait = self._buckets[what].take(key, now, cost)
        return TooMany("account" if what == "account" else "address", -(-wait // 1000)) if wait else None

    def connect(self, address: str) -> bool:
        """Count a socket from this address; False where there are too many already."""
        open_sockets = self._connections.get(address, 0)
        if open_sockets >= self.allowances.connections:
            return False
        self._connections[address] = open_sockets + 1
        return True

    def disconnect(self, address: str) -> None:
        open_sockets = self._connections.pop(address, 0) - 1
        if open_sockets > 0:
            self._connections[address] = open_sockets
