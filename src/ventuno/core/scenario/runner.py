"""Plays a scenario through the real table and reports the settlement (X-20)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from ventuno.core.games import insurance
from ventuno.core.games.engines import engine
from ventuno.core.messages import commands
from ventuno.core.messages.commands import Command
from ventuno.core.messages.events import BetRemoved, Event
from ventuno.core.messages.refusals import (
    BelowMinimum,
    BetNotOffered,
    BonusImpossible,
    BoxTaken,
    MainBetMissing,
    NoBets,
    NoSuchBox,
    NotYourTurn,
    Refusal,
    ShoeExhausted,
    SoloTable,
    TooManyCopies,
)
from ventuno.core.rules import cards, hand
from ventuno.core.rules.money import Cents, PlayerId
from ventuno.core.rules.sheet import SCANNED, Sheet
from ventuno.core.scenario.scenario import TIMEOUT, BonusEntry, DecisionEntry, Scenario
from ventuno.core.table import legal
from ventuno.core.table.fold import advance, open_table
from ventuno.core.table.round import Action, Box, Line, Round, Stage
from ventuno.core.table.scanning import READ_AGAIN, find_wanted, list_places
from ventuno.core.table.state import Phase, Table

DEFAULT_BALANCE: Cents = 1_000_000
NO_LIMIT: Cents = 10**15
DEALER: PlayerId = "dealer"
"""Who scans the cards of a scenario on a sheet with scanned cards."""


class DecisionMissing(Refusal):
    box: int
    player: PlayerId


class DecisionLeftOver(Refusal):
    pass


class BonusMissing(Refusal):
    box: int


class BonusLeftOver(Refusal):
    pass


class Refused(Exception):
    """The rules forbid the scenario at one place."""

    def __init__(self, refusal: Refusal, at: str) -> None:
        super().__init__(f"{at}: {refusal}")
        self.refusal, self.at = refusal, at


@dataclass(frozen=True, slots=True)
class PlayedScenario:
    """A scenario that was played: the log, the table at the end, and its balances before."""

    log: tuple[Event, ...]
    table: Table
    before: Mapping[PlayerId, Cents]


class _TableRunner:
    """Runs commands one after the other, keeping the log; local to one enactment."""

    def __init__(self, table: Table) -> None:
        self.table, self.log = table, list[Event]()
        self._cards, self._scanned = (), 0

    _cards: tuple[cards.Card, ...]
    """Cards that are scanned as they are wanted; `_scanned` of them were."""

    def run(self, command: Command, at: str) -> None:
        self._advance(command, at)
        if self.table.studio is not None:
            self._scan_wanted(command.at)

    def take_shoe(self, shoe: tuple[cards.Card, ...]) -> None:
        """The cards of the scenario: a shoe that is loaded, or one from which a dealer takes card after card."""
        if self.table.studio is None:
            self.run(commands.LoadShoe(shoe, 0, 0, stacked=True), "shoe")
            return
        if extra := cards.find_surplus(shoe, decks := self.table.sheet.shoe.decks):
            raise Refused(TooManyCopies(cards.text(extra), decks), "shoe")
        self._advance(commands.TakeDesk(DEALER, 0), "shoe")
        self._cards = shoe
        self.run(commands.DeclareShoe(DEALER, 0), "shoe")

    def end(self) -> Table:
        """The table as the round left it, with the cards that nobody needed still in its shoe."""
        shoe, rest = self.table.shoe, self._cards[self._scanned :]
        return self.table._replace(shoe=shoe._replace(cards=(*shoe.cards, *rest))) if shoe and rest else self.table

    def _advance(self, command: Command, at: str) -> None:
        outcome = advance(self.table, command)
        if isinstance(outcome, Refusal):
            raise Refused(outcome, "shoe" if isinstance(outcome, ShoeExhausted) else at)
        events, self.table = outcome
        self.log += events

    def _scan_wanted(self, at: int) -> None:
        """Every card that is wanted now, each a second after the last."""
        while (shoe := self.table.shoe) and (play := self.play) and find_wanted(self.table):
            if self._scanned == len(self._cards):
                needed = shoe.position + len(list_places(self.table, play))
                raise Refused(ShoeExhausted(needed, len(self._cards)), "shoe")
            self._scanned += 1
            at += READ_AGAIN
            self._advance(commands.ScanCard(DEALER, self._cards[self._scanned - 1], at), "shoe")

    @property
    def play(self) -> Round | None:
        return self.table.round if self.table.phase is Phase.ROUND else None


def play_scenario(sheet: Sheet, scenario: Scenario, *, ignore_limits: bool = False) -> PlayedScenario:
    """Play the round; raises Refused where the rules say no.

    `ignore_limits`: the stakes are those that a table took. Its limits may have been others (D-05, X-10).
    """
    names = [box.player for box in scenario.boxes] + [bettor.player for box in scenario.boxes for bettor in box.behind]
    purses = {name: scenario.players.get(name, DEFAULT_BALANCE) for name in [*scenario.players, *names]}
    if not scenario.boxes:
        table_bet = next(iter(scenario.table), None)
        raise Refused(MainBetMissing(table_bet), f"table.{table_bet}") if table_bet else Refused(NoBets(), "boxes")
    if sheet.shoe.cards == SCANNED:  # as with a stacked shoe, the first card is dealt, and one round fits
        sheet = replace(sheet, shoe=replace(sheet.shoe, burn=0, reshuffle="cut-card", cut=(50, 50)))
    table = open_table("scenario", sheet, names[0], purses)
    if ignore_limits:
        table = table._replace(limits=dict.fromkeys(table.limits, (sheet.stakes.unit, NO_LIMIT)))
    stage = _TableRunner(table)
    stage.take_shoe(scenario.shoe)
    _check_boxes(sheet, scenario)
    _sit(stage, scenario)
    _bet(stage, scenario)
    if sheet.game.solo:
        stage.run(commands.DealNow(names[0], 0), "boxes")
    else:
        stage.run(commands.Tick(stage.table.deadline or 0), "boxes")
    _decide(stage, scenario)
    return PlayedScenario(tuple(stage.log), stage.end(), purses)


def _check_boxes(sheet: Sheet, scenario: Scenario) -> None:
    taken: set[int] = set()
    for i, entry in enumerate(scenario.boxes):
        if not 1 <= entry.box <= sheet.seats.count:
            raise Refused(NoSuchBox(entry.box, sheet.seats.count), f"boxes[{i}]")
        if entry.box in taken:
            raise Refused(BoxTaken(entry.box), f"boxes[{i}]")
        if sheet.game.solo and entry.player != scenario.boxes[0].player:
            raise Refused(SoloTable(), f"boxes[{i}]")
        if entry.behind and not sheet.options.behind:
            raise Refused(BetNotOffered("behind"), f"boxes[{i}].behind[0]")
        twice = [bettor.player for bettor in entry.behind]
        for j, player in enumerate(twice):
            if player in twice[:j]:
                raise Refused(BoxTaken(entry.box), f"boxes[{i}].behind[{j}]")
        taken.add(entry.box)


def _sit(stage: _TableRunner, scenario: Scenario) -> None:
    if not stage.table.sheet.game.solo:
        for i, entry in enumerate(scenario.boxes):
            stage.run(commands.TakeSeat(entry.player, entry.box, 0), f"boxes[{i}]")


def _bet(stage: _TableRunner, scenario: Scenario) -> None:
    """Bets in the order of the file: main, sides, behind, box by box, then the table's own."""
    for i, entry in enumerate(scenario.boxes):
        if entry.main:
            _place(stage, entry.player, commands.Spot(entry.box, "main"), entry.main, f"boxes[{i}].main")
        for bet, stake in entry.sides.items():
            _place(stage, entry.player, commands.Spot(entry.box, bet), stake, f"boxes[{i}].sides.{bet}")
        for j, bettor in enumerate(entry.behind):
            at = f"boxes[{i}].behind[{j}]"
            stage.run(commands.ChooseFollow(bettor.player, entry.box, bettor.follow_double, bettor.follow_split, 0), at)
            _place(stage, bettor.player, commands.Spot(entry.box, "behind"), bettor.stake, at)
    for bet, stake in scenario.table.items():
        _place(stage, scenario.boxes[0].player, commands.Spot(0, bet), stake, f"table.{bet}")


def _place(stage: _TableRunner, player: PlayerId, spot: commands.Spot, stake: Cents, at: str) -> None:
    stage.run(commands.PlaceBet(player, (spot,), stake, 0, exact=True), at)
    if stake < (least := stage.table.limit(spot.bet, player)[0]):
        raise Refused(BelowMinimum(spot.bet, least, stake), at)


def _decide(stage: _TableRunner, scenario: Scenario) -> None:
    """Decisions in the order in which the game asks, bonus draws as they fall due."""
    used = drawn = 0
    while (play := stage.play) is not None:
        if play.stage is Stage.INSURANCE:
            player, box = _find_next_asked(play, scenario)
        else:
            now = legal.turn(play)
            if now is None:
                raise AssertionError(f"round {play.code} waits for nobody")
            player, box = now[0].player, now[0]
            if now[1] < 0:
                _draw(stage, box, scenario.bonus[drawn : drawn + 1], drawn)
                drawn += 1
                continue
        if used == len(scenario.decisions):
            raise Refused(DecisionMissing(box.number, player), "decisions")
        _take(stage, player, box, scenario.decisions[used], f"decisions[{used}]")
        used += 1
    if used < len(scenario.decisions):
        raise Refused(DecisionLeftOver(), f"decisions[{used}]")
    if drawn < len(scenario.bonus):
        raise Refused(BonusLeftOver(), f"bonus[{drawn}]")


def _find_next_asked(play: Round, scenario: Scenario) -> tuple[PlayerId, Box]:
    """Insurance is asked box by box, the owner and then each bettor behind as the scenario lists them."""
    waiting = {(box.number, player): box for player, box in insurance.waiting(play)}
    for entry in sorted(scenario.boxes, key=lambda entry: entry.box):
        for player in (entry.player, *(bettor.player for bettor in entry.behind)):
            if (entry.box, player) in waiting:
                return player, waiting[entry.box, player]
    raise AssertionError(f"round {play.code} waits for nobody")


def _take(stage: _TableRunner, player: PlayerId, box: Box, entry: DecisionEntry, at: str) -> None:
    now = stage.table.deadline - 1 if stage.table.deadline else 0
    if entry.box != box.number or (entry.player or box.player) != player:
        raise Refused(NotYourTurn(entry.box), at)
    if entry.do == TIMEOUT:
        stage.run(commands.TimeOut(box.number, now, player), at)
    else:
        stage.run(commands.Act(player, box.number, Action(entry.do), now), at)


def _draw(stage: _TableRunner, box: Box, entries: tuple[BonusEntry, ...], number: int) -> None:
    if not entries:
        raise Refused(BonusMissing(box.number), "bonus")
    entry, at = entries[0], f"bonus[{number}]"
    stage.run(commands.SpinWheel(box.player, box.number, entry.wheel, 0, entry.boxes, entry.start), at)
    for place, locks in enumerate(entry.spins):
        if _prize(stage, box.number) is not None:
            raise Refused(BonusImpossible("spin-left-over", count=place + 1), at)
        last = place == len(entry.spins) - 1
        stage.run(commands.SpinBoard(box.player, box.number, locks, 0, entry.diamonds if last else ()), at)
    if _prize(stage, box.number) is None:
        raise Refused(BonusImpossible("board-not-ended"), at)
    if entry.diamonds and not entry.spins:
        raise Refused(BonusImpossible("diamonds-without-board"), at)


def _prize(stage: _TableRunner, number: int) -> int | None:
    """The prize of the box's bonus; the round may be over by then."""
    box = stage.table.round.box(number) if stage.table.round else None
    return box.bonus.prize if box and box.bonus else None


def write_settlement(performance: PlayedScenario) -> dict[str, Any]:
    """The settlement as the contract prints it."""
    table, play = performance.table, performance.table.round
    lines = list_lines(table, performance.log)
    return {
        "dealer": _dealer(play),
        "hands": [_hand(table.sheet, play, box, i) for box in play.boxes for i in range(len(box.hands))]
        if play
        else [],
        "bets": write_bets(lines, table),
        "players": {name: _player(name, lines, before) for name, before in performance.before.items()},
        "unused_cards": table.shoe.remaining if table.shoe else 0,
    }


def list_lines(table: Table, log: Iterable[Event]) -> list[Line]:
    """Every bet that this log settles, refunds included."""
    refunds = [line for event in log for line in _refund(table.sheet, event)]
    return [*(table.round.lines if table.round else ()), *refunds]


def write_bets(lines: Iterable[Line], table: Table) -> list[dict[str, Any]]:
    """The lines of a settlement, box by box; those of the whole table come last."""
    return [_line(line) for line in sorted(lines, key=lambda line: line.box or len(table.seats) + 1)]


def _refund(sheet: Sheet, event: Event) -> list[Line]:
    """A bet behind whose owner sits out comes back with a line of its own (V-27)."""
    if not isinstance(event, BetRemoved) or event.reason != "owner-sits-out":
        return []
    cite = sheet.cite("behind-refund")
    return [Line(event.player, bet, amount, amount, cite, str(amount), box) for box, bet, amount in event.wagers]


def _dealer(play: Round | None) -> dict[str, Any]:
    if play is None or not play.dealer or not play.has_dealer_hand:
        return {"cards": "", "total": None, "blackjack": False}
    natural = hand.is_natural(play.dealer) and not play.community
    return {"cards": cards.line(play.dealer), "total": hand.total(play.dealer), "blackjack": natural}


def _hand(sheet: Sheet, play: Round, box: Box, index: int) -> dict[str, Any]:
    player_hand = box.hands[index]
    outcome = engine(sheet).result(sheet, play, box, index).outcome
    text = cards.line(player_hand.cards)
    return {"box": box.number, "hand": index + 1, "cards": text, "total": player_hand.total, "outcome": outcome}


def _line(line: Line) -> dict[str, Any]:
    place = {"box": line.box} if line.box else {}
    if line.hand:
        place["hand"] = line.hand
    amounts = {"stake": line.stake, "returned": line.returned}
    return {"player": line.player, **place, "bet": line.bet, **amounts, "criterion": line.criterion}


def _player(name: PlayerId, lines: list[Line], before: Cents) -> dict[str, int]:
    staked = sum(line.stake for line in lines if line.player == name)
    returned = sum(line.returned for line in lines if line.player == name)
    return {"staked": staked, "returned": returned, "net": returned - staked, "balance": before + returned - staked}
