"""One connection: reads a message, has it carried out, answers; one after the other, in the order they came.

Whatever is no message is answered by a fault with an id that the log knows; nothing here ends without a reason.
"""

from __future__ import annotations

import asyncio
import logging
from time import monotonic
from typing import TYPE_CHECKING, Protocol, assert_never

import msgspec
from pydantic import ValidationError
from starlette.types import Message, Receive

from ventuno.core.messages.refusals import Refusal
from ventuno.core.views.private_view import Reason, make_reason
from ventuno.house.accounts.sessions import Identity
from ventuno.house.shoes.acknowledgements import Acknowledgement
from ventuno.house.store.store import StoreFailed
from ventuno.house.tables.authority import Answer
from ventuno.house.tables.pipeline import PipelineBroken
from ventuno.web.messages import client_messages, server_messages
from ventuno.web.messages.client_messages import to_command
from ventuno.web.operations.logs import new_id
from ventuno.web.sockets import notifications
from ventuno.web.sockets.lag import BEAT, Lag
from ventuno.web.sockets.limits import HouseBusy, NotJoined, TableOpening
from ventuno.web.sockets.message_limiter import MessageLimiter, is_too_long
from ventuno.web.sockets.table_broadcast import TableBroadcast
from ventuno.web.sockets.websocket_protocol import ARRIVED, TOO_LONG, encode_frame

if TYPE_CHECKING:
    from ventuno.web.sockets.hub import Hub

EXTRA_LATENESS = 300
"""Milliseconds that the house may be further behind for commands of an open round: somebody waits for them."""
MALFORMED, CLOSING = 4000, 4006
AGAIN = "ventuno.again"
"""In a message that an earlier host did not answer: chat has no key, and is not said twice."""
TableMessages = (
    client_messages.Join
    | client_messages.Part
    | client_messages.Ask
    | client_messages.Say
    | client_messages.Promise
    | client_messages.Reveal
)
_encode = msgspec.json.Encoder().encode
_log = logging.getLogger(__name__)


class Backlog:
    """What all connections have asked and is not answered yet, and how far the house is behind with it (G-24)."""

    def __init__(self) -> None:
        self.waiting = 0
        """Asks that are not answered yet."""
        self.late = 0
        """Milliseconds by which the loop is behind: at least so much at each of the last looks."""
        self.pending: dict[Connection, float] = {}
        """Who waits for the disk, and since when, oldest first."""

    def refuses(self, since: float, most_late: int, most_waiting: int, *, in_round: bool = False) -> HouseBusy | None:
        """Why something that came at this moment is not taken now.

        Whoever is refused hears it at once: nothing is put behind more than can be answered in time. What is asked in
        an open round is refused last.
        """
        late = self.measure(since)
        is_late = late > most_late + (EXTRA_LATENESS if in_round else 0)
        is_full = self.waiting >= most_waiting and not in_round
        return HouseBusy(self.waiting, late) if is_late or is_full else None

    def measure(self, since: float) -> int:
        """Milliseconds by which the house is behind for who has waited since then: as long as anybody waits for the
        disk, as late as the loop is, as old as his own message.
        """
        oldest = min(since, next(iter(self.pending.values()), since))
        return max(self.late, int((monotonic() - oldest) * 1000))


class Line(Protocol):
    """The way to one client: a `WebSocketProtocol` of this process, or a socket at a door of its own."""

    close_sent: bool

    @property
    def is_at_door(self) -> bool:
        """Whether a door holds it: that counts its messages, and asks the next host what this one does not answer."""
        ...

    def write(self, frame: bytes, /) -> bool: ...

    def close_with(self, code: int, /) -> None: ...

    def show_tables(self, tables: tuple[str, ...], /) -> None:
        """The socket shows these tables now."""


class Connection:
    """A socket of a player, and the tables it shows."""

    __slots__ = (
        "_faults",
        "_hub",
        "_limiter",
        "_line",
        "broadcasts",
        "busy_joins",
        "lag",
        "notified",
        "player",
        "quiet",
        "role",
        "send_frame",
        "session",
    )

    def __init__(self, hub: Hub, line: Line, identity: Identity) -> None:
        self._hub, self._line, self.send_frame = hub, line, line.write
        self.player, self.session, self.role = identity.player, identity.session, identity.role
        steady = hub.app.steady
        self.lag = Lag(steady)
        self.broadcasts: dict[str, TableBroadcast] = {}
        self.busy_joins: set[str] = set()
        """Tables that it asked for when the house was too busy to show them."""
        self.notified = notifications.NOT_NOTIFIED
        self.quiet: notifications.Quiet | None = None
        self._limiter = None if line.is_at_door else MessageLimiter(hub.limits, steady)
        self._faults = 0

    def send(self, message: object) -> None:
        """A message to this socket alone."""
        self._hub.deliveries += 1
        self._line.write(encode_frame(_encode(message)))

    def close(self, code: int) -> None:
        self._line.close_with(code)

    def show(self, table: str, broadcast: TableBroadcast) -> None:
        self.broadcasts[table] = broadcast
        self._line.show_tables(tuple(self.broadcasts))

    def hide(self, table: str) -> TableBroadcast | None:
        """Show a table no longer; what it was shown by."""
        if broadcast := self.broadcasts.pop(table, None):
            self._line.show_tables(tuple(self.broadcasts))
        return broadcast

    @property
    def is_closing(self) -> bool:
        return self._line.close_sent

    def is_quiet(self, at: int) -> bool:
        """Whether it is known that nothing is to be said here now; most sockets are looked at for nothing."""
        if self.quiet is None or at >= self.quiet.until or self.notified.muted:
            return False
        app = self._hub.app
        return app.accounts.get(self.player) is self.quiet.account and app.chat.find_mute(self.player) is None

    def ping(self) -> None:
        """Measure the lag, as it is time; a client to whom nothing else is said knows by it that the line stands."""
        self.send(server_messages.Ping(self.lag.ping(), self._hub.now()))

    def welcome(self) -> None:
        app = self._hub.app
        account = app.accounts[self.player].player
        self.send(
            server_messages.Welcome(
                player=self.player,
                name=account.name,
                role=str(self.role),
                guest=account.guest,
                house=app.config.name,
                now=app.now(),
                unsafe=bool(app.unsafe),
                session=self.session,
            )
        )

    async def run(self, receive: Receive) -> None:
        """Until the client goes, or is sent away."""
        while True:
            message = await receive()
            if message["type"] != "websocket.receive" or self._line.close_sent:
                return
            code = self._limiter.check(message) if self._limiter else 0
            code = code or await self._read(message)
            if code:
                self.close(code)
                return

    async def _read(self, message: Message) -> int:
        """One frame; the code to close with, or 0."""
        text = message.get("text")
        if text is None:
            return self._fault("NotText", "messages are text")
        if is_too_long(text, self._hub.limits.frame):
            return TOO_LONG
        try:
            asked = client_messages.client_message.validate_json(text)
        except ValidationError as fault:
            return self._fault("Malformed", describe_fault(fault), read_id(text))
        if AGAIN in message and isinstance(asked, client_messages.Say):
            return self._fault("HouseClosed", "it is not known whether this was said; try again", asked.id)
        try:
            return await self._handle(asked, message.get(ARRIVED) or monotonic())
        except (StoreFailed, PipelineBroken):
            if self._line.is_at_door:
                await asyncio.get_running_loop().create_future()  # this process ends: the next one answers
            self._fault("HouseClosed", "the house takes nothing now; try again", read_id(text))
            return CLOSING
        except Exception:
            id = new_id()
            _log.exception("a message was not carried out", extra={"id": id, "kind": asked.type})
            self.send(
                server_messages.Fault(
                    "Broken", "something went wrong here; the log knows it by this id", id, read_id(text)
                )
            )
            return 0

    async def _handle(self, asked: client_messages.ClientMessage, since: float) -> int:
        if isinstance(asked, client_messages.Pong):
            self.lag.pong(asked.nonce)
            if asked.nonce == BEAT:
                self.ping()
            return 0
        if await self._hub.app.accounts.note_activity(self.player, self.session):
            return self._end()
        self._hub.requests += 1
        self._hub.backlog.waiting += 1
        try:
            refused = await self._answer(asked, since)
        finally:
            self._hub.backlog.waiting -= 1
        if refused:
            self._hub.refusals[refused.code] += 1
        broadcast = self.broadcasts.get(asked.table)
        self.send(server_messages.AnswerMessage(asked.id, asked.table, broadcast.version if broadcast else 0, refused))
        return 0

    async def _answer(self, asked: TableMessages, since: float) -> Reason | None:
        """Why not, or None when it is done and durable."""
        hub, app, table = self._hub, self._hub.app, asked.table
        if isinstance(asked, client_messages.Join):
            refusal = await hub.join(self, table, asked.version, since)
            (self.busy_joins.add if isinstance(refusal, HouseBusy) else self.busy_joins.discard)(table)
            return refusal_reason(refusal)
        if table not in self.broadcasts:
            return make_reason(TableOpening(table) if table in self.busy_joins else NotJoined(table))
        match asked:
            case client_messages.Part():
                hub.part(self, table)
                return None
            case client_messages.Ask():
                return await self._play(asked, since)
            case client_messages.Say():
                chat = await app.chat.say(self.player, table, asked.text)
                return refusal_reason(chat if isinstance(chat, Refusal) else None)
            case client_messages.Promise():
                own = (bytes.fromhex(asked.key or ""), bytes.fromhex(asked.signature or ""))
                return self._acknowledge(
                    table, await app.fairness.promise(self.player, table, bytes.fromhex(asked.digest), *own)
                )
            case client_messages.Reveal():
                entropy = bytes.fromhex(asked.entropy)
                return self._acknowledge(table, await app.fairness.reveal(self.player, table, entropy))
            case _:
                assert_never(asked)

    def _acknowledge(self, table: str, outcome: Acknowledgement | Refusal) -> Reason | None:
        """Hand out what the house signed for a part of the cut, or why it was not taken."""
        if isinstance(outcome, Refusal):
            return refusal_reason(outcome)
        self.send(server_messages.Acknowledged(table, **outcome.to_dict()))
        return None

    async def _play(self, asked: client_messages.Ask, since: float) -> Reason | None:
        """What is asked of a table, unless the house is behind (G-24)."""
        hub, backlog, limits = self._hub, self._hub.backlog, self._hub.limits
        in_round = asked.command.do in client_messages.ROUND_COMMANDS
        if refusal := backlog.refuses(since, limits.late_asks, limits.waiting, in_round=in_round):
            return make_reason(refusal)
        backlog.pending[self] = since
        try:
            doing = to_command(self.player, asked.command)
            return answer_reason(await hub.app.tables.ask(self.player, asked.table, doing, asked.key))
        finally:
            del backlog.pending[self]

    def _end(self) -> int:
        """The last word to somebody whose session is over: why, and the code to close with."""
        app = self._hub.app
        end = notifications.find_closing(app, self.player, self.session, app.now())
        if end is None:
            return CLOSING
        self.send(end.notice)
        return end.code

    def _fault(self, code: str, detail: str, about: str = "") -> int:
        """Say what was wrong with a frame; too many of them and the socket is closed."""
        id = new_id()
        self._faults += 1
        self._hub.faults += 1
        _log.info("a frame that is no message", extra={"id": id, "code": code})
        self.send(server_messages.Fault(code, detail, id, about))
        return MALFORMED if self._faults >= self._hub.limits.faults else 0


def refusal_reason(refusal: Refusal | None) -> Reason | None:
    return make_reason(refusal) if refusal else None


def answer_reason(answer: Answer) -> Reason | None:
    return Reason(answer.refused, answer.numbers) if answer.refused else None


def describe_fault(fault: ValidationError) -> str:
    """The first thing wrong with a frame, and its place; what was sent is not repeated."""
    error = fault.errors(include_url=False, include_context=False, include_input=False)[0]
    place = ".".join(str(part) for part in error["loc"][:6])
    return f"{place}: {error['msg']}"[:200]


def read_id(text: str) -> str:
    """The id of a message that could not be taken, where it has one."""
    try:
        message = msgspec.json.decode(text.encode(), type=dict)
    except (ValueError, msgspec.MsgspecError, RecursionError):
        return ""
    id = message.get("id")
    return id if isinstance(id, str) and len(id) <= 64 and id.isascii() and id.isprintable() else ""
