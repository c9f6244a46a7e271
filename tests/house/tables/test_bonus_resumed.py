"""R-04, R-23, L-31: a bonus that broke off stands as it stood, and what it brings was settled with the shoe."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.house import OpenHouse, certify, key
from tests.support.sample_shoes import fixed_source
from ventuno.core.messages.commands import SpinBoard, SpinWheel, Spot
from ventuno.core.rules.money import PlayerId
from ventuno.core.views.public_view import Bonus
from ventuno.house.shoes.draws import DrawPlace, DrawSeed
from ventuno.house.shoes.drbg import HmacDrbg
from ventuno.house.shoes.shuffle import Stream
from ventuno.sheets import load

MOST = 100_000_000
BOARDS = load("link", {"bonus.wheel.link": str(MOST)})
PRIZES = load("link", {"bonus.wheel.x25": str(MOST)})
"""Sheets whose wheel almost always shows a board, or almost always cash."""
SPOTS = tuple(Spot(box, bet) for box in range(1, 6) for bet in ("main", "link"))


class BonusHouse(OpenHouse):
    """A house whose Link is one of the sheets above."""

    sheet = BOARDS

    def config(self) -> dict[str, Any]:
        return {**super().config(), "games": {"link": self.sheet}}


class CashHouse(BonusHouse):
    sheet = PRIZES


async def open_at_wheel(house: BonusHouse) -> tuple[PlayerId, str, int]:
    """Somebody before a wheel: player, table, box."""
    certify(house.folder, house.sheet)
    await house.open()
    ada = await house.joined("Ada", 5_000_000)
    table = await house.application.tables.open_solo(ada, "link")
    assert isinstance(table, str)
    await house.application.tables.bring(ada, table, 4_000_000, key())
    for _ in range(80):
        await house.betting(table, ada)
        await house.bet(ada, table, SPOTS)
        await house.deal(table, ada)
        while (view := house.view(table, ada)).phase == "round":
            if view.turn and view.turn.hand == 0:
                return ada, table, view.turn.box
            await house.step(table, (ada,))
    raise AssertionError("no Blackjack in 400 hands")


def see_bonus(house: OpenHouse, table: str, player: PlayerId, box: int) -> Bonus:
    bonus = next(one.bonus for one in house.view(table, player).boxes if one.box == box)
    assert bonus is not None
    return bonus


async def play_bonus(house: BonusHouse, *, breaks: bool) -> tuple[list[Bonus], int]:
    """Every state of one bonus, and what its player has at the end of the round.

    Where it breaks, the house is killed after each spin and comes back with another source of entropy: what would be
    drawn again would be drawn otherwise.
    """
    ada, table, box = await open_at_wheel(house)
    states = list[Bonus]()

    async def stand() -> Bonus:
        before = see_bonus(house, table, ada, box)
        if breaks:
            house.source = fixed_source(f"after break {len(states)}")
            await house.crash()
            assert see_bonus(house, table, ada, box) == before
        states.append(before)
        return before

    wheel = await stand()
    assert (wheel.segment, wheel.prize) == ("", None), "before the spin: back to the wheel"
    await house.say(ada, table, SpinWheel(ada, box, "", 0))
    bonus = await stand()
    answer = await house.application.tables.ask(ada, table, SpinWheel(ada, box, "", 0), key())
    assert answer.refused, "a wheel turns once"
    while bonus.prize is None:
        await house.say(ada, table, SpinBoard(ada, box, {}, 0))
        if house.view(table, ada).phase != "round":
            break
        bonus = await stand()
    while house.view(table, ada).phase == "round":
        await house.step(table, (ada,))
    states.append(see_bonus(house, table, ada, box))
    return states, (await house.application.cashier.read_balances(ada)).at_tables


@pytest.mark.parametrize("kind", [BonusHouse, CashHouse])
async def test_r04_r23_a_bonus_broken_at_every_point_is_the_bonus_that_was_not_broken(
    url: str, tmp_path: Path, kind: Callable[..., BonusHouse]
) -> None:
    """Before the spin, after it, and after each spin of the board: same cells, same spins left, same prize."""
    calm = kind(f"sqlite:///{tmp_path}/calm.db", tmp_path / "calm")
    broken = kind(url, tmp_path / "broken")
    expected = await play_bonus(calm, breaks=False)
    await calm.application.close()
    assert await play_bonus(broken, breaks=True) == expected
    await broken.application.close()
    assert expected[0][-1].prize
    assert bool(expected[0][-1].cells) is (kind is BonusHouse)


async def test_r23_planted_fault_a_spin_that_is_drawn_anew_after_a_break_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calm = BonusHouse(f"sqlite:///{tmp_path}/calm.db", tmp_path / "calm")
    expected = await play_bonus(calm, breaks=False)
    await calm.application.close()
    broken = BonusHouse(f"sqlite:///{tmp_path}/broken.db", tmp_path / "broken")
    entropy = Stream(HmacDrbg.fresh(fixed_source("drawn when it is asked"), b"planted"))

    def draw_anew(_seed: DrawSeed, _place: DrawPlace) -> Stream:
        return entropy

    monkeypatch.setattr(DrawSeed, "make_stream", draw_anew)
    assert await play_bonus(broken, breaks=True) != expected
    await broken.application.close()
