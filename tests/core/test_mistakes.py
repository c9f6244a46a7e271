"""The mistakes seen in public blackjack code, each one a test (end of the criteria).

Where a fault can be planted it is, so that each check is seen to fail. Mistakes 7 (randomness) and 9 (the published
hash) are about the house, which draws and commits; the rest is about the core.
"""

from __future__ import annotations

import ast
import inspect
import json
import re
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from tests.support.random_table import SPECTATOR, sheet_of, walk
from tests.support.views import build_views
from ventuno import sheets
from ventuno.core.games import insurance, settlement, side_bets
from ventuno.core.messages.commands import (
    Act,
    ActEarly,
    BringMoney,
    Command,
    LeaveSeat,
    LoadShoe,
    PlaceBet,
    Spot,
    TakeSeat,
    Tick,
    UndoBet,
)
from ventuno.core.messages.events import Event, HandHit, HandStood, RoundSettled, ShoeLoaded, ShoeRetired
from ventuno.core.messages.refusals import NotYourTurn, Refusal
from ventuno.core.rules import cards, hand
from ventuno.core.rules.cards import Shoe, pack
from ventuno.core.rules.money import EVEN
from ventuno.core.rules.sheet import Sheet
from ventuno.core.scenario import runner, scenario
from ventuno.core.table import legal, shoes
from ventuno.core.table.fold import advance, open_table, replay
from ventuno.core.table.round import Action, Origin, Stage, Status
from ventuno.core.table.state import Phase, Table
from ventuno.core.views.public_view import build_public_view
from ventuno.house.shoes import commitment, entropy

CORE = Path(hand.__file__).parents[1]


def settle(raw: dict[str, Any]) -> dict[str, Any]:
    read = scenario.parse({"game": "ventuno", **raw}, sheets.GAMES)
    return runner.write_settlement(runner.play_scenario(sheets.load(read.game), read))


def one_box(shoe: str, *words: str, main: int = 1000, game: str = "ventuno", **more: Any) -> dict[str, Any]:
    return settle(
        {
            "game": game,
            "shoe": shoe,
            "boxes": [{"box": 1, "player": "p1", "main": main, **more}],
            "decisions": [{"box": 1, "do": word} for word in words],
        }
    )


def after(table: Table, *commands: Command) -> Table:
    for command in commands:
        answer = advance(table, command)
        assert not isinstance(answer, Refusal), (command, answer)
        table = answer[1]
    return table


def live(shoe: str, *players: str) -> Table:
    """A ventuno table where each player sits with a bet of 1000, cards dealt."""
    table = after(open_table("T", sheets.load("ventuno")), LoadShoe(cards.cards(shoe), 0, 0, stacked=True))
    for box, player in enumerate(players, start=1):
        table = after(
            table,
            BringMoney(player, 10_000, 0),
            TakeSeat(player, box, 0),
            PlaceBet(player, (Spot(box, "main"),), 1000, 0),
        )
    return after(table, Tick(table.deadline or 0))


# 1. The complete state, undealt shoe and hole card included, sent to every client and every new connection.


def printed_cards(seen: object) -> list[str]:
    return re.findall(r"'([2-9TJQKA][SHDC])'", repr(seen))


def test_mistake_01_the_whole_state_sent_to_everybody() -> None:
    """A view names the dealt cards and no other, for players, bettors, newcomers and spectators."""
    table = live("9S 8S 7D TC 9H KH 2C 3C 4C 5C", "ada", "bruno")
    for viewer in ("ada", "bruno", "newcomer", SPECTATOR):
        assert sorted(printed_cards(build_views(table, viewer))) == sorted(["9S", "TC", "8S", "9H", "7D"])
    assert "KH" in map(cards.text, table.round.hidden if table.round else ())


def test_mistake_01_planted() -> None:
    """The state itself, printed as cards, is caught by the same look."""
    table = live("9S 8S 7D TC 9H KH 2C 3C 4C 5C", "ada", "bruno")
    assert table.shoe is not None
    sent = [*map(cards.text, table.shoe.cards)]
    assert set(printed_cards(sent)) - set(printed_cards(build_views(table, SPECTATOR))) >= {"KH", "2C", "5C"}


# 2. The cut card compared with cards remaining instead of cards dealt: a reshuffle after 20 %.


def rounds_of_one_shoe(table: Table) -> tuple[int, Shoe]:
    """Plays rounds until the shoe is retired: cards dealt when its last round began, and the shoe at its end."""
    begun, shoe = 0, table.shoe
    while True:
        assert table.shoe is not None
        shoe, begun = table.shoe, table.shoe.position
        table = after(table, PlaceBet("ada", (Spot(1, "main"),), 100, table.opened))
        table = after(table, Tick(table.deadline or 0))
        while table.phase is Phase.ROUND:
            table = after(table, Tick(table.deadline or 0))
        assert table.shoe is not None
        shoe = table.shoe
        answer = advance(table, Tick(table.deadline or 0))
        assert not isinstance(answer, Refusal)
        table = answer[1]
        if any(isinstance(event, ShoeRetired) for event in answer[0]):
            return begun, shoe


@pytest.mark.parametrize("share", [0, 1], ids=["first", "last"])
def test_mistake_02_the_cut_card_counted_from_the_wrong_end(share: int) -> None:
    """V-81: the shoe serves rounds until so many cards are dealt, and the round in which that happens is finished."""
    sheet = sheets.load("ventuno")
    cut = shoes.cut_window(sheet)[share]
    table = after(open_table("T", sheet), BringMoney("ada", 10**7, 0), TakeSeat("ada", 1, 0), LoadShoe(pack(8), cut, 0))
    begun, shoe = rounds_of_one_shoe(table)
    assert begun < cut <= shoe.position < len(shoe.cards)
    assert shoe.position >= len(shoe.cards) // 2


def test_mistake_02_planted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Shoe, "is_out", property(lambda self: self.remaining <= self.cut))
    sheet = sheets.load("ventuno")
    cut = shoes.cut_window(sheet)[1]
    table = after(open_table("T", sheet), BringMoney("ada", 10**7, 0), TakeSeat("ada", 1, 0), LoadShoe(pack(8), cut, 0))
    begun, shoe = rounds_of_one_shoe(table)
    assert not begun < cut <= shoe.position


# 3. A disconnected player's open hands turned into busts. Balances keyed by display name.


def finish(table: Table) -> tuple[Table, list[Event]]:
    """Nobody answers: the clock alone ends the round."""
    log: list[Event] = []
    while table.phase is Phase.ROUND:
        answer = advance(table, Tick(table.deadline or 0))
        assert not isinstance(answer, Refusal)
        log += answer[0]
        table = answer[1]
    return table, log


@pytest.mark.parametrize("leaves", [False, True], ids=["silent", "left"])
def test_mistake_03_a_player_who_is_away_goes_bust(leaves: bool) -> None:
    """R-02, V-57, V-79, V-41: 18 stands and wins; 5 hits by itself, and nobody who is away is bust on a stiff hand."""
    table = live("TS 2S 7D 8C 3H TH 9C", "ada", "bruno")
    if leaves:
        table = after(table, LeaveSeat("ada", 1, 1), LeaveSeat("bruno", 2, 1))
    table, log = finish(table)
    play = table.round
    assert play is not None
    assert [(len(box.hands[0].cards), box.hands[0].status) for box in play.boxes] == [
        (2, Status.STOOD),
        (3, Status.STOOD),
    ]
    assert {event.origin for event in log if isinstance(event, HandHit | HandStood)} == {Origin.TIMEOUT}
    assert table.purse("ada") == 11_000


def test_mistake_03_planted(monkeypatch: pytest.MonkeyPatch) -> None:
    """A time-out that always hits sends 18 over 21, and the check above sees it."""
    monkeypatch.setattr("ventuno.core.games.blackjack.timeout", lambda *_: Action.HIT)
    table, _ = finish(live("TS 2S 7D 8C 3H TH 9C KD KS KH", "ada", "bruno"))
    assert table.round is not None
    assert table.round.boxes[0].hands[0].status is Status.BUST


def test_mistake_03_balances_keyed_by_display_name() -> None:
    """Names that look alike are different people; one id is one purse, whatever seats it holds."""
    lookalikes = ("Ada", "ada", "ada ", "аda")
    table = open_table("T", sheets.load("ventuno"))
    for amount, player in enumerate(lookalikes, start=1):
        table = after(table, BringMoney(player, amount * 100, 0), TakeSeat(player, amount, 0))
    assert [table.purse(player) for player in lookalikes] == [100, 200, 300, 400]
    assert "name" not in " ".join(Table._fields)


# 4. Insurance floored to a whole chip, or halved as a float.

STAKES = (100, 110, 130, 990, 1010, 12_350, 50_000)


def insurance_of(stake: int) -> tuple[object, object]:
    done = one_box("9S AS 7D KH", "insure", main=stake)
    line = next(line for line in done["bets"] if line["bet"] == "insurance")
    return line["stake"], line["returned"]


@pytest.mark.parametrize("stake", STAKES)
def test_mistake_04_half_a_stake_rounded_or_floating(stake: int) -> None:
    """V-06, V-07: exactly half, a whole number of cents, paid 2:1 with its stake."""
    price, back = insurance_of(stake)
    assert type(price) is int
    assert Fraction(price) == Fraction(stake, 2)
    assert back == price * 3


def test_mistake_04_no_floats_in_the_core() -> None:
    """No float literal, no true division, no round() anywhere that money passes."""
    for file in CORE.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            assert not (isinstance(node, ast.Constant) and isinstance(node.value, float)), (file.name, node.lineno)
            assert not (isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div)), (file.name, node.lineno)
            called = node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else ""
            assert called not in ("float", "round"), file.name


@pytest.mark.parametrize("half", [lambda stake: stake / 2, lambda stake: stake // 200 * 100], ids=["float", "floored"])
def test_mistake_04_planted(half: Callable[[int], int], monkeypatch: pytest.MonkeyPatch) -> None:
    def price(_table: Table, _player: str, box: Any, action: Action) -> int:
        return half(box.main) if action is Action.INSURE else 0

    monkeypatch.setattr(insurance, "price", price)
    bought = [(insurance_of(stake)[0], stake) for stake in (990, 1010)]
    assert any(type(price) is not int or price * 2 != stake for price, stake in bought)


# 5. Dealer Blackjack against a three-card 21 counted as a push.


@pytest.mark.parametrize("game", ["ventuno", "first-person", "sisal", "link"])
def test_mistake_05_dealer_blackjack_against_three_cards(game: str) -> None:
    """V-03, V-09: a three-card 21 and a split 21 lose to it; only a Blackjack pushes."""
    assert one_box("7S TS 7D AH 7C", "hit", game=game)["players"]["p1"]["net"] == -1000
    split = one_box("AS TS AD AH TC TD", "split", game=game)
    assert split["players"]["p1"]["net"] == -2000
    assert one_box("AS TS KD AH", game=game)["players"]["p1"]["net"] == 0


def test_mistake_05_planted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settlement, "_against_blackjack", lambda *_: settlement.PUSH)
    assert one_box("7S TS 7D AH 7C", "hit")["players"]["p1"]["net"] == 0


# 6. After a break the player cannot return; the hand is compared at its last total.


@pytest.mark.parametrize("game", sheets.GAMES)
def test_mistake_06_no_way_back_after_a_break(game: str) -> None:
    """R-03, R-06, V-80: the log gives the very state, view, options and remaining time, at every point of play."""
    opening: Table | None = None
    log: list[Event] = []
    for step in walk(sheet_of(game), 6, 250, wild=0.05):
        opening = opening or step.before
        log += [] if isinstance(step.outcome, Refusal) else step.outcome
        if step.after.phase is Phase.ROUND:
            back = replay(opening, log)
            assert back == step.after
            assert build_views(back, "ada") == build_views(step.after, "ada")
            assert back.deadline == step.after.deadline


def test_mistake_06_a_hand_left_alone_is_played_not_compared() -> None:
    """A hand of 5 that nobody plays hits by the time-out rule; it is not settled at 5 (V-57, F-04 in 24 hours)."""
    for game in ("ventuno", "first-person", "sisal", "link"):
        done = one_box("2S 6S 3D TH 6C 9C TD", "timeout", "timeout", "timeout", game=game)
        assert done["hands"][0]["cards"] == "2S 3D 6C 9C"
        assert done["hands"][0]["total"] == 20
    done = one_box("2S 6S 3D TH 6C 9C TD", "stand")
    assert done["hands"][0]["total"] == 5, "planted: settled at its last total, the hand would still be 5"


# 8. K-A-2 counted as a straight; any 21 paid as Blackjack.

SEQUENCES = ["A23", "234", "345", "456", "567", "678", "789", "89T", "9TJ", "TJQ", "JQK", "QKA"]


def straights(won: Callable[[tuple[int, ...]], bool]) -> set[str]:
    """Every three ranks, of mixed suits, that count as a straight."""
    order = "A23456789TJQK"
    found = set()
    for one in order:
        for two in order:
            for three in order:
                if won((cards.card(f"{one}S"), cards.card(f"{two}H"), cards.card(f"{three}D"))):
                    found.add("".join(sorted((one, two, three))))
    return found


def chance_taken(source: str) -> set[str]:
    """Modules of chance or time that a source imports at all."""
    names = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module)
    return names & {"random", "secrets", "time", "datetime"}


def test_mistake_07_cards_from_a_toy_generator_or_a_clock() -> None:
    """Real shoes come from the kernel's entropy alone: nothing that makes them imports a generator or a clock."""
    for file in Path(entropy.__file__).parent.glob("*.py"):
        assert chance_taken(file.read_text(encoding="utf-8")) == set(), file.name
    source = entropy.EntropySource()
    assert source.draw() != source.draw()


def test_mistake_07_planted() -> None:
    assert chance_taken("import random\nfrom time import time_ns") == {"random", "time"}


def test_mistake_09_the_outcome_derived_from_what_was_published() -> None:
    """Two shoes whose public commitment is cut alike play in different orders: the cards are not in what is public."""
    sheet, source = sheets.load("ventuno"), entropy.EntropySource()
    first, published = commitment.seal(source, sheet, "T1", 1, bytes(32))
    second, _ = commitment.seal(source, sheet, "T1", 1, bytes(32))
    order = tuple(range(len(pack(sheet.shoe.decks))))
    assert first.arrange(order) != second.arrange(order)
    cards, salts = first.unseal()
    shown = json.dumps(published.to_dict())
    assert all(salt.hex() not in shown for salt in salts)
    assert sorted(cards) == sorted(pack(sheet.shoe.decks))


def test_mistake_08_a_straight_around_the_ace() -> None:
    """V-22: twelve sequences, the ace at either end, never in the middle."""
    assert straights(lambda three: "straight" in side_bets.categories("three-cards", three)) == {
        "".join(sorted(one)) for one in SEQUENCES
    }
    assert side_bets.categories("three-cards", cards.cards("KS AH 2D")) == frozenset()
    assert side_bets.categories("three-cards", cards.cards("KS AS 2S")) == {"flush"}


def test_mistake_08_planted() -> None:
    """Ranks counted around a circle give thirteen."""

    def around(three: tuple[int, ...]) -> bool:
        ranks = {one >> 2 for one in three}
        return any({first % 13, (first + 1) % 13, (first + 2) % 13} == ranks for first in range(13))

    assert len(straights(around)) == 13


def test_mistake_08_any_21_paid_as_blackjack() -> None:
    """V-03, V-17, S-31: 3:2 for the first two cards only; three cards and split aces pay evens."""
    assert one_box("AS 9S KD 8H")["players"]["p1"]["net"] == 1500
    assert one_box("5S 9S 6D 8H TC", "hit")["players"]["p1"]["net"] == 1000
    for game in ("ventuno", "first-person", "sisal", "link"):
        done = one_box("AS 9S AD 8H KC QC", "split", game=game)
        assert done["players"]["p1"]["net"] == 2000
        assert {line["outcome"] for line in done["hands"]} == {"win"}


def test_mistake_08_planted_for_21(monkeypatch: pytest.MonkeyPatch) -> None:
    """A settlement that pays every winning 21 at 3:2 is seen by the nets above."""
    true = settlement.result

    def wrong(sheet: Sheet, play: Any, box: Any, index: int) -> settlement.Result:
        found = true(sheet, play, box, index)
        best = found.odds == EVEN and box.hands[index].total == 21
        return settlement.Result("blackjack", "blackjack", sheet.blackjack.pays) if best else found

    monkeypatch.setattr(settlement, "result", wrong)
    assert one_box("5S 9S 6D 8H TC", "hit")["players"]["p1"]["net"] != 1000


# 10. Secrets removed from the state but present in the undo stack, the initial state or the log.


def hidden_in(event: Event, hole: str) -> bool:
    return hole in [cards.text(int(one)) for one in re.findall(r"\b\d{1,2}\b", cards_part(event))]


def cards_part(event: Event) -> str:
    """The fields of an event that hold cards, printed."""
    return " ".join(
        repr(getattr(event, name))
        for name in event.__slots__
        if any(word in name for word in ("card", "hands", "up", "community"))
    )


def test_mistake_10_secrets_in_the_log() -> None:
    """H-1, H-6: of the whole log only ShoeLoaded knows a hidden card before it is turned; views hold no history."""
    table = open_table("T", sheets.load("ventuno"))
    log: list[Event] = []
    for command in (
        LoadShoe(cards.cards("9S 7D TC KH 2C 3C"), 0, 0, stacked=True),
        BringMoney("ada", 5000, 0),
        TakeSeat("ada", 1, 0),
        PlaceBet("ada", (Spot(1, "main"),), 1000, 0),
        UndoBet("ada", 1),
        PlaceBet("ada", (Spot(1, "main"),), 500, 2),
        Tick(15_002),
    ):
        answer = advance(table, command)
        assert not isinstance(answer, Refusal), (command, answer)
        log += answer[0]
        table = answer[1]
    assert table.round is not None
    assert table.round.stage is Stage.PLAY
    assert [type(event) for event in log if hidden_in(event, "KH")] == [ShoeLoaded], "and the look finds it there"
    assert "1000" not in json.dumps(repr(build_public_view(table).bets)), "a bet that was undone is nowhere"
    assert set(printed_cards(build_views(table, SPECTATOR))) == {"9S", "TC", "7D"}


def test_mistake_10_early_decisions_and_unfinished_bets_of_others() -> None:
    """H-4, V-37: neither in the view of another, nor in his options."""
    before = live("9S 2S 7D TC 3H KH 2C 3C 4C 5C", "ada", "bruno")
    table = after(before, ActEarly("bruno", 2, Action.DOUBLE, before.opened))
    assert build_views(table, "ada") == build_views(before, "ada")
    assert build_views(table, SPECTATOR) == build_views(before, SPECTATOR)
    assert build_views(table, "bruno") != build_views(before, "bruno"), "planted: who may know, sees the difference"


# 11. All hands may act at once; two hits in one tick race.


def test_mistake_11_everybody_acts_at_once() -> None:
    """V-10: only the box whose turn it is, and only its owner."""
    table = live("9S 8S 7D 2C 3H KH 2C 3C 4C 5C", "ada", "bruno")
    at = (table.deadline or 0) - 1
    assert advance(table, Act("bruno", 2, Action.HIT, at)) == NotYourTurn(2)
    assert advance(table, Act("bruno", 1, Action.HIT, at)) == NotYourTurn(1)
    assert advance(table, Act("ada", 2, Action.HIT, at)) == NotYourTurn(2)
    turns = [key for key, price in legal.legal(table, "bruno", at).decisions.items() if isinstance(price, int)]
    assert turns == []
    assert not isinstance(advance(table, Act("ada", 1, Action.HIT, at)), Refusal)


def test_mistake_11_two_hits_at_one_moment() -> None:
    """The second of two equal commands meets the state that the first left: another card, or a refusal."""
    table = live("9S 2S 7D 3C 3H KH TC 3D 4C 5C", "ada", "bruno")
    at = (table.deadline or 0) - 1
    hit = Act("ada", 1, Action.HIT, at)
    table = after(table, hit)
    assert table.round is not None
    assert table.round.boxes[0].hands[0].status is Status.BUST
    assert advance(table, hit) == NotYourTurn(1)
    first = after(live("2S 2D 7D 3C 3H KH 4H 3D 4C 5C", "ada", "bruno"), hit)
    both = after(first, hit)
    assert both.round is not None
    assert cards.line(both.round.boxes[0].hands[0].cards) == "2S 3C 4H 3D"
    assert len(first.round.boxes[0].hands[0].cards if first.round else ()) == 3, "planted: two hits are not one"


def test_mistake_11_a_round_is_settled_once() -> None:
    """I-8: whatever is repeated afterwards, one settlement."""
    table, log = finish(live("TS 7D 8C TH", "ada"))
    again = [advance(table, command) for command in (Act("ada", 1, Action.STAND, 0), Act("ada", 1, Action.HIT, 10**9))]
    assert all(isinstance(one, Refusal) for one in again)
    assert sum(isinstance(event, RoundSettled) for event in log) == 1


# 12. Rules, transport, texts and delays in one thousand-line controller.

LONGEST = 500
OUTSIDE = frozenset(("socket", "asyncio", "http", "time", "random", "logging", "threading", "gettext", "sqlite3"))


def controller_faults(name: str, source: str) -> list[str]:
    """A module too long, a function longer than a screen, or rules that know transport, clocks or languages."""
    faults = [f"{name}: {len(source.splitlines())} lines"] if len(source.splitlines()) > LONGEST else []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef) and (node.end_lineno or 0) - node.lineno > 60:
            faults.append(f"{name}: {node.name} is longer than a screen")
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        faults += [f"{name}: imports {one}" for one in names if one.split(".")[0] in OUTSIDE]
        if isinstance(node, ast.AsyncFunctionDef | ast.Await):
            faults.append(f"{name}: waits for something")
    return faults


def test_mistake_12_one_controller_for_everything() -> None:
    for file in sorted(CORE.rglob("*.py")):
        assert controller_faults(file.name, file.read_text(encoding="utf-8")) == []


def test_mistake_12_planted() -> None:
    assert controller_faults("big.py", "x = 1\n" * 501)
    assert controller_faults("slow.py", "import asyncio\nasync def deal():\n    await asyncio.sleep(1)\n")
    assert controller_faults("long.py", "def f():\n" + "    x = 1\n" * 70)
    assert not controller_faults("hand.py", inspect.getsource(hand))
