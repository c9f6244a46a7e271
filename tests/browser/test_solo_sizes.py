"""Tables for one at the sizes people have: nothing lies over how a hand ended, and one's own circle is seen whole."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.support.browser import solo_browser
from tests.support.browser.picture_house import settled
from tests.support.browser.places import overlap
from tests.support.browser.screens import TOUCHED, faults, sized
from tests.support.browser.solo_browser import DESK, PHONE, SIX_TEN, play_out, seen_at
from tests.support.browser.solo_player import SoloPlayer

GAMES = ("first-person", "sisal")
LOW = (667, 375)
SIZES = (PHONE, LOW, (1180, 820), (1366, 768), (1920, 1080))
FIVE = "7H 5H 7S 8C 2H 7H 7H 6H 7D 9D KH 7C 2S 2D"
"""Five hands that win at the side and lose; the dealer has a pair and draws to four cards."""
one = solo_browser.one


def list_faults(page: Page) -> list[str]:
    """What is measured to be wrong at every size, each with the size it has."""
    found = []
    for size in SIZES:
        sized(page, *size)
        found += [f"{size}: {fault}" for fault in faults(page, size in TOUCHED)]
    sized(page, *DESK)
    return found


@pytest.mark.parametrize("game", GAMES)
def test_x05_nothing_lies_over_how_five_hands_ended(one: SoloPlayer, game: str) -> None:
    """X-05, F-03, S-03: outcomes, gains and the panel of the result; a panel that is larger is seen."""
    sides = {(box, bet): 100 for box in range(1, 6) for bet in ("perfect-pairs", "21+3")}
    one.practise(game, FIVE, {**dict.fromkeys(range(1, 6), 100), **sides})
    play_out(one.page)
    assert list_faults(one.page) == []
    one.page.locator(".between.panel").evaluate("panel => { panel.style.paddingBottom = '90px'; }")
    settled(one.page)
    assert "under" in {fault.split(":")[0] for fault in faults(one.page, False)}


@pytest.mark.parametrize("game", GAMES)
def test_x28_hints_leave_every_word_readable_and_the_circle_in_view(one: SoloPlayer, game: str) -> None:
    """X-28: with a hint under the table its words keep 12 px, and on a phone the circle it speaks of is seen whole."""
    page = one.practise(game, SIX_TEN).page
    page.evaluate("() => localStorage.setItem('ventuno-guide', 'wanted')")
    page.reload()
    guide = page.get_by_role("group", name="Guida della prima mano")
    expect(guide).to_contain_text("2 di 5")
    assert list_faults(page) == []
    with seen_at(page, *PHONE):
        expect(one.spot(3)).to_be_in_viewport(ratio=1)
    guide.get_by_role("button", name="Chiudi la guida").click()


@pytest.mark.parametrize("game", GAMES)
def test_f07_s26_the_circle_is_in_view_while_all_four_answers_are(one: SoloPlayer, game: str) -> None:
    """F-07, S-26: on a phone the keys for one hand and for all leave the hand and its circle whole."""
    one.practise(game, "9D KD AH 9S AS 9C 5D", {2: 200, 4: 200})
    expect(one.key(re.compile("^Rifiuto per tutte"))).to_be_visible()
    assert list_faults(one.page) == []
    with seen_at(one.page, *PHONE):
        expect(one.held(2)).to_be_in_viewport(ratio=1)


@pytest.mark.parametrize("game", GAMES)
def test_f04_s15_the_circle_is_in_view_beside_the_offer_to_repeat(one: SoloPlayer, game: str) -> None:
    """F-04, S-15: on a phone, when the last bet can be repeated, the circle for another one is seen whole."""
    one.practise(game, SIX_TEN, {3: 500})
    one.acts("Stai").key("Nuova puntata").click()
    with seen_at(one.page, *PHONE):
        expect(one.key(re.compile("^Ripeti.*5,00")).first).to_be_visible()
        expect(one.spot(3)).to_be_in_viewport(ratio=1)
    assert list_faults(one.page) == []


def test_s28_the_dealers_cards_lie_beside_the_circle_of_the_pair(one: SoloPlayer) -> None:
    """S-03, S-28: however many cards the dealer draws, on a desk and on a phone that lies on its side."""
    one.practise("sisal", "TD 2H 9S 2C 3D 2D 3S 4H 2S", {3: 100, (0, "dealer-pair"): 100}).acts("Stai")
    name = re.compile("^Coppia del banco")
    circle = one.page.get_by_role("img", name=name).or_(one.page.get_by_role("button", name=name)).first
    expect(one.dealer.get_by_role("listitem")).to_have_count(7)
    for size in (DESK, LOW, (1366, 768)):
        with seen_at(one.page, *size):
            settled(one.page)
            for card in one.dealer.get_by_role("listitem").all():
                assert not overlap(card.get_by_role("img"), circle), size


def test_x05_the_code_of_a_round_is_written_out_on_a_phone(one: SoloPlayer) -> None:
    """X-05, V-66: the time of the code with its zone, in the account of the round."""
    one.practise("first-person", SIX_TEN, {3: 100}).acts("Stai")
    with seen_at(one.page, *PHONE):
        one.key("Il conto").click()
        code = one.page.get_by_role("dialog").get_by_text(re.compile("^Codice gioco"))
        expect(code).to_have_text(re.compile("GMT$"))
        assert code.evaluate("one => one.scrollWidth <= one.clientWidth")
        one.page.keyboard.press("Escape")


@pytest.mark.parametrize("game", GAMES)
def test_v75_who_buys_in_sees_a_table_he_can_read(visit: Callable[..., Any], game: str) -> None:
    """V-75: the offer to buy in, at every size, beside the first hint."""
    page: Page = visit().go("/?lang=it")
    page.evaluate("() => localStorage.setItem('ventuno-guide', 'wanted')")
    page.reload()
    page.get_by_role("button", name="Gioca come ospite").click()
    page.locator(f"a[href='/solo/{game}']").first.click()
    expect(page.get_by_role("button", name="Altro importo")).to_be_visible()
    assert list_faults(page) == []
    page.get_by_role("button", name="Altro importo").click()
    expect(page.get_by_role("dialog").get_by_role("textbox")).to_be_visible()
    assert list_faults(page) == []


def test_f11_hands_of_a_split_that_cancel_out_are_even_in_the_strip(one: SoloPlayer) -> None:
    """F-11: one of them wins and the other loses as much: the strip of a phone says neither."""
    one.practise("first-person", "8D 6H 8S TC TD 3H AC", {3: 500}).acts("Dividi", "Stai", "Stai")
    expect(one.key("Il conto")).to_be_visible()
    assert sorted(line.returned - line.stake for line in one.state.round.lines) == [-500, 500]
    with seen_at(one.page, *PHONE):
        cell = one.page.get_by_role("group", name="Le tue mani").get_by_role("button", name=re.compile("Mano 3"))
        expect(cell).to_contain_text("Pari")
        expect(cell).not_to_contain_text("Vince")


LINE_ENDS = """print => {
  const ends = [], walker = document.createTreeWalker(print, NodeFilter.SHOW_TEXT), range = document.createRange();
  let last = null;
  while (walker.nextNode())
    [...walker.currentNode.data].forEach((sign, at) => {
      range.setStart(walker.currentNode, at);
      range.setEnd(walker.currentNode, at + 1);
      const place = range.getBoundingClientRect();
      if (!sign.trim() || !place.width) return;
      if (last && place.top > last.top + 4) ends.push(last.sign);
      last = { sign, top: place.top };
    });
  return [...ends, last.sign];
}"""


def test_s09_no_line_of_the_printed_limits_ends_with_a_dot(one: SoloPlayer) -> None:
    """S-09: on phones they stand in two lines, each whole; a dot that ends one is seen."""
    page = one.practise("sisal").page
    for size in (PHONE, (320, 640)):
        with seen_at(page, *size):
            settled(page)
            ends = page.locator(".print").evaluate(LINE_ENDS)
            assert len(ends) == 2, size
            assert "·" not in ends, size
    with seen_at(page, *PHONE):
        page.locator(".print").evaluate("print => { print.textContent = 'Minimo € 1 · Massimo € 50 · '.repeat(2); }")
        assert "·" in page.locator(".print").evaluate(LINE_ENDS)
