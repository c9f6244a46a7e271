"""The floor between a player and a table: money comes to a table by a participation, and only so (R-30, D-19, L-36).

The house fills in what a player may not say of himself: his VIP level (D-05, L-05).
"""

from __future__ import annotations

from dataclasses import dataclass

from msgspec.structs import replace

from ventuno.core.messages.commands import BringMoney, TakeMoney
from ventuno.core.messages.refusals import Refusal
from ventuno.core.rules.money import Cents, PlayerId
from ventuno.house.accounts.accounts import Accounts
from ventuno.house.store.records import merge
from ventuno.house.tables.authority import Authority
from ventuno.house.tables.concession import Admission, Concession
from ventuno.house.tables.requests import Decision, NoSuchTable, Request, refuse


@dataclass(frozen=True, slots=True)
class PracticeCredit(Refusal):
    """X-08: a practice table has its own credit and takes no money."""

    table: str


@dataclass(frozen=True, slots=True)
class Brought:
    """Money at a table under its ids; both may be shown once the batch of `decided` is durable."""

    decided: Decision
    admission: Admission | None


class Floor:
    def __init__(self, authority: Authority, accounts: Accounts, concession: Concession) -> None:
        self._authority, self._accounts, self._concession = authority, accounts, concession

    def bring(self, player: PlayerId, table: str, amount: Cents, key: str, at: int) -> Brought:
        """Ids first, then the money, in one batch; who is excluded or pauses brings nothing (R-38)."""
        live = self._authority.tables.get(table)
        if live is None:
            return Brought(refuse(table, 0, NoSuchTable(table)), None)
        if live.practice:
            return Brought(refuse(table, live.version, PracticeCredit(table)), None)
        account = self._accounts[player]
        if no := account.player_limits.check_play(at):
            return Brought(refuse(table, live.version, no), None)
        asked = self._concession.admit(player, table, live.table.sheet.game.id, at)
        if isinstance(asked, Refusal):
            return Brought(refuse(table, live.version, asked), None)
        admission, batch = asked
        command = BringMoney(player, amount, at, account.player.vip)
        decided = self._authority.handle(Request(table, command, key, player, trusted=True))
        if batch and (decided.batch is None):
            return Brought(replace(decided, batch=batch), admission)
        return Brought(replace(decided, batch=merge(batch, decided.batch)) if batch else decided, admission)

    def take(self, player: PlayerId, table: str, amount: Cents, key: str, at: int) -> Decision:
        """Free money goes back to the account at any time, also for who is excluded."""
        return self._authority.handle(Request(table, TakeMoney(player, amount, at), key, player))
