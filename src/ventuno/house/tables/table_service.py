"""The tables as the doors see them: opened, listed, shown to who may see them, asked.

Each call decides in memory, in order with all others, and answers when what it changed is durable; what it shows is
durable too, and built up for its viewer.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from ventuno.core.messages.commands import BringMoney, Command, TakeDesk, TakeMoney, TakeSeat
from ventuno.core.messages.refusals import Refusal
from ventuno.core.rules.cards import Card
from ventuno.core.rules.money import Cents, PlayerId
from ventuno.core.rules.sheet import SCANNED, SEALED, Sheet
from ventuno.core.rules.sheet_reader import with_cards
from ventuno.core.table.state import Phase
from ventuno.core.views.private_view import PrivateView, build_private_view
from ventuno.core.views.public_view import PublicView, build_public_view
from ventuno.house.accounts.account_service import NotSupervisor
from ventuno.house.accounts.accounts import Accounts
from ventuno.house.protection.limit_check import Allowance, LimitCheck
from ventuno.house.shoes.shoe_log import ShoeLogs
from ventuno.house.store.records import Record
from ventuno.house.tables import lobby, practice
from ventuno.house.tables.authority import Answer, LiveTable, NoSuchTable, Request, refuse
from ventuno.house.tables.concession import Admission, Concession
from ventuno.house.tables.housekeeping import LagCredit
from ventuno.house.tables.pipeline import LinkCheck
from ventuno.house.tables.practice import PracticeCredit
from ventuno.house.tables.shoe_supply import ShoeSupply
from ventuno.house.tables.table_host import TableCommitted, TableHost


class TableUnfit(Refusal):
    table: str
    reason: str


class NotCertified(Refusal):
    """A table for money opens on a sheet whose returns were computed: `ventuno certify GAME --out FOLDER`."""

    game: str
    sheet: str


class VersionedView(NamedTuple):
    """A table as one viewer sees it at a version."""

    table: str
    version: int
    public: PublicView
    private: PrivateView


class TableService:
    def __init__(
        self,
        host: TableHost,
        accounts: Accounts,
        limits: LimitCheck,
        links: LinkCheck,
        concession: Concession,
        shoe_logs: ShoeLogs,
        shoe_supply: ShoeSupply,
        games: Mapping[str, Sheet],
        certificates: Path,
    ) -> None:
        self._host, self._tables, self._accounts = host, host.authority.tables, accounts
        self._limits, self._links, self._concession = limits, links, concession
        self._shoe_logs, self._shoe_supply = shoe_logs, shoe_supply
        self._games, self._certificates = games, certificates
        self.watch_commits = host.watch

    async def open(
        self,
        name: str,
        game: str,
        owner: PlayerId = "",
        write_note: Callable[[], tuple[Record, ...]] = tuple,
        cards: str = "",
    ) -> Answer | Refusal:
        """A table for money: only on a sheet whose certificate lies in the folder (V-20).

        `cards` says where they come from, other than the sheet of the game does (X-27).
        """
        sheet = self._games.get(game)
        if sheet is None or (sheet.game.solo and owner not in self._accounts):
            return TableUnfit(name, "no-such-game" if sheet is None else "player-needed")
        if refusal := self._host.commits.check_room() or check_certificate(sheet, self._certificates):
            return refusal
        sheet = with_cards(sheet, cards or sheet.shoe.cards)
        if not name or not self.is_free(name) or practice.is_practice(name):
            return TableUnfit(name, "name-taken")
        answer = await self._host.open_table(name, sheet, owner if sheet.game.solo else "", write_note=write_note)
        if sheet.shoe.cards != SCANNED:
            self._shoe_logs.get_log(name)
        self._shoe_supply.serve(name)
        return answer

    async def open_solo(self, player: PlayerId, game: str) -> str | Refusal:
        """The player's own table of a game for one: the one he has, with its open round, or a new one (R-03)."""
        number = 1
        while self.is_closed(name := f"{game}-{player}" if number == 1 else f"{game}-{player}-{number}"):
            number += 1  # a table that was closed is no more; the next one has another name
        if name not in self._tables:
            opened = await self.open(name, game, player)
            if isinstance(opened, Refusal):
                return opened
        return name

    async def close_oldest_practice(self, player: PlayerId) -> Refusal | None:
        """Make room for one more practice table, or say why there is none (X-08)."""
        return self._host.commits.check_room() or await practice.close_oldest(self._host, player)

    async def close_practice(self, player: PlayerId, table: str) -> Refusal | None:
        """Close his own practice table; a round that is open there is given up (X-08)."""
        live = self.get(table, player)
        if isinstance(live, Refusal) or not live.practice:
            return NoSuchTable(table)
        await practice.close(self._host, table)
        return None

    def list_practice(self, player: PlayerId) -> list[LiveTable]:
        """His practice tables that are not being closed, the newest first (X-08)."""
        return practice.list_open(player, self._host.committed)

    async def open_practice(
        self, player: PlayerId, game: str, cards: tuple[Card, ...] = (), *, scanned: bool = False
    ) -> str:
        """A practice table with full credit; its name says what it is, and no certificate is asked (X-08).

        `scanned`: its player deals real or drawn cards to himself, to learn it (X-27).
        """
        sheet, is_solo = self._games[game], self._games[game].game.solo
        if scanned:
            sheet = with_cards(sheet, SCANNED)
        name = practice.next_name(player, (*self._tables, *self._host.authority.closed_names))
        await self._host.open_table(name, sheet, player if is_solo else "", practice=True)
        await self._host.ask(
            Request(name, BringMoney(player, practice.compute_credit(sheet), 0), f"{name} credit", player)
        )
        if not is_solo:
            await self._host.ask(Request(name, TakeSeat(player, 1, 0), f"{name} seat", player))
        if scanned:
            await self._host.ask(Request(name, TakeDesk(player, 0), f"{name} desk", player))
        elif cards:
            await self._shoe_supply.load_chosen_cards(name, cards)
        self._shoe_supply.serve(name)
        return name

    def find_admission(self, player: PlayerId, table: str) -> Admission | None:
        """The ids under which he plays at a table; those of practice are its own, and no regulator's (V-75, X-08)."""
        if practice.is_practice(table) and player == practice.find_owner(table):
            return Admission(table, f"{table}-{player}", practice.ISSUER)
        return self._concession.find_admission(player, table)

    def is_closed(self, name: str) -> bool:
        """Whether a table of this name was closed: the name is not given again (X-10)."""
        return name in self._host.authority.closed_names

    def is_free(self, name: str) -> bool:
        return name not in self._tables and not self.is_closed(name)

    async def bring(self, player: PlayerId, table: str, amount: Cents, key: str) -> tuple[Answer, Admission | None]:
        """Money to a table: ids first, his own VIP level, nothing from who is excluded (R-30, R-38)."""
        live = self._tables.get(table)
        if live and live.practice:
            return refuse(table, live.version, PracticeCredit(table)).answer, None
        command = BringMoney(player, amount, 0, self._accounts[player].player.vip)
        answer = await self._host.ask(Request(table, command, key, player))
        return answer, self.find_admission(player, table)

    async def take(self, player: PlayerId, table: str, amount: Cents, key: str) -> Answer:
        """Free money goes back to the account at any time, also for who is excluded."""
        return await self._host.ask(Request(table, TakeMoney(player, amount, 0), key, player))

    async def ask(self, player: PlayerId, table: str, command: Command, key: str) -> Answer:
        """Any command of a player at a table; money is brought by `bring` whatever he calls it."""
        if isinstance(command, BringMoney):
            return (await self.bring(player, table, command.amount, key))[0]
        if not player:
            return refuse(table, 0, NotSupervisor(player)).answer
        return await self._host.ask(Request(table, command, key, player))

    async def command(self, table: str, command: Command, key: str) -> Answer:
        """A command of the house itself: no player's own code calls this."""
        return await self._host.ask(Request(table, command, key))

    def get(self, table: str, viewer: PlayerId = "") -> LiveTable | Refusal:
        """The table as it stands in the store, to who may see it; a table for one is its owner's alone."""
        live = self._host.committed.get(table)
        if live is None:
            return NoSuchTable(table)
        is_own = live.table.sheet.game.solo or live.practice
        owner = practice.find_owner(table) if live.practice else live.table.owner(1)
        return live if not is_own or (viewer and viewer == owner) else NoSuchTable(table)

    def may_see(self, table: str, viewer: PlayerId) -> Refusal | None:
        live = self.get(table, viewer)
        return live if isinstance(live, Refusal) else None

    def get_decided(self, table: str) -> LiveTable | None:
        """The table with all that was decided, durable or not: shown to nobody."""
        return self._tables.get(table)

    def get_all(self) -> Mapping[str, LiveTable]:
        """Every table as it stands in the store, whoever may see it."""
        return self._host.committed

    def list_lobby(self, player: PlayerId = "") -> list[lobby.TableSummary]:
        vip = self._accounts[player].player.vip if player else 0
        return lobby.list_tables(self._host.committed.values(), player, vip)

    def see(self, table: str, viewer: PlayerId = "") -> VersionedView | Refusal:
        live = self.get(table, viewer)
        return live if isinstance(live, Refusal) else self.view(live, viewer)

    def view(self, live: LiveTable, viewer: PlayerId = "") -> VersionedView:
        public = build_public_view(live.table, practice=live.practice)
        return VersionedView(live.table.id, live.version, public, build_private_view(live.table, viewer))

    def watch(
        self, table: str, viewer: PlayerId, show: Callable[[VersionedView], None]
    ) -> Callable[[], None] | Refusal:
        """Each version once it is durable, as this viewer sees it; the result ends it."""
        if refusal := self.may_see(table, viewer):
            return refusal

        def show_commit(news: TableCommitted) -> None:
            show(self.view(news.live, viewer))

        return self._host.watch(table, show_commit)

    def find_barred_boxes(self, player: PlayerId, live: LiveTable) -> tuple[int, ...]:
        """The boxes behind which this player may not bet, for his options: asked of him it is refused (H-5, X-19)."""
        if live.practice or self._accounts.get(player) is None:
            return ()
        return self._links.find_barred_boxes(live.table, player, self._host.commits.now())

    def find_allowance(self, player: PlayerId, live: LiveTable) -> Allowance | None:
        """What his own limits say to a stake here, for his options; practice is no money (X-08, X-19).

        Stakes are asked in betting and in a round, and nowhere else.
        """
        if live.practice or live.table.phase not in (Phase.BETTING, Phase.ROUND):
            return None
        return self._limits.allowance(player, self._host.commits.now())

    def set_lag_credit(self, credit: LagCredit) -> None:
        """Ask this for the lag that is credited to late decisions (X-15)."""
        self._host.housekeeping.lag_credit = credit

    def count_refused_ticks(self) -> int:
        return self._host.housekeeping.refused_ticks


def check_certificate(sheet: Sheet, folder: Path) -> NotCertified | None:
    """Why a table may not open on this sheet: no certificate of it lies in the folder, named by its hash (V-20).

    Scanned cards have the returns of sealed ones: the certificate is the one of the same game (X-27).
    """
    if any(_has_certificate(hashed, folder) for hashed in {sheet.hash, with_cards(sheet, SEALED).hash}):
        return None
    return NotCertified(sheet.game.id, sheet.hash)


def _has_certificate(hashed: str, folder: Path) -> bool:
    try:
        certificate = json.loads((folder / f"{hashed}.json").read_bytes())
    except (OSError, ValueError):
        return False
    return isinstance(certificate, dict) and certificate.get("sheet") == hashed
