"""The cashier: deposits and withdrawals, each one decision with its limits and its postings (V-73, R-33, R-36).

A withdrawal is always possible, also for who is excluded or pauses (R-38); only money at a table must be taken first.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from ventuno.core.messages.refusals import AmountNotPositive, FundsMissing, Refusal
from ventuno.core.rules.money import Cents, PlayerId
from ventuno.house.accounts.accounts import Accounts
from ventuno.house.money import cash_entries
from ventuno.house.money.cash_entries import Approval, CashEvent, Deposited, Provider, Transaction, Withdrawn
from ventuno.house.money.wallet import Wallet
from ventuno.house.protection.limit_check import LimitCheck
from ventuno.house.store.records import Batch, PostingRow
from ventuno.house.tables.requests import KeyReused


@dataclass(frozen=True, slots=True)
class CashMovement:
    """A movement, and what the player has after it. No batch where the key had been used: it was done then."""

    amount: Cents
    balance: Cents
    reference: str
    batch: Batch | None


class Bank(Protocol):
    wallet: Wallet


class Cashier:
    """`bank` is the authority, asked for its wallet each time: bets are paid from the same one."""

    def __init__(self, accounts: Accounts, bank: Bank, guard: LimitCheck, provider: Provider) -> None:
        self._accounts, self._bank, self._guard, self._provider = accounts, bank, guard, provider

    def deposit(self, player: PlayerId, amount: Cents, key: str, at: int) -> CashMovement | Refusal:
        """Gross deposits are limited in this very decision; the provider is asked only when nothing forbids it."""
        if repeated := self._find_repeated(player, amount, key):
            return repeated
        if amount <= 0:
            return AmountNotPositive(amount)
        if refusal := self._guard.refuses_deposit(player, amount, at):
            return refusal
        answer = self._provider.deposit(player, amount, key)
        if isinstance(answer, Refusal):
            return answer
        after = self._get_free(player) + amount
        return self._record(player, Deposited(amount, self._provider.name, answer.reference, key, after), at)

    def withdraw(self, player: PlayerId, amount: Cents, key: str, at: int) -> CashMovement | Refusal:
        if repeated := self._find_repeated(player, -amount, key):
            return repeated
        if amount <= 0:
            return AmountNotPositive(amount)
        free = self._get_free(player)
        if amount > free:
            return FundsMissing(amount, free)
        answer = self._provider.withdraw(player, amount, key)
        if not isinstance(answer, Approval):
            return answer
        return self._record(player, Withdrawn(amount, self._provider.name, answer.reference, key, free - amount), at)

    def should_offer_limit(self, player: PlayerId) -> bool:
        """Whether a deposit limit is to be offered first: no deposit yet, and no limit set (R-33)."""
        account = self._accounts[player]
        return not account.cash.deposited and not any(
            name.startswith("deposit:") for name in account.player_limits.limits
        )

    def list_transactions(self, player: PlayerId, before: int | None = None, limit: int = 50) -> list[Transaction]:
        """Newest first; `before` is the place of the last one already seen."""
        listed = self._accounts[player].cash.transactions
        return list(reversed(listed[:before]))[:limit]

    def _find_repeated(self, player: PlayerId, amount: Cents, key: str) -> CashMovement | KeyReused | None:
        """Same key, same movement: the same answer, to the balance as it was then. Same key, other movement: an error
        (I-4, G-7).
        """
        transaction = self._accounts[player].cash.find_by_key(key)
        if transaction is None:
            return None
        if transaction.amount != amount:
            return KeyReused(key)
        balance = self._get_free(player) if transaction.balance is None else transaction.balance
        return CashMovement(transaction.amount, balance, transaction.reference, None)

    def _get_free(self, player: PlayerId) -> Cents:
        return self._bank.wallet.balance(f"player:{player}")

    def _record(self, player: PlayerId, event: CashEvent, at: int) -> CashMovement:
        postings = cash_entries.make_postings(player, event)
        self._bank.wallet.post(postings)
        records = self._accounts.write(player, at, [event])
        rows = tuple(
            PostingRow(
                records[0].stream,
                records[0].seq,
                posting.account,
                posting.amount,
                posting.criterion,
                posting.arithmetic,
            )
            for posting in postings
        )
        return CashMovement(
            cash_entries.compute_change(event), self._get_free(player), event.reference, Batch(records, rows)
        )
