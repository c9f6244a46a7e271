"""The draws of the Link bonus, by the sheet's weights, from whatever unbiased source is given (L-23…L-28)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from ventuno.core.games import link
from ventuno.core.messages.commands import Command, SpinBoard, SpinWheel
from ventuno.core.rules.sheet import Bonus
from ventuno.core.table import legal
from ventuno.core.table.round import BonusGame
from ventuno.house.shoes.drbg import HmacDrbg
from ventuno.house.shoes.entropy import EntropySource
from ventuno.house.shoes.shuffle import Stream
from ventuno.house.tables.authority import LiveTable

Below = Callable[[int], int]
"""An unbiased whole number from 0 up to, but not including, the one given."""


class BonusDraws:
    """Fills a spin with its outcome; what was drawn is written with the spin and never drawn again (R-04, R-23)."""

    def __init__(self, below: Below) -> None:
        self._below = below

    def fill(self, live: LiveTable, command: SpinWheel | SpinBoard) -> Command:
        rules, bonus = live.table.sheet.bonus, _find_bonus(live)
        if bonus is None or not rules.wheel:
            return command
        if isinstance(command, SpinWheel):
            segment = self._pick(rules.wheel)
            board = rules.boards.get(segment)
            if board is None:
                return replace(command, segment=segment, boxes=(), start={})
            boxes = tuple(self._pick(rules.boxes) for _ in range(board.cells // rules.box_cells))
            cells = self._cells(board.cells, board.start)
            return replace(
                command, segment=segment, boxes=boxes, start={cell: int(self._pick(rules.start)) for cell in cells}
            )
        return self._spin_board(rules, bonus, command)

    def _spin_board(self, rules: Bonus, bonus: BonusGame, command: SpinBoard) -> SpinBoard:
        if bonus.board is None:
            return command
        shown = {cell: self._pick(rules.cell) for cell, locked in enumerate(bonus.board.cells) if not locked}
        locks = {cell: int(prize) for cell, prize in shown.items() if prize != "nothing"}
        due = link.diamonds_due(rules, link.board_after(rules, bonus.board, locks))
        return replace(command, locks=locks, diamonds=tuple(self._pick(rules.diamonds) for _ in range(due)))

    def _pick(self, weights: Mapping[str, int]) -> str:
        place = self._below(sum(weights.values()))
        for name, weight in weights.items():
            if place < weight:
                return name
            place -= weight
        raise AssertionError("a weight was skipped")

    def _cells(self, count: int, wanted: int) -> list[int]:
        """Distinct cells: the first of a shuffle that goes only so far."""
        cells = list(range(count))
        for place in range(wanted):
            other = place + self._below(count - place)
            cells[place], cells[other] = cells[other], cells[place]
        return sorted(cells[:wanted])


@dataclass(frozen=True, slots=True)
class FreshDraws:
    """Outcomes of the Link bonus: each spin from a generator of its own on fresh entropy, as every shoe (R-21)."""

    source: EntropySource

    def fill(self, live: LiveTable, command: SpinWheel | SpinBoard) -> Command:
        name = f"ventuno/draws/1/{live.table.id}/{live.version}".encode()
        return BonusDraws(Stream(HmacDrbg.fresh(self.source, name)).below).fill(live, command)


def _find_bonus(live: LiveTable) -> BonusGame | None:
    now = legal.turn(live.table.round) if live.table.round else None
    return now[0].bonus if now and now[1] < 0 else None
