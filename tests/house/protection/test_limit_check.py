"""What a player's own limits leave of what he may do (R-36, X-19)."""

from __future__ import annotations

import pytest

from ventuno.core.messages.commands import Spot
from ventuno.core.messages.refusals import TooLate
from ventuno.core.table.legal import Options
from ventuno.core.table.round import Action
from ventuno.house.protection.limit_check import Allowance, ProtectionLimit, RealityCheckDue

MAIN, SIDE, CLOSED = Spot(1, "main"), Spot(1, "21+3"), Spot(2, "main")
LATE = (TooLate(5, 6),)


def make_options(price: int) -> Options:
    act = 1, Action.DOUBLE
    return Options({act: price}, {act: price}, {"repeat": price, "undo": 0}, {MAIN: 50_000, SIDE: 900, CLOSED: LATE})


@pytest.mark.parametrize(("left", "shown"), [(1_250, 1_200), (1_200, 1_200), (199, 100), (100, 100)])
def test_r36_a_spot_takes_what_a_limit_leaves_in_whole_units(left: int, shown: int) -> None:
    """R-36, V-07: never more than is left, and an amount that can be bet."""
    spots = Allowance(None, None, (("loss:day", 5_000, 5_000 - left),)).restrict(make_options(100), 100).spots
    assert spots == {MAIN: shown, SIDE: min(900, shown), CLOSED: LATE}


def test_r36_where_no_unit_is_left_every_spot_says_why() -> None:
    refusal = ProtectionLimit("loss:day", 5_000, 4_901, 100)
    options = Allowance(None, None, (("loss:day", 5_000, 4_901),)).restrict(make_options(100), 100)
    assert options.spots == {MAIN: (refusal,), SIDE: (refusal,), CLOSED: LATE}
    assert options.decisions == options.early == {(1, Action.DOUBLE): (refusal,)}
    assert options.betting == {"repeat": (refusal,), "undo": 0}


def test_r36_the_lowest_of_several_limits_binds() -> None:
    limits = (("stake:week", 100_000, 0), ("loss:day", 5_000, 2_000), ("loss:month", 50_000, 1_000))
    options = Allowance(None, None, limits).restrict(make_options(3_000), 100)
    assert options.spots[MAIN] == 3_000
    assert options.decisions == {(1, Action.DOUBLE): 3_000}
    more = Allowance(None, None, limits).restrict(make_options(3_001), 100)
    assert more.decisions == {(1, Action.DOUBLE): (ProtectionLimit("loss:day", 5_000, 2_000, 3_001),)}


def test_r37_a_reality_check_holds_up_bets_and_no_decision() -> None:
    """R-37: a raise belongs to the round he is in."""
    check = RealityCheckDue(60, -500)
    options = Allowance(None, check, ()).restrict(make_options(100), 100)
    assert options.decisions == options.early == {(1, Action.DOUBLE): 100}
    assert options.betting == {"repeat": (check,), "undo": 0}
    assert options.spots == {MAIN: (check,), SIDE: (check,), CLOSED: LATE}
