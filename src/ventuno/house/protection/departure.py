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
from ventuno.house.protection.player_limits import PlayExcluded
from ventuno.house.tables.live_table import Room
from ventuno.house.tables.requests import Request
from ventuno.house.tables.table_host import House

ROOMS = 50
"""Tables that are looked at in one go."""


class Departure:
    def __init__(self, house: House, accounts: Accounts) -> None:
        self._house, self._accounts = house, accounts
        self._part = 0

    def why(self, player: PlayerId, at: int) -> str:
        """Why a player has nothing to do at a table any more; empty for who may play on.

        A guest without a session is gone for good: nobody can log in as him. Whoever has an account may be back in a
        moment on another device (R-43): only the rounds without a bet count against his seat (V-42).
        """
        account = self._accounts.get(player)
        if account is None:
            return ""
        if account.player.disabled:
            return "disabled"
        if no := account.shield.closed(at):
            return "excluded" if isinstance(no, PlayExcluded) else "cool-off"
        return "gone" if account.player.guest and not account.sessions.held else ""

    async def leave(self, player: PlayerId, why: str) -> None:
        """He leaves every table where he has been."""
        for name, room in list(self._house.authority.rooms.items()):
            if player in room.table.purses:
                await self._left(name, player, why)

    async def look(self, at: int) -> None:
        """Whoever should have left and has something at a table leaves now; in a large house some tables each time."""
        rooms = list(self._house.authority.rooms.items())
        parts = 1 + len(rooms) // ROOMS
        self._part = (self._part + 1) % parts
        for name, room in rooms[self._part :: parts]:
            for player in () if room.practice else list(room.table.purses):
                if _is_here(room.table, player) and (why := self.why(player, at)):
                    await self._left(name, player, why)

    async def _left(self, name: str, player: PlayerId, why: str) -> None:
        """Each step is taken from the table as the one before left it; what it refuses is tried at the next look."""
        for steps in (_clears, _stands_up, _takes):
            for command in steps(self._house.authority.rooms.get(name), player):
                room = self._house.authority.rooms.get(name)
                if room is None:
                    return  # it has closed meanwhile, and everything went home with that
                await self._house.ask(Request(name, command, f"{why}:{name}:{room.version}", player))


def _is_here(table: Table, player: PlayerId) -> bool:
    """Whether something of him can go now: not the stakes of an open round, nor the box they lie on."""
    return bool(table.purses[player]) or _has_chips(table, player) or bool(_places(table, player))


def _has_chips(table: Table, player: PlayerId) -> bool:
    slip = table.slips.get(player, NO_SLIP)
    return bool(slip.steps) and not slip.final


def _places(table: Table, player: PlayerId) -> list[int]:
    if table.sheet.game.solo:
        return []
    seats = enumerate(table.seats, start=1)
    return [box for box, seat in seats if seat and seat.player == player and not seat.leaving]


def _clears(room: Room | None, player: PlayerId) -> Iterator[Command]:
    if room and _has_chips(room.table, player):
        yield ClearBets(player, 0)


def _stands_up(room: Room | None, player: PlayerId) -> Iterator[Command]:
    for box in _places(room.table, player) if room else ():
        yield LeaveSeat(player, box, 0)


def _takes(room: Room | None, player: PlayerId) -> Iterator[Command]:
    """All that is free; practice credit is no money (X-08)."""
    if room and not room.practice and room.table.purse(player):
        yield TakeMoney(player, room.table.purse(player), 0)
