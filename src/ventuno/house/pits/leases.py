"""Who has a pit: a lease with an epoch, as rules over the row of `pits` and the database's clock.

The epoch is the fence. It is raised with every new owner and compared inside each commit, so an owner that stood still
and wakes up writes nothing more. The time of a lease only says when another may try: nothing that must be true of money
or limits follows from it.
"""

from __future__ import annotations

from typing import NamedTuple

from ventuno.house.pits.placement import PitNumber
from ventuno.house.store.store import StaleEpoch

LEASE = 3_000
RENEWED_EVERY = 1_000
MAX_OFFSET = 250
"""Milliseconds of a node's clock beside the database's: with more it takes no pit."""
NOBODY = ""


class Lease(NamedTuple):
    """A row of `pits`; `until` is a moment of the database's clock, in milliseconds."""

    pit: PitNumber
    epoch: int = 0
    node: str = NOBODY
    until: int = 0


def may_take(lease: Lease, node: str, now: int, offset: int = 0) -> bool:
    """Whether a node may be the next owner: the lease lapsed, was given up, or was its own before a restart."""
    return abs(offset) <= MAX_OFFSET and (lease.node in (NOBODY, node) or lease.until <= now)


def take(lease: Lease, node: str, now: int) -> Lease:
    """The row of the next owner. The epoch is raised also where the same node comes back: its old process may live."""
    return Lease(lease.pit, lease.epoch + 1, node, now + LEASE)


def renew(lease: Lease, node: str, epoch: int, now: int) -> Lease | None:
    """The row with more time; None for who is not the owner any more. What lapsed and nobody took goes on."""
    return lease._replace(until=now + LEASE) if (lease.node, lease.epoch) == (node, epoch) else None


def give_up(lease: Lease, node: str, epoch: int) -> Lease | None:
    """The row without an owner, for a node that stops; the epoch stays, and the next owner raises it."""
    return lease._replace(node=NOBODY, until=0) if (lease.node, lease.epoch) == (node, epoch) else None


def check_fence(lease: Lease, epoch: int) -> None:
    """Raise StaleEpoch where a commit comes from an owner of before. The commit holds the row meanwhile."""
    if lease.epoch != epoch:
        raise StaleEpoch(f"pit {lease.pit} is at epoch {lease.epoch}, not {epoch}")
