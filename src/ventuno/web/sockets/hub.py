"""The hub of all sockets: who watches which table, one broadcast for each, and what players must hear at once.

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

from ventuno.core.messages.events import TableClosed
from ventuno.core.messages.refusals import Refusal
from ventuno.core.rules.money import PlayerId
from ventuno.core.views.public_view import Person, make_unnamed_person
from ventuno.house.accounts.players import STAFF, Player, Role
from ventuno.house.accounts.sessions import Identity
from ventuno.house.application import Application
from ventuno.house.store.store import StoreFailed
from ventuno.house.tables.chat import ChatMessage
from ventuno.house.tables.housekeeping import no_credit
from ventuno.house.tables.shoe_supply import ShoeStatus
from ventuno.house.tables.table_host import TableCommitted
from ventuno.web.messages import server_messages
from ventuno.web.sockets import notifications, table_notices
from ventuno.web.sockets.channel import Backlog, Connection, Line
from ventuno.web.sockets.limits import SocketLimits, TooManyTables
from ventuno.web.sockets.table_broadcast import TableBroadcast
from ventuno.web.sockets.websocket_protocol import encode_frame

SLICES, PAUSE = 8, 0.1
"""Every socket is looked at once in so many turns, and a turn comes after so many seconds: R-40 asks for a second."""
LAG_SAMPLES = 4
"""A house that is behind once has drawn breath; at so many looks in a row it is overloaded."""
CLOSING, FULL, REPLACED = 4006, 4007, 4008
_encode = msgspec.json.Encoder().encode
_log = logging.getLogger(__name__)


class Hub:
    def __init__(self, app: Application, bounds: SocketLimits | None = None) -> None:
        self.app, self.limits, self.now = app, bounds or SocketLimits(), app.now
        self.find_admission, self.find_allowance = app.tables.find_admission, app.tables.find_allowance
        self.find_barred_boxes = app.tables.find_barred_boxes
        self.sockets = self.requests = self.deliveries = self.faults = 0
        self.refusals: Counter[str] = Counter()
        self.backlog = Backlog()
        self._lates: deque[int] = deque(maxlen=LAG_SAMPLES)
        self.broadcasts: dict[str, TableBroadcast] = {}
        self.connections: dict[PlayerId, list[Connection]] = {}
        """The sockets of each player, oldest first."""
        self._people: dict[PlayerId, tuple[Player, Person]] = {}
        self._is_closing = False
        self._opened = time.monotonic()
        app.protection.watch_departures(self._close_departed)
        app.fairness.watch_shoes(self._broadcast_shoe)
        app.tables.set_lag_credit(self.credit)
        app.supervision.watch_announcements(self._announce)
        self._checking = asyncio.create_task(self.check_connections(), name="ventuno-hub")

    async def close(self) -> None:
        """Tell everybody, and close every socket; nobody new is let in."""
        self._is_closing = True
        self._checking.cancel()
        await asyncio.gather(self._checking, return_exceptions=True)
        self.app.tables.set_lag_credit(no_credit)
        for channel in [connection for connections in self.connections.values() for connection in connections]:
            channel.send(server_messages.Notice("closing"))
            channel.close(CLOSING)

    async def serve(
        self, line: Line, receive: Receive, identity: Identity, tables: tuple[str, ...] | None = None
    ) -> None:
        """One connection from its welcome to its end.

        One that comes back with the tables it showed outlived an earlier host: it is greeted by those, as they are now.
        """
        connection = Connection(self, line, identity)
        if not self._enter(connection, greet=tables is None):
            return
        try:
            for table in tables or ():
                if await self.join(connection, table, None, time.monotonic()):
                    connection.close(CLOSING)  # who comes again by himself hears why
                    return
            await connection.run(receive)
        finally:
            self._leave(connection)

    def find_person(self, player: PlayerId) -> Person:
        """A player as everybody may know him; a bot is called one (X-09)."""
        account = self.app.accounts.get(player)
        if account is None:
            return make_unnamed_person(player)
        entry = self._people.get(player)
        if entry is None or entry[0] is not account.player:
            person = Person(player, account.player.name, account.player.is_bot)
            self._people[player] = entry = account.player, person
        return entry[1]

    def credit(self, table: str, player: PlayerId) -> int:
        """The lag that is credited to a player at a table: that of the socket he watches it with (X-15)."""
        stage = self.broadcasts.get(table)
        channel = stage.watchers.get(player) if stage else None
        return channel.lag.credit(self.limits.credit) if isinstance(channel, Connection) else 0

    async def join(self, channel: Connection, table: str, version: int | None, since: float) -> Refusal | None:
        """Show a table to a socket; the player's socket that showed it before leaves it and is told (V-88)."""
        if refusal := await self.check_hidden(table, channel.player, channel.role):
            return refusal
        if refusal := await self._wait_for_calm(since):
            return refusal
        if table not in channel.broadcasts and len(channel.broadcasts) >= self.limits.tables:
            return TooManyTables(self.limits.tables)
        stage = self.broadcasts.get(table) or self._open(table)
        before = stage.watchers.get(channel.player)
        if isinstance(before, Connection) and before is not channel:
            before.hide(table)
            before.send(server_messages.Notice("taken-over", table))
        channel.show(table, stage)
        stage.add(channel.player, channel, version)
        if shoe := self.app.fairness.get_shoe(table):
            channel.send(shoe_message(shoe))
        return None

    async def _wait_for_calm(self, since: float) -> Refusal | None:
        """Why nobody is let to a table now (G-24).

        When a house opens everybody comes back at once: what it is behind with then is soon done, and who comes waits.
        """
        while refusal := self.backlog.refuses(since, self.limits.late_joins, self.limits.waiting):
            if time.monotonic() > self._opened + self.limits.opening / 1000:
                return refusal
            await asyncio.sleep(PAUSE)
            since = time.monotonic()
        return None

    async def check_hidden(self, table: str, player: PlayerId, role: Role) -> Refusal | None:
        """Why a table is not shown to somebody. One of the staff sees what a spectator would, and it is noted (H-8)."""
        if table not in self.app.tables.get_all() and self.app.tables.get_decided(table):
            await self.app.flush()  # it is being opened: once that is durable it is there
        live = self.app.tables.get(table, player)
        if isinstance(live, Refusal) and role in STAFF:
            overseen = await self.app.supervision.oversee(player, table)
            return overseen if isinstance(overseen, Refusal) else None
        return live if isinstance(live, Refusal) else None

    def part(self, channel: Connection, table: str) -> None:
        stage = channel.hide(table)
        if stage is not None:
            stage.remove(channel.player, channel)
            self._end(stage)

    def _open(self, table: str) -> TableBroadcast:
        stage = TableBroadcast(self.app.tables.get_all()[table], self)
        watch = self.app.tables.watch_commits
        stage.ends = (
            watch(table, stage.publish),
            watch(table, partial(self._send_notices, stage), table_notices.EVENTS),
            watch(table, partial(self._part_all, stage), (TableClosed,)),
            self.app.chat.listen(table, partial(self._broadcast_chat, stage)),
        )
        self.broadcasts[table] = stage
        return stage

    def _end(self, stage: TableBroadcast) -> None:
        """Nobody watches: nothing is shown, and nothing is kept."""
        if not stage.watchers and self.broadcasts.get(stage.name) is stage:
            del self.broadcasts[stage.name]
            for end in stage.ends:
                end()

    def _send_notices(self, stage: TableBroadcast, news: TableCommitted) -> None:
        for player, notice in table_notices.find_notices(stage.name, news.events, stage.watchers):
            self.deliveries += 1
            stage.watchers[player].send_frame(encode_frame(_encode(notice)))

    def _part_all(self, stage: TableBroadcast, news: TableCommitted) -> None:
        """The table has closed: everybody is told and leaves it."""
        closed = server_messages.Notice("table-closed", stage.name, {"reason": news.live.table.closing or ""})
        stage.send_to_all(_encode(closed))
        for channel in [watcher for watcher in stage.watchers.values() if isinstance(watcher, Connection)]:
            self.part(channel, stage.name)

    def _broadcast_chat(self, stage: TableBroadcast, chat: ChatMessage) -> None:
        name = self.find_person(chat.player).name
        stage.send_to_all(_encode(server_messages.ChatMessage(chat.table, chat.player, name, chat.text, chat.at)))

    def _broadcast_shoe(self, news: ShoeStatus) -> None:
        if stage := self.broadcasts.get(news.table):
            stage.send_to_all(_encode(shoe_message(news)))

    def _announce(self, text: str) -> None:
        """A message of the house to every socket there is, encoded once."""
        frame = encode_frame(_encode(server_messages.Notice("announced", numbers={"text": text})))
        for channel in [connection for connections in self.connections.values() for connection in connections]:
            self.deliveries += 1
            channel.send_frame(frame)

    def _enter(self, channel: Connection, *, greet: bool = True) -> bool:
        """Count a socket in, and greet it; False where it was turned away."""
        connections = self.connections.setdefault(channel.player, [])
        same = [other for other in connections if other.session == channel.session and not other.is_closing]
        if len(same) >= self.limits.per_session:
            same[0].close(REPLACED)
        connections.append(channel)
        self.sockets += 1
        code = CLOSING if self._is_closing else FULL if self.sockets > self.limits.sockets else 0
        if not code:
            if greet:
                channel.welcome()
            if end := notifications.find_closing(self.app, channel.player, channel.session, self.now()):
                channel.send(end.notice)
                code = end.code
        if code:
            channel.close(code)
            self._leave(channel)
        return not code

    def _leave(self, channel: Connection) -> None:
        for table in list(channel.broadcasts):
            self.part(channel, table)
        connections = self.connections[channel.player]
        connections.remove(channel)
        self.sockets -= 1
        if not connections:
            del self.connections[channel.player]

    def _close_departed(self, player: PlayerId, _why: str) -> None:
        """A player closed play to himself: his sockets hear it and close (R-40)."""
        for channel in tuple(self.connections.get(player, ())):
            self.notify(channel, self.now())

    async def check_connections(self) -> None:
        while True:
            people = list(self.connections)
            size = -(-len(people) // SLICES)
            for turn in range(SLICES):
                began = time.monotonic()
                await asyncio.sleep(PAUSE)
                self._lates.append(int((time.monotonic() - began - PAUSE) * 1000))
                self.backlog.late = min(self._lates)
                try:
                    await self.check_players(people[turn * size : (turn + 1) * size])
                except StoreFailed:
                    return
                except Exception:
                    _log.exception("the hub could not look after its sockets")

    async def check_players(self, people: list[PlayerId]) -> None:
        """Whatever is said here is durable first."""
        at, steady = self.now(), self.app.steady()
        concerned: list[Connection] = []
        stale: list[tuple[TableBroadcast, PlayerId]] = []
        for player in people:
            for channel in self.connections.get(player, ()):
                if steady >= channel.lag.due:
                    channel.ping()
                quiet = channel.quiet if channel.is_quiet(at) else None
                if quiet is None or quiet.is_limited:
                    stale += [(shown, player) for shown in channel.broadcasts.values() if shown.is_stale(player)]
                if quiet:
                    continue
                end = notifications.find_closing(self.app, player, channel.session, at)
                if end or notifications.find_news(self.app, player, channel.notified, at)[1]:
                    concerned.append(channel)
                else:
                    channel.quiet = notifications.quiet_until(self.app, player, channel.session, at)
        if concerned or stale:
            await self.app.flush()
        for stage, player in stale:
            stage.refresh(player)
        for channel in concerned:
            if not self.app.protection.is_leaving(channel.player):
                self.notify(channel, at)

    def notify(self, channel: Connection, at: int) -> None:
        if end := notifications.find_closing(self.app, channel.player, channel.session, at):
            channel.send(end.notice)
            channel.close(end.code)
            return
        channel.notified, pending = notifications.find_news(self.app, channel.player, channel.notified, at)
        for notice in pending:
            channel.send(notice)


def shoe_message(news: ShoeStatus) -> server_messages.ShoeMessage:
    return server_messages.ShoeMessage(
        news.table,
        news.phase,
        news.commitment,
        news.players,
        news.promised,
        news.revealed,
        news.deadline,
        news.promises,
        news.receipt,
    )
