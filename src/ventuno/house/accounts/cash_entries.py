"""Deposits and withdrawals as events of an account, and their postings (V-73, D-19, R-33).

The idempotency key is part of the event, so the fold remembers it for the life of the ledger.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from ventuno.core.rules.money import Cents, PlayerId
from ventuno.core.table.ledger import Posting

CRITERION = "V-73"


@dataclass(frozen=True, slots=True)
class Deposited:
    """`balance` is what the player had right after it; records of earlier versions do not say it."""

    amount: Cents
    provider: str
    reference: str
    key: str
    balance: Cents | None = None


@dataclass(frozen=True, slots=True)
class Withdrawn:
    amount: Cents
    provider: str
    reference: str
    key: str
    balance: Cents | None = None


CashEvent: TypeAlias = Deposited | Withdrawn


class Transaction(NamedTuple):
    """A line of the transaction list; withdrawals are negative."""

    at: int
    amount: Cents
    provider: str
    reference: str
    key: str
    balance: Cents | None = None


class Cash(NamedTuple):
    """A player's transactions, oldest first, and their gross sums."""

    transactions: tuple[Transaction, ...] = ()
    deposited: Cents = 0
    withdrawn: Cents = 0

    def find_by_key(self, key: str) -> Transaction | None:
        return next((transaction for transaction in reversed(self.transactions) if transaction.key == key), None)


def compute_change(event: CashEvent) -> Cents:
    """What the event adds to the player."""
    return event.amount if isinstance(event, Deposited) else -event.amount


def make_postings(player: PlayerId, event: CashEvent) -> tuple[Posting, Posting]:
    amount = compute_change(event)
    word = "deposit" if amount > 0 else "withdrawal"
    arithmetic = f"{word} {abs(amount)} by {event.provider}"
    return Posting("cashier", -amount, CRITERION, arithmetic), Posting(
        f"player:{player}", amount, CRITERION, arithmetic
    )


def evolve(cash: Cash, event: CashEvent, at: int) -> Cash:
    amount = compute_change(event)
    line = Transaction(at, amount, event.provider, event.reference, event.key, event.balance)
    return Cash(
        (*cash.transactions, line),
        cash.deposited + max(amount, 0),
        cash.withdrawn + max(-amount, 0),
    )
