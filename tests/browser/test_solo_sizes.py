"""Tables for one at the sizes people have: nothing lies over how a hand ended, and one's own circle is seen whole."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.support.browser import solo_browser
from tests.support.browser.live_house import LiveHouse
from tests.support.browser.picture_house import settled
from tests.support.browser.places import bounds, overlap
from tests.support.browser.screens import TOUCHED, faults, sized
from tests.support.browser.solo_browser import DESK, PHONE, SIX_TEN, Come, paying, play_out, seen_at
from tests.support.browser.solo_player import SoloPlayer

GAMES = ("first-person", "sisal")
ALL = (*GAMES, "link", "duello")
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


@pytest.mark.parametrize("game", ALL)
def test_x28_hints_leave_every_word_readable_and_the_circle_in_view(one: SoloPlayer, game: str) -> None:
    """X-28: with a hint under the table its words keep 12 px, and on a phone the circle it speaks of is seen whole."""
    page = one.practise(game, SIX_TEN).page
    page.evaluate("() => localStorage.setItem('ventuno-guide', 'wanted')")
    page.reload()
    guide = page.get_by_role("group", name="Guida della prima mano")
    expect(guide).to_contain_text("2 di 5")
    assert list_faults(page) == []
    with seen_at(page, *PHONE):
        expect(one.spot(2, "ante") if game == "duello" else one.spot(3)).to_be_in_viewport(ratio=1)
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


@pytest.mark.parametrize(("game", "language"), [*((game, "it") for game in ALL), ("duello", "en")])
def test_v75_who_buys_in_sees_a_table_he_can_read(visit: Callable[..., Any], game: str, language: str) -> None:
    """V-75: the offer to buy in, at every size, beside the first hint; in English its keys are longer."""
    page: Page = visit().go(f"/?lang={language}")
    page.evaluate("() => localStorage.setItem('ventuno-guide', 'wanted')")
    page.reload()
    page.get_by_role("button", name=re.compile("^(Gioca come ospite|Play as a guest)$")).click()
    page.locator(f"a[href='/solo/{game}']").first.click()
    other = page.get_by_role("button", name=re.compile("^(Altro importo|Another amount)$"))
    expect(other).to_be_visible()
    assert list_faults(page) == []
    other.click()
    expect(page.get_by_role("dialog").get_by_role("textbox")).to_be_visible()
    assert list_faults(page) == []


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


@pytest.mark.parametrize(("game", "bets"), [("link", {3: 500}), ("duello", {2: 500})])
def test_v46_on_a_low_phone_every_chip_is_seen_whole(one: SoloPlayer, game: str, bets: dict[int, int]) -> None:
    """V-46, D-02, L-02: beside the key that deals, the tools and what is staked."""
    one.practise(game).bet(bets)
    expect(one.key("Distribuisci")).to_be_enabled()
    with seen_at(one.page, *LOW):
        for chip in one.page.get_by_role("radio").all():
            expect(chip).to_be_in_viewport(ratio=0.99)


FEET = """() => {
  const has = (name) => [...document.querySelectorAll('.foot button')].some((key) => key.textContent.includes(name));
  window.feet = [];
  const look = () => {
    const foot = document.querySelector('.foot');
    if (!has('Distribuisci') && !has('Il conto')) window.feet.push(Math.round(foot.getBoundingClientRect().height));
    if (!has('Il conto')) requestAnimationFrame(look);
  };
  look();
}"""
"""From here on the page notes how high its foot is, while a round is played."""


def test_x05_the_felt_of_a_phone_stays_where_it_is_while_a_round_is_played(alone: Come) -> None:
    """X-05: the foot is as high before a question and after it; what is asked does not push the cards about."""
    one = alone("Piede", *PHONE, reduced_motion="no-preference").practise("link", SIX_TEN).bet({3: 500})
    expect(one.key("Distribuisci")).to_be_enabled()
    one.page.evaluate(FEET)
    one.key("Distribuisci").click()
    one.acts("Stai")
    one.paid()
    heights = one.page.evaluate("() => window.feet")
    assert heights
    assert max(heights) - min(heights) <= 6


@pytest.mark.parametrize("size", SIZES)
def test_l07_a_hand_that_is_insured_says_so_and_what_it_brought(one: SoloPlayer, size: tuple[int, int]) -> None:
    """L-07: how much while the hand is played, what came of it when the round is paid; above the foot, at any size."""
    one.practise("link", "9D 8H AS TC 7D KC", {1: 400, 3: 400}).presses("^Accetto per tutte")
    told = {"Assicurato": "€ 2", "Assicurazione": "+ € 4"}
    for word, amount in told.items():
        with seen_at(one.page, *size):
            tags = one.page.locator(".under .tag")
            expect(tags.first).to_have_text(f"{word} {amount}")
            for tag in tags.all():
                expect(tag).to_be_in_viewport(ratio=0.99)
                assert bounds(tag)[3] <= bounds(one.page.locator(".foot"))[1], (size, word)
        if word == "Assicurato":
            one.does("stand", "stand")
            one.paid()


def test_v14_in_the_strip_two_hands_that_make_up_for_each_other_are_even(one: SoloPlayer) -> None:
    """V-14, L-10: a pair that is split into a win and a loss, and a loss that was insured, have won nothing."""
    strip = one.page.get_by_role("group", name="Le tue mani").get_by_role("button", name=re.compile("^Mano 3"))
    one.practise("link", "8D 6H 8S TC 3D 2C 9D 3C", {3: 500}).does("split", "hit", "stand", "stand")
    assert [line.returned for line in one.paid()] == [1000, 0]
    with seen_at(one.page, *PHONE):
        expect(strip).to_contain_text("Pari")
    one.practise("link", "9D AS TC KC", {3: 400}).presses("^Accetto")
    one.acts("Stai").paid()
    with seen_at(one.page, *PHONE):
        expect(strip).to_contain_text("Pari")


@pytest.mark.parametrize("size", [(1180, 820), (1366, 768), (1920, 1080)])
def test_l18_the_note_of_a_won_side_bet_breaks_no_word(one: SoloPlayer, size: tuple[int, int]) -> None:
    """L-18: beside the hand in two lines at most."""
    one.practise("link", "8D 6H 8S TC 3D 2C 9D", {3: 500, (3, "perfect-pairs"): 500})
    note = one.page.locator(".sidewin span")
    with seen_at(one.page, *size):
        expect(note).to_have_text("Coppia rossa/nera")
        lines = "one => { const all = document.createRange(); all.selectNodeContents(one);"
        assert note.evaluate(lines + " return [...all.getClientRects()].length; }") <= 2


@pytest.mark.parametrize("language", ["it", "en"])
@pytest.mark.parametrize("size", [(740, 360), LOW, (568, 320)])
def test_d10_on_a_low_phone_how_the_middle_hand_ended_lies_beside_its_cards(
    alone: Come, den: LiveHouse, size: tuple[int, int], language: str
) -> None:
    """D-10: between the community cards and its own, lost, bust, and where the dealer does not qualify."""
    one = alone(f"Duellante_{language}")
    den.settings(one.player, general={"language": language})
    for cards, actions in (
        ("8S 9D KC 8D 6H QC", ("left", "stand")),
        ("8S 9D KC 8D 6H QC KS KD 9H", ("left", "hit")),
        ("2S 3D 4C 2D 2C 3C 4D 5D 2H 3H", ("left", "hit")),
    ):
        one.practise("duello", cards, {2: 500}).does(*actions)
        with seen_at(one.page, *size):
            ended = one.page.locator(".middle .net")
            expect(ended).to_be_visible()
            settled(one.page)
            left, top, right, bottom = bounds(ended)
            for card in one.page.locator(".middle .cards").get_by_role("img").all():
                assert bounds(card)[1] >= bottom - 6, (cards, "its own")
            for card in one.page.locator(".common").get_by_role("img").all():
                x, _, far, low = bounds(card)
                assert low <= top + 1 or far <= left or right <= x, (cards, "of the community")


NARROW = ((320, 640), PHONE, (390, 844))
LINES = """() => [...document.querySelectorAll('.foot dl dd')].map((amount) => {
  const all = document.createRange();
  all.selectNodeContents(amount.firstElementChild ?? amount);
  const { bottom, right } = all.getBoundingClientRect();
  return [Math.round(bottom), right];
})"""
"""Of each amount in the foot the line it stands on and where it ends."""


def list_narrow_faults(page: Page) -> list[str]:
    """What of the money is out of line or of the window, and what of one's own place is under the foot, by size."""
    found = []
    for size in NARROW:
        sized(page, *size)
        amounts = page.evaluate(LINES)
        found += [f"{size}: money on {len(lines)} lines"] if len(lines := {low for low, _ in amounts}) != 1 else []
        found += [f"{size}: money at {right}" for _, right in amounts if right > size[0] - 4]
        foot = bounds(page.locator(".foot"))[1]
        for part in page.locator(".large .spot, .hands .spot, .hands .plaque").all():
            place = part.bounding_box()
            if place and place["y"] + place["height"] > foot + 1:
                found.append(f"{size}: {part.text_content()} under the foot")
        wrong = [fault for fault in faults(page, False) if not fault.startswith(("tiny:", "cut: b."))]
        found += [f"{size}: {fault}" for fault in wrong]
    return found


@pytest.mark.parametrize("game", ALL)
def test_v44_v52_money_stands_on_one_line_and_each_place_over_the_foot_of_a_narrow_phone(
    alone: Come, game: str
) -> None:
    """V-44, V-52: with money at the table, before the bet, after it and at the question; what is moved is seen."""
    one = paying(alone, game).play(game, SIX_TEN, money=100_000 if game == "sisal" else 1_854_500)
    deal = one.key(re.compile("^(Distribuisci|Inizia)"))
    expect(deal).to_be_visible()
    assert list_narrow_faults(one.page) == []
    one.bet({2 if game == "duello" else 3: 2_500})
    expect(deal).to_be_enabled()
    assert list_narrow_faults(one.page) == []
    one.house.deal(one.player, one.table)
    expect(one.page.get_by_role("button", name=re.compile("^(Stai|Carta sinistra)")).first).to_be_visible()
    assert list_narrow_faults(one.page) == []
    one.page.locator(".foot dl dd").last.evaluate("amount => { amount.style.translate = '20px 4px'; }")
    moved = [fault.split(": ")[1] for fault in list_narrow_faults(one.page)]
    assert {re.sub(r"[\d.]+", "N", fault) for fault in moved} >= {"money on N lines", "money at N"}
    sized(one.page, *DESK)
