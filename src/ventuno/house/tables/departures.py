"""Leaving the tables: whose play has ended, or who cannot come back, has nothing left there (R-38, V-42).

Bets that can go back do, seats are left, and free money comes home to the account, where the cashier pays it out. What
an open round holds follows when the round is over. It is read off the tables each time: a restart forgets nothing.
"""

from __future__ import annotations

from collections.abc import Iterator

from ventuno.core.messages.commands import ClearBets, Command, LeaveSeat, TakeMoney
from ventuno.core.rules.money import PlayerId
from ventuno.core.table.state import NO_SLIP, Table
from ventuno.house.accounts.accounts import Accounts
from ventuno.house.accounts.player_limits import PlayExcluded
from ventuno.house.tables.authority import LiveTable, Request
from ventuno.house.tables.table_host import TableHost

TABLES_PER_CHECK = 50
"""Tables that are looked at in one go."""


class Departures:
    def __init__(self, host: TableHost, accounts: Accounts) -> None:
        self._host, self._tables, self._accounts = host, host.authority.tables, accounts
        self._part = 0

    def find_reason(self, player: PlayerId, at: int) -> str:
        """Why a player has nothing to do at a table any more; empty for who may play on.

        A guest without a session is gone for good: nobody can log in as him. Whoever has an account may be back in a
        moment on another device (R-43): only the rounds without a bet count against his seat (V-42).
        """
        account = self._accounts.get(player)
        if account is None:
            return ""
        if account.player.disabled:
            return "disabled"
        if refusal := account.player_limits.check_play(at):
            return "excluded" if isinstance(refusal, PlayExcluded) else "cool-off"
        return "gone" if account.player.guest and not account.sessions.by_id else ""

    async def leave_all_tables(self, player: PlayerId, why: str) -> None:
        """He leaves every table where he has been."""
        for name, live in list(self._tables.items()):
            if player in live.table.purses:
                await self._leave_table(name, player, why)

    async def check_tables(self, at: int) -> None:
        """Whoever should have left and has something at a table leaves now; in a large house some tables each time."""
        tables = list(self._tables.items())
        parts = 1 + len(tables) // TABLES_PER_CHECK
        self._part = (self._part + 1) % parts
        for name, live in tables[self._part :: parts]:
            for player in () if live.practice else list(live.table.purses):
                if _has_something_free(live.table, player) and (why := self.find_reason(player, at)):
                    await self._leave_table(name, player, why)

    async def _leave_table(self, name: str, player: PlayerId, why: str) -> None:
        """Each step is taken from the table as the one before left it; what it refuses is tried at the next look."""
        for steps in (_clear_bets, _leave_seats, _take_money):
            for command in steps(self._tables.get(name), player):
                live = self._tables.get(name)
                if live is None:
                    return  # it has closed meanwhile, and everything went home with that
                await self._host.ask(Request(name, command, f"{why}:{name}:{live.version}", player))


def _has_something_free(table: Table, player: PlayerId) -> bool:
    """Whether something of him can go now: not the stakes of an open round, nor the box they lie on."""
    return bool(table.purses[player]) or _has_chips(table, player) or bool(_find_seats(table, player))


def _has_chips(table: Table, player: PlayerId) -> bool:
    slip = table.slips.get(player, NO_SLIP)
    return bool(slip.steps) and not slip.final


def _find_seats(table: Table, player: PlayerId) -> list[int]:
    if table.sheet.game.solo:
        return []
    seats = enumerate(table.seats, start=1)
    return [box for box, seat in seats if seat and seat.player == player and not seat.leaving]


def _clear_bets(live: LiveTable | None, player: PlayerId) -> Iterator[Command]:
    if live and _has_chips(live.table, player):
        yield ClearBets(player, 0)


def _leave_seats(live: LiveTable | None, player: PlayerId) -> Iterator[Command]:
    for box in _find_seats(live.table, player) if live else ():
        yield LeaveSeat(player, box, 0)


def _take_money(live: LiveTable | None, player: PlayerId) -> Iterator[Command]:
    """All that is free; practice credit is no money (X-08)."""
    if live and not live.practice and live.table.purse(player):
        yield TakeMoney(player, live.table.purse(player), 0)
