"""Where player and croupier meet: a command goes in, what came of it is noted and told at the next drawing."""

from __future__ import annotations

from collections.abc import Callable

from rich.console import RenderableType
from rich.text import Text

from ventuno.cli.terminal import event_text
from ventuno.cli.terminal.dealer import PLAYER, Dealer, Outcome
from ventuno.cli.terminal.prompt import Reader
from ventuno.cli.terminal.screen import BRASS, IVORY, Screen, receipt
from ventuno.core.messages.commands import Command
from ventuno.core.messages.events import RoundSettled
from ventuno.core.messages.refusals import Refusal
from ventuno.core.rules.money import Cents
from ventuno.core.table.state import NO_SLIP, Table

REFILL: Cents = 50_000


class Session:
    """One sitting's tools and notes. `last` says that the finished round, with its receipt, still lies there."""

    def __init__(self, dealer: Dealer, screen: Screen, reader: Reader) -> None:
        self.dealer, self.screen, self.reader = dealer, screen, reader
        self.voice = screen.voice
        self.notes: list[RenderableType] = []
        self.receipt: RenderableType = ""
        self.last = False

    @property
    def table(self) -> Table:
        return self.dealer.table

    @property
    def worth(self) -> Cents:
        """The balance with the bets that still lie undealt."""
        return self.table.purse(PLAYER) + self.table.slips.get(PLAYER, NO_SLIP).total

    @property
    def refill(self) -> Cents:
        """What is brought when no amount is named; nothing where the session's cap is reached (reading 19)."""
        cap = self.table.sheet.stakes.session_cap
        return min(REFILL, cap - self.table.brought.get(PLAYER, 0)) if cap else REFILL

    def note(self, text: str, style: str = IVORY) -> None:
        self.notes.append(Text(text, style))

    def refuse(self, text: str) -> None:
        """Say no, and forget what was typed ahead."""
        self.note(text, BRASS)
        self.reader.drop()

    def send(self, command: Command) -> bool:
        return self.attempt(lambda: self.dealer.send(command))

    def attempt(self, act: Callable[[], Outcome]) -> bool:
        """Carry out and note what happened; False where it was refused."""
        before = self.table
        outcome = act()
        if isinstance(outcome, Refusal):
            self.refuse(self.voice.refusal(outcome))
            return False
        self.last = False
        for sentence in event_text.describe_events(self.voice, before, outcome):
            self.note(sentence)
        for event in outcome:
            if isinstance(event, RoundSettled):
                self.receipt = receipt(self.voice, event.lines, self.table.purse(PLAYER), self.table.sheet.looks)
                self.last = True
        return True
