"""A refusal changes nothing and says why; `legal` and `decide` give one answer (V-55, X-19, R-10)."""

from __future__ import annotations

import pytest
from hypothesis import given

from tests.support.random_table import GAMES, Step, often, seeds, sheet_of, walk
from ventuno import sheets
from ventuno.core.messages.commands import (
    Act,
    ActAll,
    ActEarly,
    BringMoney,
    ChangeLimits,
    ClearBets,
    Command,
    DealNow,
    DoubleBets,
    LeaveSeat,
    LoadShoe,
    Pause,
    PlaceBet,
    RemoveBet,
    RepeatBets,
    Spot,
    TakeSeat,
    Tick,
    UndoBet,
    Void,
)
from ventuno.core.messages.events import BetPlaced, DecisionReplaced, EarlyChosen, Event, FollowSkipped
from ventuno.core.messages.refusals import FundsMissing, LimitReached, MainBetMissing, Refusal, RoundCapReached
from ventuno.core.rules.cards import pack
from ventuno.core.table import ledger, legal
from ventuno.core.table.fold import advance, decide, open_table
from ventuno.core.table.round import Action, Stage
from ventuno.core.table.state import Phase, Table
from ventuno.words import LANGUAGES, describe_refusal


@pytest.mark.parametrize("game", GAMES)
@given(seed=seeds)
@often(12)
def test_a_refused_command_changes_nothing_and_says_why(game: str, seed: int) -> None:
    """A code that is a noun, a sentence of one line in each language, and the very state it found."""
    for step in walk(sheet_of(game), seed, 200, wild=0.4):
        if isinstance(step.outcome, Refusal):
            assert step.after is step.before
            assert step.outcome.code == type(step.outcome).__name__
            sentences = [describe_refusal(step.outcome, language) for language in LANGUAGES]
            assert all(sentences)
            assert not any(sign in sentence for sentence in sentences for sign in "\n{")
            assert decide(step.before, step.command) == step.outcome


HOSTILE = "two\nlines"


@pytest.mark.parametrize(
    "command",
    [
        PlaceBet("ada", (Spot(1, HOSTILE),), 100, 1),
        ChangeLimits({HOSTILE: (100, 200)}, "sup", 1),
        BringMoney("bruno\n", 100, 1),
        TakeSeat(HOSTILE, 1, 1),
    ],
    ids=lambda command: type(command).__name__,
)
def test_a_detail_is_one_line_whatever_was_asked(command: Command) -> None:
    """Text of the asker must not break the one line of the contract."""
    table = ready("ventuno" if isinstance(command, TakeSeat) else "sisal")
    answer = decide(table, command)
    assert isinstance(answer, Refusal)
    assert len(describe_refusal(answer).splitlines()) == 1


def test_a_pause_is_explained_in_one_line() -> None:
    table = after(ready("sisal"), Pause("sup", HOSTILE, 1))
    answer = decide(table, UndoBet("ada", 2))
    assert isinstance(answer, Refusal)
    assert len(describe_refusal(answer).splitlines()) == 1


def after(table: Table, *commands: Command) -> Table:
    for command in commands:
        answer = advance(table, command)
        assert not isinstance(answer, Refusal), (command, answer)
        table = answer[1]
    return table


def ready(game: str, *players: str) -> Table:
    """A table with money and cards, open for bets."""
    sheet = sheets.load(game)
    table = open_table("T", sheet, "ada" if sheet.game.solo else None)
    people = players or ("ada",)
    cut = 1 if sheet.shoe.reshuffle == "every-round" else sheet.shoe.decks * 52 * sheet.shoe.cut[0] // 100
    return after(table, LoadShoe(pack(sheet.shoe.decks), cut, 0), *(BringMoney(player, 50_000, 0) for player in people))


def paid(player: str, events: list[Event]) -> int:
    """What the first of these events that costs anything takes from the player."""
    for event in events:
        mine = sum(amount for who, amount in ledger.stakes(event) if who == player)
        if mine:
            return mine
        if not isinstance(event, DecisionReplaced | FollowSkipped):
            return 0
    return 0


def check_decisions(table: Table, player: str, at: int, options: legal.Options) -> None:
    for (box, action), verdict in options.decisions.items():
        answer = decide(table, Act(player, box, action, at))
        if isinstance(verdict, int):
            assert not isinstance(answer, Refusal), (box, action, verdict, answer)
            assert paid(player, answer) == verdict
            assert not any(isinstance(event, DecisionReplaced) for event in answer[:1])
        elif substituted(table, action, verdict):
            assert not isinstance(answer, Refusal)
            assert any(isinstance(event, DecisionReplaced) for event in answer)
        else:
            assert answer == verdict[0]


def substituted(table: Table, action: Action, refusals: tuple[Refusal, ...]) -> bool:
    """V-59: where only funds are missing the automatic action takes the place of a double or a split."""
    if table.sheet.stakes.missing_funds != "substitute" or action not in (Action.DOUBLE, Action.SPLIT):
        return False
    return len(refusals) == 1 and isinstance(refusals[0], FundsMissing)


def check_early(table: Table, player: str, at: int, options: legal.Options) -> None:
    for (box, action), verdict in options.early.items():
        answer = decide(table, ActEarly(player, box, action, at))
        if isinstance(verdict, int):
            assert isinstance(answer, list)
            assert answer[0] == EarlyChosen(player, box, action)
            assert paid(player, answer) == 0, "an early decision is paid when it is executed"
        else:
            assert answer == verdict[0]


@pytest.mark.parametrize("game", GAMES)
@given(seed=seeds)
@often(12)
def test_legal_and_decide_agree_on_decisions(game: str, seed: int) -> None:
    """What legal prices is done at that price; what it refuses is refused in its first words."""
    for step in walk(sheet_of(game), seed, 200):
        table, at = step.after, step.command.at
        if table.phase is not Phase.ROUND or isinstance(step.outcome, Refusal):
            continue
        for player in table.purses:
            options = legal.legal(table, player, at)
            check_decisions(table, player, at, options)
            check_early(table, player, at, options)


@pytest.mark.parametrize("game", GAMES)
@given(seed=seeds)
@often(8)
def test_what_legal_does_not_offer_is_refused(game: str, seed: int) -> None:
    """Every action on every box by everybody: accepted only where legal has a price (or V-59 a substitute)."""
    for step in walk(sheet_of(game), seed, 140):
        table, at = step.after, step.command.at
        if isinstance(step.outcome, Refusal) or table.phase is not Phase.ROUND:
            continue
        for player in (*table.purses, "zeno"):
            offered = legal.legal(table, player, at).decisions
            for box in range(len(table.seats) + 2):
                for action in Action:
                    answer = decide(table, Act(player, box, action, at))
                    verdict = offered.get((box, action), ())
                    good = isinstance(verdict, int) or substituted(table, action, verdict)
                    assert isinstance(answer, Refusal) != good, (player, box, action, answer)


BETTING: dict[str, type[UndoBet] | type[ClearBets] | type[DoubleBets] | type[DealNow]] = {
    "undo": UndoBet,
    "clear": ClearBets,
    "double": DoubleBets,
    "deal": DealNow,
}


def betting_command(name: str, player: str, at: int) -> Command:
    if name.startswith("repeat"):
        return RepeatBets(player, at, 2 if name == "repeat-double" else 1)
    return BETTING[name](player, at)


@pytest.mark.parametrize("game", GAMES)
@given(seed=seeds)
@often(8)
def test_legal_and_decide_agree_on_betting(game: str, seed: int) -> None:
    """A betting button that is offered works; one that is not is refused in the same words."""
    for step in walk(sheet_of(game), seed, 160):
        table, at = step.after, step.command.at
        if isinstance(step.outcome, Refusal) or (table.shoe and len(table.shoe.cards) < 52 * table.sheet.shoe.decks):
            continue  # a stacked shoe may end in the middle of a deal
        for player in (*table.purses, "zeno"):
            for name, verdict in legal.legal(table, player, at).betting.items():
                answer = decide(table, betting_command(name, player, at))
                if isinstance(verdict, int):
                    assert not isinstance(answer, Refusal), (name, answer)
                else:
                    assert answer == verdict[0]


@pytest.mark.parametrize("game", ["ventuno", "link"])
@given(seed=seeds)
@often(6)
def test_legal_prices_repeat_and_double_bets(game: str, seed: int) -> None:
    """House style 3: each action with its price; doubling or repeating bets costs what is then placed."""
    for step in walk(sheet_of(game), seed, 160):
        table, at = step.after, step.command.at
        if table.phase is not Phase.BETTING or isinstance(step.outcome, Refusal):
            continue
        for player in table.purses:
            for name in ("repeat", "repeat-double", "double"):
                verdict = legal.legal(table, player, at).betting[name]
                answer = decide(table, betting_command(name, player, at))
                if isinstance(verdict, int) and isinstance(answer, list):
                    assert paid(player, answer) == verdict, (name, step.command)


def check_spot(table: Table, player: str, at: int, spot: Spot, verdict: legal.Verdict) -> None:
    unit = table.sheet.stakes.unit
    least = decide(table, PlaceBet(player, (spot,), unit, at, exact=True))
    if isinstance(verdict, tuple):
        assert least == verdict[0]
        return
    assert verdict > 0, f"{spot}: nothing more is taken, so a refusal is due (V-47)"
    over = decide(table, PlaceBet(player, (spot,), verdict + unit, at, exact=True))
    assert isinstance(over, LimitReached | FundsMissing | RoundCapReached), (spot, over)
    full = decide(table, PlaceBet(player, (spot,), verdict, at, exact=True))
    if isinstance(full, Refusal):
        assert isinstance(full, FundsMissing), (spot, full)
    else:
        assert paid(player, full) == verdict


@pytest.mark.parametrize("game", GAMES)
@given(seed=seeds)
@often(6)
def test_legal_and_decide_agree_on_spots(game: str, seed: int) -> None:
    """V-47, S-10: a spot takes exactly what legal says it still takes, money allowing; at a maximum it says so."""
    for step in walk(sheet_of(game), seed, 140):
        table, at = step.after, step.command.at
        if table.phase is Phase.BETTING and not isinstance(step.outcome, Refusal):
            for player in table.purses:
                for spot, verdict in legal.legal(table, player, at).spots.items():
                    check_spot(table, player, at, spot, verdict)


@pytest.mark.parametrize("game", GAMES)
@given(seed=seeds)
@often(8)
def test_what_comes_late_is_refused(game: str, seed: int) -> None:
    """V-45, R-10, H-3: at and after the deadline neither bets nor decisions are taken, whoever sends them."""
    for step in walk(sheet_of(game), seed, 200):
        table = step.after
        if table.deadline is None or table.pause or isinstance(step.outcome, Refusal):
            continue
        late = table.deadline
        commands: list[Command] = []
        for player in table.purses:
            commands += [PlaceBet(player, (Spot(1, "main"),), 100, late), DealNow(player, late), UndoBet(player, late)]
            commands += [Act(player, box, Action.STAND, late) for box in range(1, len(table.seats) + 1)]
            commands += [ActAll(player, Action.DECLINE, late)]
        for command in commands:
            assert isinstance(decide(table, command), Refusal), command
        assert isinstance(decide(table, Tick(late - 1)), Refusal)


def bet(player: str, box: int, kind: str, amount: int = 100) -> PlaceBet:
    return PlaceBet(player, (Spot(box, kind),), amount, 1, exact=True)


def test_part_of_a_chip_cannot_be_taken_off() -> None:
    """V-07: what is left on a spot after RemoveBet is a multiple of the stake unit, as what was placed."""
    table = after(ready("sisal"), bet("ada", 1, "main", 1000))
    answer = advance(table, RemoveBet("ada", Spot(1, "main"), 2, 5))
    left = 1000 if isinstance(answer, Refusal) else answer[1].slips["ada"].totals()[1, "main"]
    assert left % table.sheet.stakes.unit == 0


def test_nobody_ends_up_behind_his_own_box() -> None:
    """V-25: not by betting behind a box, and sitting down there when its owner has gone."""
    table = after(ready("ventuno", "ada", "bruno"), TakeSeat("ada", 1, 1), bet("bruno", 1, "behind"))
    table = after(table, LeaveSeat("ada", 1, 1))
    answer = advance(table, TakeSeat("bruno", 1, 1))
    if not isinstance(answer, Refusal):
        assert (1, "behind") not in answer[1].slips["bruno"].totals()


def test_a_bet_behind_comes_back_when_its_owner_leaves() -> None:
    """V-27, V-33: it does not pass to whoever sits down next, who may forbid bets behind."""
    table = after(ready("ventuno", "ada", "bruno", "carla"), TakeSeat("ada", 1, 1), bet("bruno", 1, "behind"))
    table = after(table, LeaveSeat("ada", 1, 1), TakeSeat("carla", 1, 1), bet("carla", 1, "main"))
    table = after(table, Tick(table.deadline or 0))
    assert table.round is not None
    assert [one.player for box in table.round.boxes for one in box.behind] == []
    assert table.purse("bruno") == 50_000


def test_a_voided_round_frees_the_seat_of_who_left() -> None:
    """V-41, reading 9: the seat is free when the round ends, also when it ends by a void."""
    table = after(ready("ventuno", "ada"), TakeSeat("ada", 1, 1), bet("ada", 1, "main"))
    table = after(table, Tick(table.deadline or 0))
    table = after(table, LeaveSeat("ada", 1, 20_000))
    if table.phase is Phase.ROUND:
        table = after(table, Void("sup", "misdeal", 20_001))
    assert table.seats[0] is None


def test_repeat_places_whatever_was_played() -> None:
    """S-15, L-16: a table bet placed before the main bet that finally carried it is repeated like the rest."""
    table = after(ready("sisal"), bet("ada", 1, "main"), bet("ada", 0, "dealer-pair"), bet("ada", 2, "main"))
    table = after(table, RemoveBet("ada", Spot(1, "main"), 1), DealNow("ada", 1))
    table = after(table, Void("sup", "start again", 2), LoadShoe(pack(8), 1, 2))
    answer = advance(table, RepeatBets("ada", 3))
    assert not isinstance(answer, Refusal), answer
    assert isinstance(answer[0][0], BetPlaced)


def test_undo_leaves_no_table_bet_alone() -> None:
    """S-08: a dealer pair needs a standard bet, also after removals and undo."""
    table = after(ready("sisal"), bet("ada", 1, "main"), bet("ada", 0, "dealer-pair"), bet("ada", 2, "main"))
    table = after(table, RemoveBet("ada", Spot(1, "main"), 1), UndoBet("ada", 1))
    totals = table.slips["ada"].totals()
    assert (0, "dealer-pair") not in totals or any(kind == "main" for _, kind in totals)


def test_a_side_bet_needs_its_main_bet() -> None:
    """The checks above can fail: here is the refusal they look for."""
    answer = decide(ready("sisal"), bet("ada", 1, "21+3"))
    assert answer == MainBetMissing("21+3")


def reached(step: Step) -> bool:
    play = step.after.round
    return play is not None and step.after.phase is Phase.ROUND and play.stage is Stage.INSURANCE


def test_the_walk_meets_what_these_properties_are_about() -> None:
    """Insurance, early decisions, substitutes and refusals all occur, so agreement is not agreement on nothing."""
    steps = [step for seed in range(12) for step in walk(sheet_of("ventuno"), seed, 300)]
    assert any(map(reached, steps))
    events = [event for step in steps if not isinstance(step.outcome, Refusal) for event in step.outcome]
    assert any(isinstance(event, EarlyChosen) for event in events)
    assert len({step.outcome.code for step in steps if isinstance(step.outcome, Refusal)}) > 12
