"""The cashier: deposits and withdrawals, each one decision with its limits and its postings (V-73, R-33, R-36, R-37).

A withdrawal is always possible, also for a player who is excluded or pauses (R-38); only money at a table must be taken
from there first.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Protocol

from ventuno.core.messages.refusals import AmountNotPositive, FundsMissing, Refusal
from ventuno.core.rules.money import Cents, PlayerId
from ventuno.house.accounts import cash_entries
from ventuno.house.accounts.accounts import Accounts
from ventuno.house.accounts.cash_entries import CashEvent, Deposited, Transaction, Withdrawn
from ventuno.house.accounts.sessions import SessionClock, make_clock
from ventuno.house.money.wallet import Wallet
from ventuno.house.store.committer import Committer
from ventuno.house.store.records import Batch, KeyReused, make_posting_rows


class ProviderDeclined(Refusal):
    provider: str
    reason: str
    most: Cents = 0


class Approval(NamedTuple):
    """The provider has the money, or takes it; `reference` is its own name for the movement."""

    reference: str


class Provider(Protocol):
    """Moves the money outside. Asked with the same key again it answers the same and moves nothing."""

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
            return ProviderDeclined(self.name, "at-most", self._most)
        return Approval(f"play:{player}:{key}")

    def withdraw(self, player: PlayerId, amount: Cents, key: str) -> Approval | ProviderDeclined:
        del amount
        return Approval(f"play:{player}:{key}")


@dataclass(frozen=True, slots=True)
class CashMovement:
    """A movement, and what the player has after it. No batch where the key had been used before."""

    amount: Cents
    balance: Cents
    reference: str
    batch: Batch | None


class Balances(NamedTuple):
    """What a player has, and how long he has been here (R-37)."""

    free: Cents
    at_tables: Cents
    in_play: Cents
    clock: SessionClock


class Bank(Protocol):
    """Holds the wallet from which bets are paid too; it is asked each time."""

    wallet: Wallet


class Limits(Protocol):
    def refuses_deposit(self, player: PlayerId, amount: Cents, at: int) -> Refusal | None: ...

    def sum_result(self, player: PlayerId, since: int, /) -> Cents: ...


class Cashier:
    def __init__(self, accounts: Accounts, bank: Bank, limits: Limits, provider: Provider) -> None:
        self._accounts, self._bank, self._limits, self._provider = accounts, bank, limits, provider

    def deposit(self, player: PlayerId, amount: Cents, key: str, at: int) -> CashMovement | Refusal:
        """Gross deposits are limited in this very decision; the provider is asked only when nothing forbids it."""
        if repeated := self._find_repeated(player, amount, key):
            return repeated
        if amount <= 0:
            return AmountNotPositive(amount)
        if refusal := self._limits.refuses_deposit(player, amount, at):
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
        if isinstance(answer, Refusal):
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
        return list(reversed(self._accounts[player].cash.transactions[:before]))[:limit]

    def _find_repeated(self, player: PlayerId, amount: Cents, key: str) -> CashMovement | KeyReused | None:
        """The same key and movement get the same answer, with the balance of then; another movement is refused."""
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
        batch = Batch(records, make_posting_rows(records[0], postings))
        return CashMovement(cash_entries.compute_change(event), self._get_free(player), event.reference, batch)


class CashierService:
    """The cashier as the doors see it: it answers when what it changed is durable."""

    def __init__(self, commits: Committer, accounts: Accounts, bank: Bank, limits: Limits, provider: Provider) -> None:
        self._commits, self._accounts, self._bank, self._limits = commits, accounts, bank, limits
        self._cashier = cashier = Cashier(accounts, bank, limits, provider)
        self.should_offer_limit = cashier.should_offer_limit

    async def deposit(self, player: PlayerId, amount: Cents, key: str) -> CashMovement | Refusal:
        """A deposit that was made is answered again also where there is no room for another (T-5)."""
        is_new = self._accounts[player].cash.find_by_key(key) is None
        if is_new and (refusal := self._commits.check_room()):
            return refusal
        return await self._commit(self._cashier.deposit(player, amount, key, self._commits.now()))

    async def withdraw(self, player: PlayerId, amount: Cents, key: str) -> CashMovement | Refusal:
        return await self._commit(self._cashier.withdraw(player, amount, key, self._commits.now()))

    async def _commit(self, movement: CashMovement | Refusal) -> CashMovement | Refusal:
        await self._commits.commit(movement if isinstance(movement, Refusal) else movement.batch or Batch())
        return movement

    async def read_balances(self, player: PlayerId) -> Balances:
        account, wallet, now = self._accounts[player], self._bank.wallet, self._commits.now()
        free, at_tables, in_play = (wallet.balance(f"player:{player}{end}") for end in ("", ":table", ":in-play"))
        net = self._limits.sum_result(player, account.sessions.sitting)
        await self._commits.flush()
        clock = make_clock(account.sessions, net, account.player_limits.reality_minutes, now)
        return Balances(free, at_tables, in_play, clock)

    def count_transactions(self, player: PlayerId) -> int:
        return len(self._accounts[player].cash.transactions)

    async def list_transactions(
        self, player: PlayerId, before: int | None = None, limit: int = 50
    ) -> list[Transaction]:
        transactions = self._cashier.list_transactions(player, before, limit)
        await self._commits.flush()
        return transactions
