"""What a client knows of his money, call by call, and whether any one order of the calls explains it (T-9).

A history is linear when its calls can be put in one order in which each takes effect at a moment between its sending
and its answer, and everything that was answered is true at that moment. A call without an answer has happened once,
or not at all, at any time after its sending.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from ventuno.core.rules.money import Cents

DEPOSIT, WITHDRAW, BRING, TAKE, READ = "deposit", "withdraw", "bring", "take", "read"
DONE, REFUSED, UNKNOWN = "done", "refused", "unknown"


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a client. `free` and `purse` are the balances that its answer told, where it told them.

    A refusal is one for want of funds, or it says nothing of the books and is not recorded.
    """

    kind: str
    began: float
    ended: float = math.inf
    amount: Cents = 0
    outcome: str = DONE
    key: str = ""
    free: Cents | None = None
    purse: Cents | None = None


class Books(NamedTuple):
    """One player's money: in his account and at his table, and the keys under which anything was done."""

    free: Cents
    purse: Cents = 0
    keys: frozenset[str] = frozenset()


@dataclass
class History:
    """The calls of one player, from all his devices, in the order of their answers."""

    start: Books
    calls: list[Call] = field(default_factory=list)

    def anomalies(self) -> list[str]:
        """Empty where one order explains every answer; else the calls at which the search came to its end."""
        return unexplained(self.start, self.calls)


def unexplained(start: Books, calls: Iterable[Call]) -> list[str]:
    """Search for an order; every set of calls is tried once with every state it can lead to."""
    listed = sorted(calls, key=lambda call: call.began)
    known = frozenset(at for at, call in enumerate(listed) if call.outcome != UNKNOWN)
    waiting: list[tuple[frozenset[int], Books]] = [(frozenset(), start)]
    tried: set[tuple[frozenset[int], Books]] = set()
    furthest: tuple[frozenset[int], Books] = waiting[0]
    while waiting:
        done, books = waiting.pop()
        if known <= done:
            return []
        if len(done & known) >= len(furthest[0] & known):
            furthest = done, books
        for at in _next(listed, done):
            found = effect(books, listed[at])
            step = (done | {at}, found) if found is not None else None
            if step is not None and step not in tried:
                tried.add(step)
                waiting.append(step)
    done, books = furthest
    return [f"{listed[at]} with {books}" for at in _next(listed, done)]


def _next(calls: Sequence[Call], done: frozenset[int]) -> list[int]:
    """Calls that may come next: begun before any other that is left was answered."""
    left = [at for at in range(len(calls)) if at not in done]
    first = min((calls[at].ended for at in left), default=math.inf)
    return [at for at in left if calls[at].began <= first]


def effect(books: Books, call: Call) -> Books | None:
    """The books after a call; None where what was answered cannot be true now."""
    free, purse, keys = books
    again = bool(call.key) and call.key in keys
    into, out = _moved(call)
    if call.outcome == REFUSED:
        short = free < call.amount if call.kind in (WITHDRAW, BRING) else purse < call.amount
        return books if short and not again and call.free in (None, free) else None
    if not again:
        free, purse = free + into, purse + out
        if free < 0 or purse < 0:
            return None
        keys = keys | {call.key} if call.key else keys
    if call.outcome == DONE and (call.free not in (None, free) or call.purse not in (None, purse)):
        return None
    return Books(free, purse, keys)


def _moved(call: Call) -> tuple[Cents, Cents]:
    """What a call does to the account, and to the purse."""
    amount = call.amount
    match call.kind:
        case "deposit":
            return amount, 0
        case "withdraw":
            return -amount, 0
        case "bring":
            return -amount, amount
        case "take":
            return amount, -amount
        case _:
            return 0, 0
