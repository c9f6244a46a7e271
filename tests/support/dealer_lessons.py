"""The lessons of the dealer's desk, played by the real table. `python -m tests.support.dealer_lessons` writes them.

A lesson is a first view and steps, each with what the dealer does (a card, the cut card, a new shoe) or waits for, the
hint that goes with it, and the changes it makes to what is seen. So the client teaches without knowing a rule.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from ventuno.core.messages import commands
from ventuno.core.messages.commands import Command, Spot
from ventuno.core.messages.refusals import Refusal
from ventuno.core.rules.cards import card
from ventuno.core.rules.sheet import SCANNED
from ventuno.core.rules.sheet_reader import with_cards
from ventuno.core.table import fold, scanning
from ventuno.core.table.round import Action
from ventuno.core.table.state import Table
from ventuno.core.views.public_view import Person, build_public_view
from ventuno.sheets import load
from ventuno.web.sockets.changes import diff

FILE = Path(__file__).parents[2] / "client" / "src" / "pages" / "dealer" / "lessons.json"
DEALER = "9"
PEOPLE = {"1": "Ada", "2": "Bruno", "3": "Clara", DEALER: "Tu"}
STAKE, PURSE, APART = 500, 100_000, 2_000
BOXES = {1: "1", 3: "2", 5: "3"}
"""Who sits where: three players, free boxes between them."""


class Step(NamedTuple):
    """What comes next: a card to scan, a word (`cut`, `shoe`, `next`), and the hint that explains it."""

    act: str
    hint: str


class Lesson:
    """A table whose states are noted as they come."""

    def __init__(self) -> None:
        sheet = with_cards(load("ventuno"), SCANNED)
        self.table: Table = fold.open_table("Lezione", sheet, None, dict.fromkeys(BOXES.values(), PURSE))
        self.now = 0
        self.steps: list[dict[str, Any]] = []
        self.ask(commands.TakeDesk(DEALER, 0))
        for box, player in BOXES.items():
            self.ask(commands.TakeSeat(player, box, 0))
        self.ask(commands.DeclareShoe(DEALER, 0))
        self.ask(commands.ScanCard(DEALER, card("2C"), self.now, "s", "c"))
        self.begin()
        self.first = self.seen = self.view()

    def begin(self) -> None:
        """Bets of everybody; then the time for them ends."""
        for box, player in BOXES.items():
            self.ask(commands.PlaceBet(player, (Spot(box, "main"),), STAKE, self.now))
        assert self.table.deadline is not None
        self.now = self.table.deadline
        self.ask(commands.Tick(self.now))

    def ask(self, *asked: Command) -> None:
        for command in asked:
            outcome = fold.advance(self.table, command)
            assert not isinstance(outcome, Refusal), (command, outcome)
            self.table = outcome[1]

    def view(self) -> Any:
        shown = build_public_view(self.table, find_person=lambda player: Person(player, PEOPLE[player], False))
        told = msgspec.to_builtins(shown)
        return {**told, "deadline": None, "span": None}

    def note(self, step: Step) -> None:
        now = self.view()
        self.steps.append({"act": step.act, "hint": step.hint, "changes": diff(self.seen, now)})
        self.seen = now

    def scan(self, cards: str, hint: str) -> None:
        for text in cards.split():
            self.now += APART
            self.ask(commands.ScanCard(DEALER, card(text), self.now, "s", f"{len(self.steps):064x}"))
            self.note(Step(text, hint))

    def deal(self, first: str, second: str) -> None:
        """Three boxes and the dealer, twice round; the last lies face down."""
        *boxes, mine = first.split()
        *others, hole = second.split()
        self.scan(boxes[0], "start")
        self.scan(" ".join([*boxes[1:], mine]), "deal")
        self.scan(" ".join(others), "second")
        self.scan(hole, "hole")

    def decide(self, box: int, action: Action, hint: str = "decision") -> None:
        self.now += APART
        self.ask(commands.Act(BOXES[box], box, action, self.now))
        self.note(Step("next", hint))

    def insure(self, *answers: tuple[int, Action]) -> None:
        self.now += APART
        self.ask(*(commands.Act(BOXES[box], box, action, self.now) for box, action in answers))
        self.note(Step("next", "insurance"))

    def pay(self) -> None:
        """The results stay until their time is over."""
        assert self.table.deadline is not None
        self.now = self.table.deadline
        self.ask(commands.Tick(self.now))
        self.note(Step("next", "pay"))


def plain() -> Lesson:
    """Three boxes: one stands, one takes a card, one busts; the dealer turns and draws."""
    lesson = Lesson()
    lesson.deal("TS 5H 9C 6D", "9H 4D 6S TC")
    lesson.decide(1, Action.STAND)
    lesson.decide(3, Action.HIT)
    lesson.scan("JC", "card")
    lesson.decide(3, Action.STAND)
    lesson.decide(5, Action.HIT)
    lesson.scan("KH", "card")
    lesson.scan("5S", "dealer")
    lesson.pay()
    return lesson


def insured() -> Lesson:
    """An ace of the dealer's: insurance, and a Blackjack under it."""
    lesson = Lesson()
    lesson.deal("TH 8H 9C AD", "9D KC 7S KS")
    lesson.insure((1, Action.INSURE), (3, Action.DECLINE), (5, Action.DECLINE))
    lesson.pay()
    return lesson


def split() -> Lesson:
    """A pair is parted, each hand takes its card, and the dealer busts."""
    lesson = Lesson()
    lesson.deal("TH 8H 9C 6D", "9D 8S TS TD")
    lesson.decide(1, Action.STAND)
    lesson.decide(3, Action.SPLIT)
    lesson.scan("3C TC", "split")
    lesson.decide(3, Action.STAND)
    lesson.decide(3, Action.STAND)
    lesson.decide(5, Action.STAND)
    lesson.scan("9S", "dealer")
    lesson.pay()
    return lesson


def cut() -> Lesson:
    """The cut card comes in the deal: after the round a new shoe, its first card burnt."""
    lesson = Lesson()
    lesson.scan("TS", "start")
    lesson.ask(commands.ShowCutCard(DEALER, lesson.now))
    lesson.note(Step("cut", "cut"))
    lesson.scan("TH 9C 7D", "deal")
    lesson.scan("9H TD 8S", "second")
    lesson.scan("TC", "hole")
    for box in BOXES:
        lesson.decide(box, Action.STAND)
    lesson.pay()
    assert lesson.table.shoe is None, "a new shoe is due"
    lesson.ask(commands.DeclareShoe(DEALER, lesson.now))
    lesson.note(Step("shoe", "shoe"))
    lesson.scan("4D", "burn")
    assert scanning.find_wanted(lesson.table) is None
    return lesson


LESSONS = (plain, insured, split, cut)


def build() -> Iterator[dict[str, Any]]:
    for played in LESSONS:
        lesson = played()
        yield {"first": lesson.first, "steps": lesson.steps}


def write() -> str:
    lines = ",\n".join(json.dumps(lesson, ensure_ascii=False, separators=(",", ":")) for lesson in build())
    return f"[\n{lines}\n]\n"


if __name__ == "__main__":
    FILE.write_text(write(), encoding="utf-8")
