"""Winning, and a table that keeps in view what matters: moments, stacks, a phone's felt."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

from playwright.sync_api import expect

from tests.support.browser.places import bounds, is_inside, overlap
from ventuno.core.messages.commands import Act
from ventuno.core.table.round import Action

Sit = Callable[..., Any]
MOVES = {"reduced_motion": "no-preference"}


def test_v23_a_great_win_has_its_moment_and_a_tap_ends_it(sit: Sit) -> None:
    """V-23: 25 to 1 is told over the table before anything is asked; a tap ends it and brings the question."""
    ada = sit("", **MOVES)
    ada.at(ada.parlour.table("8S 9H 8S KC 5C TD"), 4)
    ada.bet(4).bet(4, "perfect-pairs")
    expect(ada.page.get_by_text("€\u00a02,00").first).to_be_visible()
    ada.deal()
    moment = ada.page.get_by_role("status").filter(has_text="Coppia perfetta")
    expect(moment).to_contain_text("25 a 1")
    assert not ada.act("Carta").count()
    ada.page.mouse.click(640, 640)
    expect(moment).to_have_count(0)
    expect(ada.act("Carta")).to_be_visible()


def test_v14_split_hands_have_their_own_stacks_and_payouts_lie_beside_them(sit: Sit) -> None:
    """V-14, V-19: each hand its pile, each win one more, all in the circle: none over the circles beside it."""
    ada = sit("Ada")
    ada.at(ada.parlour.table("8S 6H 8D KC 3C TD 9C"), 4).bet(4)
    expect(ada.page.get_by_text("€\u00a01,00").first).to_be_visible()
    ada.deal()
    ada.decide("Dividi")
    piles = ada.spot_image(4).locator(".pile")
    expect(piles).to_have_count(2)
    expect(ada.act("Stai")).to_contain_text("11")
    ada.decide("Stai")
    expect(ada.act("Stai")).to_contain_text("18")
    ada.decide("Stai")
    expect(piles).to_have_count(4)
    sides = [ada.spot_image(4, bet) for bet in ("perfect-pairs", "21+3")]
    assert not [side for side in sides for pile in piles.all() if overlap(pile, side)]
    expect(ada.page.locator(".now li")).to_have_count(2)


def test_v39_a_phone_keeps_dealer_hand_and_circle_in_view_and_seats_have_numbers(sit: Sit) -> None:
    """V-39, V-56: 360 x 740 with others at the table: one strip, free seats by number, nothing of one's own cut."""
    ada = sit("", reduced_motion="reduce")
    ada.page.set_viewport_size({"width": 360, "height": 740})
    table = ada.parlour.table("8S 6H 8D KC 3C TD 9C 7C 5D 2D")
    others = [(ada.parlour.player(), box) for box in (7, 6, 2)]
    for player, box in others:
        ada.parlour.seat(player, table, box)
    ada.at(table, 4)
    felt = ada.page.locator(".panel-table > .felt")
    for box in (5, 3, 1):
        seat = ada.page.get_by_role("button", name=f"Siediti qui, Box {box}")
        expect(seat).to_have_text(str(box))
        assert min(bounds(seat)[2] - bounds(seat)[0], bounds(seat)[3] - bounds(seat)[1]) >= 44
    assert is_inside(ada.spot(4), felt)
    for player, box in others:
        ada.parlour.bet(player, table, box)
    ada.bet(4)
    expect(ada.page.get_by_text("€\u00a01,00").first).to_be_visible()
    ada.parlour.deal(ada.player, table)
    for player, _ in others:
        ada.parlour.deal(player, table)
    expect(ada.page.get_by_role("group", name="La tua decisione")).to_be_visible()
    hand = ada.page.locator(".own > .hands .hand")
    for part in (ada.spot_image(4), hand, ada.page.get_by_role("group", name="Banco").locator(".hand").first):
        assert is_inside(part, felt), part
    strip = ada.page.get_by_role("group", name="Altri box")
    tops = {round(bounds(cell)[1]) for cell in strip.locator(".cell").all()}
    assert len(tops) == 1
    assert ada.page.evaluate("document.documentElement.scrollWidth") == 360


def test_v48_seven_own_boxes_fit_a_phone_and_leave_the_cards_free_on_a_desk(sit: Sit) -> None:
    """V-48: the box in turn is large and whole on 360 x 740; on 1280 x 800 the panel lies over no card."""
    ada = sit("", reduced_motion="reduce")
    boxes = range(1, 8)
    ada.at(ada.parlour.table("9S KD TC 7H 6S 5C 9D 8H TS 9C 2D 4S 3H 6C 7C 5H 8D"), *boxes)
    for box in boxes:
        ada.parlour.bet(ada.player, ada.here, box)
    ada.parlour.deal(ada.player, ada.here)
    panel = ada.page.locator(".decision")
    expect(panel).to_be_visible()
    cards = ada.page.locator(".box [role=listitem]")
    expect(cards).to_have_count(14)
    assert not [card for card in cards.all() if overlap(card, panel)]
    ada.page.set_viewport_size({"width": 360, "height": 740})
    felt = ada.page.locator(".panel-table > .felt")
    expect(ada.page.locator(".own > .hands .hand")).to_be_visible()
    for part in (ada.spot_image(1), ada.page.locator(".own > .hands .hand")):
        assert is_inside(part, felt)
    clock = ada.page.locator(".decision header .right")
    assert bounds(clock)[2] <= 360


def test_v68_what_the_dealer_says_is_read_on_small_screens_and_covers_nothing(sit: Sit) -> None:
    """V-68: the line stands under the shoe, clear of it and of all cards, lying and upright; the menu has the round."""
    ada = sit("", width=667, height=375).plays("5S 9H 6D 8C TD")
    line = ada.page.get_by_role("group", name="Banco").get_by_text("«")
    shoe = ada.page.get_by_role("img", name="Sabot: 411 carte")
    share = ada.page.get_by_role("img", name="Carte uscite dal sabot: 1%")
    cards = ada.page.get_by_role("listitem").get_by_role("img")
    for width, height in ((667, 375), (360, 740)):
        ada.page.set_viewport_size({"width": width, "height": height})
        expect(ada.page.locator(".tall" if height > width else ".flat").first).to_be_visible()
        expect(line).to_be_visible()
        assert not [one for one in (shoe, share, *cards.all()) if overlap(line, one)], (width, bounds(line))
        assert is_inside(line, ada.page.locator(".panel-table > .felt"))
    ada.decide("Stai").paid()
    ada.tool("Menu").click()
    ada.tool("Limiti").click()
    expect(ada.dialog.get_by_role("group", name="Banco, ultime mani")).to_contain_text("17")


def test_v48_three_own_boxes_beside_each_other_fit_a_tablet(sit: Sit) -> None:
    """V-48: no circle of one box lies over another's or beyond the edge of a screen that stands upright."""
    ada = sit("", width=820, height=1180)
    ada.at(ada.parlour.table(), 2, 4, 6)
    spots = [ada.spot(box, bet) for box in (6, 4, 2) for bet in ("perfect-pairs", "main", "21+3")]
    for left, right in pairwise(spots):
        assert bounds(left)[2] <= bounds(right)[0] + 1, (left, right)
    assert bounds(spots[0])[0] >= 0
    assert bounds(spots[-1])[2] <= 820


def test_v39_a_first_round_on_a_phone_hides_no_card_of_the_dealer(sit: Sit) -> None:
    """V-39, V-70: with the guide over the keys, at the question and with the round paid; the others' boxes make way."""
    ada = sit("", reduced_motion="reduce", has_touch=True)
    ada.page.set_viewport_size({"width": 360, "height": 740})
    ada.visitor.go("/")
    ada.page.evaluate("() => localStorage.setItem('ventuno-guide', 'wanted')")
    ada.page.reload()
    table, other = ada.parlour.table("9C 8H 8S 6D 9H 7H 3S TD 5C"), ada.parlour.player()
    ada.parlour.seat(other, table, 1)
    ada.at(table, 3, 4)
    for player, box in ((other, 1), (ada.player, 3), (ada.player, 4)):
        ada.parlour.bet(player, table, box)
    for player in (other, ada.player):
        ada.parlour.deal(player, table)
    ada.parlour.ask(table, Act(other, 1, Action.STAND, 0), other)
    felt = ada.page.locator(".panel-table > .felt")
    dealer = ada.page.get_by_role("group", name="Banco").locator(".hand").first
    expect(ada.act("Stai")).to_be_visible()
    expect(ada.page.get_by_text("4 di 5")).to_be_visible()
    assert is_inside(dealer, felt)
    ada.decide("Stai").decide("Stai").paid()
    expect(ada.page.get_by_text("5 di 5")).to_be_visible()
    for part in (dealer, ada.spot_image(3), ada.spot_image(4), *ada.page.locator(".own > .hands .hand").all()):
        assert is_inside(part, felt), part


def test_v14_split_hands_of_three_cards_fit_a_phone(sit: Sit) -> None:
    """V-14: two own boxes on 360 x 740, the one at the edge split and drawn to: no card beyond the screen."""
    ada = sit("", reduced_motion="reduce", has_touch=True)
    ada.page.set_viewport_size({"width": 360, "height": 740})
    table = ada.parlour.table("8H 9S 6D 8C 9H TD 3S 2C 5H 4D TC")
    ada.at(table, 3, 4)
    for box in (3, 4):
        ada.parlour.bet(ada.player, table, box)
    ada.parlour.deal(ada.player, table)
    ada.decide("Dividi")
    for total, choice in (("11", "Carta"), ("16", "Stai"), ("10", "Carta")):
        expect(ada.act("Stai")).to_contain_text(total)
        ada.decide(choice)
    cards = ada.page.locator(".own > .hands [role=listitem]")
    expect(cards).to_have_count(8)
    assert not [card for card in cards.all() if not 0 <= bounds(card)[0] < bounds(card)[2] <= 360]
