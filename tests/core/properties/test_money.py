"""Stakes and payouts balance after every event, whatever is asked of a table (I-1…I-5, I-8, X-12, V-07)."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given

from tests.support.random_table import GAMES, Step, often, seeds, sheet_of, walk
from ventuno.core.messages.events import (
    BetPlaced,
    BettingOpened,
    Event,
    HandDoubled,
    HandSplit,
    MoneyBrought,
    MoneyTaken,
    RoundSettled,
    RoundVoided,
)
from ventuno.core.messages.refusals import Refusal
from ventuno.core.table import ledger
from ventuno.core.table.fold import evolve
from ventuno.core.table.state import Phase, Table

STEPS = 220


def open_stakes(table: Table) -> Counter[str]:
    """What every player has on the felt, counted here from the state, bet by bet."""
    held: Counter[str] = Counter()
    if table.phase is not Phase.ROUND or table.round is None:
        for player, slip in table.slips.items():
            for step in slip.steps:
                held[player] += sum(amount for _, _, amount in step)
        return +held
    for player, _, stake in table.round.table_bets:
        held[player] += stake
    if pending := table.round.pending:
        held.update({pending.player: pending.stake})
        held.update(dict(pending.follows))
    for box in table.round.boxes:
        held[box.player] += sum(stake for _, stake in box.sides) + (box.insurance or 0)
        held[box.player] += sum(one.stake + one.added for one in box.hands) if box.hands else box.main
        for one in box.behind:
            held[one.player] += sum(stake + added for stake, added in one.stakes) + (one.insurance or 0)
    return +held


class Books:
    """Double entry beside the table: every account from the postings alone."""

    def __init__(self, table: Table) -> None:
        self.accounts: Counter[str] = Counter()
        self.wealth: Counter[str] = Counter()
        self.table = table

    def enter(self, event: Event) -> None:
        before, self.table = self.table, evolve(self.table, event)
        written = ledger.postings(event, before.sheet.game.id)
        assert sum(one.amount for one in written) == 0, event
        for one in written:
            self.accounts[one.account] += one.amount
        self.follow(before, event)
        self.check(event)

    def follow(self, before: Table, event: Event) -> None:
        """What everybody owns, worked out from what was brought, taken and won."""
        match event:
            case MoneyBrought(player, amount):
                self.wealth[player] += amount
            case MoneyTaken(player, amount):
                self.wealth[player] -= amount
            case RoundSettled(lines):
                staked = open_stakes(before)
                for player in before.purses:
                    mine = [line for line in lines if line.player == player]
                    assert sum(line.stake for line in mine) == staked[player], event
                    won = sum(line.returned for line in mine)
                    assert self.table.purse(player) - before.purse(player) == won
                    self.wealth[player] += won - staked[player]
                assert all(line.returned >= 0 or line.bet == "max-win" for line in lines)
                assert all(line.criterion and line.arithmetic for line in lines)
            case RoundVoided(refunds=refunds):
                assert Counter(dict(refunds)) == open_stakes(before)
            case _:
                pass

    def check(self, event: Event) -> None:
        table, held = self.table, open_stakes(self.table)
        assert sum(self.accounts.values()) == 0
        for player, purse in table.purses.items():
            assert purse >= 0, (player, purse, event)
            assert purse == self.accounts[f"player:{player}:table"], (player, event)
            assert held[player] == self.accounts[f"player:{player}:in-play"], (player, event)
            assert held[player] == table.total_stake_of(player)
            assert purse + held[player] == self.wealth[player], (player, event)
        assert set(held) <= set(table.purses)


@pytest.mark.parametrize("game", GAMES)
@given(seed=seeds)
@often(14)
def test_the_books_balance_after_every_event(game: str, seed: int) -> None:
    """I-1, I-2, I-3, I-5, R-05; a void leaves every balance as it was before the round (reading 15, R-07)."""
    books: Books | None = None
    for step in walk(sheet_of(game), seed, STEPS):
        books = books or Books(step.before)
        if isinstance(step.outcome, Refusal):
            continue
        for event in step.outcome:
            books.enter(event)
        assert books.table == step.after


def test_the_books_can_fail() -> None:
    """A cent more in one line, and the check above sees it."""
    for step in walk(sheet_of("ventuno"), 7, 2000):
        settled = [] if isinstance(step.outcome, Refusal) else step.outcome
        place = next((i for i, event in enumerate(settled) if isinstance(event, RoundSettled)), None)
        if place is not None:
            break
    books = Books(step.before)
    books.wealth.update({player: held + step.before.purse(player) for player, held in open_stakes(step.before).items()})
    for event in settled[:place]:
        books.table = evolve(books.table, event)
    event = settled[place or 0]
    assert isinstance(event, RoundSettled)
    first, *rest = event.lines
    wrong = RoundSettled((first._replace(stake=first.stake + 1), *rest), event.deadline, event.at)
    with pytest.raises(AssertionError):
        books.enter(wrong)


def stake_faults(step: Step) -> list[str]:
    """Where the bets on the felt break the rules of betting."""
    table, unit, faults = step.after, step.after.sheet.stakes.unit, list[str]()
    for player, slip in table.slips.items():
        totals = slip.totals()
        for (box, bet), held in totals.items():
            if held <= 0 or held % unit:
                faults.append(f"V-07: {player} has {held} on {bet} {box}")
            if bet == "behind" and table.owner(box) == player:
                faults.append(f"V-25: {player} bets behind his own box {box}")
            if bet == "main" and table.owner(box) != player:
                faults.append(f"V-28: {player} plays box {box}, which is not his")
            if bet not in ("main", "behind") and not any(kind == "main" and box in (0, at) for at, kind in totals):
                faults.append(f"V-23: {player} has {bet} on {box} without a main bet")
    return faults


def round_faults(step: Step) -> list[str]:
    table, faults = step.after, list[str]()
    if table.phase is not Phase.ROUND or table.round is None:
        return [
            f"V-41: {one.player} is still leaving" for one in table.seats if one and one.leaving and not table.slips
        ]
    unit = table.sheet.stakes.unit
    for box in table.round.boxes:
        stakes = [box.main, *(stake for _, stake in box.sides), *(one.stakes[0][0] for one in box.behind)]
        faults += [f"V-07: a stake of {stake} on box {box.number}" for stake in stakes if stake % unit]
        if any(one.player == box.player for one in box.behind):
            faults.append(f"V-25: {box.player} bets behind his own box {box.number}")
        if len(box.hands) > table.sheet.split.hands:
            faults.append(f"V-14: {len(box.hands)} hands on box {box.number}")
        if any(one.added not in (0, one.stake) for one in box.hands):
            faults.append(f"V-11: a double that is not the stake on box {box.number}")
    return faults


@pytest.mark.parametrize("game", GAMES)
@given(seed=seeds)
@often(14)
def test_stakes_obey_the_rules_of_betting(game: str, seed: int) -> None:
    """V-07, V-14, V-23, V-25, V-28, V-41 at every state of random play."""
    for step in walk(sheet_of(game), seed, STEPS):
        assert stake_faults(step) + round_faults(step) == [], step.command


@pytest.mark.parametrize("game", GAMES)
@given(seed=seeds)
@often(8)
def test_no_act_of_betting_passes_a_limit(game: str, seed: int) -> None:
    """V-47, S-10, V-43: maxima and the cap of a round hold after every event, by the limits that were then in force."""
    for step in walk(sheet_of(game), seed, STEPS):
        table = step.before
        for event in [] if isinstance(step.outcome, Refusal) else step.outcome:
            table = evolve(table, event)
            if isinstance(event, BetPlaced):
                totals = table.slips[event.player].totals()
                for wager in event.wagers:
                    assert totals[wager.box, wager.bet] <= table.limit(wager.bet, event.player)[1], event
            cap = table.sheet.stakes.round_cap
            if cap and isinstance(event, BetPlaced | HandDoubled | HandSplit):
                assert table.total_stake_of(event.player) <= cap


@pytest.mark.parametrize("game", GAMES)
@given(seed=seeds)
@often(8)
def test_limits_change_only_between_rounds(game: str, seed: int) -> None:
    """V-43: new limits wait until betting opens next; they never change under bets that lie there."""
    for step in walk(sheet_of(game), seed, STEPS):
        table = step.before
        for event in [] if isinstance(step.outcome, Refusal) else step.outcome:
            changed = evolve(table, event)
            if changed.limits != table.limits:
                assert isinstance(event, BettingOpened)
                assert not open_stakes(table), (step.command, event)
            table = changed
