"""Who may take a pit, and what an owner of before may still do: nothing."""

from __future__ import annotations

import pytest

from ventuno.house.pits.leases import LEASE, MAX_OFFSET, Lease, check_fence, give_up, may_take, renew, take
from ventuno.house.store.store import StaleEpoch

NOW = 1_000_000
HELD = take(Lease(17), "h1", NOW)


def test_every_owner_raises_the_epoch_also_the_same_one() -> None:
    assert Lease(17, 1, "h1", NOW + LEASE) == HELD
    assert take(HELD, "h1", NOW).epoch == 2


def test_a_lease_is_taken_when_it_lapsed_was_given_up_or_is_ones_own() -> None:
    assert not may_take(HELD, "h2", NOW + LEASE - 1)
    assert may_take(HELD, "h2", NOW + LEASE)
    assert may_take(HELD, "h1", NOW)
    given = give_up(HELD, "h1", 1)
    assert given is not None
    assert may_take(given, "h2", NOW)
    assert given.epoch == 1


def test_a_node_whose_clock_is_off_takes_nothing() -> None:
    later = NOW + LEASE
    assert may_take(HELD, "h2", later, MAX_OFFSET)
    assert may_take(HELD, "h2", later, -MAX_OFFSET)
    assert not may_take(HELD, "h2", later, MAX_OFFSET + 1)
    assert not may_take(HELD, "h2", later, -MAX_OFFSET - 1)


def test_only_the_owner_renews_and_gives_up() -> None:
    assert renew(HELD, "h1", 1, NOW + 500) == HELD._replace(until=NOW + 500 + LEASE)
    assert renew(HELD, "h1", 1, NOW + 10 * LEASE) is not None, "nobody took it: it goes on"
    for node, epoch in (("h2", 1), ("h1", 0), ("h1", 2)):
        assert renew(HELD, node, epoch, NOW) is None
        assert give_up(HELD, node, epoch) is None


def test_a_commit_of_another_epoch_is_refused() -> None:
    check_fence(HELD, 1)
    for epoch in (0, 2):
        with pytest.raises(StaleEpoch):
            check_fence(HELD, epoch)
