"""Rounds at random, settled by the core, for the verifier of the browser.

`python -m tests.support.random_rounds` writes them.

Every game, several boxes, side bets, bets behind, short purses, draws of the bonus; decisions are drawn from all words,
and some that the rules refuse are kept as such (X-01, X-20).
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from tests.support.sample_shoes import VECTORS
from ventuno.core.rules.cards import Card, pack, rank
from ventuno.core.rules.sheet import Sheet
from ventuno.core.scenario.runner import BonusMissing, DecisionMissing, Refused, play_scenario, write_settlement
from ventuno.core.scenario.scenario import WORDS, BehindEntry, BonusEntry, BoxEntry, DecisionEntry, Scenario
from ventuno.house.shoes.shoe_document import scenario_to_dict
from ventuno.sheets import GAMES, load

FILE = VECTORS / "rounds.json"
EACH = 40
LONG = 70
WANTED = (12, 8, 9, 6)
"""Ranks that come more often, so that there are Blackjacks, pairs and insurance: aces, tens, jacks, eights."""


class RandomRounds:
    """Draws one round after the other of a game."""

    def __init__(self, sheet: Sheet, seed: int) -> None:
        self.sheet, self.rng = sheet, random.Random(f"{sheet.game.id}/{seed}")
        self.forbidden: list[Scenario] = []
        self.refused: list[Scenario] = []

    def round(self) -> tuple[Scenario, list[dict[str, Any]]] | None:
        """A round with the lines that are due; None where its bets were refused."""
        drawn = self._before()
        try:
            played = self._played(drawn)
        except Refused:
            self.refused.append(drawn)
            return None
        found = write_settlement(play_scenario(self.sheet, played))
        used = played.shoe[: len(played.shoe) - found["unused_cards"]]
        return replace(played, shoe=used), found["bets"]

    def _before(self) -> Scenario:
        rng, sheet = self.rng, self.sheet
        numbers = rng.sample(range(1, sheet.seats.count + 1), rng.randint(1, min(sheet.seats.count, 4)))
        boxes = tuple(self._box(number) for number in numbers)
        names = {box.player for box in boxes} | {one.player for box in boxes for one in box.behind}
        purses = {name: rng.choice((2_000, 5_000, 100_000)) for name in sorted(names)} if rng.random() < 0.6 else {}
        table = {"dealer-pair": 200} if "dealer-pair" in sheet.sides and rng.random() < 0.5 else {}
        return Scenario(sheet.game.id, self._shoe(), boxes, purses, table)

    def _shoe(self) -> tuple[Card, ...]:
        deck = list(pack(self.sheet.shoe.decks))
        self.rng.shuffle(deck)
        if self.rng.random() < 0.5:
            deck.sort(key=lambda card: self.rng.random() * (0.4 if rank(card) in WANTED else 1))
        return tuple(deck[:LONG])

    def _box(self, number: int) -> BoxEntry:
        rng, sheet = self.rng, self.sheet
        offered = [bet for bet, side in sheet.sides.items() if side.kind != "dealer-pair"]
        sides = {bet: rng.choice((100, 200, 500)) for bet in offered if rng.random() < 0.5}
        behind: tuple[BehindEntry, ...] = ()
        if sheet.options.behind and rng.random() < 0.5:
            who = rng.sample(range(1, 4), rng.randint(0, 2))
            behind = tuple(
                BehindEntry(f"q{one}", rng.choice((100, 500)), rng.random() < 0.5, rng.random() < 0.5) for one in who
            )
        main = 0 if behind and rng.random() < 0.15 else rng.choice((100, 210, 1_000, 2_500))
        return BoxEntry(number, "p1" if sheet.game.solo else f"p{number}", main, sides if main else {}, behind)

    def _played(self, drawn: Scenario) -> Scenario:
        """Decide and draw until the round is over; a word that is refused is tried and left."""
        while True:
            try:
                play_scenario(self.sheet, drawn)
            except Refused as no:
                if isinstance(no.refusal, BonusMissing):
                    drawn = replace(drawn, bonus=(*drawn.bonus, self.draw_bonus()))
                elif isinstance(no.refusal, DecisionMissing):
                    drawn = self._decided(drawn, no.refusal)
                else:
                    raise
            else:
                return drawn

    def _decided(self, drawn: Scenario, asked: DecisionMissing) -> Scenario:
        for word in self.rng.sample(sorted(WORDS), len(WORDS)):
            entry = DecisionEntry(asked.box, word, asked.player)
            tried = replace(drawn, decisions=(*drawn.decisions, entry))
            try:
                play_scenario(self.sheet, tried)
            except Refused as no:
                if no.at == f"decisions[{len(drawn.decisions)}]":
                    if self.rng.random() < 0.1:
                        self.forbidden.append(tried)
                    continue
            return tried
        raise AssertionError(f"nothing is allowed in {drawn}")

    def draw_bonus(self) -> BonusEntry:
        rng, rules = self.rng, self.sheet.bonus
        segment = rng.choice(list(rules.wheel))
        if segment not in rules.boards:
            return BonusEntry(segment)
        board = rules.boards[segment]
        names = tuple(rng.choice(list(rules.boxes)) for _ in range(board.cells // rules.box_cells))
        prizes = [int(name) for name in rules.cell if name.isdigit()]
        start = {cell: int(rng.choice(list(rules.start))) for cell in rng.sample(range(board.cells), board.start)}
        held, left, spins = dict(start), rules.spins, list[dict[int, int]]()
        while left and len(held) < board.cells:
            free = [cell for cell in range(board.cells) if cell not in held]
            locks = {cell: rng.choice(prizes) for cell in rng.sample(free, min(rng.choice((0, 1, 1, 2, 4)), len(free)))}
            held, left = held | locks, rules.spins if locks else left - 1
            spins.append(locks)
        size = rules.box_cells
        full = [all(cell in held for cell in range(k * size, (k + 1) * size)) for k in range(len(names))]
        due = sum(1 for name, whole in zip(names, full, strict=True) if name == "diamond" and whole)
        return BonusEntry(
            segment, names, start, tuple(spins), tuple(rng.choice(list(rules.prizes)) for _ in range(due))
        )


def rounds(each: int = EACH, seed: int = 1) -> Iterator[dict[str, Any]]:
    """So many rounds of each game with their lines; `bets` is null where the rules refuse."""
    for game in GAMES:
        hazard, made = RandomRounds(load(game), seed), 0
        while made < each:
            if (found := hazard.round()) is not None:
                made += 1
                yield {"scenario": scenario_to_dict(found[0]), "bets": found[1]}
        for one in hazard.forbidden[: each // 4]:
            yield {"scenario": scenario_to_dict(one), "bets": None}


if __name__ == "__main__":
    lines = ",\n".join(json.dumps(one, separators=(",", ":")) for one in rounds())
    FILE.write_text(f"[\n{lines}\n]\n", encoding="utf-8")
