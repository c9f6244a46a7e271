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
from ventuno.house.protection.limit_check import Guard
from ventuno.house.store.records import Batch, PostingRow
from ventuno.house.tables.requests import KeyReused


@dataclass(frozen=True, slots=True)
class Done:
    """A movement, and what the player has after it. No batch where the key had been used: it was done then."""

    amount: Cents
    balance: Cents
    reference: str
    batch: Batch | None


class Bank(Protocol):
    wallet: Wallet


class Cashier:
    """`bank` is the authority, asked for its wallet each time: bets are paid from the same one."""

    def __init__(self, accounts: Accounts, bank: Bank, guard: Guard, provider: Provider) -> None:
        self._accounts, self._bank, self._guard, self._provider = accounts, bank, guard, provider

    def deposit(self, player: PlayerId, amount: Cents, key: str, at: int) -> Done | Refusal:
        """Gross deposits are limited in this very decision; the provider is asked only when nothing forbids it."""
        if known := self._again(player, amount, key):
            return known
        if amount <= 0:
            return AmountNotPositive(amount)
        if no := self._guard.refuses_deposit(player, amount, at):
            return no
        answer = self._provider.deposit(player, amount, key)
        if isinstance(answer, Refusal):
            return answer
        after = self._held(player) + amount
        return self._written(player, Deposited(amount, self._provider.name, answer.reference, key, after), at)

    def withdraw(self, player: PlayerId, amount: Cents, key: str, at: int) -> Done | Refusal:
        if known := self._again(player, -amount, key):
            return known
        if amount <= 0:
            return AmountNotPositive(amount)
        held = self._held(player)
        if amount > held:
            return FundsMissing(amount, held)
        answer = self._provider.withdraw(player, amount, key)
        if not isinstance(answer, Approval):
            return answer
        return self._written(player, Withdrawn(amount, self._provider.name, answer.reference, key, held - amount), at)

    def prompts(self, player: PlayerId) -> bool:
        """Whether a deposit limit is to be offered first: no deposit yet, and no limit set (R-33)."""
        held = self._accounts[player]
        return not held.cash.deposited and not any(name.startswith("deposit:") for name in held.shield.limits)

    def transactions(self, player: PlayerId, before: int | None = None, limit: int = 50) -> list[Transaction]:
        """Newest first; `before` is the place of the last one already seen."""
        held = self._accounts[player].cash.transactions
        return list(reversed(held[:before]))[:limit]

    def _again(self, player: PlayerId, amount: Cents, key: str) -> Done | KeyReused | None:
        """Same key, same movement: the same answer, to the balance as it was then. Same key, other movement: an error
        (I-4, G-7).
        """
        found = self._accounts[player].cash.by_key(key)
        if found is None:
            return None
        if found.amount != amount:
            return KeyReused(key)
        balance = self._held(player) if found.balance is None else found.balance
        return Done(found.amount, balance, found.reference, None)

    def _held(self, player: PlayerId) -> Cents:
        return self._bank.wallet.balance(f"player:{player}")

    def _written(self, player: PlayerId, event: CashEvent, at: int) -> Done:
        moved = cash_entries.postings(player, event)
        self._bank.wallet.post(moved)
        records = self._accounts.write(player, at, [event])
        rows = tuple(
            PostingRow(records[0].stream, records[0].seq, one.account, one.amount, one.criterion, one.arithmetic)
            for one in moved
        )
        return Done(cash_entries.signed(event), self._held(player), event.reference, Batch(records, rows))
