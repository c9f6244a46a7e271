"""Guesses are slowed down (R-44, ASVS 6.3), and what is remembered of them is bounded."""

from __future__ import annotations

from ventuno.house.accounts.login_throttle import Throttle

REMEMBERED = 100_000


def test_r44_a_hundred_thousand_addresses_are_remembered_and_the_oldest_is_forgotten_first() -> None:
    throttle = Throttle(address_free=1)
    throttle.record_failure("", "first", 0)
    for number in range(REMEMBERED - 1):
        throttle.record_failure("", f"address {number}", 0)
    assert throttle.refuses("", "first", 0)
    throttle.record_failure("", "one more", 0)
    assert throttle.refuses("", "first", 0) is None
    assert throttle.refuses("", "address 0", 0)
