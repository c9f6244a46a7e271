"""The wallet: every account as the fold of its postings, in double entry (I-1, I-2, I-5).

Accounts: `player:N` (free money), `player:N:table` (brought to tables), `player:N:in-play` (open stakes),
`house:GAME`, `cashier`. Practice tables post nothing: their credit is no money (X-08).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ventuno.core.rules.money import Cents
from ventuno.core.table.ledger import Posting
from ventuno.house.store.records import PostingRow

PLAYER = "player:"
"""Begins the names of accounts that are never below zero."""


class Unbalanced(ArithmeticError):
    """A movement that does not sum to zero, or that would overdraw a player: it is never written."""


class Wallet:
    """Balances as they will be when everything decided so far is committed."""

    def __init__(self, balances: Mapping[str, Cents] | None = None) -> None:
        self._balances: dict[str, Cents] = dict(balances or {})

    def balance(self, account: str) -> Cents:
        return self._balances.get(account, 0)

    def balances(self) -> dict[str, Cents]:
        return {account: amount for account, amount in self._balances.items() if amount}

    def post(self, postings: Iterable[Posting | PostingRow]) -> None:
        """Apply one movement; nothing happens unless it is sound as a whole."""
        changes: dict[str, Cents] = {}
        for posting in postings:
            changes[posting.account] = changes.get(posting.account, 0) + posting.amount
        if sum(changes.values()):
            raise Unbalanced(f"postings sum to {sum(changes.values())}, not to zero")
        for account, change in changes.items():
            free = self._balances.get(account, 0)
            if free + change < 0 and change < 0 and account.startswith(PLAYER):
                raise Unbalanced(f"{account} holds {free}, {-change} were asked")
        for account, change in changes.items():
            self._balances[account] = self._balances.get(account, 0) + change

    def sum_by_place(self) -> dict[str, Cents]:
        """Where the money is: free with players, at tables, in open stakes, with the house, at the cashier."""
        sums = dict.fromkeys(("free", "table", "in-play", "house", "cashier"), 0)
        for account, amount in self._balances.items():
            kind, _, rest = account.partition(":")
            place = (rest.partition(":")[2] or "free") if kind == "player" else kind
            sums[place] = sums.get(place, 0) + amount
        return sums

    def find_faults(self) -> list[str]:
        """Everything wrong with the balances as a whole; the live checker asks every second."""
        faults = [
            f"{account} is {amount}"
            for account, amount in self._balances.items()
            if amount < 0 and account.startswith(PLAYER)
        ]
        total = sum(self._balances.values())
        return [*faults, f"all accounts sum to {total}"] if total else faults
