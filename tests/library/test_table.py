"""A table driven by code: the same rules, the same money, every game; a round told again settles the same (X-18)."""

from __future__ import annotations

from random import Random

import pytest

import ventuno
from tests.support.volume import scale
from ventuno.core.rules.sheet import Sheet
from ventuno.library.table import Decision
from ventuno.sheets import GAMES


def open_seated(sheet: Sheet, seed: int) -> ventuno.Table:
    """Two boxes: of one player where the table is for one, else of two."""
    table = ventuno.Table(sheet, seed=seed)
    for box in (1, 2) if not sheet.game.solo else (1,):
        table.seat(f"p{box}", box)
    return table


def bet_all(table: ventuno.Table) -> None:
    """Every bet of the sheet on both boxes, and a bet behind where there is one."""
    for box in (1, 2):
        player = "p1" if table.sheet.game.solo else f"p{box}"
        for bet in table.sheet.stakes.limits:
            if bet == "behind":
                table.bet("p1", 200, 2, "behind", follow_double=True) if box == 2 else None
            elif box == 1 or table.sheet.sides.get(bet) is None or table.sheet.sides[bet].kind != "dealer-pair":
                table.bet(player, 100, box, bet)


def choose_by_chance(chance: Random) -> ventuno.library.table.Choose:
    return lambda now: chance.choice(sorted(now.options))


@pytest.mark.parametrize("game", GAMES)
def test_x18_rounds_told_again_settle_the_same(game: str) -> None:
    sheet, chance = ventuno.load_sheet(game), Random(7)
    table, drawn = open_seated(sheet, 7), 0
    for _ in range(scale(800)):
        bet_all(table)
        settlement = table.play(choose_by_chance(chance))
        again = ventuno.settle(table.notation)
        assert again.bets == settlement.bets
        assert again.hands == settlement.hands
        assert again.dealer == settlement.dealer
        assert again.players == settlement.players
        drawn += table.notation.count("|") > 4
        for name, result in settlement.players.items():
            assert table.balance(name) == result.balance
        if min(map(table.balance, settlement.players)) < 20_000:
            table = open_seated(sheet, chance.randrange(2**32))
    assert drawn or not sheet.bonus.wheel, "no bonus was drawn"


def test_a_settlement_of_other_rules_is_noticed() -> None:
    """The comparison above would see it: the same line under another payout."""
    table = ventuno.Table("ventuno", shoe="AS 7D KC TH")
    table.seat("ada")
    table.bet("ada", 1_000)
    assert table.deal() is None
    assert table.settle().bets == ventuno.settle(table.notation).bets
    wrong = ventuno.load_sheet("ventuno", {"blackjack.pays": "6/5"})
    assert table.settle().bets != ventuno.settle(table.notation, wrong).bets


def test_a_seed_repeats_an_evening() -> None:
    def play(seed: int) -> list[str]:
        table, chance, lines = open_seated(ventuno.load_sheet("link"), seed), Random(1), []
        for _ in range(30):
            bet_all(table)
            table.play(choose_by_chance(chance))
            lines.append(table.notation)
        return lines

    assert play(5) == play(5)
    assert play(5) != play(6)


def test_shoes_go_on_to_the_cut_card_and_are_replaced() -> None:
    """V-81, V-82: a live table deals on from one shoe."""
    table = open_seated(ventuno.load_sheet("ventuno", {"shoe.decks": 4, "seats.count": 2, "seats.per_player": 2}), 3)
    numbers = set()
    for _ in range(60):
        table.bet("p1", 100, 1)
        table.bet("p2", 100, 2)
        table.play(lambda now: "stand" if "stand" in now.options else "decline")
        assert table.shoe is None or table.shoe.position
        numbers.add(table.view.shoe)
    assert len(numbers) > 3


def test_insurance_is_asked_of_each_box_and_bettor() -> None:
    table = ventuno.Table("ventuno", shoe="9S 8S AD TC 8D 7H TH")
    table.seat("ada", 1)
    table.seat("bob", 2)
    table.bet("ada", 1_000, 1)
    table.bet("bob", 1_000, 2)
    table.bet("bob", 500, 1, "behind")
    asked, now = list[tuple[str, int, str]](), table.deal()
    while now is not None:
        asked.append((now.player, now.box, now.stage))
        now = table.decide("insure" if "insure" in now.options and now.player == "ada" else "timeout")
    assert asked[:3] == [("ada", 1, "insurance"), ("bob", 1, "insurance"), ("bob", 2, "insurance")]
    assert [bet.bet for bet in table.settle().bets if bet.bet.endswith("insurance")] == ["insurance"]


@pytest.mark.parametrize(
    ("act", "code"),
    [
        (lambda table: table.bet("ada", 15), "NotAMultiple"),
        (lambda table: table.bet("ada", 50), "BelowMinimum"),
        (lambda table: table.bet("ada", 60_000), "LimitReached"),
        (lambda table: table.bet("ada", 100, 2), "NotSeated"),
        (lambda table: table.bet("eve", 100), "UnknownPlayer"),
        (lambda table: table.bet("ada", 100, 1, "link"), "BetNotOffered"),
        (lambda table: table.seat("eve", 1), "BoxTaken"),
        (lambda table: table.deal(), "NoBets"),
        (lambda table: table.decide("hit"), "WrongPhase"),
        (lambda table: table.settle(), "WrongPhase"),
    ],
)
def test_what_the_rules_forbid_is_refused_with_its_code(act: object, code: str) -> None:
    table = ventuno.Table("ventuno", seed=1)
    table.seat("ada")
    with pytest.raises(ventuno.Refused) as refused:
        act(table)  # type: ignore[operator]
    assert refused.value.refusal.code == code
    assert table.balance("ada") == 1_000_000


def test_a_decision_that_is_not_allowed_changes_nothing() -> None:
    table = ventuno.Table("ventuno", shoe="9S 7D TC TH TD")
    table.seat("ada")
    table.bet("ada", 1_000)
    now = table.deal()
    before = table.state
    with pytest.raises(ventuno.Refused, match="ActionNotAllowed"):
        table.decide("split")
    with pytest.raises(ValueError, match="jump"):
        table.decide("jump")
    with pytest.raises(ventuno.Refused, match="WrongPhase"):
        table.deal()
    assert table.state is before
    assert table.decision == now


def test_nothing_face_down_is_told() -> None:
    """H-1: neither the hole card nor a hidden card of a duel is in what is asked or printed."""
    table = ventuno.Table("ventuno", shoe="9S 7D TC 2H TD")
    table.seat("ada")
    table.bet("ada", 1_000)
    now = table.deal()
    assert isinstance(now, Decision)
    assert "2H" not in f"{now}{table}"
    duel = ventuno.Table("duello", shoe="9S 3D 5C 6C 2H 4H")
    duel.seat("ada")
    duel.bet("ada", 1_000)
    assert not {"3D", "2H", "4H"} & set(f"{duel.deal()} {duel}".replace("'", " ").replace(",", " ").split())


def test_the_felt_is_printed() -> None:
    table = ventuno.Table("ventuno", shoe="9S 7D TC TH")
    table.seat("ada")
    table.bet("ada", 1_000)
    table.deal()
    assert [" ".join(line.split()) for line in str(table).splitlines()] == [
        "Blackjack Ventuno, round",
        "Dealer 7D ?? 7",
        "Box 1 ada 9S TC 19 *",
        "ada, box 1, hand 1: hit stand double",
    ]
    table.decide("stand")
    assert "win" in str(table)
    assert "7D TH" in str(table)
