"""The Link bonus: outcomes in, prizes out (L-21…L-30). Prizes are multiples of the LINK bet, to one."""

from __future__ import annotations

from collections.abc import Mapping

from ventuno.core.messages.refusals import BonusImpossible
from ventuno.core.rules.sheet import Bonus
from ventuno.core.table.round import BonusBoard, BonusGame


def check_wheel(rules: Bonus, segment: str, boxes: tuple[str, ...], start: Mapping[int, int]) -> BonusImpossible | None:
    """Why the wheel cannot have drawn this."""
    if segment not in rules.wheel:
        return BonusImpossible("no-segment", segment, ", ".join(rules.wheel))
    board = rules.boards.get(segment)
    if board is None:
        return BonusImpossible("segment-without-board", segment) if boxes or start else None
    if len(boxes) != board.cells // rules.box_cells or any(name not in rules.boxes for name in boxes):
        return BonusImpossible("boxes-needed", "", ", ".join(rules.boxes), board.cells // rules.box_cells)
    if len(start) != board.start or not all(0 <= cell < board.cells for cell in start):
        return BonusImpossible("start-needed", count=board.start, most=board.cells - 1)
    if any(str(value) not in rules.start for value in start.values()):
        return BonusImpossible("start-values", "", ", ".join(rules.start))
    return None


def spin_wheel(rules: Bonus, segment: str, boxes: tuple[str, ...], start: Mapping[int, int]) -> BonusGame:
    """The bonus after the wheel has stopped: a cash prize is final, a board waits for its spins."""
    if segment not in rules.boards:
        return BonusGame(segment, prize=int(segment[1:]))
    cells = tuple([start.get(cell, 0) for cell in range(rules.boards[segment].cells)])
    return BonusGame(segment, BonusBoard(boxes, cells, rules.spins))


def board_after(rules: Bonus, board: BonusBoard, locks: Mapping[int, int]) -> BonusBoard:
    """One spin taken off; a new prize locks its cell and gives all spins back (L-27)."""
    cells = tuple([locks.get(cell, value) for cell, value in enumerate(board.cells)])
    return BonusBoard(board.boxes, cells, rules.spins if locks else board.spins - 1)


def is_over(board: BonusBoard) -> bool:
    """No spins left, or a full board (L-28, reading 29)."""
    return board.spins == 0 or all(board.cells)


def diamonds_due(rules: Bonus, board: BonusBoard) -> int:
    """How many full boxes lie over a diamond once the board is over."""
    if not is_over(board):
        return 0
    return sum(1 for name, prizes in _boxes(rules, board) if name == "diamond" and all(prizes))


def check_spin(
    rules: Bonus, bonus: BonusGame, locks: Mapping[int, int], diamonds: tuple[str, ...]
) -> BonusImpossible | None:
    """Why the board cannot have drawn this."""
    if bonus.board is None:
        return BonusImpossible("wheel-first" if not bonus.segment else "no-board")
    for cell, value in locks.items():
        if not 0 <= cell < len(bonus.board.cells) or bonus.board.cells[cell]:
            return BonusImpossible("cell-taken", str(cell))
        if str(value) not in rules.cell:
            return BonusImpossible("cell-values", str(value), ", ".join(rules.cell))
    due = diamonds_due(rules, board_after(rules, bonus.board, locks))
    if len(diamonds) != due or any(name not in rules.prizes for name in diamonds):
        return BonusImpossible("diamonds-due", "", ", ".join(rules.prizes), due)
    return None


def spin_board(rules: Bonus, bonus: BonusGame, locks: Mapping[int, int], diamonds: tuple[str, ...]) -> BonusGame:
    if bonus.board is None:
        raise ValueError("a board is spun only where the wheel opened one")
    board = board_after(rules, bonus.board, locks)
    return BonusGame(bonus.segment, board, diamonds, prize(rules, board, diamonds) if is_over(board) else None)


def prize(rules: Bonus, board: BonusBoard, diamonds: tuple[str, ...]) -> int:
    """A full box multiplies its prizes, or adds one of the four great ones over a diamond (L-28)."""
    total, waiting = 0, list(diamonds)
    for name, prizes in _boxes(rules, board):
        full = all(prizes)
        if full and name == "diamond":
            total += sum(prizes) + rules.prizes[waiting.pop(0)]
        else:
            total += sum(prizes) * (int(name[1:]) if full else 1)
    return total


def _boxes(rules: Bonus, board: BonusBoard) -> list[tuple[str, tuple[int, ...]]]:
    size = rules.box_cells
    return [(name, board.cells[k * size : (k + 1) * size]) for k, name in enumerate(board.boxes)]
