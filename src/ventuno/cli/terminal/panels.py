"""Panels beside the felt: the receipt of a round, the pay table, the bonus wheel and board, the help."""

from __future__ import annotations

from collections.abc import Iterator

from rich.box import ROUNDED, SIMPLE_HEAD
from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.table import Table as Grid
from rich.text import Text

from ventuno.cli.terminal.dealer import PLAYER
from ventuno.cli.terminal.event_text import bonus_stake, segment
from ventuno.cli.terminal.prompt import SHORT
from ventuno.cli.terminal.screen import BRASS, IVORY, LOSS, QUIET, WIN, Screen
from ventuno.cli.terminal.voice import Voice
from ventuno.core.rules.money import Cents
from ventuno.core.rules.sheet import Sheet
from ventuno.core.table.round import BonusBoard, Box, Line
from ventuno.core.table.state import Table

_ROWS = 3


def receipt(voice: Voice, lines: tuple[Line, ...], balance: Cents) -> RenderableType:
    """Each bet of the round: stake, what came back, how, and by which criterion (X-05)."""
    grid = Grid(box=SIMPLE_HEAD, border_style=QUIET, header_style=QUIET, pad_edge=False)
    for name, justify in (("place", "left"), ("bet", "left"), ("stake", "right"), ("returned", "right")):
        grid.add_column(voice(name), justify="right" if justify == "right" else "left", no_wrap=True)
    grid.add_column(voice("arithmetic"))
    grid.add_column(voice("criterion"), no_wrap=True)
    for line in lines:
        place = str(line.box) if line.box else voice("table")
        style = WIN if line.returned > line.stake else LOSS if line.returned < line.stake else IVORY
        sums = line.arithmetic.replace(" x ", " × ")
        back = Text(voice.money(line.returned), style)
        grid.add_row(place, voice.name("bet", line.bet), voice.money(line.stake), back, sums, line.criterion)
    net = sum(line.returned - line.stake for line in lines if line.player == PLAYER)
    style = WIN if net > 0 else LOSS if net < 0 else IVORY
    text = voice("net", net=net, balance=balance)
    return Group(grid, Text(text, f"bold {style}"))


def pays(screen: Screen, sheet: Sheet) -> RenderableType:
    """What each side bet pays, in the notation of the sheet (V-95)."""
    voice = screen.voice
    grid = Grid(box=SIMPLE_HEAD, border_style=QUIET, header_style=QUIET, pad_edge=False)
    grid.add_column(voice("bet"))
    grid.add_column(voice("pays"))
    for bet, side in sheet.sides.items():
        table = [f"{voice.name('won', name)} {screen.odds(sheet, odds)}" for name, odds in side.pays.items()]
        if side.kind == "bonus":
            table = [segment(name) for name in sheet.bonus.wheel]
            table += [f"{name} ×{prize}" for name, prize in sheet.bonus.prizes.items()]
        grid.add_row(f"{voice.name('bet', bet)} ({SHORT.get(bet, bet)})", " · ".join(table))
    return Group(Text(screen.motto(sheet), IVORY), grid)


def manual(voice: Voice, sheet: Sheet) -> RenderableType:
    """The commands, with the side bets that this sheet has."""
    shorts = [SHORT.get(bet, bet) for bet, side in sheet.sides.items() if side.kind != "dealer-pair"]
    names = [f"{SHORT.get(bet, bet)} {voice.name('bet', bet)}" for bet in sheet.sides]
    grid = Grid.grid(padding=(0, 3))
    for typed, meaning in voice.list_help(side=shorts[0] if shorts else "pp", sides=", ".join(names)):
        grid.add_row(Text(typed, BRASS), Text(meaning, IVORY))
    return Panel(grid, box=ROUNDED, border_style=QUIET)


def bonus(voice: Voice, table: Table, box: Box) -> RenderableType:
    """The wheel before it turns, or the board with its locked prizes (L-23, L-24)."""
    rules = table.sheet.bonus
    title = Text(voice("bonus", box=box.number, stake=bonus_stake(table, box)), f"bold {BRASS}")
    board = box.bonus.board if box.bonus else None
    if board is None:
        wheel = Text("   ").join([Text(segment(name), f"bold {IVORY}") for name in rules.wheel])
        return Panel.fit(wheel, title=title, border_style=BRASS, padding=(1, 2))
    great = " · ".join(f"{name} ×{prize}" for name, prize in sorted(rules.prizes.items(), key=lambda entry: -entry[1]))
    cells = Grid(box=ROUNDED, show_header=False, border_style=QUIET, show_lines=True, padding=(0, 0))
    for line in _lines(board, rules.box_cells):
        cells.add_row(
            *[Text(f"×{value}" if value else "·", BRASS if value else QUIET, justify="center") for value in line]
        )
    for column in cells.columns:
        column.min_width, column.justify = 4, "center"
    wide = max(rules.box_cells // _ROWS, 1) * 5 - 1
    below = Text(" ")
    for name in board.boxes:
        word = voice("diamond") if name == "diamond" else segment(name)
        below.append(f"{word:^{wide}}", f"bold {IVORY}").append(" ")
    return Panel.fit(Group(Text(great, WIN), cells, below), title=title, border_style=BRASS)


def _lines(board: BonusBoard, size: int) -> Iterator[list[int]]:
    """The rows of a board whose boxes stand side by side, each filled column by column."""
    rows = _ROWS if size % _ROWS == 0 else 1
    for line in range(rows):
        yield [board.cells[start + line] for start in range(0, len(board.cells), rows)]
