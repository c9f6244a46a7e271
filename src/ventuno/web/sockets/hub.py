"""The hub of all sockets: who watches which table, one stage for each, and what players must hear at once.

It holds no rule. Whoever may see a table is decided by the house, and so is everything that is asked.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import Counter, deque
from functools import partial

import msgspec
from starlette.types import Receive

from ventuno.core.messages.refusals import Refusal
from ventuno.core.rules.money import PlayerId
from ventuno.core.table.state import Phase
from ventuno.house.accounts.players import Player, Role
from ventuno.house.accounts.tokens import Known
from ventuno.house.application import Premises
from ventuno.house.protection.limit_check import Allowance
from ventuno.house.shoes.supply import ShoeNews
from ventuno.house.store.records import Batch
from ventuno.house.store.store import StoreFailed
from ventuno.house.tables.chat import Said
from ventuno.house.tables.concession import Admission
from ventuno.house.tables.housekeeping import no_credit
from ventuno.house.tables.live_table import Room
from ventuno.house.tables.table_host import News
from ventuno.web.messages import server_messages
from ventuno.web.sockets import notifications, table_notices
from ventuno.web.sockets.channel import Channel
from ventuno.web.sockets.limits import Bounds, HouseBusy, TooManyTables, Unanswered
from ventuno.web.sockets.table_broadcast import Stage
from ventuno.web.sockets.table_view import Tree
from ventuno.web.sockets.websocket_protocol import Line, framed

SLICES, PAUSE = 8, 0.1
"""Every socket is looked at once in so many turns, and a turn comes after so many seconds: R-40 asks for a second."""
LOOKS = 4
"""A house that is behind once has drawn breath; at so many looks in a row it is overloaded."""
CLOSING, FULL, REPLACED = 4006, 4007, 4008
_encode = msgspec.json.Encoder().encode
_log = logging.getLogger(__name__)


class Hub:
    def __init__(self, premises: Premises, bounds: Bounds | None = None) -> None:
        self.premises, self.bounds = premises, bounds or Bounds()
        self.sockets = self.asks = self.deliveries = self.faults = 0
        self.refusals: Counter[str] = Counter()
        self.waiting = 0
        """Asks that are not answered yet."""
        self.late = 0
        """Milliseconds by which the loop is behind: at least so much at each of the last looks."""
        self.unanswered = Unanswered()
        self._lates: deque[int] = deque(maxlen=LOOKS)
        self.stages: dict[str, Stage] = {}
        self.channels: dict[PlayerId, list[Channel]] = {}
        """The sockets of each player, oldest first."""
        self._people: dict[PlayerId, tuple[Player, Tree]] = {}
        self._closing = ""
        premises.on_leaving(self._left)
        premises.watch_shoes(self._shoe)
        premises.house.credit = self.credit
        self._attending = asyncio.create_task(self._attend(), name="ventuno-hub")

    async def close(self, detail: str) -> None:
        """Tell everybody, and close every socket; nobody new is let in."""
        self._closing = detail
        self._attending.cancel()
        await asyncio.gather(self._attending, return_exceptions=True)
        self.premises.house.credit = no_credit
        for channel in [one for held in self.channels.values() for one in held]:
            channel.send(server_messages.Notice("closing", detail))
            channel.shut(CLOSING)

    async def serve(self, line: Line, receive: Receive, known: Known) -> None:
        """One connection from its welcome to its end."""
        channel = Channel(self, line, known)
        if not self._enter(channel):
            return
        try:
            await channel.run(receive)
        finally:
            self._leave(channel)

    def now(self) -> int:
        return self.premises.house.now()

    def named(self, player: PlayerId) -> Tree:
        """A player as everybody may know him; a bot is called one (X-09)."""
        account = self.premises.staff.accounts.get(player)
        if account is None:
            return {"player": player, "name": player, "bot": False}
        known = self._people.get(player)
        if known is None or known[0] is not account.player:
            person = {"player": player, "name": account.player.name, "bot": account.player.bot}
            self._people[player] = known = account.player, person
        return known[1]

    def admitted(self, player: PlayerId, table: str) -> Admission | None:
        return self.premises.staff.concession.admitted(player, table)

    def barred(self, player: PlayerId, room: Room) -> tuple[int, ...]:
        return self.premises.staff.desk.barred(room, player, self.now())

    def allowance(self, player: PlayerId, room: Room) -> Allowance | None:
        return self.premises.staff.desk.allowance(room, player, self.now())

    def credit(self, table: str, player: PlayerId) -> int:
        """The lag that is credited to a player at a table: that of the socket he watches it with (X-15)."""
        stage = self.stages.get(table)
        channel = stage.watchers.get(player) if stage else None
        return channel.lag.credit(self.bounds.credit) if isinstance(channel, Channel) else 0

    def busy(self, most_late: int, since: float) -> HouseBusy | None:
        """Why something that came at this moment is not taken now (G-24).

        Whoever is refused hears it at once: nothing is put behind more than can be answered in time.
        """
        late = self.behind(since)
        return None if self.waiting < self.bounds.waiting and late <= most_late else HouseBusy(self.waiting, late)

    def behind(self, since: float) -> int:
        """Milliseconds by which the house is behind for who has waited since then: as long as anybody waits for the
        disk, as late as the loop is, as old as his own message.
        """
        now = time.monotonic()
        return max(self.late, self.unanswered.age(now), int((now - since) * 1000))

    async def join(self, channel: Channel, table: str, version: int | None, since: float) -> Refusal | None:
        """Show a table to a socket; the player's socket that showed it before leaves it and is told (V-88)."""
        if no := await self._hides(table, channel):
            return no
        if no := self.busy(self.bounds.late_joins, since):
            return no
        if table not in channel.stages and len(channel.stages) >= self.bounds.tables:
            return TooManyTables(self.bounds.tables)
        stage = self.stages.get(table) or self._open(table)
        before = stage.watchers.get(channel.player)
        if isinstance(before, Channel) and before is not channel:
            before.stages.pop(table, None)
            before.send(server_messages.Notice("taken-over", "this table was opened on another device", table))
        channel.stages[table] = stage
        stage.add(channel.player, channel, version)
        if shoe := self.premises.shoe(table):
            channel.send(_told(shoe))
        return None

    async def _hides(self, table: str, channel: Channel) -> Refusal | None:
        """Why a table is not shown to a socket. A supervisor sees what a spectator would, and it is noted (H-8)."""
        room = self.premises.room(table, channel.player)
        if isinstance(room, Refusal) and channel.role is Role.SUPERVISOR:
            overseen = await self.premises.oversee(channel.player, table, lambda _seen: None)
            if isinstance(overseen, Refusal):
                return overseen
            overseen[1]()
            return None
        return room if isinstance(room, Refusal) else None

    def part(self, channel: Channel, table: str) -> None:
        stage = channel.stages.pop(table, None)
        if stage is not None:
            stage.remove(channel.player, channel)
            self._end(stage)

    def _open(self, table: str) -> Stage:
        stage = Stage(self.premises.house.shown[table], self)
        stage.ends = (
            self.premises.house.watch(table, partial(self._news, stage)),
            self.premises.listen(table, partial(self._said, stage)),
        )
        self.stages[table] = stage
        return stage

    def _end(self, stage: Stage) -> None:
        """Nobody watches: nothing is shown, and nothing is kept."""
        if not stage.watchers and self.stages.get(stage.name) is stage:
            del self.stages[stage.name]
            for end in stage.ends:
                end()

    def _news(self, stage: Stage, news: News) -> None:
        stage.news(news)
        for player, notice in table_notices.told(stage.name, news.events, stage.watchers):
            self.deliveries += 1
            stage.watchers[player].tell(framed(_encode(notice)))
        if news.room.table.phase is Phase.CLOSED:
            stage.broadcast(_encode(server_messages.Notice("table-closed", news.room.table.closing or "", stage.name)))
            for channel in [one for one in stage.watchers.values() if isinstance(one, Channel)]:
                self.part(channel, stage.name)

    def _said(self, stage: Stage, said: Said) -> None:
        name = self.named(said.player)["name"]
        stage.broadcast(_encode(server_messages.Said(said.table, said.player, name, said.text, said.at)))

    def _shoe(self, news: ShoeNews) -> None:
        if stage := self.stages.get(news.table):
            stage.broadcast(_encode(_told(news)))

    def _enter(self, channel: Channel) -> bool:
        """Count a socket in, and greet it; False where it was turned away."""
        held = self.channels.setdefault(channel.player, [])
        same = [one for one in held if one.session == channel.session and not one.is_closing]
        if len(same) >= self.bounds.per_session:
            same[0].shut(REPLACED)
        held.append(channel)
        self.sockets += 1
        code = CLOSING if self._closing else FULL if self.sockets > self.bounds.sockets else 0
        if not code:
            channel.welcome()
            at, staff = self.now(), self.premises.staff
            if end := notifications.ended(staff, channel.player, channel.session, at):
                channel.send(end.notice)
                code = end.code
        if code:
            channel.shut(code)
            self._leave(channel)
        return not code

    def _leave(self, channel: Channel) -> None:
        for table in list(channel.stages):
            self.part(channel, table)
        held = self.channels[channel.player]
        held.remove(channel)
        self.sockets -= 1
        if not held:
            del self.channels[channel.player]

    def _left(self, player: PlayerId, _why: str) -> None:
        """A player closed play to himself: his sockets hear it and close (R-40)."""
        for channel in tuple(self.channels.get(player, ())):
            self._look_at(channel, self.now())

    async def _attend(self) -> None:
        while True:
            people = list(self.channels)
            size = -(-len(people) // SLICES)
            for turn in range(SLICES):
                began = time.monotonic()
                await asyncio.sleep(PAUSE)
                self._lates.append(int((time.monotonic() - began - PAUSE) * 1000))
                self.late = min(self._lates)
                try:
                    await self._look(people[turn * size : (turn + 1) * size])
                except StoreFailed:
                    return
                except Exception:
                    _log.exception("the hub could not look after its sockets")

    async def _look(self, people: list[PlayerId]) -> None:
        """Whatever is said here is durable first."""
        at, staff = self.now(), self.premises.staff
        steady = staff.fittings.clock.steady()
        concerned: list[Channel] = []
        stale: list[tuple[Stage, PlayerId]] = []
        for player in people:
            for channel in self.channels.get(player, ()):
                stale += [(one, player) for one in channel.stages.values() if one.is_stale(player)]
                if steady >= channel.lag.due:
                    channel.ping()
                if channel.is_calm(at):
                    continue
                end = notifications.ended(staff, player, channel.session, at)
                if end or notifications.news(staff, player, channel.told, at)[1]:
                    concerned.append(channel)
                else:
                    channel.calm = notifications.calm(staff, player, channel.session, at)
        if concerned or stale:
            await self.premises.commit(Batch())
        for stage, player in stale:
            stage.refresh(player)
        for channel in concerned:
            if channel.player not in self.premises.leaving:
                self._look_at(channel, at)

    def _look_at(self, channel: Channel, at: int) -> None:
        staff = self.premises.staff
        if end := notifications.ended(staff, channel.player, channel.session, at):
            channel.send(end.notice)
            channel.shut(end.code)
            return
        channel.told, found = notifications.news(staff, channel.player, channel.told, at)
        for notice in found:
            channel.send(notice)


def _told(news: ShoeNews) -> server_messages.ShoeTold:
    return server_messages.ShoeTold(news.table, news.phase, news.commitment, news.players, news.promised, news.revealed)
