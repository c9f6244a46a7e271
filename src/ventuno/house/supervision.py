"""What supervisors do: pause, resume, void, limits, closing, mutes, accounts, corrections, what they see (H-8, X-10).

They have no god view and no key to the money: they see what a spectator sees, a void asks twice, a correction asks two.
Every act has a reason and stands in the audit log with its author.
"""

from __future__ import annotations

import asyncio
import hmac
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from ventuno.core.messages.commands import ChangeLimits, CloseTable, Command, Pause, Resume, Void
from ventuno.core.messages.refusals import NothingToVoid, Refusal
from ventuno.core.rules.money import Cents, PlayerId
from ventuno.core.table.state import Phase
from ventuno.core.table.supervision import find_voidable
from ventuno.core.views.private_view import PrivateView, build_private_view
from ventuno.core.views.public_view import PublicView, build_public_view
from ventuno.house.accounts.players import NoSuchPlayer, OwnAccount, Role
from ventuno.house.accounts.second_factor import SecondFactorMissing
from ventuno.house.history.account_history import NoSuchRound
from ventuno.house.history.program_check import ProgramCheck
from ventuno.house.integrity.oversight import Oversight
from ventuno.house.money.corrections import Proposal, ProposedCorrection
from ventuno.house.services import Services
from ventuno.house.store.audit_log import SupervisorViewed
from ventuno.house.store.records import Batch
from ventuno.house.tables.housekeeping import BY
from ventuno.house.tables.live_table import LiveTable
from ventuno.house.tables.requests import Answer, NoSuchTable, Request, refuse
from ventuno.house.tables.table_host import TableCommitted

CONFIRM = 60_000
"""Milliseconds within which a prepared void is confirmed."""
OPERATOR = "operator"
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class NotSupervisor(Refusal):
    """H-8: what only a supervisor does, and with a reason."""

    player: PlayerId


@dataclass(frozen=True, slots=True)
class ReasonMissing(Refusal):
    pass


@dataclass(frozen=True, slots=True)
class NotConfirmed(Refusal):
    """A void is prepared first, and confirmed for that very round within a minute (X-10)."""


class VersionedView(NamedTuple):
    """A table as one viewer sees it at a version."""

    table: str
    version: int
    public: PublicView
    private: PrivateView


def build_versioned_view(live: LiveTable, viewer: PlayerId) -> VersionedView:
    table = live.table
    public = build_public_view(table, practice=live.practice)
    return VersionedView(table.id, live.version, public, build_private_view(table, viewer))


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


class Supervision(Oversight):
    """The supervisors' calls; who calls is known by number, and is asked for his rights each time."""

    def __init__(self, staff: Services) -> None:
        super().__init__(staff)
        self._prepared: dict[str, _Prepared] = {}

    async def pause(self, by: PlayerId, table: str, reason: str, key: str) -> Answer:
        return await self._supervise(by, table, Pause(by, reason, 0), key, reason)

    async def resume(self, by: PlayerId, table: str, key: str) -> Answer:
        return await self._supervise(by, table, Resume(by, 0), key, "resume")

    def prepare_void(self, by: PlayerId, table: str, reason: str) -> Confirmation | Refusal:
        """What would be voided, and the word that confirms it; nothing is changed yet."""
        if no := self._unfit(by, reason):
            return no
        live, now = self.host.authority.tables.get(table), self.host.now()
        if live is None:
            return NoSuchTable(table)
        if not (meant := find_voidable(live.table)):
            return NothingToVoid()
        token = self.services.config.tokens(16).hex()
        self._prepared = {held: one for held, one in self._prepared.items() if one.expires > now}
        self._prepared[token] = _Prepared(by, table, reason, meant, now + CONFIRM)
        return Confirmation(token, meant, now + CONFIRM)

    async def void(self, by: PlayerId, table: str, reason: str, key: str, confirm: str) -> Answer:
        """Every stake of the round that was prepared goes back; recorded with who and why (R-07).

        The table itself refuses where another round is open meanwhile, so that a late word voids nothing else.
        """
        if no := self._unfit(by, reason):
            return refuse(table, 0, no).answer
        given = confirm.encode(errors="replace")
        held = next((one for word, one in self._prepared.items() if hmac.compare_digest(word.encode(), given)), None)
        now = self.host.now()
        if held is None or held[:3] != (by, table, reason) or now >= held.expires:
            return refuse(table, 0, NotConfirmed()).answer
        return await self._supervise(by, table, Void(by, reason, 0, held.round), key, reason)

    async def change_limits(
        self, by: PlayerId, table: str, limits: Mapping[str, tuple[Cents, Cents]], reason: str, key: str
    ) -> Answer:
        """In force when betting opens next, never under bets that lie there (V-43)."""
        return await self._supervise(by, table, ChangeLimits(dict(limits), by, 0, reason), key, reason)

    async def close_table(self, by: PlayerId, table: str, reason: str, key: str) -> Answer:
        """No new bets; when the open round is over seats are left, money goes back, and the table is gone (X-10)."""
        return await self._supervise(by, table, CloseTable(by, reason, 0), key, reason)

    async def oversee(
        self, by: PlayerId, table: str, told: Callable[[VersionedView], None]
    ) -> tuple[VersionedView, Callable[[], None]] | Refusal:
        """Any table as a spectator sees it, hidden cards hidden; written down before it is shown (H-8, R-17)."""
        if no := self._unfit(by):
            return no
        if table not in self.host.committed:
            return NoSuchTable(table)
        noted = self.services.audit.write(self.host.now(), SupervisorViewed(by, "table", table))
        await self.commit(Batch(records=noted))
        if (live := self.host.committed.get(table)) is None:
            return NoSuchTable(table)

        def tell(news: TableCommitted) -> None:
            told(build_versioned_view(news.live, ""))

        end = self.host.watch(table, tell)
        return build_versioned_view(live, ""), end

    async def mute(self, by: PlayerId, table: str, player: PlayerId, reason: str, minutes: int) -> Refusal | None:
        if no := self._unfit(by, reason):
            return no
        return await self.commit(self.services.chat.mute(table, player, by, reason, minutes, self.host.now()))

    async def unmute(self, by: PlayerId, table: str, player: PlayerId) -> Refusal | None:
        return self._unfit(by) or await self.commit(self.services.chat.unmute(table, player, by, self.host.now()))

    async def close_account(self, by: PlayerId, player: PlayerId, reason: str) -> Refusal | None:
        """In force with this call: sessions and sockets end, bets that can go back do; the money stays (ASVS 7.4)."""
        if no := self._unfit(by, reason) or self._unmeant(by, player):
            return no
        if not self.services.accounts[player].player.disabled:
            await self._closed(player, self.services.reception.disable(player, by, reason, self.host.now()), "disabled")
        return None

    async def open_account(self, by: PlayerId, player: PlayerId, reason: str) -> Refusal | None:
        """An account that was closed lets its owner in again."""
        if no := self._unfit(by, reason) or self._unmeant(by, player):
            return no
        if self.services.accounts[player].player.disabled:
            await self.commit(self.services.reception.enable(player, by, reason, self.host.now()))
        return None

    def _unmeant(self, by: PlayerId, player: PlayerId) -> Refusal | None:
        if player not in self.services.accounts:
            return NoSuchPlayer(player)
        return OwnAccount(player) if player == by else None

    async def propose_correction(
        self, by: PlayerId, code: str, amounts: Mapping[PlayerId, Cents], reason: str
    ) -> ProposedCorrection | Refusal:
        """The first of two persons says what is due for a round that is over (R-08)."""
        if no := self._unfit(by, reason):
            return no
        row = await self.host.store.find_round(code)
        if row is None or row.practice:
            return NoSuchRound(code)
        shares = await self.host.store.list_round_shares(code)
        proposed = self.services.redress.propose(by, row, shares, amounts, reason, self.host.now())
        await self.commit(proposed if isinstance(proposed, Refusal) else proposed.batch)
        return proposed

    async def confirm_correction(self, by: PlayerId, number: int) -> Refusal | None:
        """The second person says the same: it is signed, and the money moves with it."""
        return self._unfit(by) or await self.commit(self.services.redress.confirm(by, number, self.host.now()))

    async def withdraw_correction(self, by: PlayerId, number: int, reason: str) -> Refusal | None:
        no = self._unfit(by, reason)
        return no or await self.commit(self.services.redress.withdraw(by, number, reason, self.host.now()))

    async def waiting_corrections(self, by: PlayerId) -> list[Proposal] | Refusal:
        if no := self._unfit(by):
            return no
        await self.commit(Batch())
        return self.services.redress.list_waiting(self.host.now())

    async def verification(self, by: PlayerId, *, now: bool = False) -> ProgramCheck | Refusal:
        """What the last inspection of the program found, or what one finds now (R-19)."""
        if no := self._unfit(by):
            return no
        if now:
            await self.inspect(f"asked by {by}")
        return self.services.inspector.result

    async def inspect(self, why: str) -> ProgramCheck:
        """Compare the files with their manifest; where they differ no round begins (R-19)."""
        inspector = self.services.inspector
        found = await asyncio.to_thread(inspector.take_manifest)
        await self.commit(Batch(records=inspector.check(found, self.host.now(), why)))
        await self.heed()
        return inspector.result

    async def heed(self) -> None:
        """Act on the last inspection: no round begins where it was not sound, and bets not dealt go back."""
        verdict = self.services.inspector.result
        self.services.desk.halted = verdict.detail
        if not verdict.is_sound:
            _log.critical("the program is not what was verified: %s", verdict.detail)
            for name, live in list(self.host.authority.tables.items()):
                if live.table.phase is Phase.BETTING and find_voidable(live.table):
                    void = Void(BY, "program-unverified", 0, find_voidable(live.table))
                    await self.host.ask(Request(name, void, f"unverified {name} {live.version}"))

    async def appoint(self, player: PlayerId, role: Role, second_factor: str = "", by: str = OPERATOR) -> None:
        """Give a role. There is no door to this: it is called by who runs the house, from the command line."""
        batch = self.services.reception.give_role(player, role, by, self.host.now(), second_factor)
        await self.commit(batch)

    async def _supervise(self, by: PlayerId, table: str, command: Command, key: str, reason: str) -> Answer:
        if no := self._unfit(by, reason):
            return refuse(table, 0, no).answer
        return await self.host.ask(Request(table, command, f"{by} {key}"))

    def _unfit(self, by: PlayerId, reason: str = "-") -> Refusal | None:
        account = self.services.accounts.get(by)
        if account is None or account.player.role is not Role.SUPERVISOR or account.player.disabled:
            return NotSupervisor(by)
        if account.player.needs_second_factor:
            return SecondFactorMissing()
        return None if reason.strip() else ReasonMissing()
