"""Asks the owners of pits for whoever has a player: a door, a program. It knows them by what they announce.

Where nobody answers, or who answers is not the owner, the owners are asked for again and the ask is repeated under its
key, for up to five seconds; then the house is busy, and nothing is known to be done (G-24).
"""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress

import msgspec

from ventuno.house.pits.asks import Ask
from ventuno.house.pits.granting import RoomPending
from ventuno.house.pits.message_encoding import ASK, Malformed, decode_answer, encode_ask
from ventuno.house.pits.placement import PitNumber
from ventuno.house.tables.authority import Answer
from ventuno.web.doors.broker import Broker, Subjects
from ventuno.web.doors.pit_post import PitOwners
from ventuno.web.sockets.limits import HouseBusy

ASK_SECONDS = 5.0
"""How long one ask is repeated."""
TRY_SECONDS = 2.0
"""How long one owner has to answer: it may stand still, and another take its pits meanwhile."""
AGAIN_SECONDS = 0.05
_decode = msgspec.msgpack.Decoder(PitOwners).decode


class PitAsker:
    """One for a process; the broker's connection is opened and closed by who made it."""

    def __init__(self, broker: Broker, subjects: Subjects) -> None:
        self._broker, self._subjects = broker, subjects
        self.epochs: dict[PitNumber, int] = {}
        self._changed = asyncio.Event()
        broker.hear(subjects.moved, self._note_owners)

    async def ask(self, ask: Ask, seconds: float = ASK_SECONDS) -> Answer | HouseBusy:
        """The answer, the same however often it is asked; HouseBusy where none came."""
        began, message, last = time.monotonic(), encode_ask(ask), None
        while (left := began + seconds - time.monotonic()) > 0:
            answer = await self._try(ask.pit, message, min(left, TRY_SECONDS))
            if answer is not None and answer.refused != RoomPending.__name__:
                return answer
            last = answer
            if answer is None:
                self._broker.publish(self._subjects.who, b"")
            self._changed.clear()
            with suppress(TimeoutError):
                await asyncio.wait_for(self._changed.wait(), AGAIN_SECONDS)
        return last or HouseBusy(0, int((time.monotonic() - began) * 1000))

    async def _try(self, pit: PitNumber, message: bytes, seconds: float) -> Answer | None:
        """The answer of the owner that is known; None where there is none, or a newer one appears meanwhile."""
        epoch = self.epochs.get(pit)
        if epoch is None:
            return None
        request = asyncio.create_task(
            self._broker.request(self._subjects.name_pit(pit, epoch, ASK), message, seconds), name="ventuno-ask"
        )
        while not request.done() and self.epochs[pit] == epoch:
            self._changed.clear()
            changed = asyncio.create_task(self._changed.wait())
            await asyncio.wait({request, changed}, return_when=asyncio.FIRST_COMPLETED)
            changed.cancel()
        if not request.done():
            request.cancel()
            return None
        with suppress(Malformed):
            return decode_answer(data) if (data := request.result()) else None
        return None

    def _note_owners(self, _subject: str, message: bytes) -> None:
        """A later epoch is the owner; what an earlier one says is out of date."""
        with suppress(msgspec.MsgspecError):
            for pit, epoch in _decode(message).epochs.items():
                if epoch > self.epochs.get(pit, 0):
                    self.epochs[pit] = epoch
                    self._changed.set()
