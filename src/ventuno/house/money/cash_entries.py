"""Money that comes in and goes out: what the cashier writes in a player's stream, and its postings (V-73, D-19, R-33).

A key makes repeating harmless; it lives in the event, so the fold itself remembers it for the life of the ledger.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Protocol, TypeAlias

from ventuno.core.messages.refusals import Refusal
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


@dataclass(frozen=True, slots=True)
class ProviderDeclined(Refusal):
    says = "{provider} declined: {reason}"
    provider: str
    reason: str


class Approval(NamedTuple):
    """The provider has the money, or takes it; its own name for the movement."""

    reference: str


class Provider(Protocol):
    """Whoever moves the money outside. Asked with the same key again it answers the same and moves nothing."""

    @property
    def name(self) -> str: ...

    def deposit(self, player: PlayerId, amount: Cents, key: str) -> Approval | ProviderDeclined: ...

    def withdraw(self, player: PlayerId, amount: Cents, key: str) -> Approval | ProviderDeclined: ...


class PlayMoney:
    """The built-in provider: it always has money, up to so much at once, and it is worth nothing outside."""

    name = "play-money"

    def __init__(self, most: Cents = 100_000_000) -> None:
        self._most = most

    def deposit(self, player: PlayerId, amount: Cents, key: str) -> Approval | ProviderDeclined:
        if amount > self._most:
            return ProviderDeclined(self.name, f"at most {self._most} at once")
        return Approval(f"play:{player}:{key}")

    def withdraw(self, player: PlayerId, amount: Cents, key: str) -> Approval | ProviderDeclined:
        del amount
        return Approval(f"play:{player}:{key}")


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
