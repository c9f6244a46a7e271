"""A spin is filled with its outcome where a bonus waits, and passed on as it is where none does (L-23…L-28)."""

from __future__ import annotations

from dataclasses import replace

from tests.support.live_table import apply_commands
from ventuno.core.messages.commands import DealNow, LoadShoe, PlaceBet, SpinBoard, SpinWheel, Spot
from ventuno.core.rules.cards import cards
from ventuno.core.table.fold import open_table
from ventuno.core.table.state import Table
from ventuno.house.shoes.draws import draw_spin, draw_wheel
from ventuno.house.store.records import Head
from ventuno.house.tables.authority import LiveTable
from ventuno.house.tables.bonus_draws import BonusDraws
from ventuno.sheets import load

WHEEL, BOARD = SpinWheel("ada", 1, "", 0), SpinBoard("ada", 1, {}, 0)


def deal_table(shoe: str, game: str = "link") -> LiveTable:
    """A table for one on these cards, with a bet on LINK where the game has it."""
    table = open_table("T1", load(game), "ada", {"ada": 1_000_000})
    bets = [PlaceBet("ada", (Spot(1, bet),), 1_000, 0) for bet in ("main", "link") if bet in table.sheet.stakes.limits]
    return follow(apply_commands(table, LoadShoe(cards(shoe), 0, 0, stacked=True), *bets, DealNow("ada", 0)))


def follow(table: Table) -> LiveTable:
    return LiveTable("table:T1", table, Head())


def turn_wheel(live: LiveTable, at: int) -> SpinWheel:
    """The wheel where this number was drawn, or the greatest that could be."""
    spin = BonusDraws(lambda most: min(at, most - 1)).fill(live, WHEEL)
    assert isinstance(spin, SpinWheel)
    return spin


def test_l23_a_blackjack_on_link_has_its_wheel_and_board_drawn() -> None:
    draws = BonusDraws(lambda _: 0)
    live = deal_table("AS 9D KH 7C")
    filled = draws.fill(live, WHEEL)
    assert filled == replace(WHEEL, **draw_wheel(live.table.sheet.bonus, lambda _: 0)._asdict())
    assert isinstance(filled, SpinWheel)
    assert filled.segment in live.table.sheet.bonus.wheel
    assert draws.fill(live, BOARD) == BOARD, "no board before the wheel"
    rules = live.table.sheet.bonus
    turned = next(
        spin for at in range(sum(rules.wheel.values())) if (spin := turn_wheel(live, at)).segment in rules.boards
    )
    on_board = follow(apply_commands(live.table, turned))
    assert on_board.table.round is not None
    bonus = on_board.table.round.boxes[0].bonus
    assert bonus is not None
    assert bonus.board is not None
    expected = draw_spin(on_board.table.sheet.bonus, bonus.board, lambda _: 0)
    assert draws.fill(on_board, BOARD) == replace(BOARD, **expected._asdict())


def test_l23_where_no_bonus_waits_nothing_is_drawn() -> None:
    def below(_: int) -> int:
        raise AssertionError("drawn")

    for live in (deal_table("TS 9D 5H 7C"), deal_table("AS 9D KH 7C", "first-person")):
        assert BonusDraws(below).fill(live, WHEEL) == WHEEL
        assert BonusDraws(below).fill(live, BOARD) == BOARD
