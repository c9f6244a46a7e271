"""Paired runs: two houses, the same people doing the same at the same time, other cards where none is shown (H-1…H-9).

Whatever either house says to anybody, writes to its log or counts must be the same bytes at the same time, until an
event turns what is different. `Leak` says where it was not.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any, TypeVar

from tests.support.hidden_shoes import DUEL_HIDDEN, HIDDEN, Choice, Shoes, Watch
from tests.support.paired_houses import (
    BOXES,
    COUNTERS,
    NAMES,
    NOBODY,
    OWNER,
    PairedHouse,
    Scribe,
    Start,
    open_paired_house,
)
from tests.support.paired_players import Company
from tests.support.public_pages import open_public_pages
from tests.support.volume import scale
from ventuno.core.rules.sheet import DUEL

FELTS, BARE = 12, 0.06
"""Tables with bets on them that rounds begin from, and the share of rounds that begin from a bare one."""
STEPS = 60
READS = 0.2
"""How often somebody reads over HTTP between two steps; after the first, which deals, always."""
ENOUGH = scale(8000, 20)
"""Pairs in which a planted leak has to be found."""


class Leak(AssertionError):
    """Something was told that depends on what nobody may know yet."""


@dataclass
class Pairs(Company):
    """Two houses side by side."""

    mine: PairedHouse
    other: PairedHouse
    shoes: Shoes
    modes: tuple[str, ...]
    felts: list[tuple[Start, Start]] = field(default_factory=list)
    seen: Counter[str] = field(default_factory=Counter)
    scribe: Scribe = field(default_factory=Scribe)
    _at: tuple[int, int] = (0, 0)
    _blind: tuple[str, ...] = ()
    """Whose own affair the difference is: he is not compared."""

    async def pair(self, seed: int, mode: str = "") -> None:
        """One round in both houses, up to the reveal or to its end."""
        rng = Random(seed)
        kind = mode or rng.choice(self.modes)
        bare = kind in ("chips", "balance") or rng.random() < BARE
        mine, other = self.felts[0] if bare else rng.choice(self.felts[1:])
        table = mine.room.table
        boxes = len({box for slip in table.slips.values() for box, _ in slip.totals() if box})
        if bare:
            boxes = rng.randrange(1, len(BOXES[OWNER]) + 2)
        assert table.shoe is not None
        cards = self.shoes.pair(kind, boxes, table.shoe.position, rng)
        draws = rng.randrange(10**6)
        self._blind, self._at = (), (0, 0)
        for one, start, shoe in ((self.mine, mine, cards[0]), (self.other, other, cards[1])):
            one.reveal = Watch(table.sheet, *cards, table.shoe.position, kind == "draws")
            self.scribe.twin = one
            await one.restore(start, shoe, draws + (kind == "draws" and one is self.other))
        self.compare(kind, seed)
        if bare:
            await self.bet(rng, boxes, kind)
        self.compare(kind, seed)
        for number in range(STEPS):
            if self.over or not await self.step(rng, kind):
                break
            self.compare(kind, seed)
            if number == 0 or rng.random() < READS:
                await self.read(rng.choice((*NAMES, NOBODY)), rng.choice(self.paths))
                self.compare(kind, seed)
        self.compare(kind, seed)
        self.seen[kind] += 1
        self.seen["revealed" if self.over else "never revealed"] += 1

    @property
    def over(self) -> bool:
        return any(one.reveal is not None and one.reveal.revealed for one in (self.mine, self.other))

    def compare(self, kind: str, seed: int) -> None:
        """All that both houses have told since the last time."""
        told = [[one for one in side.public()[at:] if one.to not in self._blind] for side, at in self.sides()]
        if told[0] != told[1]:
            first = next(at for at in range(len(told[0]) + 1) if told[0][at : at + 1] != told[1][at : at + 1])
            place = [one[first] if first < len(one) else None for one in told]
            raise Leak(f"{self.mine.sheet.game.id} {kind} {seed}: {place[0]} is not {place[1]}")
        if len({side.reveal is not None and side.reveal.revealed for side, _ in self.sides()}) > 1:
            raise Leak(f"{self.mine.sheet.game.id} {kind} {seed}: one house has turned what the other has not")
        self._at = len(self.mine.public()), len(self.other.public())

    @property
    def paths(self) -> tuple[str, ...]:
        assert self.mine.public_pages is not None
        return self.mine.public_pages.paths

    def sides(self) -> Iterator[tuple[PairedHouse, int]]:
        return zip((self.mine, self.other), self._at, strict=True)

    async def both(self, name: str, kind: str, *others: dict[str, Any], **fields: Any) -> None:
        """The same message in both houses; `others` are what differs between them."""
        for place, side in enumerate((self.mine, self.other)):
            self.scribe.twin = side
            await side.say(name, kind, **fields, **(others[place] if others else {}))

    async def ask(self, name: str, *others: dict[str, Any] | None, **command: Any) -> None:
        for place, side in enumerate((self.mine, self.other)):
            self.scribe.twin = side
            more = others[place] if others else {}
            if more is None:
                side.skip()
            else:
                await side.ask(name, **command, **more)

    async def read(self, name: str, path: str) -> None:
        """Somebody asks over HTTP, while there is anything to hide."""
        self.seen["read"] += not self.over
        for side in () if self.over else (self.mine, self.other):
            self.scribe.twin = side
            await side.read(name, path)

    async def wait(self, milliseconds: int) -> None:
        for side in (self.mine, self.other) if milliseconds > 0 else ():
            self.scribe.twin = side
            await side.wait(milliseconds)

    def secret(self, kind: str, name: str, box: int = 0) -> None:
        """From now on the houses differ in what this player has chosen for himself."""
        self._blind = (name, COUNTERS)
        for side in (self.mine, self.other):
            side.reveal = Choice(kind, box)


def modes_of(one: PairedHouse) -> tuple[str, ...]:
    """What is hidden in a game, from whom: cards three times as often as choices."""
    sheet = one.sheet
    if sheet.game.family == DUEL:
        return (*DUEL_HIDDEN * 2, "chips", "balance")
    cards = (*HIDDEN * 3, *(("draws",) * 3 if sheet.bonus.wheel else ()))
    return (*cards, "insurance", "chips", "balance", *(("early", "early", "follow") if sheet.options.behind else ()))


async def found(pairs: Pairs, mode: str) -> bool:
    """Whether so many pairs find a difference."""
    for seed in range(ENOUGH):
        try:
            await pairs.pair(seed, mode)
        except Leak:
            return True
    return False


Kind = TypeVar("Kind", bound=Pairs)


@asynccontextmanager
async def paired(folder: Path, game: str, kind: type[Kind]) -> AsyncIterator[Kind]:
    """Two houses whose shoes were never the same, with bets on the table; betting itself is the first pair."""
    for name in ("mine", "other"):
        (folder / name).mkdir()
    async with (
        open_paired_house(folder / "mine", game, 1) as mine,
        open_paired_house(folder / "other", game, 2) as other,
        open_public_pages(mine.house, mine.players) as mine.public_pages,
        open_public_pages(other.house, other.players) as other.public_pages,
    ):
        pairs = kind(mine, other, Shoes(mine.sheet), modes_of(mine))
        with heard(pairs.scribe):
            pairs.compare("furnishing", 0)
            pairs.felts.append((mine.save(), other.save()))
            for seed in range(1, FELTS):
                rng = Random(seed)
                for side, start in zip((mine, other), pairs.felts[0], strict=True):
                    await side.restore(start, None, 0)
                pairs._at = 0, 0
                await pairs.bet(rng, rng.randrange(1, 4))
                pairs.compare("betting", seed)
                pairs.felts.append((mine.save(), other.save()))
            yield pairs


@contextmanager
def heard(scribe: Scribe) -> Iterator[None]:
    log = logging.getLogger("ventuno")
    level = log.level
    log.addHandler(scribe)
    log.setLevel(logging.DEBUG)
    try:
        yield
    finally:
        log.removeHandler(scribe)
        log.setLevel(level)
