"""What supervisors do: pause, resume, void, limits, closing, mutes, accounts, corrections, what they see (H-8, X-10).

They have no god view and no key to the money: they see what a spectator sees, a void asks twice, a correction asks two.
Every act has a reason and stands in the audit log with its author.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from hmac import compare_digest
from typing import NamedTuple

from ventuno.core.messages.commands import ChangeLimits, CloseTable, Command, Pause, Resume, Void
from ventuno.core.messages.refusals import NothingToVoid, Refusal
from ventuno.core.rules.money import Cents, PlayerId
from ventuno.core.table.supervision import CLOSES, find_voidable
from ventuno.house.accounts import text_rules
from ventuno.house.accounts.account_service import AccountService
from ventuno.house.accounts.login import Login
from ventuno.house.accounts.players import OwnAccount, Role
from ventuno.house.accounts.rights import BELOW_SUPERVISOR, Right
from ventuno.house.accounts.supervisors import NotHired
from ventuno.house.history import account_history
from ventuno.house.history.account_history import NoSuchRound
from ventuno.house.history.program_check import ProgramCheck
from ventuno.house.maintenance import ProgramInspection
from ventuno.house.money.corrections import Corrections, Proposal, ProposedCorrection
from ventuno.house.protection.protection_service import ProtectionService
from ventuno.house.store import audit_log
from ventuno.house.store.audit_log import STREAM, AuditEntry, AuditLog, HouseAnnounced, SupervisorViewed, TableActed
from ventuno.house.store.committer import Committer
from ventuno.house.store.records import Batch, Record, RoundRow
from ventuno.house.tables.authority import Answer, NoSuchTable, refuse
from ventuno.house.tables.chat import MAX_LENGTH, Chat, MessageUnfit
from ventuno.house.tables.table_service import TableService, VersionedView

CONFIRM = 60_000
"""Milliseconds within which a prepared void is confirmed."""


SETTINGS = "settings"
"""Who opens and closes the tables of the settings: whoever keeps the file."""
MOST_TABLES = 200
"""Tables for several players that are open at once, at most."""
ANNOUNCE_INTERVAL = 10_000
"""Milliseconds between two messages to all."""


class TooManyOpen(Refusal):
    most: int


class AnnouncedJustNow(Refusal):
    """Messages to all do not push each other off the screens: one in so many seconds."""

    seconds: int


class NotConfirmed(Refusal):
    """A void is prepared first, and confirmed for that very round within a minute (X-10)."""


class Confirmation(NamedTuple):
    """To be given back with the void; `round` is what it is good for."""

    token: str
    round: str
    expires: int


class _Prepared(NamedTuple):
    by: PlayerId
    table: str
    reason: str
    round: str
    expires: int


class Supervision:
    """The supervisors' calls; who calls is known by number, and his rights are checked each time."""

    def __init__(
        self,
        commits: Committer,
        accounts: AccountService,
        tables: TableService,
        protection: ProtectionService,
        login: Login,
        audit: AuditLog,
        chat: Chat,
        corrections: Corrections,
        inspection: ProgramInspection,
        draw: Callable[[int], bytes],
        audit_records: Sequence[Record] = (),
    ) -> None:
        self._commits, self._accounts, self._tables, self._protection = commits, accounts, tables, protection
        self._login, self._audit, self._chat, self._corrections = login, audit, chat, corrections
        self._inspection, self._draw = inspection, draw
        self._prepared: dict[str, _Prepared] = {}
        self._announced = -ANNOUNCE_INTERVAL
        self._of_settings = {
            act.table
            for record in audit_records
            if record.kind == TableActed.__name__
            and isinstance(act := audit_log.read(record.kind, record.body), TableActed)
            and (act.act, act.by) == ("open", SETTINGS)
        }
        self._listeners: list[Callable[[str], None]] = []

    async def pause(self, by: PlayerId, table: str, reason: str, key: str) -> Answer:
        return await self._command(by, table, Pause(by, reason, 0), key, reason)

    async def resume(self, by: PlayerId, table: str, key: str) -> Answer:
        return await self._command(by, table, Resume(by, 0), key, "resume")

    def prepare_void(self, by: PlayerId, table: str, reason: str) -> Confirmation | Refusal:
        """What would be voided, and the word that confirms it; nothing is changed yet."""
        if refusal := self._accounts.check_right(by, Right.RUN_TABLES, reason):
            return refusal
        live, now = self._tables.get_decided(table), self._commits.now()
        if live is None:
            return NoSuchTable(table)
        if not (code := find_voidable(live.table)):
            return NothingToVoid()
        token = self._draw(16).hex()
        self._prepared = {word: void for word, void in self._prepared.items() if void.expires > now}
        self._prepared[token] = _Prepared(by, table, reason, code, now + CONFIRM)
        return Confirmation(token, code, now + CONFIRM)

    async def void(self, by: PlayerId, table: str, reason: str, key: str, confirm: str) -> Answer:
        """Every stake of the round that was prepared goes back; recorded with who and why (R-07).

        The table itself refuses where another round is open meanwhile, so that a late word voids nothing else.
        """
        if refusal := self._accounts.check_right(by, Right.RUN_TABLES, reason):
            return refuse(table, 0, refusal).answer
        given = confirm.encode(errors="replace")
        prepared = next((void for word, void in self._prepared.items() if compare_digest(word.encode(), given)), None)
        if prepared is None or prepared[:3] != (by, table, reason) or self._commits.now() >= prepared.expires:
            return refuse(table, 0, NotConfirmed()).answer
        return await self._command(by, table, Void(by, reason, 0, prepared.round), key, reason)

    async def change_limits(
        self, by: PlayerId, table: str, limits: Mapping[str, tuple[Cents, Cents]], reason: str, key: str
    ) -> Answer:
        """In force when betting opens next, never under bets that lie there (V-43)."""
        return await self._command(by, table, ChangeLimits(dict(limits), by, 0, reason), key, reason)

    async def close_table(self, by: PlayerId, table: str, reason: str, key: str) -> Answer:
        """No new bets; when the open round is over seats are left, money goes back, and the table is gone (X-10)."""
        return await self._command(by, table, CloseTable(by, reason, 0), key, reason)

    async def open_table(self, by: PlayerId, table: str, game: str, reason: str, cards: str = "") -> Answer | Refusal:
        """A shared table for money, while the house plays: on a certified game, under a name never used (V-20)."""
        if refusal := self._accounts.check_right(by, Right.RUN_TABLES, reason):
            return refusal
        if (
            sum(1 for live in self._tables.get_all().values() if not live.table.sheet.game.solo and not live.practice)
            >= MOST_TABLES
        ):
            return TooManyOpen(MOST_TABLES)
        act = TableActed(table, "open", by, reason)
        return await self._tables.open(
            table, game, write_note=lambda: self._audit.write(self._commits.now(), act), cards=cards
        )

    async def open_of_settings(self, table: str, game: str, cards: str = "") -> Answer | Refusal:
        """A table of the settings; that they opened it stands in the log, so that they can close it again."""
        act = TableActed(table, "open", SETTINGS, "")
        self._of_settings.add(table)
        return await self._tables.open(
            table, game, write_note=lambda: self._audit.write(self._commits.now(), act), cards=cards
        )

    async def close_left_out(self, tables: Collection[str]) -> list[str]:
        """Close what the settings opened once and name no more; tables opened here by people are theirs (X-10)."""
        closing = []
        for table in sorted(self._of_settings.difference(tables)):
            live = self._tables.get_decided(table)
            if live and live.table.closing is None:
                await self._tables.command(table, CloseTable(SETTINGS, CLOSES, 0), f"settings close {table}")
                closing.append(table)
        return closing

    async def announce(self, by: PlayerId, text: str) -> Refusal | None:
        """A message to everybody who is here; it is in the log before anybody reads it."""
        if refusal := self._accounts.check_right(by, Right.SPEAK):
            return refusal
        clean, now = text_rules.normalize(text), self._commits.now()
        if sign := text_rules.find_hidden(text):
            return MessageUnfit(MAX_LENGTH, "hidden-sign", f"U+{ord(sign):04X}")
        if not 1 <= len(clean) <= MAX_LENGTH:
            return MessageUnfit(MAX_LENGTH, "wrong-length", count=len(clean))
        if text_rules.is_blank(clean):
            return MessageUnfit(MAX_LENGTH, "nothing-seen")
        if now < (ready := self._announced + ANNOUNCE_INTERVAL):
            return AnnouncedJustNow(-(-(ready - now) // 1000))
        self._announced = now
        await self._commits.commit(Batch(records=self._audit.write(now, HouseAnnounced(by, clean))))
        for listener in tuple(self._listeners):
            listener(clean)
        return None

    def watch_announcements(self, listener: Callable[[str], None]) -> None:
        """Each message to all once it is durable."""
        self._listeners.append(listener)

    async def oversee(self, by: PlayerId, table: str) -> VersionedView | Refusal:
        """Any table as a spectator sees it, hidden cards hidden; written down before it is shown (H-8, R-17)."""
        if refusal := self._accounts.check_right(by, Right.SEE_TABLES):
            return refusal
        if table not in self._tables.get_all():
            return NoSuchTable(table)
        await self.record_viewing(by, "table", table)
        live = self._tables.get_all().get(table)
        return self._tables.view(live) if live else NoSuchTable(table)

    async def mute(self, by: PlayerId, table: str, player: PlayerId, reason: str, minutes: int) -> Refusal | None:
        if refusal := self._accounts.check_right(by, Right.SPEAK, reason):
            return refusal
        return await self._commits.commit(self._chat.mute(table, player, by, reason, minutes, self._commits.now()))

    async def unmute(self, by: PlayerId, table: str, player: PlayerId) -> Refusal | None:
        if refusal := self._accounts.check_right(by, Right.SPEAK):
            return refusal
        return await self._commits.commit(self._chat.unmute(table, player, by, self._commits.now()))

    async def close_account(self, by: PlayerId, player: PlayerId, reason: str) -> Refusal | None:
        """In force with this call: sessions and sockets end, bets that can go back do; the money stays (ASVS 7.4)."""
        if refusal := self._accounts.check_right(by, Right.HELP_PLAYERS, reason) or self._check_other(by, player):
            return refusal
        if not self._accounts[player].player.disabled:
            batch = self._login.disable(player, by, reason, self._commits.now())
            await self._protection.close_play(player, batch, "disabled")
        return None

    async def open_account(self, by: PlayerId, player: PlayerId, reason: str) -> Refusal | None:
        """An account that was closed lets its owner in again."""
        if refusal := self._accounts.check_right(by, Right.HELP_PLAYERS, reason) or self._check_other(by, player):
            return refusal
        if self._accounts[player].player.disabled:
            await self._commits.commit(self._login.enable(player, by, reason, self._commits.now()))
        return None

    def _check_other(self, by: PlayerId, player: PlayerId) -> Refusal | None:
        return OwnAccount(player) if player == by else self._accounts.check_subject(by, player)

    async def appoint(self, by: PlayerId, player: PlayerId, role: Role, reason: str) -> Refusal | None:
        """An account gets a role below a supervisor's; its owner sets up a second factor before he does anything."""
        if refusal := self._accounts.check_right(by, Right.APPOINT, reason) or self._check_other(by, player):
            return refusal
        hired = self._accounts[player].player
        is_fit = hired.role is Role.PLAYER or hired.role in BELOW_SUPERVISOR
        if role not in BELOW_SUPERVISOR or not is_fit or not hired.password or hired.disabled or hired.is_bot:
            return NotHired(hired.name)
        await self._commits.commit(self._login.give_role(player, role, by, self._commits.now(), reason=reason))
        return None

    async def dismiss(self, by: PlayerId, player: PlayerId, reason: str) -> Refusal | None:
        """Back to a player; supervisors are appointed and dismissed by who runs the house, while it is closed."""
        if refusal := self._accounts.check_right(by, Right.APPOINT, reason) or self._check_other(by, player):
            return refusal
        if self._accounts[player].player.role not in BELOW_SUPERVISOR:
            return NotHired(self._accounts[player].player.name)
        await self._commits.commit(self._login.give_role(player, Role.PLAYER, by, self._commits.now(), reason=reason))
        return None

    async def propose_correction(
        self, by: PlayerId, code: str, amounts: Mapping[PlayerId, Cents], reason: str
    ) -> ProposedCorrection | Refusal:
        """The first of two persons says what is due for a round that is over (R-08)."""
        if refusal := self._accounts.check_right(by, Right.CORRECT, reason):
            return refusal
        row = await self._commits.store.find_round(code)
        if row is None or row.practice:
            return NoSuchRound(code)
        shares = await self._commits.store.list_round_shares(code)
        proposed = self._corrections.propose(by, row, shares, amounts, reason, self._commits.now())
        await self._commits.commit(proposed if isinstance(proposed, Refusal) else proposed.batch)
        return proposed

    async def confirm_correction(self, by: PlayerId, number: int) -> Refusal | None:
        """The second person says the same: it is signed, and the money moves with it."""
        if refusal := self._accounts.check_right(by, Right.CORRECT):
            return refusal
        return await self._commits.commit(self._corrections.confirm(by, number, self._commits.now()))

    async def withdraw_correction(self, by: PlayerId, number: int, reason: str) -> Refusal | None:
        if refusal := self._accounts.check_right(by, Right.CORRECT, reason):
            return refusal
        return await self._commits.commit(self._corrections.withdraw(by, number, reason, self._commits.now()))

    async def list_corrections(self, by: PlayerId) -> list[Proposal] | Refusal:
        """The proposals that wait for a second person."""
        if refusal := self._accounts.check_right(by, Right.SEE_RECORDS):
            return refusal
        await self._commits.flush()
        return self._corrections.list_waiting(self._commits.now())

    async def check_program(self, by: PlayerId, *, now: bool = False) -> ProgramCheck | Refusal:
        """What the last inspection of the program found, or what one finds now (R-19)."""
        if refusal := self._accounts.check_right(by, Right.SEE_RECORDS if now else Right.SEE_TABLES):
            return refusal
        return await self._inspection.run(f"asked by {by}") if now else self._inspection.result

    async def read_audit_page(
        self, by: PlayerId, before: int | None = None, limit: int = 50
    ) -> list[AuditEntry] | Refusal:
        """The log of significant events, newest first; this look at it is its newest entry (R-17)."""
        if refusal := self._accounts.check_right(by, Right.SEE_RECORDS):
            return refusal
        await self.record_viewing(by, "audit")
        last = self._commits.get_last_seq(STREAM)
        return await audit_log.read_audit_page(self._commits.store, last, before, limit)

    async def find_rounds_at(self, by: PlayerId, day: int, time: str) -> list[RoundRow] | Refusal:
        """The rounds that show this GMT start time on the day of a moment (V-66)."""
        if refusal := self._accounts.check_right(by, Right.SEE_TABLES):
            return refusal
        await self.record_viewing(by, "rounds at", time)
        first = day // account_history.DAY * account_history.DAY
        rows = await self._commits.store.list_rounds_started(first, first + account_history.DAY - 1)
        return account_history.select_by_time(rows, time, day)

    async def record_viewing(self, by: PlayerId, what: str, subject: str = "") -> None:
        """Written down before it is shown (R-17)."""
        records = self._audit.write(self._commits.now(), SupervisorViewed(by, what, subject))
        await self._commits.commit(Batch(records=records))

    async def _command(self, by: PlayerId, table: str, command: Command, key: str, reason: str) -> Answer:
        if refusal := self._accounts.check_right(by, Right.RUN_TABLES, reason):
            return refuse(table, 0, refusal).answer
        return await self._tables.command(table, command, f"{by} {key}")
