"""Bets behind others' boxes in browsers: the bet with its pre-decisions, refunds, streaks (V-25…V-35)."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.support.browser.live_house import LiveHouse
from tests.support.browser.live_seat import Seat, bet_behind, phase
from tests.support.browser.places import is_inside, overlap
from ventuno.core.messages.commands import LeaveSeat, TakeMoney

Sit = Callable[..., Seat]


def together(sit: Sit, room: LiveHouse, cards: str, money: int = 100_000) -> tuple[Seat, Seat]:
    """Ada sits at box 2; Bea has money at the table and no seat."""
    ada, bea = sit("Ada").at(table := room.table(cards), 2), sit("Bea")
    return ada, bea.at(table, money=money)


def dealt(ada: Seat, bea: Seat, **follows: bool) -> None:
    ada.bet(2)
    bet_behind(bea, "Ada", **follows)
    expect(bea.box(2).get_by_text("1 alle spalle · €\u00a01")).to_be_visible()
    ada.deal()
    phase(ada.page, "la mano è in corso")


def test_v25_v26_v28_a_bet_behind_is_paid_as_the_main_bet_and_has_no_say(sit: Sit, room: LiveHouse) -> None:
    ada, bea = together(sit, room, "TS 9H QD 8C")
    expect(ada.page.get_by_role("button", name=re.compile("Punta alle spalle"))).to_have_count(0)
    dealt(ada, bea)
    expect(ada.box(2).get_by_text("1 alle spalle · €\u00a01")).to_be_visible()
    expect(bea.page.get_by_role("group", name="La tua decisione")).to_have_count(0)
    ada.decide("Stai")
    assert [(line.bet, line.returned) for line in bea.paid()] == [("behind", 200)]
    bea.sees("Hai vinto €\u00a01,00")


def test_v25_one_press_bets_behind_and_its_window_has_the_clock_and_goes_with_the_owner(
    sit: Sit, room: LiveHouse
) -> None:
    """V-25, V-27: the ring takes the chip at once; the choices beside it do not outlive their owner."""
    ada, bea = together(sit, room, "TS 9H QD 8C")
    ada.bet(2)
    bea.tool("Punta alle spalle di Ada").click()
    expect(bea.box(2).get_by_text("1 alle spalle · €\u00a01")).to_be_visible()
    expect(bea.dialog.get_by_text(re.compile(r"^\d+.s$"))).to_be_visible()
    room.ask(ada.here, LeaveSeat(ada.player, 2, 0), ada.player)
    expect(bea.dialog).to_have_count(0)


def test_v25_the_choices_stand_beside_the_ring_and_close_off_nothing(sit: Sit, room: LiveHouse) -> None:
    """V-25, V-94: the table goes on around them; the focus goes in, Esc gives it back; they go when bets close."""
    ada, bea = together(sit, room, "TS 9H QD 8C")
    ada.bet(2)
    ring = bea.tool("Punta alle spalle di Ada")
    ring.press("Enter")
    expect(bea.dialog).to_be_focused()
    assert not overlap(bea.dialog, ring)
    assert not overlap(bea.dialog, bea.spot_image(2))
    bea.page.keyboard.press("2")
    expect(bea.dialog.get_by_role("button", name="Aggiungi €\u00a05")).to_be_visible()
    bea.page.get_by_role("radio", name="Fiche da €\u00a010", exact=True).click()
    bea.dialog.get_by_role("button", name="Aggiungi €\u00a010").press("Enter")
    expect(bea.box(2).get_by_text("1 alle spalle · €\u00a011")).to_be_visible()
    bea.page.keyboard.press("Escape")
    expect(bea.dialog).to_have_count(0)
    expect(ring).to_be_focused()
    ring.press("Enter")
    expect(bea.dialog).to_be_visible()
    ada.deal()
    expect(bea.dialog).to_have_count(0)


@pytest.mark.parametrize("size", [(360, 740), (740, 360)])
def test_v25_on_a_phone_the_choices_leave_the_box_in_sight(sit: Sit, room: LiveHouse, size: tuple[int, int]) -> None:
    ada = sit("Ada").at(table := room.table("TS 9H QD 8C"), 2)
    bea = sit("", width=size[0], height=size[1], has_touch=True).at(table)
    ada.bet(2)
    box = bea.page.locator("[data-box='2'] > *")
    (bea.page.locator(".mini") if size[0] < size[1] else bea.tool("Punta alle spalle di Ada")).tap()
    expect(bea.dialog.get_by_role("button", name="Togli la puntata")).to_be_visible()
    assert is_inside(bea.dialog, bea.page.locator("body"))
    assert not [one for one in box.all() if one.bounding_box() and overlap(bea.dialog, one)]


def test_v27_the_bet_comes_back_when_the_owner_does_not_play(sit: Sit, room: LiveHouse) -> None:
    ada, bea = together(sit, room, "TS 9H QD 8C")
    bet_behind(bea, "Ada")
    expect(bea.box(2).get_by_text("1 alle spalle")).to_be_visible()
    room.ask(ada.here, LeaveSeat(ada.player, 2, 0), ada.player)
    bea.told(re.compile("Puntata alle spalle al box 2: ti restituiamo €.1,00"))
    assert room.state(ada.here).purse(bea.player) == 100_000


def test_v29_the_bettor_answers_on_his_own_insurance(sit: Sit, room: LiveHouse) -> None:
    ada, bea = together(sit, room, "TS AH QD KC")
    dealt(ada, bea)
    expect(bea.page.get_by_role("heading", name="Alle spalle del box 2, assicurazione?")).to_be_visible()
    bea.decide("Assicura")
    ada.decide("No, grazie")
    assert {line.bet: line.returned for line in bea.paid()} == {"behind": 0, "behind-insurance": 150}


def test_v30_v32_a_double_is_followed_where_the_bettor_said_yes(sit: Sit, room: LiveHouse) -> None:
    ada, bea = together(sit, room, "6S 9H 5D 8C TC")
    dealt(ada, bea, double=True)
    ada.decide("Raddoppia")
    assert [(line.bet, line.stake) for line in bea.paid()] == [("behind", 100), ("behind-double", 100)]


def test_v30_a_double_is_not_followed_where_he_said_no(sit: Sit, room: LiveHouse) -> None:
    ada, bea = together(sit, room, "6S 9H 5D 8C TC")
    dealt(ada, bea)
    ada.decide("Raddoppia")
    assert [(line.bet, line.stake, line.returned) for line in bea.paid()] == [("behind", 100, 200)]


def test_v31_a_split_is_followed_where_the_bettor_said_yes(sit: Sit, room: LiveHouse) -> None:
    ada, bea = together(sit, room, "TS 9H QD 8C 9D 9C")
    dealt(ada, bea, split=True)
    ada.decide("Dividi", "Stai")
    ada.sees("Box 2, mano 2")
    ada.decide("Stai")
    assert [(line.bet, line.stake) for line in bea.paid()] == [("behind", 100), ("behind-split", 100)]


def test_v31_a_split_is_not_followed_where_he_said_no(sit: Sit, room: LiveHouse) -> None:
    """His stake stays on the first hand, and the second one is none of his."""
    ada, bea = together(sit, room, "TS 9H QD 8C 2D 9C")
    dealt(ada, bea)
    ada.decide("Dividi", "Stai")
    ada.sees("Box 2, mano 2")
    ada.decide("Stai")
    assert [(line.bet, line.stake, line.returned) for line in bea.paid()] == [("behind", 100, 0)]


def test_v33_who_forbids_it_has_no_bets_behind(sit: Sit, room: LiveHouse) -> None:
    bea, ada = sit("Bea"), sit()
    room.settings(ada.player, bet_behind={"allow_others": False})
    ada.at(table := room.table(), 2)
    bea.at(table)
    expect(bea.page.get_by_role("button", name=re.compile("Punta alle spalle"))).to_have_count(0)
    phase(bea.page, "si raccolgono le puntate")
    assert room.state(table).forbids == {ada.player}


def test_v34_missing_funds_mean_no_and_the_bettor_is_told(sit: Sit, room: LiveHouse) -> None:
    ada, bea = together(sit, room, "6S 9H 5D 8C TC", money=200)
    dealt(ada, bea, double=True)
    room.ask(ada.here, TakeMoney(bea.player, 100, 0), bea.player)
    ada.decide("Raddoppia")
    bea.told(re.compile("Alle spalle del box 2: per seguire «Raddoppia» mancavano €.1,00"))
    assert [(line.bet, line.stake) for line in bea.paid()] == [("behind", 100)]


def test_v35_a_hot_player_is_marked_with_the_rounds_he_has_won(sit: Sit, room: LiveHouse) -> None:
    ada, carlo = sit("Ada").at(table := room.table("TS 9H QD 8C TS 9H QD 8C TS 9H 8D TC"), 2), sit("Carlo").go(table)
    for played in range(3):
        if played:
            room.due(table)
        ada.bet(2).deal().decide("Stai").paid()
        flame = carlo.box(2).get_by_text("mani vinte di fila")
        expect(flame).to_have_count(1 if played == 1 else 0)
    assert room.state(table).streaks.get(ada.player, 0) == 0
