"""Voids by what the round would have given: whoever aborts what the house is losing shows here (R-07, section 3).

When a void is durable, and not before, the house writes down how the round stood: what it would have won or lost had
every open hand stood, by the cards on the felt alone. No card that was still in the shoe is looked at: the next round
is dealt from there. So it is no forecast but a measure, the same for every void, and anybody can compute it again from
the record of the void, which holds those cards.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from math import comb
from typing import NamedTuple

from ventuno.core.games.engines import engine
from ventuno.core.messages.events import RoundVoided
from ventuno.core.rules import hand
from ventuno.core.rules.money import Cents
from ventuno.core.rules.sheet import Sheet
from ventuno.core.table.fold import evolve
from ventuno.core.table.round import Box, Hand, Round, Stage, Status
from ventuno.core.table.shoes import OutOfCards
from ventuno.core.table.state import Phase, Table
from ventuno.house.history.round_detail import RecordedRound, read_round
from ventuno.house.store.audit_log import AuditLog, VoidJudged, read
from ventuno.house.store.records import Batch, Record
from ventuno.house.tables.table_host import TableCommitted, TableHost

FAIR, OF = 60, 100
"""Of a hundred voids that stood one way or the other, so many may stand against the house: more are not expected of who
does not look. At all decisions of 4,000 rounds of each game 33 (a duel) to 51 stood so. Fourteen voids that all stood
against it are then too many.
"""
DOUBT = 0.001
"""A chance below this is shown as a bias."""


class Outcomes(NamedTuple):
    """Rounds by what they gave, or would have given, the house."""

    winning: int = 0
    losing: int = 0
    even: int = 0

    def add(self, house: Cents, count: int = 1) -> Outcomes:
        """With so many more of what gave the house this."""
        won, lost = count * (house > 0), count * (house < 0)
        return Outcomes(self.winning + won, self.losing + lost, self.even + count - won - lost)


class VoidRates(NamedTuple):
    """For everybody: the rounds of a game that were played to their end, and those that were voided."""

    settled: Outcomes = Outcomes()
    voided: Outcomes = Outcomes()

    @property
    def chance(self) -> float:
        """How likely so many voids against the house, or more, are where sixty of a hundred are expected."""
        decided = self.voided.winning + self.voided.losing
        ways = sum(
            comb(decided, count) * FAIR**count * (OF - FAIR) ** (decided - count)
            for count in range(self.voided.losing, decided + 1)
        )
        return float(Fraction(ways, OF**decided))

    @property
    def is_biased(self) -> bool:
        return self.chance < DOUBT


def compute_standing(table: Table) -> Cents:
    """What the house would have of the open round if every open hand stood now; 0 before the cards are out.

    A hand that has yet to choose takes the card that makes the better total, and raises nothing; insurance that nobody
    has answered is declined, a bonus that waits gives nothing, and the dealer draws nothing.
    """
    play, sheet, shoe = table.round, table.sheet, table.shoe
    if play is None or shoe is None or play.stage is Stage.DEAL:
        return 0
    rules, play = engine(sheet), _stand_all(play)
    blind = table._replace(round=play, shoe=shoe._replace(cards=shoe.cards[: shoe.position]))
    try:
        while event := rules.step(blind, play):
            play = rules.evolve(sheet, play, event)
    except OutOfCards:
        pass  # the dealer would draw: his cards stand as they are
    return sum(line.stake - line.returned for line in rules.settle(table, play._replace(stage=Stage.DONE)))


def _stand_all(play: Round) -> Round:
    boxes = tuple(_stand_box(play, box) for box in play.boxes)
    asking = play.stage in (Stage.INSURANCE, Stage.PEEK)
    return play._replace(boxes=boxes, stage=Stage.PLAY if asking else play.stage)


def _stand_box(play: Round, box: Box) -> Box:
    return box._replace(hands=tuple(_stand_hand(play, hand) for hand in box.hands), early=None, bonus=None)


def _stand_hand(play: Round, hand_state: Hand) -> Hand:
    if hand_state.status is Status.PLAYING:
        return hand_state._replace(status=Status.STOOD)
    if hand_state.status is Status.CHOOSING:
        cards = max(((*hand_state.cards, card) for card in play.community), key=hand.total)
        return hand_state._replace(cards=cards, status=Status.STOOD)
    return hand_state


class VoidReview:
    """Writes down how each voided round stood; `judged` are those of before, by game."""

    def __init__(self, host: TableHost, audit: AuditLog, records: Iterable[Record]) -> None:
        self._commits, self._audit = host.commits, audit
        self._codes: set[str] = set()
        self.judged: dict[str, Outcomes] = {}
        for record in records:
            if isinstance(event := read(record.kind, record.body), VoidJudged):
                self._count(event)
        host.watch("", self.on_committed, (RoundVoided,))

    def on_committed(self, news: TableCommitted) -> None:
        if news.before is None or news.live.practice:
            return
        table = news.before.table
        for event in news.events:
            if isinstance(event, RoundVoided):
                self._judge(table)
            table = evolve(table, event)

    def _judge(self, table: Table) -> None:
        if table.phase is Phase.ROUND and table.round and table.round.code not in self._codes:
            judgement = VoidJudged(table.round.code, table.sheet.game.id, compute_standing(table))
            self._commits.start_task(self._write(judgement))

    async def _write(self, judgement: VoidJudged) -> None:
        self._count(judgement)
        await self._commits.write(Batch(records=self._audit.write(self._commits.now(), judgement)))

    def _count(self, judgement: VoidJudged) -> None:
        self._codes.add(judgement.code)
        self.judged[judgement.game] = self.judged.get(judgement.game, Outcomes()).add(judgement.house)

    async def compute_rates(self) -> dict[str, VoidRates]:
        """For everybody, by game: rounds played and rounds voided, by what they gave or would have given the house."""
        rates = {game: VoidRates(voided=outcomes) for game, outcomes in self.judged.items()}
        for (game, sign), count in (await self._commits.store.count_outcomes()).items():
            before = rates.get(game, VoidRates())
            rates[game] = before._replace(settled=before.settled.add(sign, count))
        return rates

    async def judge_missed(self, sheets: Mapping[str, Sheet]) -> None:
        """Judge the voids that were not: of an older house, or cut off from their judgement by a crash."""
        for row in await self._commits.store.list_voided_rounds():
            if row.code not in self._codes:
                self._judge(rebuild_before_void(await read_round(self._commits.store, row, sheets)))


def rebuild_before_void(recorded_round: RecordedRound) -> Table:
    """The table at the last moment of a round that was voided."""
    table = recorded_round.opening
    for event in recorded_round.events[:-1]:
        table = evolve(table, event)
    return table
