"""Messages between pits, and asks to their owners, over a broker of NATS: what `house/pits/` calls its post.

Under the epoch in the subject nobody speaks to an owner of before. A message that makes no sense is dropped and
counted. Answers of asks are given only by an owner, once they are durable; an empty one says: ask again, not me.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Coroutine, Mapping
from typing import TYPE_CHECKING, Any

import msgspec

from ventuno.house.pits.message_encoding import (
    ASK,
    Malformed,
    decode_ask,
    decode_message,
    encode_answer,
    encode_message,
    name_kind,
)
from ventuno.house.pits.messages import Message
from ventuno.house.pits.pit_owner import NotOwner, PitOwner
from ventuno.house.pits.placement import PitNumber
from ventuno.web.doors.broker import Broker, Subjects

if TYPE_CHECKING:
    from nats.aio.msg import Msg

AGAIN = b""
"""The answer of who has the pit no more."""
_log = logging.getLogger(__name__)
_encode = msgspec.msgpack.Encoder().encode


class PitOwners(msgspec.Struct, array_like=True, frozen=True, tag="pits"):
    """The pits of a node with their epochs, told by itself: at each change, and twice a second."""

    node: str
    epochs: dict[int, int]


class PitPost:
    """Of one node; the broker's connection is opened and closed by who made it."""

    def __init__(self, broker: Broker, subjects: Subjects, node: str) -> None:
        self._broker, self._subjects, self._node = broker, subjects, node
        self.malformed = 0
        """Messages that were dropped: nobody of ours sends such."""
        self._owners: dict[PitNumber, int] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._connected_at = time.monotonic()
        broker.hear(subjects.who, lambda *_: self.announce(self._owners))

    @property
    def seconds_away(self) -> float:
        if self._broker.connected.is_set():
            self._connected_at = time.monotonic()
            return 0.0
        return time.monotonic() - self._connected_at

    def send(self, message: Message) -> None:
        subject = self._subjects.name_pit(message.receiver, message.receiver_epoch, name_kind(message.body))
        self._broker.publish(subject, encode_message(message))

    def open(self, owner: PitOwner) -> None:
        async def take(message: Msg) -> None:
            kind = message.subject.rpartition(".")[2]
            try:
                if kind == ASK:
                    self._start(self._answer(owner, decode_ask(message.data), message.reply))
                else:
                    owner.receive_soon(decode_message(kind, message.data))
            except Malformed as fault:
                self.malformed += 1
                _log.warning("a message to pit %d makes no sense: %s", owner.pit.number, fault)

        self._start(self._broker.listen(self._name(owner), take))

    def close(self, owner: PitOwner) -> None:
        self._start(self._broker.stop_listening(self._name(owner)))

    def announce(self, owners: Mapping[PitNumber, int]) -> None:
        self._owners = dict(owners)
        if owners:
            self._broker.publish(self._subjects.moved, _encode(PitOwners(self._node, self._owners)))

    def _name(self, owner: PitOwner) -> str:
        return self._subjects.name_pit(owner.pit.number, owner.pit.epoch, "*")

    async def _answer(self, owner: PitOwner, ask: Any, reply: str) -> None:
        try:
            answer = encode_answer(await owner.ask(ask))
        except NotOwner:
            answer = AGAIN
        if reply:
            self._broker.publish(reply, answer)

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
