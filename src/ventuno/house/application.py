"""The premises: a whole house from the address of a store and a folder, and every call that a door to it needs.

Each call decides in memory, in order with all others, and answers when what it changed is durable; what it shows is
durable too, and built up for its viewer. Who calls has been told apart before: `who` says whom a token speaks for.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from ventuno.core.messages.commands import BringMoney, Command, LoadShoe, TakeMoney, TakeSeat
from ventuno.core.messages.refusals import Refusal
from ventuno.core.rules.cards import Card
from ventuno.core.rules.money import Cents, PlayerId
from ventuno.house.history.chain_check import ChainChecker
from ventuno.house.services import CERTIFICATES, Config, Services, staffed
from ventuno.house.shoes.receipts import Receipt
from ventuno.house.store.audit_log import ClockWatch
from ventuno.house.store.records import Batch
from ventuno.house.store.store import StoreFailed
from ventuno.house.supervision import NotSupervisor, Supervision, VersionedView, build_versioned_view
from ventuno.house.tables import lobby, practice
from ventuno.house.tables.chat import ChatMessage
from ventuno.house.tables.command_desk import check_certificate
from ventuno.house.tables.concession import Admission
from ventuno.house.tables.live_proofs import Proofs
from ventuno.house.tables.live_table import LiveTable
from ventuno.house.tables.requests import Answer, NoSuchTable, Request, refuse
from ventuno.house.tables.shoe_supply import ShoeStatus
from ventuno.house.tables.table_host import TableCommitted
from ventuno.house.tables.table_money import PracticeCredit

__all__ = ["CERTIFICATES", "Application", "NotSupervisor", "TableUnfit", "VersionedView"]
_log = logging.getLogger(__name__)
ROOMS = 50
"""Tables whose players are looked at in one go."""
SWEEP = 10_000
"""Milliseconds between two looks for sessions that ran out; whoever speaks in one is told at once."""
TIDY = 1.0
"""Seconds between two rounds of what the house does by itself beside the tables."""


@dataclass(frozen=True, slots=True)
class TableUnfit(Refusal):
    table: str
    reason: str


class Application(Supervision):
    """Open with `Premises.open`; after StoreFailed or DeskBroken leave it and open another."""

    def __init__(self, staff: Services, folder: Path) -> None:
        super().__init__(staff)
        self.folder = folder
        self.unsafe = staff.host.store.unsafe
        self.key = staff.key.public
        self.faults: list[str] = []
        """What the living books show wrong, looked at every second; empty in a sound house (G-2)."""
        self._part, self._astray = 0, dict[int, list[str]]()
        self._swept = 0
        self._watch = ClockWatch(*_clocks(staff))
        self._listeners: dict[str, list[Callable[[ChatMessage], None]]] = {}
        self.rereading = ChainChecker(staff.host.store)
        staff.host.start_task(self.rereading.run())
        self._tidying = asyncio.create_task(self._keep_tidy(), name="ventuno-tidy")

    @classmethod
    async def open(
        cls, url: str, folder: Path, fittings: Config | None = None, *, unsafe: bool = False, deep: bool = False
    ) -> Application:
        """Everything in its order, or NotWhole with the whole list; the store is closed again where it is refused."""
        staff = await staffed(url, folder, fittings or Config(), unsafe=unsafe, deep=deep)
        for table in list(staff.host.authority.tables):
            staff.shoemaker.serve(table)
        app = cls(staff, folder)
        await app.heed()
        return app

    async def close(self) -> None:
        self._tidying.cancel()
        with suppress(asyncio.CancelledError, StoreFailed):
            await self._tidying
        await self.services.shoemaker.stop()
        if not self.host.failed.done():
            self.services.snapshots.close()
        await self.host.stop()
        self.services.hashers.shutdown()

    async def tidy(self) -> None:
        """Reports go out, sessions that ran out end, books, clock and players are looked at (R-31, R-43, R-18, G-2)."""
        now = self.host.now()
        self.faults = self._books()
        if self.faults:
            _log.critical("the books are wrong: %s", "; ".join(self.faults))
        if step := self._watch.check(*_clocks(self.services)):
            await self.commit(Batch(records=self.services.audit.write(now, step)))
        if self.services.inspector.is_due(now):
            await self.inspect("daily")
        await self.commit(self.services.concession.send_reports(now) or Batch())
        self.services.snapshots.take_due()
        if now - self._swept >= SWEEP:
            self._swept = now
            await self.commit(self.services.tokens.sweep(now))
        await self.departure.check_tables(now)
        self.look(now)

    def _books(self) -> list[str]:
        """The invariants of the living books: all of the money, and the tables of some players, others each time (G-2).

        In a large house everybody has been looked at after some seconds, and nobody waits for it.
        """
        authority = self.host.authority
        parts = 1 + len(authority.tables) // ROOMS
        self._part = (self._part + 1) % parts
        self._astray[self._part] = authority.find_mismatches(self._part, parts)
        found = [fault for part, faults in self._astray.items() if part < parts for fault in faults]
        return [*authority.wallet.find_faults(), *found, *self.rereading.faults]

    async def _keep_tidy(self) -> None:
        while not self.host.failed.done():
            await asyncio.sleep(TIDY)
            try:
                await self.tidy()
            except StoreFailed:
                raise
            except Exception:
                _log.exception("tidying failed; it is tried again")

    async def open_table(self, name: str, game: str, owner: PlayerId = "") -> Answer | Refusal:
        """A table for money: only on a sheet whose certificate lies in the folder (V-20)."""
        sheet = self.services.config.games.get(game)
        if sheet is None or (sheet.game.solo and owner not in self.services.accounts):
            return TableUnfit(name, "no-such-game" if sheet is None else "player-needed")
        if no := check_certificate(sheet, self.folder / CERTIFICATES):
            return no
        taken = name in self.host.authority.tables or name in self.host.authority.closed_names
        if taken or not name or practice.is_practice(name):
            return TableUnfit(name, "name-taken")
        answer = await self.host.open_table(name, sheet, owner if sheet.game.solo else "")
        self.services.provenance.get_log(name)
        self.services.shoemaker.serve(name)
        return answer

    async def solo(self, player: PlayerId, game: str) -> str | Refusal:
        """The player's own table of a game for one: the one he has, with its open round, or a new one (R-03)."""
        closed, number = self.host.authority.closed_names, 1
        while (name := f"{game}-{player}" if number == 1 else f"{game}-{player}-{number}") in closed:
            number += 1  # a table that was closed is no more; the next one has another name
        if name not in self.host.authority.tables:
            opened = await self.open_table(name, game, player)
            if isinstance(opened, Refusal):
                return opened
        return name

    async def practise(self, player: PlayerId, game: str, cards: tuple[Card, ...] = ()) -> str:
        """A practice table with full credit; its name says what it is, and no certificate is asked (X-08)."""
        sheet = self.services.config.games[game]
        authority = self.host.authority
        name = practice.next_name(player, (*authority.tables, *authority.closed_names))
        await self.host.open_table(name, sheet, player if sheet.game.solo else "", practice=True)
        credit = BringMoney(player, practice.compute_credit(sheet), 0)
        await self.host.ask(Request(name, credit, f"{name} credit", player))
        if not sheet.game.solo:
            await self.host.ask(Request(name, TakeSeat(player, 1, 0), f"{name} seat", player))
        if cards:
            await self.host.ask(Request(name, LoadShoe(cards, 0, 0, stacked=True), f"{name} cards"))
        self.services.shoemaker.serve(name)
        return name

    def tables(self, player: PlayerId = "") -> list[lobby.TableSummary]:
        vip = self.services.accounts[player].player.vip if player else 0
        return lobby.list_tables(self.host.committed.values(), player, vip)

    async def bring(self, player: PlayerId, table: str, amount: Cents, key: str) -> tuple[Answer, Admission | None]:
        """Money to a table by the floor: ids first, his own VIP level, nothing from who is excluded (R-30, R-38)."""
        live = self.host.authority.tables.get(table)
        if live and live.practice:
            return refuse(table, live.version, PracticeCredit(table)).answer, None
        command = BringMoney(player, amount, 0, self.services.accounts[player].player.vip)
        answer = await self.host.ask(Request(table, command, key, player))
        return answer, self.services.concession.find_admission(player, table)

    async def take(self, player: PlayerId, table: str, amount: Cents, key: str) -> Answer:
        return await self.host.ask(Request(table, TakeMoney(player, amount, 0), key, player))

    async def ask(self, player: PlayerId, table: str, command: Command, key: str) -> Answer:
        """Any command of a player at a table; money is brought by `bring` whatever he calls it."""
        if isinstance(command, BringMoney):
            return (await self.bring(player, table, command.amount, key))[0]
        if not player:
            return refuse(table, 0, NotSupervisor(player)).answer
        return await self.host.ask(Request(table, command, key, player))

    def room(self, table: str, viewer: PlayerId = "") -> LiveTable | Refusal:
        """The table as it stands in the store, to who may see it; a table for one is its owner's alone."""
        live = self.host.committed.get(table)
        if live is None:
            return NoSuchTable(table)
        is_own = live.table.sheet.game.solo or live.practice
        owner = practice.find_owner(table) if live.practice else live.table.owner(1)
        return live if not is_own or (viewer and viewer == owner) else NoSuchTable(table)

    def see(self, table: str, viewer: PlayerId = "") -> VersionedView | Refusal:
        if isinstance(live := self.room(table, viewer), Refusal):
            return live
        return build_versioned_view(live, viewer)

    def watch(
        self, table: str, viewer: PlayerId, told: Callable[[VersionedView], None]
    ) -> Callable[[], None] | Refusal:
        """Each version once it is durable, as this viewer sees it; the result ends it."""
        if isinstance(seen := self.see(table, viewer), Refusal):
            return seen

        def tell(news: TableCommitted) -> None:
            told(build_versioned_view(news.live, viewer))

        return self.host.watch(table, tell)

    def proofs(self, table: str, viewer: PlayerId = "") -> Proofs | Refusal:
        """Each card that lies open now, with salt and path, to who may see it; asked at each `Seen` (3.4, G-14)."""
        live = self.room(table, viewer)
        return live if isinstance(live, Refusal) else self.services.live.prove_table(table)

    def shoe(self, table: str) -> ShoeStatus | None:
        return self.services.shoemaker.get_status(table)

    def watch_shoes(self, told: Callable[[ShoeStatus], None]) -> None:
        self.services.shoemaker.watch(told)

    async def promise(self, player: PlayerId, table: str, digest: bytes) -> Refusal | None:
        return await self.services.shoemaker.promise(table, player, digest)

    async def reveal(self, player: PlayerId, table: str, entropy: bytes) -> Refusal | None:
        """What was promised; at a table for one the player's bytes alone."""
        return await self.services.shoemaker.reveal(table, player, entropy)

    async def receipt(self, table: str) -> Receipt | None:
        """The newest signed checkpoint of a table: keep it, and no other history can be told."""
        trail = self.services.provenance.logs.get(table)
        found = trail.receipt if trail else None
        await self.commit(Batch())
        return found

    async def say(self, player: PlayerId, table: str, text: str) -> ChatMessage | Refusal:
        if isinstance(seen := self.see(table, player), Refusal):
            return seen
        said = self.services.chat.say(table, player, text, self.host.now())
        if isinstance(said, Refusal):
            return said
        await self.commit(said.batch)
        for told in tuple(self._listeners.get(table, ())):
            told(said)
        return said

    def listen(self, table: str, told: Callable[[ChatMessage], None]) -> Callable[[], None]:
        """Each message once it is durable; the result ends it."""
        listed = self._listeners.setdefault(table, [])
        listed.append(told)
        return lambda: listed.remove(told) if told in listed else None


def _clocks(staff: Services) -> tuple[int, int]:
    """The wall's time and the steady one, in milliseconds."""
    return staff.config.clock.now(), staff.config.clock.steady()
