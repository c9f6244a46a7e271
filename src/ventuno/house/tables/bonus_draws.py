"""Fills the spins that players ask with their outcome: from the seed that was sealed with the shoe, or, where nothing
was sealed, from fresh entropy (L-23…L-28). A scanned card gets its salt here (X-27).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from ventuno.core.messages.commands import Command, ScanCard, SpinBoard, SpinWheel
from ventuno.core.rules.cards import text
from ventuno.core.table import legal
from ventuno.core.table.round import BonusGame
from ventuno.house.shoes import scans
from ventuno.house.shoes.draws import draw_spin, draw_wheel
from ventuno.house.shoes.drbg import HmacDrbg
from ventuno.house.shoes.entropy import EntropySource
from ventuno.house.shoes.shuffle import Stream
from ventuno.house.tables.authority import LiveTable
from ventuno.house.tables.live_proofs import LiveProofs

SALT = 16
"""Bytes of the salt of a face-down card."""
Below = Callable[[int], int]
"""An unbiased whole number from 0 up to, but not including, the one given."""


def commit_card(command: ScanCard, salt: bytes) -> ScanCard:
    """A scan with the commitment to its card: the rules keep salt and commitment where it lies face down (X-27)."""
    return replace(command, salt=salt.hex(), commitment=scans.commit(salt.hex(), text(command.card)))


class BonusDraws:
    """Fills a spin with its outcome; what was drawn is written with the spin and never drawn again (R-04, R-23)."""

    def __init__(self, below: Below) -> None:
        self._below = below

    def fill(self, live: LiveTable, command: SpinWheel | SpinBoard | ScanCard) -> Command:
        if isinstance(command, ScanCard):
            return commit_card(command, self._below(1 << 8 * SALT).to_bytes(SALT))
        rules, bonus = live.table.sheet.bonus, _find_bonus(live)
        if bonus is None or not rules.wheel:
            return command
        if isinstance(command, SpinWheel):
            return replace(command, **draw_wheel(rules, self._below)._asdict())
        return replace(command, **draw_spin(rules, bonus.board, self._below)._asdict()) if bonus.board else command


@dataclass(frozen=True, slots=True)
class SealedDraws:
    """Outcomes of the Link bonus from the sealed seed of the shoe in play; the same however often they are asked.

    Practice tables and shoes of before draws were sealed have no such seed: there each spin has a generator of its own
    on fresh entropy (R-21).
    """

    proofs: LiveProofs
    source: EntropySource

    def fill(self, live: LiveTable, command: SpinWheel | SpinBoard | ScanCard) -> Command:
        if isinstance(command, ScanCard):
            return commit_card(command, self.source.draw(SALT))
        stream = None if live.practice else self.proofs.make_draw_stream(live.table.id, type(command) is SpinWheel)
        if stream is None:
            name = f"ventuno/draws/1/{live.table.id}/{live.version}".encode()
            stream = Stream(HmacDrbg.fresh(self.source, name))
        return BonusDraws(stream.below).fill(live, command)


def _find_bonus(live: LiveTable) -> BonusGame | None:
    now = legal.turn(live.table.round) if live.table.round else None
    return now[0].bonus if now and now[1] < 0 else None
