"""The games for one in a browser: whole rounds by mouse and by keyboard, the bonus, coming back to where one was."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

Visit = Callable[..., Any]
Axe = Callable[[Page], list[str]]
STILL = {"reduced_motion": "reduce"}
GAMES = {
    "first-person": "First Person Blackjack",
    "sisal": "Sisal Blackjack",
    "duello": "21 Duello",
    "link": "Blackjack Link",
}
NATURAL = ["AS", "7C", "KD", "TD"]
CALL = """async ([path, body]) => {
  const headers = {'X-Ventuno': '1', 'Content-Type': 'application/json'};
  const answer = await fetch(path, {method: 'POST', headers, body: body && JSON.stringify(body)});
  return answer.json();
}"""


def entered(visitor: Any) -> Page:
    """In as a guest, by the front door."""
    page: Page = visitor.go("/?lang=it")
    page.get_by_role("button", name="Gioca come ospite").click()
    expect(page.get_by_role("button", name="Gioca come ospite")).to_have_count(0)
    expect(page.get_by_role("link", name=re.compile("Duello")).first).to_be_visible()
    return page


def practised(visitor: Any, game: str, cards: list[str]) -> Page:
    """At a practice table with these cards."""
    page = entered(visitor)
    table = page.evaluate(CALL, ["/api/practice", {"game": game, "cards": cards}])["table"]
    visitor.go(f"/solo/{game}?table={table}")
    expect(page.get_by_role("heading", name=GAMES[game])).to_be_visible()
    return page


def pressed(page: Page, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).first.click()


def laid(page: Page, bet: str, box: int) -> None:
    page.get_by_role("button", name=f"{bet}, box {box}:").first.click()
    expect(page.get_by_role("button", name=re.compile(rf"{re.escape(bet)}, box {box}: €")).first).to_be_visible()


def played_out(page: Page) -> None:
    """Answers whatever is asked, never asking for a card, until the round is paid."""
    sums = page.get_by_role("button", name="Il conto")
    for _ in range(60):
        for name in ("Continua", "Gira", "Salta"):
            key = page.get_by_role("button", name=name, exact=True)
            if key.count():
                key.first.click()
        asked = page.get_by_role("button", name=re.compile("^(Stai|Rifiuto|Carta sinistra)"))
        if asked.count():
            asked.first.click()
        elif sums.count():
            return
        page.wait_for_timeout(120)
    raise AssertionError("the round does not end")


@pytest.mark.parametrize("game", GAMES)
def test_a_newcomer_is_dealt_a_hand_in_three_clicks_and_plays_it(visit: Visit, axe: Axe, game: str) -> None:
    """F-04, S-15, D-06, L-06: guest, game, money with a first bet; then the round by mouse and its sums (X-05)."""
    visitor = visit(**STILL)
    page = entered(visitor)
    page.locator(f"a[href='/solo/{game}']").first.click()
    page.get_by_role("button", name=re.compile("^Porta .* e gioca")).click()
    expect(page.locator("[role=img][aria-label*=' di ']").first).to_be_visible()
    played_out(page)
    page.get_by_role("button", name="Il conto").click()
    expect(page.get_by_role("dialog").get_by_role("table")).to_contain_text(re.compile(r"[FSDL]-\d\d"))
    assert axe(page) == []


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("size", [(360, 740), (1280, 800)])
def test_nothing_is_wrong_for_a_reader_of_the_screen(visit: Visit, axe: Axe, game: str, size: tuple[int, int]) -> None:
    """X-07: betting and playing, on a phone and on a desk, in axe's eyes."""
    visitor = visit(*size, **STILL)
    page = practised(visitor, game, [])
    laid(page, "Puntata principale", 2 if game == "duello" else 3)
    assert axe(page) == []
    pressed(page, "Inizia" if game == "sisal" else "Distribuisci")
    page.wait_for_timeout(400)
    assert axe(page) == []
    assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")


def test_a_round_by_keyboard_alone(visit: Visit) -> None:
    """V-91, X-07: a chip by its figure, a circle by Tab and Enter, the deal and the decision by their letters."""
    visitor = visit(**STILL)
    page = practised(visitor, "first-person", ["9D", "7H", "8S", "TC", "5D", "6S"])
    page.keyboard.press("2")
    spot = page.get_by_role("button", name="Puntata principale, box 3:").first
    for _ in range(60):
        page.keyboard.press("Tab")
        if spot.evaluate("one => one === document.activeElement"):
            break
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name=re.compile("box 3: € 5")).first).to_be_visible()
    expect(page.get_by_text("In tutto € 5,00")).to_be_visible()
    page.evaluate("() => document.activeElement.blur()")
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Stai")).to_be_visible()
    page.keyboard.press("s")
    expect(page.get_by_role("button", name="Il conto")).to_be_visible()


def test_f_09_the_cash_out_key_says_its_amount_and_f_12_can_be_hidden(visit: Visit) -> None:
    visitor = visit(**STILL)
    page = practised(visitor, "first-person", ["9D", "6H", "TS", "TC", "5D", "6S"] * 2)
    laid(page, "Puntata principale", 3)
    pressed(page, "Distribuisci")
    offer = page.get_by_role("button", name=re.compile("^Incassa"))
    expect(offer).to_contain_text(re.compile(r"€\s\d+,\d\d subito"))
    amount = re.search(r"€\s[\d,]+", offer.inner_text())
    assert amount
    offer.click()
    page.get_by_role("button", name="Il conto").click()
    expect(page.get_by_role("dialog")).to_contain_text("F-09")
    expect(page.get_by_role("dialog")).to_contain_text(amount.group())
    page.evaluate(
        """() => fetch('/api/settings', {method: 'PATCH', body: JSON.stringify({game: {show_cash_out: false}}),
        headers: {'X-Ventuno': '1', 'Content-Type': 'application/json'}})"""
    )
    page.reload()
    pressed(page, "Ripeti e distribuisci, € 1,00")
    expect(page.get_by_role("button", name="Stai")).to_be_visible()
    expect(page.get_by_role("button", name=re.compile("^Incassa"))).to_have_count(0)


def test_s_14_the_clear_chip_and_s_04_the_totals(visit: Visit) -> None:
    """S-04, S-08, S-14: totals in cents and euro; a side circle alone, then the whole seat."""
    visitor = visit(**STILL)
    page = practised(visitor, "sisal", [])
    closed = page.get_by_role("button", name="Perfect Pairs, box 3:")
    expect(closed).to_have_attribute("aria-disabled", "true")
    laid(page, "Puntata principale", 3)
    laid(page, "Perfect Pairs", 3)
    laid(page, "21+3", 3)
    expect(page.get_by_text("Posto 3 € 3,00")).to_be_visible()
    pressed(page, "Togli")
    page.get_by_role("button", name="21+3, box 3:").first.click()
    expect(page.get_by_text("Posto 3 € 2,00")).to_be_visible()
    page.get_by_role("button", name="Puntata principale, box 3:").first.click()
    expect(page.get_by_text("Posto 3 € 0,00")).to_be_visible()


def test_s_26_one_answer_on_insurance_for_all_and_s_03_the_dealer_pair(visit: Visit) -> None:
    visitor = visit(**STILL)
    page = practised(visitor, "sisal", ["9D", "8H", "AS", "TC", "TD", "7H", "2C"])
    laid(page, "Puntata principale", 1)
    laid(page, "Puntata principale", 3)
    page.get_by_role("button", name="Coppia del banco").first.click()
    pressed(page, "Inizia")
    for name in ("Accetto mano", "Accetto per tutte", "Rifiuto mano", "Rifiuto per tutte"):
        expect(page.get_by_role("button", name=re.compile(f"^{name}"))).to_have_count(1)
    page.get_by_role("button", name=re.compile("^Accetto per tutte")).click()
    expect(page.get_by_role("button", name="Stai")).to_be_visible()
    expect(page.get_by_role("img", name=re.compile("Coppia del banco.*: € 1"))).to_be_visible()


def test_d_07_a_community_card_is_taken_by_touching_it_and_d_24_the_hand_is_found_again(visit: Visit) -> None:
    """The interrupted hand stands on a second device as it stood, and is played to its end there (R-03)."""
    visitor = visit(**STILL)
    page = practised(visitor, "duello", ["8S", "9D", "KC", "8D", "6H", "QC"])
    laid(page, "Puntata principale", 2)
    pressed(page, "Distribuisci")
    page.get_by_role("button", name=re.compile("^Prendi")).nth(1).click()
    expect(page.get_by_role("button", name="Stai")).to_be_visible()
    seen = page.locator(".community, .hand").all_inner_texts()
    second = visit(storage_state=visitor.context.storage_state(), **STILL)
    there = second.go(page.url.removeprefix(visitor.url))
    expect(there.get_by_role("button", name="Stai")).to_be_visible()
    assert there.locator(".community, .hand").all_inner_texts() == seen
    expect(page.get_by_text("Giochi da un altro dispositivo")).to_be_visible()
    there.get_by_role("button", name="Stai").click()
    expect(there.get_by_role("button", name="Il conto")).to_be_visible()


def test_d_21_d_22_d_23_the_keys_of_the_duel(visit: Visit) -> None:
    visitor = visit(**STILL)
    page = practised(visitor, "duello", ["8S", "9D", "KC", "8D", "6H", "QC"] * 2)
    page.keyboard.press("2")
    expect(page.get_by_text("In tutto € 5,00")).to_be_visible()
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name=re.compile("^Carta sinistra"))).to_be_visible()
    page.keyboard.press("ArrowLeft")
    expect(page.get_by_role("button", name="Stai")).to_be_visible()
    page.keyboard.press("s")
    expect(page.get_by_role("button", name="Il conto")).to_be_visible()
    page.keyboard.press(" ")
    expect(page.get_by_role("button", name="Il conto")).to_have_count(0)
    page.keyboard.press(" ")
    expect(page.get_by_role("button", name=re.compile("box 2: € 5")).first).to_be_visible()
    page.keyboard.press("Escape")
    expect(page).to_have_url(re.compile(r"/$"))


def test_l_08_even_money_is_offered_instead_of_insurance(visit: Visit) -> None:
    visitor = visit(**STILL)
    page = practised(visitor, "link", ["AS", "AC", "KD", "7D", "2C", "3C"])
    laid(page, "Puntata principale", 3)
    pressed(page, "Distribuisci")
    expect(page.get_by_role("heading", name="Alla pari?")).to_be_visible()
    page.get_by_role("button", name=re.compile("^Accetto")).click()
    page.get_by_role("button", name="Il conto").click()
    expect(page.get_by_role("dialog")).to_contain_text("L-08")


def test_l_22_the_wheel_can_be_skipped_and_l_31_is_found_again_before_the_spin(visit: Visit, axe: Axe) -> None:
    """The scene waits on a second device; SPIN there, SKIP while it turns, and the prize of the house is told."""
    visitor = visit()
    page = practised(visitor, "link", NATURAL)
    laid(page, "Puntata principale", 3)
    laid(page, "LINK", 3)
    pressed(page, "Distribuisci")
    expect(page.get_by_role("img", name="Ruota del bonus")).to_be_visible()
    assert axe(page) == []
    second = visit(storage_state=visitor.context.storage_state())
    there = second.go(page.url.removeprefix(visitor.url))
    pressed(there, "Gira")
    skip = there.get_by_role("button", name="Salta", exact=True)
    skip.click()
    expect(there.get_by_text(re.compile("Hai vinto|Si apre la tavola")).first).to_be_visible(timeout=2_000)
    played_out(there)


def test_l_31_a_board_is_found_again_at_the_very_point(visit: Visit) -> None:
    """A board that the wheel opened, one spin taken, the page gone: cells and spins are as they were."""
    visitor = visit(**STILL)
    cards = [rank + suit for _ in range(6) for suit in "SHDC" for rank in "A7KT"]
    page = practised(visitor, "link", cards)
    for attempt in range(23):
        if attempt:
            page.get_by_role("button", name=re.compile("^Ripeti e distribuisci")).click()
        else:
            laid(page, "Puntata principale", 3)
            laid(page, "LINK", 3)
            pressed(page, "Distribuisci")
        pressed(page, "Gira")
        expect(page.get_by_text(re.compile("Hai vinto|Si apre la tavola")).first).to_be_visible()
        opened = page.get_by_text("Si apre la tavola").count() > 0
        pressed(page, "Continua")
        if opened:
            break
    else:
        pytest.skip("23 spins of the wheel opened no board: one run in 42")
    pressed(page, "Gira")
    page.wait_for_timeout(400)
    seen = page.locator(".cells").all_inner_texts()
    spins = page.get_by_text(re.compile(r"^\d di 3$")).inner_text()
    second = visit(storage_state=visitor.context.storage_state(), **STILL)
    there = second.go(page.url.removeprefix(visitor.url))
    expect(there.get_by_text(re.compile(r"^\d di 3$"))).to_have_text(spins)
    assert there.locator(".cells").all_inner_texts() == seen
    played_out(there)
