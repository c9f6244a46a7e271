"""The felt in a terminal: dealer above, boxes below with the first one right-most, balance and limits underneath.

Beside it the receipt of a round, the pay table, the bonus wheel and board, the help.

Only what lies face up is read here; of face-down cards no more than their number.
"""

from __future__ import annotations

from collections.abc import Iterator

from rich.align import Align
from rich.box import ROUNDED, SIMPLE_HEAD
from rich.console import Console, Group, RenderableType
from rich.measure import Measurement
from rich.panel import Panel
from rich.rule import Rule
from rich.table import Table as Grid
from rich.text import Text

from ventuno.cli.terminal import card_art
from ventuno.cli.terminal.dealer import PLAYER
from ventuno.cli.terminal.event_text import bonus_stake, segment
from ventuno.cli.terminal.prompt import SHORT
from ventuno.cli.terminal.voice import Voice
from ventuno.core.games import insurance, settlement, side_bets
from ventuno.core.games.engines import engine
from ventuno.core.rules import hand
from ventuno.core.rules.money import TO_ONE, Cents, Odds
from ventuno.core.rules.sheet import DUEL, Looks, Sheet
from ventuno.core.table import legal
from ventuno.core.table.round import OPEN, BonusBoard, Box, Hand, Line, Round, Stage, Status
from ventuno.core.table.state import NO_SLIP, Phase, Table

BRASS, IVORY, QUIET, WIN, LOSS = "#c8a45d", "default", "#8f9a8c", "#5fb884", "#d0776a"
"""Ivory is the terminal's own ink, so that light backgrounds serve as well."""
_ROWS = 3
_BOXED = 6
"""So many cards are drawn as boxes; a longer hand is written on one line."""


class Screen:
    """Draws a table for its one player."""

    def __init__(self, console: Console, voice: Voice, note: str = "") -> None:
        self.console, self.voice, self.note = console, voice, note

    def felt(self, table: Table, *, last: bool = False) -> RenderableType:
        """The whole table; with `last` the finished round still lies there while betting is open again."""
        play = table.round if table.round and (last or table.phase is Phase.ROUND) else None
        title = Text(f" {table.sheet.game.name} ", f"bold {BRASS}")
        parts: list[RenderableType] = [Rule(title, style=BRASS, align="center")]
        under = [self.voice("round", code=play.code)] if play else []
        under += [self.note] if self.note else []
        if under:
            parts.append(Align.center(Text(" · ".join(under), QUIET)))
        if play:
            parts += self._dealer(table, play)
        parts.append(Align.center(Text(self.motto(table.sheet), f"italic {QUIET}")))
        panels = [self._box(table, play, box) for box in play.boxes] if play else self._spots(table)
        parts += self._rows(panels)
        if play and play.table_bets:
            bets = [f"{self._bet(bet, table.sheet)} {self._money(stake)}" for _, bet, stake in play.table_bets]
            parts.append(Align.center(Text(" · ".join(bets), IVORY)))
        parts.append(self._purse(table))
        if table.phase is Phase.BETTING:
            parts.append(self._limits(table))
        return Group(*parts)

    def motto(self, sheet: Sheet) -> str:
        """What is lettered on the felt, from the sheet."""
        say = self.voice
        if sheet.game.family == DUEL:
            rules = sheet.duel
            return " · ".join([say("felt-qualify", points=rules.qualify), say("felt-draw", points=rules.draw_to)])
        words = [say("felt-blackjack", odds=self.odds(sheet, sheet.blackjack.pays))]
        if sheet.insurance.offered:
            words.append(say("felt-insurance", odds=self.odds(sheet, sheet.insurance.pays)))
        words.append(say("felt-stand" if sheet.dealer.soft_17 == "stand" else "felt-hit"))
        if sheet.charlie:
            words.append(say("felt-charlie", count=sheet.charlie))
        return " · ".join(words)

    def odds(self, sheet: Sheet, pays: Odds) -> str:
        """In the notation that the sheet shows (S-27, V-19)."""
        if sheet.stakes.shown_as == TO_ONE and pays.notation == TO_ONE:
            return self.voice("to-one", up=pays.up, down=pays.down)
        total = f"{float(pays.total):g}"
        return self.voice("in-all", total=total.replace(".", ",") if self.voice.language == "it" else total)

    def _dealer(self, table: Table, play: Round) -> list[RenderableType]:
        """The dealer's open cards and as many backs as lie beside them; the community cards of a duel between."""
        backs = len(play.hidden)
        label = Text(self.voice("dealer"), f"bold {IVORY}")
        if play.dealer:
            label.append(f"  {hand.format_total(play.dealer, resolved=not backs)}", f"bold {BRASS}")
        parts: list[RenderableType] = [Align.center(label)]
        if play.dealer or backs:
            parts.append(Align.center(card_art.row(play.dealer, backs)))
        if play.community and table.sheet.game.family == DUEL:
            grid = Grid.grid(padding=(0, 2))
            for _ in play.community:
                grid.add_column(justify="center")
            grid.add_row(*[card_art.row((card,)) for card in play.community])
            grid.add_row(*[Text(self.voice(side), QUIET) for side in ("left", "right")])
            parts.append(Align.center(grid))
        return parts

    def _box(self, table: Table, play: Round, box: Box) -> Panel:
        turn = legal.turn(play) if table.phase is Phase.ROUND else None
        if play.stage is Stage.INSURANCE:
            is_asked = next((waiting_box.number for _, waiting_box in insurance.waiting(play)), 0) == box.number
        else:
            is_asked = bool(turn and turn[0].number == box.number)
        grid = Grid.grid(padding=(0, 2))
        grid.add_row(
            *[
                self._hand(
                    table, play, box, index, active=is_asked and len(box.hands) > 1 and bool(turn and turn[1] == index)
                )
                for index in range(len(box.hands))
            ]
        )
        notes = [self._side(table, play, box, bet, stake) for bet, stake in box.sides]
        if box.insurance:
            notes.append(Text(f"{self._bet('insurance')} {self._money(box.insurance)}", IVORY))
        if box.even_money:
            notes.append(Text(self.voice.name("end", "even-money"), WIN))
        if box.early:
            notes.append(Text(self.voice("early", action=box.early), BRASS))
        mark = "▸ " if is_asked else ""
        title = Text(f"{mark}{self.voice('box', box=box.number)}", f"bold {BRASS}" if is_asked else IVORY)
        return Panel.fit(Group(grid, *notes), title=title, box=ROUNDED, border_style=BRASS if is_asked else QUIET)

    def _hand(self, table: Table, play: Round, box: Box, index: int, *, active: bool) -> RenderableType:
        player_hand = box.hands[index]
        backs = 1 if box.hidden is not None and player_hand.status in OPEN else 0
        cards = (
            card_art.row(player_hand.cards, backs)
            if len(player_hand.cards) <= _BOXED
            else card_art.plain(player_hand.cards, backs)
        )
        total = Text("▸ " if active else "", BRASS)
        total.append(hand.format_total(player_hand.cards, resolved=player_hand.status not in OPEN), f"bold {IVORY}")
        word, style = self._ending(table, play, box, index)
        if word:
            total.append(f" {word}", style)
        stake = (
            f"{self._money(player_hand.stake)} + {self._money(player_hand.added)}"
            if player_hand.added
            else self._money(player_hand.stake)
        )
        return Group(cards, total, Text(stake, QUIET))

    def _ending(self, table: Table, play: Round, box: Box, index: int) -> tuple[str, str]:
        player_hand = box.hands[index]
        if play.stage is not Stage.DONE:
            calm = player_hand.status in (*OPEN, Status.STOOD)
            return (
                ("", QUIET)
                if calm
                else (
                    self.voice.name("end", player_hand.status, total="").strip(),
                    LOSS if _is_lost(player_hand) else WIN,
                )
            )
        outcome = engine(table.sheet).result(table.sheet, play, box, index).outcome
        back = sum(
            line.returned - line.stake for line in play.lines if (line.box, line.hand) == (box.number, index + 1)
        )
        return self._end(outcome), WIN if back > 0 else LOSS if back < 0 else BRASS

    def _end(self, word: str) -> str:
        """How a hand ended; its total stands before the word already."""
        return self.voice.name("end", word, total="").strip()

    def _side(self, table: Table, play: Round, box: Box, bet: str, stake: Cents) -> Text:
        """A side bet, and what it has won once its cards lie open (reading 4)."""
        text = Text(f"{self._bet(bet, table.sheet)} {self._money(stake)}", IVORY)
        won = find_side_win(table.sheet, play, box, bet)
        if won:
            name = self.voice.name("won", table.sheet.looks.name(won[0]))
            text.append(f" {name} {self._money(won[1].pay(stake))}", WIN)
        if box.bonus and box.bonus.prize is not None and table.sheet.sides[bet].kind == "bonus":
            text.append(f" ×{box.bonus.prize}", WIN)
        return text

    def _spots(self, table: Table) -> list[Panel]:
        """The boxes while bets are taken."""
        totals = table.slips.get(PLAYER, NO_SLIP).totals()
        panels = []
        for number in range(1, len(table.seats) + 1):
            bets = [(bet, stake) for (box, bet), stake in totals.items() if box == number]
            lines = [
                Text(f"{self._bet(bet, table.sheet)} {self._money(stake)}", IVORY)
                for bet, stake in sorted(bets, key=_main_first)
            ]
            seated = table.owner(number) == PLAYER and not table.sheet.game.solo
            empty = Text(self.voice("yours" if seated else "free"), BRASS if seated else QUIET)
            title = Text(self.voice("box", box=number), f"bold {IVORY}" if bets else QUIET)
            panels.append(Panel.fit(Group(*lines or [empty]), title=title, border_style=BRASS if bets else QUIET))
        alone = [
            Text(f"{self._bet(bet, table.sheet)} {self._money(stake)}", IVORY)
            for (box, bet), stake in totals.items()
            if not box
        ]
        if alone:
            title = Text(self.voice("table"), f"bold {IVORY}")
            panels.append(Panel.fit(Group(*alone), title=title, border_style=BRASS))
        return panels

    def _rows(self, panels: list[Panel]) -> list[RenderableType]:
        """Panels side by side, as many in a row as fit, the first one right-most."""
        rows: list[list[Panel]] = [[]]
        used = 0
        for panel in panels:
            wide = Measurement.get(self.console, self.console.options, panel).maximum + 1
            if rows[-1] and used + wide > self.console.width:
                rows.append([])
                used = 0
            rows[-1].append(panel)
            used += wide
        drawn: list[RenderableType] = []
        for row in rows:
            grid = Grid.grid(padding=(0, 1, 0, 0))
            grid.add_row(*reversed(row))
            drawn.append(Align.center(grid))
        return drawn

    def _purse(self, table: Table) -> RenderableType:
        purse = table.purse(PLAYER)
        line = Text(f"{self.voice('balance')} ", QUIET, justify="center").append(self._money(purse), f"bold {IVORY}")
        line.append(f"   {self.voice('total')} ", QUIET).append(
            self._money(table.total_stake_of(PLAYER)), f"bold {BRASS}"
        )
        chips = [self._money(chip) for chip in table.sheet.stakes.chips if chip <= purse]
        if table.phase is Phase.BETTING and chips:
            line.append(f"   {self.voice('chips')} ", QUIET).append(" ".join(chips), IVORY)
        return Align.center(line)

    def _limits(self, table: Table) -> RenderableType:
        """Least and most on each spot, with the short word that names it (V-24, S-09)."""
        alone = all(seat is None or seat.player == PLAYER for seat in table.seats)
        texts = []
        for bet in table.limits:
            if bet == "behind" and alone:
                continue
            least, most = table.limit(bet, PLAYER)
            short = f" ({SHORT[bet]})" if bet in SHORT else ""
            texts.append(f"{self._bet(bet, table.sheet)}{short} {self._money(least)}–{self._money(most)}")
        if table.sheet.stakes.round_cap:
            texts.append(self.voice("cap", cap=table.sheet.stakes.round_cap))
        return Align.center(Text(f"{self.voice('limits')}  " + " · ".join(texts), QUIET, justify="center"))

    def _bet(self, bet: str, sheet: Sheet | None = None) -> str:
        """The name of a bet in its game."""
        return self.voice.name("bet", sheet.looks.name(bet) if sheet else bet)

    def _money(self, amount: Cents) -> str:
        return self.voice.money(amount)


def find_side_win(sheet: Sheet, play: Round, box: Box, bet: str) -> tuple[str, Odds] | None:
    """What a side bet has won by the open cards; None while it has not, or where the bonus decides."""
    side = sheet.sides[bet]
    if side.kind == "bonus" or not box.dealt:
        return None
    if side.kind == "two-up":
        return side_bets.find_win(side, (box.dealt[0], *play.community))
    return settlement.find_side_win(sheet, play, box, bet)


def _is_lost(player_hand: Hand) -> bool:
    return player_hand.status in (Status.BUST, Status.FOLDED, Status.SURRENDERED)


def _main_first(entry: tuple[str, Cents]) -> bool:
    return entry[0] != "main"


def receipt(voice: Voice, lines: tuple[Line, ...], balance: Cents, looks: Looks) -> RenderableType:
    """Each bet of the round: stake, what came back, how, and by which criterion (X-05)."""
    grid = _open_grid()
    for name, justify in (("place", "left"), ("bet", "left"), ("stake", "right"), ("returned", "right")):
        grid.add_column(voice(name), justify="right" if justify == "right" else "left", no_wrap=True)
    grid.add_column(voice("arithmetic"))
    grid.add_column(voice("criterion"), no_wrap=True)
    for line in lines:
        place = str(line.box) if line.box else voice("table")
        style = WIN if line.returned > line.stake else LOSS if line.returned < line.stake else IVORY
        sums = line.arithmetic.replace(" x ", " × ")
        back = Text(voice.money(line.returned), style)
        name = voice.name("bet", looks.name(line.bet))
        grid.add_row(place, name, voice.money(line.stake), back, sums, line.criterion)
    net = sum(line.returned - line.stake for line in lines if line.player == PLAYER)
    style = WIN if net > 0 else LOSS if net < 0 else IVORY
    text = voice("net", net=net, balance=balance)
    return Group(grid, Text(text, f"bold {style}"))


def pays(screen: Screen, sheet: Sheet) -> RenderableType:
    """What each side bet pays, in the notation of the sheet (V-95)."""
    voice = screen.voice
    grid = _open_grid()
    grid.add_column(voice("bet"))
    grid.add_column(voice("pays"))
    for bet, side in sheet.sides.items():
        table = [
            f"{voice.name('won', sheet.looks.name(name))} {screen.odds(sheet, odds)}"
            for name, odds in side.pays.items()
        ]
        if side.kind == "bonus":
            table = [segment(name) for name in sheet.bonus.wheel]
            table += [f"{name} ×{prize}" for name, prize in sheet.bonus.prizes.items()]
        grid.add_row(f"{voice.name('bet', sheet.looks.name(bet))} ({SHORT.get(bet, bet)})", " · ".join(table))
    return Group(Text(screen.motto(sheet), IVORY), grid)


def manual(voice: Voice, sheet: Sheet) -> RenderableType:
    """The commands, with the side bets that this sheet has."""
    shorts = [SHORT.get(bet, bet) for bet, side in sheet.sides.items() if side.kind != "dealer-pair"]
    names = [f"{SHORT.get(bet, bet)} {voice.name('bet', sheet.looks.name(bet))}" for bet in sheet.sides]
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


def _open_grid() -> Grid:
    return Grid(box=SIMPLE_HEAD, border_style=QUIET, header_style=QUIET, pad_edge=False)
