"""The rhythm of a table: what is shown comes in the order of its causes (issue of the deal that spoilt itself)."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.support.browser.shown_order import Noted, noted
from tests.support.browser.solo_player import SoloPlayer

Sit = Callable[..., Any]
MOVES = {"reduced_motion": "no-preference"}


def rises_by_one(order: Noted) -> bool:
    """No state has two cards more than the one before."""
    return all(after - before <= 1 for before, after in zip(order.cards, order.cards[1:], strict=False))


def test_v04_x25_a_live_deal_shows_nothing_before_its_cause(sit: Sit) -> None:
    """V-23, V-56, X-25: cards one by one; then total, side bet, question; after the last card result, then balance."""
    ada = sit("", **MOVES)
    ada.at(ada.parlour.table("8S 9H 8S KC 5C TD"), 4)
    ada.bet(4).bet(4, "perfect-pairs")
    expect(ada.page.get_by_text("€\u00a02,00").first).to_be_visible()
    with noted(ada.page) as deal:
        ada.deal()
        expect(ada.act("Carta")).to_be_visible()
    box = next(name for name in deal.states[-1]["hands"] if name.startswith("Box 4"))
    assert rises_by_one(deal)
    shown = [
        deal.lies("Box 4", 1),
        deal.lies("Banco", 1),
        deal.lies("Box 4", 2),
        deal.counts(box, "16"),
        deal.first(lambda state: state["sides"]),
        deal.first(lambda state: state["asks"]),
    ]
    assert shown == sorted(set(shown)), [state["hands"] for state in deal.states[:8]]
    read = [deal.comes("8 di picche"), deal.comes("9 di cuori")]
    assert max(read) < deal.counts(box, "16"), "a card is turned where it lies, and counts when it can be read"
    with noted(ada.page) as end:
        ada.decide("Carta")
        expect(ada.page.get_by_text(re.compile(r"Hai vinto|Vinci")).first).to_be_visible()
        paid = end_balance(ada)
    assert rises_by_one(end)
    shown = [
        end.comes("5 di fiori"),
        end.counts(box, "21"),
        end.comes("Re di fiori"),
        end.counts("Banco", "19"),
        end.first(lambda state: state["results"]),
        end.first(lambda state: state["balance"] == paid),
    ]
    assert shown == sorted(set(shown))
    hit = end.states[: end.comes("5 di fiori")]
    assert all(state["asks"] for state in hit), "the question goes away before the card that answers it"
    sent, gone = end.first(lambda state: state["sent"]), end.first(lambda state: not state["asks"])
    assert all(state["sent"] for state in end.states[sent:gone]), "a decision is on its way until its card is read"


SLOW = pytest.mark.parametrize("rate", [0.25, 4], ids=["slow", "quick"])
"""How fast the browser draws what moves: a machine under load lags behind its clocks, and so does this."""


def draw_at(page: Page, rate: float) -> None:
    line = page.context.new_cdp_session(page)
    line.send("Animation.enable")
    line.send("Animation.setPlaybackRate", {"playbackRate": rate})


@SLOW
def test_x25_nothing_is_told_of_a_card_that_is_not_open_however_slowly_it_turns(sit: Sit, rate: float) -> None:
    """V-56, X-25: totals, side bets, the question, results and balance wait for the card itself, not for a clock."""
    ada = sit("", **MOVES)
    ada.at(ada.parlour.table("8S 9H 8D KC 5C TD"), 4)
    ada.bet(4).bet(4, "perfect-pairs")
    expect(ada.page.get_by_text("€\u00a02,00").first).to_be_visible()
    draw_at(ada.page, rate)
    with noted(ada.page) as deal:
        ada.deal()
        expect(ada.act("Carta")).to_be_visible()
    assert deal.told_early() == []
    with noted(ada.page) as end:
        ada.decide("Carta")
        expect(ada.page.get_by_text(re.compile(r"Hai vinto|Vinci")).first).to_be_visible()
        end_balance(ada)
    assert end.told_early() == []
    assert rises_by_one(deal)
    assert rises_by_one(end)


@SLOW
def test_d04_x25_nor_in_a_duel(alone: Callable[..., SoloPlayer], rate: float) -> None:
    """D-04, X-25: what LEFT and RIGHT would come to waits for the two cards in the middle."""
    one = alone("", **MOVES).practise("duello", "8S 9D KC 8D 6H QC")
    one.spot(2, "ante").click()
    expect(one.key("Distribuisci")).to_be_enabled()
    draw_at(one.page, rate)
    with noted(one.page) as deal:
        one.key("Distribuisci").click()
        expect(one.key(re.compile("^Carta sinistra"))).to_be_visible()
    assert deal.told_early() == []
    with noted(one.page) as end:
        one.presses("^Carta sinistra")
        one.presses("^Stai")
        expect(one.key("Il conto")).to_be_visible()
    assert end.told_early() == []
    assert end.first(lambda state: state["results"])


def end_balance(seat: Any) -> str:
    """The balance as it stands when all is paid, once the browser shows it."""
    cents = seat.parlour.state(seat.here).purses[seat.player]
    text = f"€\u00a0{cents // 100:,}".replace(",", ".") + f",{cents % 100:02}"
    expect(seat.page.locator(".foot dl dd > :first-child").first).to_have_text(text)
    return text


def test_s15_x25_a_table_for_one_shows_nothing_before_its_cause(alone: Callable[..., SoloPlayer]) -> None:
    """S-15: a whole round that is dealt and ends in one step is still dealt, turned and paid in its order."""
    one = alone("", **MOVES).practise("link", "AS 7C KD TD 2C 3C")
    one.spot(3).click()
    expect(one.spot(3)).to_have_accessible_name(re.compile("€.1$"))
    with noted(one.page) as round_:
        one.key("Distribuisci").click()
        expect(one.key("Il conto")).to_be_visible()
        expect(one.page.locator(".foot dl dd > :first-child").first).to_have_text(re.compile(r"[1-9],50$"))
    assert rises_by_one(round_)
    box = next(name for name in round_.states[-1]["hands"] if re.match("(Box|Mano) 3", name))
    shown = [
        round_.comes("Asso di picche"),
        round_.comes("7 di fiori"),
        round_.comes("Re di quadri"),
        round_.counts(box, "Blackjack"),
        round_.comes("10 di quadri"),
        round_.counts("Banco", "17"),
        round_.first(lambda state: state["results"]),
        round_.first(lambda state: state["balance"] == round_.states[-1]["balance"]),
    ]
    assert shown == sorted(set(shown))


def centre(one: Locator) -> tuple[float, float]:
    place = one.bounding_box()
    assert place is not None
    return place["x"] + place["width"] / 2, place["y"] + place["height"] / 2


def flights_from(order: Noted, name: str, place: tuple[float, float], within: float) -> list[Any]:
    """What set out near a place."""
    return [one for one in order.flights if one["name"] == name and math.dist(one["from"], place) < within]


@pytest.mark.parametrize("size", [(1280, 800), (360, 740)])
def test_v14_a_pair_is_parted_on_the_felt_before_each_hand_takes_its_card(sit: Sit, size: tuple[int, int]) -> None:
    """V-14: the second card goes from hand to hand, the second stake from the balance; then cards leave the shoe."""
    ada = sit("", width=size[0], height=size[1], **MOVES)
    ada.at(ada.parlour.table("8S 6H 8D KC 3C TD 9C"), 4).bet(4)
    expect(ada.page.get_by_text("€\u00a01,00").first).to_be_visible()
    ada.deal()
    expect(ada.act("Dividi")).to_be_enabled()
    second = ada.page.get_by_role("img", name="8 di quadri")
    pair, shoe = centre(second), centre(ada.page.get_by_role("img", name=re.compile("^Sabot")).first)
    with noted(ada.page) as split:
        ada.decide("Dividi")
        expect(ada.act("Stai")).to_contain_text("11")
    mine = next(name for name in split.states[-1]["hands"] if name != "Banco")
    sizes = [state["hands"][mine]["sizes"] for state in split.states]
    steps = [sizes.index(size) for size in ([2], [1, 1], [2, 1], [2, 2])]
    assert steps == sorted(steps)
    assert split.first(lambda state: state["piles"] == 2) <= steps[1]
    parted = flights_from(split, "8 di quadri", pair, 12)
    assert [math.dist(one["to"], pair) > 15 for one in parted] == [True], split.flights
    assert len(flights_from(split, "Carta coperta", shoe, 60)) == 2, split.flights
    foot = ada.page.locator(".foot").bounding_box()
    assert [one["from"][1] > foot["y"] - 10 for one in split.flights if one["name"] == "pile"] == [True], split.flights
