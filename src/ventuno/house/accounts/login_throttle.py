"""Exponential backoff against guessing: after a few failures each doubles the wait, per account and per address
(ASVS 6.3, R-44).

An address from which an account was opened before is known to it, and counts for itself: strangers who guess elsewhere
do not lock its owner out.
"""

from __future__ import annotations

from collections import OrderedDict
from hashlib import sha256
from typing import NamedTuple

from ventuno.core.messages.refusals import Refusal
from ventuno.house.accounts import text_rules

SECOND = 1000
FORGET_AFTER = 24 * 3600 * SECOND
MAX_KEYS = 100_000


class TryLater(Refusal):
    """The same for names that exist and names that do not."""

    seconds: int


def make_account_key(name: str) -> str:
    """An account as its failures are counted: by its name, which may not exist, and not by what was typed."""
    return sha256(text_rules.fold_name(text_rules.normalize(name)).encode(errors="replace")).hexdigest()[:16]


class Failures(NamedTuple):
    times: int = 0
    last: int = 0


class Throttle:
    """Failures by key, the oldest forgotten first. `free` of them cost nothing, then each doubles the wait."""

    def __init__(self, account_free: int = 5, address_free: int = 20, most: int = 900 * SECOND) -> None:
        self._free = {"account": account_free, "known": account_free, "address": address_free}
        self._most = most
        self._failures: OrderedDict[tuple[str, str], Failures] = OrderedDict()
        self._known: OrderedDict[str, None] = OrderedDict()

    def refuses(self, account: str, address: str, at: int) -> TryLater | None:
        """Asked before any work is done: a guess that must wait costs the house nothing."""
        until = max(self._get_wait_end(*key) for key in self._list_keys(account, address))
        return TryLater((until - at + SECOND - 1) // SECOND) if at < until else None

    def record_failure(self, account: str, address: str, at: int) -> None:
        for key in self._list_keys(account, address):
            failures = self._failures.pop(key, Failures())
            times = failures.times if at - failures.last < FORGET_AFTER else 0
            self._failures[key] = Failures(times + 1, at)
        while len(self._failures) > MAX_KEYS:
            self._failures.popitem(last=False)

    def clear_account(self, account: str, address: str = "") -> None:
        """The right password clears the account; the address keeps its count, it may be trying others."""
        for key in (("account", account), ("known", f"{account} {address}")):
            self._failures.pop(key, None)

    def remember(self, account: str, address: str) -> None:
        """This account was opened from there."""
        self._known[f"{account} {address}"] = None
        while len(self._known) > MAX_KEYS:
            self._known.popitem(last=False)

    def _list_keys(self, account: str, address: str) -> tuple[tuple[str, str], ...]:
        """What counts for a guess at an account from an address; an account without a name is none."""
        pair = f"{account} {address}"
        guessed = ("known", pair) if pair in self._known else ("account", account)
        return (guessed, ("address", address)) if account else (("address", address),)

    def _get_wait_end(self, kind: str, name: str) -> int:
        failures = self._failures.get((kind, name), Failures())
        over = failures.times - self._free[kind]
        return failures.last + min(2 ** min(over, 30) * SECOND, self._most) if over >= 0 else 0
