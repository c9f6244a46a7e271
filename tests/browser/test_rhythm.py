"""The rhythm of a table: what is shown comes in the order of its causes (issue of the deal that spoilt itself)."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from playwright.sync_api import expect

from tests.support.browser.shown_order import Noted, noted
from tests.support.browser.solo_player import SoloPlayer

Sit = Callable[..., Any]
MOVES = {"reduced_motion": "no-preference"}


def rises_by_one(order: Noted) -> bool:
    """No state has two cards more than the one before."""
    return all(after - before <= 1 for before, after in zip(order.cards, order.cards[1:], strict=False))


def test_v04_a_live_deal_shows_nothing_before_its_cause(sit: Sit) -> None:
    """V-04, V-23, V-56: cards one by one; then total, side bet, question; after the last card result, then balance."""
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
        deal.comes("8 di picche"),
        deal.comes("9 di cuori"),
        deal.first(lambda state: len(state["hands"].get(box, {"cards": []})["cards"]) == 2),
        deal.counts(box, "16"),
        deal.first(lambda state: state["sides"]),
        deal.first(lambda state: state["asks"]),
    ]
    assert shown == sorted(set(shown))
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


def end_balance(seat: Any) -> str:
    """The balance as it stands when all is paid, once the browser shows it."""
    cents = seat.parlour.state(seat.here).purses[seat.player]
    text = f"€\u00a0{cents // 100:,}".replace(",", ".") + f",{cents % 100:02}"
    expect(seat.page.locator(".foot dl dd > :first-child").first).to_have_text(text)
    return text


def test_s15_a_table_for_one_shows_nothing_before_its_cause(alone: Callable[..., SoloPlayer]) -> None:
    """S-15: a whole round that is dealt and ends in one step is still dealt, turned and paid in its order."""
    one = alone("", **MOVES).practise("link", "AS 7C KD TD 2C 3C")
    one.spot(3).click()
    expect(one.spot(3)).to_have_accessible_name(re.compile("€.1$"))
    with noted(one.page) as round_:
        one.key("Distribuisci").click()
        expect(one.key("Il conto")).to_be_visible()
        expect(one.page.locator(".foot dl dd").first).to_have_text(re.compile(r"[1-9],50$"))
    assert rises_by_one(round_)
    box = next(name for name in round_.states[-1]["hands"] if name.startswith("Box 3"))
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
