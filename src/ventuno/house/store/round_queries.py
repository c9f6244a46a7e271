"""What is asked of rounds and of who shared in them, whichever database answers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, NamedTuple

from ventuno.core.messages.events import RoundSettled
from ventuno.core.rules.money import Cents
from ventuno.core.table.round import Line
from ventuno.house.store import codec
from ventuno.house.store.records import AccountRow, RoundRow, ShareRow

PAGE = 500
"""Rows of a page."""
LAST = 2**62
"""Greater than any sequence number and any time."""


class HistoryFilter(NamedTuple):
    """Of an account history: one game or all (empty), what ended from the first to the last moment."""

    game: str = ""
    first: int = 0
    last: int = LAST


NO_FILTER = HistoryFilter()


class Rounds(ABC):
    """The questions; each page takes the place of the last row that was seen."""

    @abstractmethod
    async def _ask(self, name: str, values: dict[str, Any]) -> list[Any]:
        """The rows that answer a question of the schema."""

    async def find_round(self, code: str) -> RoundRow | None:
        rows = await self._ask("round", {"code": code})
        return _make_round_row(rows[0]) if rows else None

    async def list_rounds(self, after: tuple[int, str] = (-1, ""), limit: int = PAGE) -> list[RoundRow]:
        """All rounds, oldest end first, voided and practice ones too; `after` is the end and code of the last seen."""
        rows = await self._ask("all rounds", {"ended": after[0], "code": after[1], "limit": limit})
        return [_make_round_row(row) for row in rows]

    async def list_settlements(
        self, game: str, after: tuple[int, str], limit: int = PAGE
    ) -> list[tuple[str, int, tuple[Line, ...]]]:
        """Code, end and lines of the rounds of a game that were played for money to their end, oldest first."""
        rows = await self._ask("settlements", {"game": game, "ended": after[0], "code": after[1], "limit": limit})
        return [(code, ended, codec.decode(bytes(body), RoundSettled).lines) for code, ended, body in rows]

    async def list_voided_rounds(self) -> list[RoundRow]:
        """Every round for money that was voided, oldest first."""
        return [_make_round_row(row) for row in await self._ask("voided", {})]

    async def count_outcomes(self) -> dict[tuple[str, int], int]:
        """How many rounds of each game the house won (1), lost (-1) or came out even of (0)."""
        return {(game, sign): count for game, sign, count in await self._ask("outcomes", {})}

    async def list_rounds_started(self, first: int, last: int) -> list[RoundRow]:
        """The rounds that began in this span, newest first (V-66)."""
        return [_make_round_row(row) for row in await self._ask("rounds started", {"first": first, "last": last})]

    async def list_shares(self, after: tuple[int, str, str] = (-1, "", ""), limit: int = PAGE) -> list[ShareRow]:
        """All shares, oldest end first; `after` is the end, code and player of the last one already seen."""
        values = {"ended": after[0], "code": after[1], "player": after[2], "limit": limit}
        return [ShareRow(*row) for row in await self._ask("all shares", values)]

    async def list_round_shares(self, code: str) -> list[ShareRow]:
        """Who was in a round, and with how much."""
        return [ShareRow(*row) for row in await self._ask("shares of", {"code": code})]

    async def list_counted_shares(self, since: int) -> list[ShareRow]:
        """The shares that count in limits and losses, oldest first: no voided round, no practice (R-33, X-08)."""
        return [ShareRow(*row) for row in await self._ask("flows", {"since": since})]

    async def list_player_shares(
        self, player: str, before: tuple[int, str] = (LAST, ""), limit: int = 50
    ) -> list[ShareRow]:
        """A player's rounds, practice too, newest first; `before` is the end and code of the last one already seen."""
        values = {"player": player, "ended": before[0], "code": before[1], "limit": limit}
        return [ShareRow(*row) for row in await self._ask("history", values)]

    async def list_account_rows(
        self,
        player: str,
        before: tuple[int, str] = (LAST, ""),
        limit: int = 50,
        *,
        selection: HistoryFilter = NO_FILTER,
    ) -> list[AccountRow]:
        """A player's rounds for money, newest first, in one question (V-69, X-08)."""
        values = {"player": player, "ended": before[0], "code": before[1], "limit": limit, **selection._asdict()}
        return [AccountRow(*row)._replace(voided=bool(row[-1])) for row in await self._ask("account", values)]

    async def sum_account_rows(
        self, player: str, selection: HistoryFilter = NO_FILTER
    ) -> dict[bool, tuple[int, Cents, Cents]]:
        """How many of these rounds there are, what was staked and returned: apart for those that were voided."""
        rows = await self._ask("account totals", {"player": player, **selection._asdict()})
        return {bool(voided): (count, staked, returned) for voided, count, staked, returned in rows}


def _make_round_row(row: tuple[Any, ...]) -> RoundRow:
    return RoundRow(*row)._replace(voided=bool(row[-2]), practice=bool(row[-1]))
