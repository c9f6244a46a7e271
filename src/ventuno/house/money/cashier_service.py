"""The cashier as the doors see it: money in, money out, what a player has and since when he plays (V-73, R-37)."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from ventuno.core.messages.refusals import Refusal
from ventuno.core.rules.money import Cents, PlayerId
from ventuno.house.accounts.accounts import Accounts
from ventuno.house.accounts.cash_entries import Transaction
from ventuno.house.accounts.sessions import SessionClock, make_clock
from ventuno.house.money.cashier import Bank, Cashier, CashMovement
from ventuno.house.store.committer import Committer
from ventuno.house.store.records import Batch


class Balances(NamedTuple):
    """What a player has, and how long he has been here (R-37)."""

    free: Cents
    at_tables: Cents
    in_play: Cents
    clock: SessionClock


class SessionResults(Protocol):
    def sum_result(self, player: PlayerId, since: int, /) -> Cents: ...


class CashierService:
    def __init__(
        self, commits: Committer, accounts: Accounts, cashier: Cashier, bank: Bank, results: SessionResults
    ) -> None:
        self._commits, self._accounts, self._cashier = commits, accounts, cashier
        self._bank, self._results = bank, results
        self.should_offer_limit = cashier.should_offer_limit

    async def deposit(self, player: PlayerId, amount: Cents, key: str) -> CashMovement | Refusal:
        return await self._commit(self._cashier.deposit(player, amount, key, self._commits.now()))

    async def withdraw(self, player: PlayerId, amount: Cents, key: str) -> CashMovement | Refusal:
        return await self._commit(self._cashier.withdraw(player, amount, key, self._commits.now()))

    async def _commit(self, movement: CashMovement | Refusal) -> CashMovement | Refusal:
        await self._commits.commit(movement if isinstance(movement, Refusal) else movement.batch or Batch())
        return movement

    async def read_balances(self, player: PlayerId) -> Balances:
        account, wallet, now = self._accounts[player], self._bank.wallet, self._commits.now()
        free, at_tables, in_play = (wallet.balance(f"player:{player}{end}") for end in ("", ":table", ":in-play"))
        net = self._results.sum_result(player, account.sessions.sitting)
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
