"""The house side of a terminal game: shuffles, keeps the clock, draws the bonus. All chance of the game is here."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping

from ventuno.core.games import insurance, link
from ventuno.core.messages.commands import BringMoney, Command, DealNow, LoadShoe, SpinBoard, SpinWheel, Tick, TimeOut
from ventuno.core.messages.events import Event
from ventuno.core.messages.refusals import Refusal
from ventuno.core.rules.cards import pack
from ventuno.core.rules.money import Cents
from ventuno.core.rules.sheet import SEALED, Sheet
from ventuno.core.rules.sheet_reader import with_cards
from ventuno.core.table import legal
from ventuno.core.table.fold import advance, open_table
from ventuno.core.table.round import BonusGame, Box, Round, Stage
from ventuno.core.table.shoes import cut_window
from ventuno.core.table.state import Phase, Table

PLAYER = "player"
TABLE = "T1"

Outcome = list[Event] | Refusal


class Dealer:
    """One table and its time. Time never passes a deadline by itself: nobody is hurried here."""

    def __init__(self, sheet: Sheet, chance: random.Random, clock: Callable[[], int]) -> None:
        sheet = with_cards(sheet, SEALED)  # the terminal shuffles: nobody scans cards here
        self.table: Table = open_table(TABLE, sheet, PLAYER if sheet.game.solo else None)
        self._chance, self._clock, self._at = chance, clock, 0

    def now(self) -> int:
        """The time of the next command: the clock's, but before the running deadline and never backwards."""
        due = self.table.deadline
        self._at = max(self._at, self._clock() if due is None else min(self._clock(), due - 1))
        return self._at

    @property
    def play(self) -> Round | None:
        """The round in play, if one is."""
        return self.table.round if self.table.phase is Phase.ROUND else None

    def send(self, command: Command) -> Outcome:
        outcome = advance(self.table, command)
        if isinstance(outcome, Refusal):
            return outcome
        events, self.table = outcome
        self._at = max(self._at, command.at)
        return events

    def bring(self, amount: Cents) -> Outcome:
        return self.send(BringMoney(PLAYER, amount, self.now()))

    def deal(self) -> Outcome:
        """Deal now; where a floor protects other bettors, at that time (V-38)."""
        events = self.send(DealNow(PLAYER, self.now()))
        if isinstance(events, Refusal):
            return events
        return self._tick_past(events, Phase.BETTING)

    def prepare(self) -> list[Event]:
        """Bring the table to open betting: results make way, a retired shoe is replaced by a shuffled one."""
        events = self._tick_past([], Phase.RESULTS)
        rules = self.table.sheet.shoe
        while self.table.shoe is None or (rules.sets > 1 and self.table.spare is None):
            loaded = self.send(self._shoe())
            if isinstance(loaded, Refusal):
                raise RuntimeError(str(loaded))
            events += loaded
        return events

    def _tick_past(self, events: list[Event], phase: Phase) -> list[Event]:
        if self.table.phase is phase and self.table.deadline is not None:
            ticked = self.send(Tick(self.table.deadline))
            if isinstance(ticked, Refusal):
                raise RuntimeError(str(ticked))
            return [*events, *ticked]
        return events

    def _shoe(self) -> LoadShoe:
        sheet = self.table.sheet
        cards = list(pack(sheet.shoe.decks))
        self._chance.shuffle(cards)
        return LoadShoe(tuple(cards), self._chance.randint(*cut_window(sheet)), self.now())

    def waiting(self) -> Box | None:
        """The box that is asked for insurance, or whose turn it is."""
        play = self.play
        if play is None:
            return None
        if play.stage is Stage.INSURANCE:
            return next((box for who, box in insurance.waiting(play) if who == PLAYER), None)
        turn = legal.turn(play)
        return turn[0] if turn else None

    def close(self) -> list[Event]:
        """Play an open round to its end by the time-out rules, bonus draws included (reading 17)."""
        events: list[Event] = []
        while (play := self.play) is not None and (box := self.waiting()) is not None:
            turn = legal.turn(play)
            bonus = turn is not None and turn[1] < 0 and play.stage is not Stage.INSURANCE
            done = self.spin(box) if bonus else self.send(TimeOut(box.number, self.now()))
            if isinstance(done, Refusal):
                raise RuntimeError(str(done))
            events += done
        return events

    def spin(self, box: Box) -> Outcome:
        """The next draw of a bonus: the wheel, or one spin of its board (L-22, L-27)."""
        bonus = box.bonus or BonusGame()
        return self.send(self._spin_board(box, bonus) if bonus.board else self._spin_wheel(box))

    def _spin_wheel(self, box: Box) -> SpinWheel:
        rules = self.table.sheet.bonus
        segment = self._draw(rules.wheel)
        board = rules.boards.get(segment)
        if board is None:
            return SpinWheel(PLAYER, box.number, segment, self.now())
        boxes = tuple(self._draw(rules.boxes) for _ in range(board.cells // rules.box_cells))
        cells = sorted(self._chance.sample(range(board.cells), board.start))
        start = {cell: int(self._draw(rules.start)) for cell in cells}
        return SpinWheel(PLAYER, box.number, segment, self.now(), boxes, start)

    def _spin_board(self, box: Box, bonus: BonusGame) -> SpinBoard:
        rules, board = self.table.sheet.bonus, bonus.board
        if board is None:
            raise ValueError("a board is spun only where the wheel opened one")
        drawn = {cell: self._draw(rules.cell) for cell, prize in enumerate(board.cells) if not prize}
        locks = {cell: int(word) for cell, word in drawn.items() if word.isdigit()}
        due = link.diamonds_due(rules, link.board_after(rules, board, locks))
        diamonds = tuple(self._draw(rules.diamonds) for _ in range(due))
        return SpinBoard(PLAYER, box.number, locks, self.now(), diamonds)

    def _draw(self, weights: Mapping[str, int]) -> str:
        """One name, by whole-number weights."""
        place = self._chance.randrange(sum(weights.values()))
        for name, weight in weights.items():
            place -= weight
            if place < 0:
                return name
        raise ValueError("no weights to draw by")
