"""How much anybody may ask: token buckets by address and by account, in bounded memory (ASVS 2.4, DoS)."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from math import ceil
from typing import NamedTuple

from ventuno.core.messages.refusals import Refusal
from ventuno.web.operations.settings import Settings

REMEMBERED = 50_000
"""Keys of one kind that are remembered; the one that asked longest ago is forgotten, and it had the fullest bucket."""


class TooMany(Refusal):
    what: str
    seconds: int


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


class TokenBucket:
    """So many at once, and so many in a second after that; the level is in thousandths, so that nothing is rounded."""

    __slots__ = ("_burst", "_level", "_rate", "_since")

    def __init__(self, rate: float, burst: int, now: int) -> None:
        self._rate, self._burst = rate, burst * 1_000
        self._level: float = self._burst
        self._since = now

    def take(self, now: int, cost: int = 1) -> bool:
        """Whether there was enough; else nothing is taken."""
        self._level = min(self._burst, self._level + max(now - self._since, 0) * self._rate)
        self._since = now
        if self._level < cost * 1_000:
            return False
        self._level -= cost * 1_000
        return True

    def wait(self, cost: int) -> int:
        """Milliseconds until there will be enough."""
        return max(ceil(round((cost * 1_000 - self._level) / self._rate, 3)), 1)


class TokenBuckets:
    """A token bucket for each key, in bounded memory."""

    __slots__ = ("_allowance", "_buckets", "_most")

    def __init__(self, allowance: BucketSize, most: int = REMEMBERED) -> None:
        self._allowance, self._most = allowance, most
        self._buckets: OrderedDict[str, TokenBucket] = OrderedDict()

    def __len__(self) -> int:
        return len(self._buckets)

    def take(self, key: str, now: int, cost: int = 1) -> int:
        """0 where there was enough, else the milliseconds until there will be; nothing is taken then."""
        bucket = self._buckets.pop(key, None) or TokenBucket(self._allowance.per_second, self._allowance.burst, now)
        self._buckets[key] = bucket
        while len(self._buckets) > self._most:
            self._buckets.popitem(last=False)
        return 0 if bucket.take(now, cost) else bucket.wait(cost)


class RateLimiter:
    """Every call and every socket is counted here."""

    def __init__(self, allowances: RateLimits, now: Callable[[], int]) -> None:
        self.allowances, self._now = allowances, now
        kinds = ("address", "account", "entry", "odds")
        self._buckets = {kind: TokenBuckets(getattr(allowances, kind)) for kind in kinds}
        self._connections: dict[str, int] = {}

    def check(self, what: str, key: str, cost: int = 1) -> TooMany | None:
        wait = self._buckets[what].take(key, self._now(), cost)
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
