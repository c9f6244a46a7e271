"""One connection: reads a message, has it carried out, answers; one after the other, in the order they came.

Whatever is no message is answered by a fault with an id that the log knows; nothing here ends without a reason.
"""

from __future__ import annotations

import logging
from time import monotonic
from typing import TYPE_CHECKING, assert_never

import msgspec
from pydantic import ValidationError
from starlette.types import Message, Receive

from ventuno.core.messages.refusals import Refusal
from ventuno.house.accounts.sessions import SessionOver
from ventuno.house.accounts.tokens import Known
from ventuno.house.store.store import StoreFailed
from ventuno.house.tables.command_desk import DeskBroken
from ventuno.house.tables.requests import Answer
from ventuno.web.messages import client_messages, server_messages
from ventuno.web.messages.views import Reason
from ventuno.web.operations.logs import new_id
from ventuno.web.sockets import notifications
from ventuno.web.sockets.commands import command
from ventuno.web.sockets.lag import Lag
from ventuno.web.sockets.limits import Bucket, HouseBusy, NotJoined
from ventuno.web.sockets.option_views import reason
from ventuno.web.sockets.table_broadcast import Stage
from ventuno.web.sockets.websocket_protocol import ARRIVED, Line, framed

if TYPE_CHECKING:
    from ventuno.web.sockets.hub import Hub

MALFORMED, TOO_LONG, TOO_MANY, CLOSING = 4000, 4001, 4002, 4006
OPEN_ROUND = (
    client_messages.Decide,
    client_messages.DecideAll,
    client_messages.DecideEarly,
    client_messages.SpinWheel,
    client_messages.SpinBoard,
)
"""What is refused last when the house is busy: somebody waits for it."""
PATIENCE = 300
"""Milliseconds that the house may be further behind for those."""
Asked = (
    client_messages.Join
    | client_messages.Part
    | client_messages.Ask
    | client_messages.Say
    | client_messages.Promise
    | client_messages.Reveal
)
_encode = msgspec.json.Encoder().encode
_log = logging.getLogger(__name__)


class Channel:
    """A socket of a player, and the tables it shows."""

    __slots__ = (
        "_bucket",
        "_faults",
        "_hub",
        "_line",
        "calm",
        "lag",
        "player",
        "role",
        "session",
        "stages",
        "told",
    )

    def __init__(self, hub: Hub, line: Line, known: Known) -> None:
        self._hub, self._line = hub, line
        self.player, self.session, self.role = known.player, known.session, known.role
        steady = hub.premises.staff.fittings.clock.steady
        self.lag = Lag(steady)
        self.stages: dict[str, Stage] = {}
        self.told = notifications.NOTHING
        self.calm: notifications.Calm | None = None
        self._bucket = Bucket(hub.bounds.rate, hub.bounds.burst, steady())
        self._faults = 0

    def tell(self, frame: bytes) -> None:
        self._line.write(frame)

    def send(self, message: object) -> None:
        """A message to this socket alone."""
        self._hub.deliveries += 1
        self._line.write(framed(_encode(message)))

    def shut(self, code: int) -> None:
        self._line.shut(code)

    @property
    def is_closing(self) -> bool:
        return self._line.close_sent

    def is_calm(self, at: int) -> bool:
        """Whether it is known that nothing is to be said here now; most sockets are looked at for nothing."""
        if self.calm is None or at >= self.calm.until or self.told.muted:
            return False
        staff = self._hub.premises.staff
        return staff.accounts.get(self.player) is self.calm.account and staff.chat.muted(self.player, at) is None

    def ping(self) -> None:
        """Measure the lag, as it is time; a client to whom nothing else is said knows by it that the line stands."""
        self.send(server_messages.Ping(self.lag.ping(), self._hub.now()))

    def welcome(self) -> None:
        premises = self._hub.premises
        account = premises.staff.accounts[self.player].player
        self.send(
            server_messages.Welcome(
                player=self.player,
                name=account.name,
                role=str(self.role),
                guest=account.guest,
                house=premises.staff.fittings.name,
                now=premises.house.now(),
                unsafe=bool(premises.unsafe),
                session=self.session,
            )
        )

    async def run(self, receive: Receive) -> None:
        """Until the client goes, or is sent away."""
        steady = self._hub.premises.staff.fittings.clock.steady
        while True:
            message = await receive()
            if message["type"] != "websocket.receive" or self.is_closing:
                return
            code = TOO_MANY if not self._bucket.take(steady()) else await self._read(message)
            if code:
                self.shut(code)
                return

    async def _read(self, message: Message) -> int:
        """One frame; the code to close with, or 0."""
        text = message.get("text")
        if text is None:
            return self._fault("NotText", "messages are text")
        if len(text) > self._hub.bounds.frame or (not text.isascii() and len(text.encode()) > self._hub.bounds.frame):
            return TOO_LONG
        try:
            asked = client_messages.asked.validate_json(text)
        except ValidationError as fault:
            return self._fault("Malformed", _first(fault), _id_of(text))
        try:
            return await self._carry_out(asked, message.get(ARRIVED) or monotonic())
        except (StoreFailed, DeskBroken):
            self._fault("HouseClosed", "the house takes nothing now; try again", _id_of(text))
            return CLOSING
        except Exception:
            id = new_id()
            _log.exception("a message was not carried out", extra={"id": id, "kind": asked.type})
            self.send(
                server_messages.Fault(
                    "Broken", "something went wrong here; the log knows it by this id", id, _id_of(text)
                )
            )
            return 0

    async def _carry_out(self, asked: client_messages.Asked, since: float) -> int:
        if isinstance(asked, client_messages.Pong):
            self.lag.pong(asked.nonce)
            return 0
        known = await self._hub.premises.active(self.player, self.session)
        if isinstance(known, SessionOver):
            return self._end()
        self._hub.asks += 1
        self._hub.waiting += 1
        try:
            refused = await self._answer(asked, since)
        finally:
            self._hub.waiting -= 1
        if refused:
            self._hub.refusals[refused.code] += 1
        stage = self.stages.get(asked.table)
        self.send(server_messages.Answered(asked.id, asked.table, stage.version if stage else 0, refused))
        return 0

    async def _answer(self, asked: Asked, since: float) -> Reason | None:
        """Why not, or None when it is done and durable."""
        hub, premises, table = self._hub, self._hub.premises, asked.table
        if isinstance(asked, client_messages.Join):
            return _reason(await hub.join(self, table, asked.version, since))
        if table not in self.stages:
            return _reason(NotJoined(table))
        match asked:
            case client_messages.Part():
                hub.part(self, table)
                return None
            case client_messages.Ask():
                return await self._played(asked, since)
            case client_messages.Say():
                said = await premises.say(self.player, table, asked.text)
                return _reason(said if isinstance(said, Refusal) else None)
            case client_messages.Promise():
                return _reason(await premises.promise(self.player, table, bytes.fromhex(asked.digest)))
            case client_messages.Reveal():
                return _reason(await premises.reveal(self.player, table, bytes.fromhex(asked.entropy)))
            case _:
                assert_never(asked)

    async def _played(self, asked: client_messages.Ask, since: float) -> Reason | None:
        """What is asked of a table, unless the house is behind (G-24)."""
        hub = self._hub
        if isinstance(asked.command, OPEN_ROUND):
            late = hub.behind(since)
            no = HouseBusy(hub.waiting, late) if late > hub.bounds.late_asks + PATIENCE else None
        else:
            no = hub.busy(hub.bounds.late_asks, since)
        if no:
            return _reason(no)
        number = hub.unanswered.enter(since)
        try:
            doing = command(self.player, asked.command)
            return _refused(await hub.premises.ask(self.player, asked.table, doing, asked.key))
        finally:
            hub.unanswered.leave(number)

    def _end(self) -> int:
        """The last word to somebody whose session is over: why, and the code to close with."""
        premises = self._hub.premises
        end = notifications.ended(premises.staff, self.player, self.session, premises.house.now())
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
        return MALFORMED if self._faults >= self._hub.bounds.faults else 0


def _reason(refusal: Refusal | None) -> Reason | None:
    return Reason(**reason(refusal)) if refusal else None


def _refused(answer: Answer) -> Reason | None:
    return Reason(answer.refused, answer.detail, answer.numbers) if answer.refused else None


def _first(fault: ValidationError) -> str:
    """The first thing wrong with a frame, and its place; what was sent is not repeated."""
    one = fault.errors(include_url=False, include_context=False, include_input=False)[0]
    place = ".".join(str(part) for part in one["loc"][:6])
    return f"{place}: {one['msg']}"[:200]


def _id_of(text: str) -> str:
    """The id of a message that could not be taken, where it has one."""
    try:
        found = msgspec.json.decode(text.encode(), type=dict)
    except (ValueError, msgspec.MsgspecError, RecursionError):
        return ""
    id = found.get("id")
    return id if isinstance(id, str) and len(id) <= 64 and id.isascii() and id.isprintable() else ""
