"""A node among several that decide at once: it owns its share of the pits, and moves them as nodes come and go (T-7).

Leases are the keeper's, each pit has an owner of its own, and one post carries messages to pits of other nodes. What
runs by itself for all pits of the node is here: clocks, what has to be said again, newer owners of other pits.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol

from ventuno.core.rules.sheet import Sheet
from ventuno.house.pits.asks import Ask
from ventuno.house.pits.messages import Message
from ventuno.house.pits.pit import Pit
from ventuno.house.pits.pit_books import read_books
from ventuno.house.pits.pit_keeper import PitKeeper, PitTenure
from ventuno.house.pits.pit_owner import NotOwner, PitOwner, end_owner
from ventuno.house.pits.pit_shoes import Seals
from ventuno.house.pits.placement import PITS, PitNumber
from ventuno.house.store.clock import Clock, RealClock
from ventuno.house.tables.authority import Answer

TEND_SECONDS = 0.05
"""Between two looks at clocks."""
REMIND_SECONDS = 0.5
"""After which all that was not answered is said again."""
UNHEARD = 2.0
"""Seconds without a broker after which a node hands over its pits: another may reach one."""
_log = logging.getLogger(__name__)


class Post(Protocol):
    """Carries what pits say to each other, and asks to their owners; whatever it is given may be lost (T-1)."""

    @property
    def seconds_away(self) -> float:
        """For how long nothing could be carried."""

    def send(self, message: Message) -> None: ...

    def open(self, owner: PitOwner) -> None:
        """From now on this owner hears what is said to its pit under its epoch."""

    def close(self, owner: PitOwner) -> None: ...

    def announce(self, owners: Mapping[PitNumber, int]) -> None:
        """Tell who asks which pits are here, and under which epochs."""


@dataclass(frozen=True, slots=True)
class Game:
    """What every pit plays with."""

    sheets: Mapping[str, Sheet]
    seals: Seals


class PitNode:
    """Run it with `run`, which returns after `stop`."""

    def __init__(
        self,
        url: str,
        node: str,
        key: bytes,
        version: str,
        post: Post,
        game: Game,
        *,
        pits: Iterable[PitNumber] = range(PITS),
        unsafe: bool = False,
        clock: Clock | None = None,
    ) -> None:
        self.node, self._post, self._game, self._clock = node, post, game, clock or RealClock()
        self.owners: dict[PitNumber, PitOwner] = {}
        self.keeper = PitKeeper(
            url, node, key, version, self._hold, pits=pits, unsafe=unsafe, clock=self._clock.now, is_fit=self._is_heard
        )
        self.keeper.looked = self._note_epochs
        self._epochs: dict[PitNumber, int] = {}
        self.opened: Callable[[PitOwner], None] = lambda _owner: None
        """Called with each pit that this node begins to decide."""

    async def run(self) -> None:
        parts = [asyncio.create_task(part(), name="ventuno-pit-node") for part in (self._tend, self._remind)]
        try:
            await self.keeper.run()
        finally:
            for part in parts:
                part.cancel()
            await asyncio.gather(*parts, return_exceptions=True)

    def stop(self) -> None:
        """Take no more pits, and hand over those that are here."""
        self.keeper.stop()

    async def ask(self, ask: Ask) -> Answer:
        """NotOwner where the pit is not this node's."""
        owner = self.owners.get(ask.pit)
        if owner is None:
            raise NotOwner
        return await owner.ask(ask)

    def _is_heard(self) -> bool:
        return self._post.seconds_away == 0.0

    async def _hold(self, tenure: PitTenure) -> None:
        """Own a pit until it is handed over or lost."""
        read = await read_books(tenure.readers, tenure.pit, self._clock.now())
        if tenure.is_lost:
            return
        tenure.commits.begin(tenure.unit, tenure.epoch, read.place)
        pit = Pit(tenure.pit, tenure.epochs, self._game.seals, self._game.sheets)
        pit.recover(read.books)
        owner = PitOwner(tenure, pit, read, self._clock, self._send, self._game.seals.source)
        self.owners[tenure.pit] = owner
        try:
            owner.begin()
            owner.note_epochs(self._epochs)  # other pits may have been taken while the books were read
            self._post.open(owner)
            self._announce()
            self.opened(owner)
            await tenure.ending.wait()
            self._post.close(owner)
            await end_owner(owner)
        finally:
            self._post.close(owner)
            del self.owners[tenure.pit]
            await owner.drop()

    def _send(self, message: Message) -> None:
        """To a pit of this node at once, in its own turn of the loop; else by the post."""
        owner = self.owners.get(message.receiver)
        if owner and owner.pit.epoch == message.receiver_epoch:
            owner.receive_soon(message)
        else:
            self._post.send(message)

    def _announce(self) -> None:
        self._post.announce({pit: owner.pit.epoch for pit, owner in self.owners.items() if not owner.is_closing})

    def _note_epochs(self) -> None:
        """After each look: what is new there is told to all pits here."""
        before, self._epochs = self._epochs, self.keeper.epochs
        if newer := {pit: epoch for pit, epoch in self._epochs.items() if epoch > before.get(pit, 0)}:
            for owner in [*self.owners.values()]:
                owner.note_epochs(newer)

    async def _tend(self) -> None:
        while True:
            await asyncio.sleep(TEND_SECONDS)
            for owner in [*self.owners.values()]:
                owner.tend_tables()

    async def _remind(self) -> None:
        while True:
            await asyncio.sleep(REMIND_SECONDS)
            for owner in [*self.owners.values()]:
                owner.remind()
            self._announce()
            if self._post.seconds_away > UNHEARD and self.owners:
                _log.warning("no broker answers: %d pits are handed over", len(self.owners))
                for owner in self.owners.values():
                    owner.tenure.is_left = True
                    owner.tenure.ending.set()
