"""All games for one in a browser: the way there, whole rounds by keyboard and by the tree of a screen reader."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.support.browser import solo_browser
from tests.support.browser.live_house import LiveHouse
from tests.support.browser.solo_browser import ANSWERS, DESK, PHONE, play_out, seen_at
from tests.support.browser.solo_player import SoloPlayer
from tests.support.browser.speed import Gate
from ventuno.web.odds_room.calculator import Timeouts

Axe = Callable[[Page], list[str]]
one = solo_browser.one
GAMES = ("first-person", "sisal", "duello", "link")


@pytest.mark.parametrize("game", GAMES)
def test_a_newcomer_is_dealt_a_hand_in_three_clicks_and_plays_it(visit: Callable[..., Any], game: str) -> None:
    """F-04, S-15, D-06, L-06: guest, game, money with a first bet; then the round by mouse and its sums (X-05)."""
    page: Page = visit(reduced_motion="reduce").go("/?lang=it")
    page.get_by_role("button", name="Gioca come ospite").click()
    page.locator(f"a[href='/solo/{game}']").first.click()
    page.get_by_role("button", name=re.compile("^Porta .* e gioca")).click()
    expect(page.locator("[role=img][aria-label*=' di ']").first).to_be_visible()
    play_out(page)
    page.get_by_role("button", name="Il conto").click()
    expect(page.get_by_role("dialog").get_by_role("table")).to_contain_text(re.compile(r"[FSDL]-\d\d"))


@pytest.mark.parametrize("game", GAMES)
def test_a_newcomer_who_is_faster_than_the_cut_is_dealt_his_hand_after_it(visit: Callable[..., Any], game: str) -> None:
    """F-04, S-15, D-06, L-06: the house takes no bet while the first shoe is cut, so that of the one press waits."""
    visitor = visit(reduced_motion="reduce")
    cut = Gate(visitor.page, '"phase":"promises"')
    cut.shut = True
    page: Page = visitor.go("/?lang=it")
    page.get_by_role("button", name="Gioca come ospite").click()
    page.locator(f"a[href='/solo/{game}']").first.click()
    page.get_by_role("button", name=re.compile("^Porta .* e gioca")).click()
    card = page.locator("[role=img][aria-label*=' di ']").first
    expect(page.get_by_text("Si mescola, un momento").or_(card).first).to_be_visible()
    cut.open()
    expect(card).to_be_visible()


DEALT = {
    "first-person": ("9D 6H TS TC 5D 6S", {3: 500, (3, "21+3"): 100}),
    "sisal": ("9D 8C AH TS 8S TC 5D", {1: 100, 3: 100, (0, "dealer-pair"): 100}),
    "duello": ("8S 9D KC 8D 6H QC", {2: 500, (2, "2-up"): 100}),
    "link": ("9D 8C AH TS 8S TC 5D", {1: 100, 3: 100, (3, "link"): 100}),
}


def faultless(page: Page, axe: Axe, ready: Locator) -> None:
    """Nothing for axe on a phone and on a desk, and nothing wider than the screen."""
    for size in (PHONE, DESK):
        with seen_at(page, *size):
            expect(ready).to_be_visible()
            assert axe(page) == [], size
            assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth"), size


@pytest.mark.parametrize("game", GAMES)
def test_x07_nothing_is_wrong_in_the_eyes_of_axe(one: SoloPlayer, axe: Axe, game: str) -> None:
    """Before the bets, at the question, with the round paid."""
    faultless(one.practise(game).page, axe, one.page.get_by_role("radiogroup", name="Fiche"))
    faultless(one.practise(game, *DEALT[game]).page, axe, one.page.get_by_role("button", name=ANSWERS).first)
    play_out(one.page)
    faultless(one.page, axe, one.key("Il conto"))


def test_x07_nothing_is_wrong_with_the_bonus_in_the_eyes_of_axe(one: SoloPlayer, axe: Axe) -> None:
    mega = {"segment": "mega-link", "boxes": ("x2", "x3", "diamond", "x5", "x2", "diamond")}
    spins = [{**mega, "start": dict.fromkeys(range(0, 36, 6), 5)}]
    one.practise("link", "AS 7C KD TD 2C", {3: 500, (3, "link"): 100}, spins)
    faultless(one.page, axe, one.key("Gira"))
    one.key("Gira").click()
    faultless(one.page, axe, one.key("Continua"))
    one.key("Continua").click()
    expect(one.page.locator(".cells li")).to_have_count(36)
    faultless(one.page, axe, one.key("Gira"))


def keyed(one: SoloPlayer, deal: str) -> None:
    """A chip by its figure, a circle and the deal by Tab and Enter."""
    one.page.keyboard.press("2")
    one.tab_to(one.spot(3))
    one.page.keyboard.press("Enter")
    expect(one.spot(3)).to_have_accessible_name(re.compile(r"mano 3: € ?"))
    one.tab_to(one.key(deal))
    one.page.keyboard.press("Enter")


def summed(one: SoloPlayer) -> None:
    """The sums by Tab and Enter, and away again by Esc."""
    one.tab_to(one.key("Il conto"))
    one.page.keyboard.press("Enter")
    expect(one.page.get_by_role("dialog")).to_be_visible()
    one.page.keyboard.press("Escape")
    expect(one.page.get_by_role("dialog")).to_have_count(0)


def test_x07_first_person_by_keyboard_alone(one: SoloPlayer) -> None:
    """F-09: the cash out too has its letter."""
    one.practise("first-person", "9D 7H 8S TC 5D 6S" + " 9D 7H 8S TC")
    keyed(one, "Distribuisci")
    expect(one.act("Stai")).to_be_visible()
    one.page.keyboard.press("s")
    expect(one.key("Il conto")).to_be_visible()
    summed(one)
    one.page.evaluate("() => document.activeElement.blur()")
    one.page.keyboard.press(" ")
    expect(one.spot(3)).to_have_accessible_name(re.compile("mano 3: €.5$"))


def test_x07_sisal_by_keyboard_alone(one: SoloPlayer) -> None:
    one.practise("sisal", "9D AH 5S TC 2D 6S")
    one.page.keyboard.press("3")
    one.tab_to(one.spot(3))
    one.page.keyboard.press("Enter")
    one.sees("Posto 3 € 1,00")
    one.tab_to(one.key("Inizia"))
    one.page.keyboard.press("Enter")
    expect(one.key(re.compile("^Accetto posto 3"))).to_be_visible()
    one.page.keyboard.press("n")
    expect(one.act("Stai")).to_be_visible()
    one.page.keyboard.press("c")
    expect(one.page.get_by_role("heading", name=re.compile("^Posto 3, 16"))).to_be_visible()
    one.page.keyboard.press("s")
    summed(one)


def test_x07_duello_by_keyboard_alone(one: SoloPlayer) -> None:
    one.practise("duello", "8S 9D KC 8D 6H QC")
    one.page.keyboard.press("2")
    one.sees("In tutto € 5,00")
    one.page.keyboard.press("Enter")
    expect(one.key(re.compile("^Carta sinistra"))).to_be_visible()
    one.page.keyboard.press("ArrowRight")
    expect(one.page.get_by_role("heading", name="Mano 2: 16")).to_be_visible()
    one.page.keyboard.press("s")
    summed(one)


def test_x07_link_with_its_bonus_by_keyboard_alone(one: SoloPlayer) -> None:
    board = {"segment": "link", "boxes": ("x2", "diamond", "x5"), "start": {0: 5, 7: 10, 13: 50}}
    one.practise("link", "AS 7C KD TD 2C 3C", spins=[board, *[{"locks": {}}] * 3])
    one.page.keyboard.press("1")
    for bet in ("main", "link"):
        one.tab_to(one.spot(3, bet))
        one.page.keyboard.press("Enter")
        expect(one.spot(3, bet)).to_have_accessible_name(re.compile("€.1$"))
    one.tab_to(one.key("Distribuisci"))
    one.page.keyboard.press("Enter")
    expect(one.key("Gira")).to_be_focused()
    one.page.keyboard.press("Enter")
    expect(one.key("Continua")).to_be_focused()
    one.page.keyboard.press("Enter")
    for left in ("2 di 3", "1 di 3", ""):
        expect(one.key("Gira")).to_be_focused()
        expect(one.page.locator("main [aria-busy=true]")).to_have_count(0)
        one.page.keyboard.press("Enter")
        if left:
            one.sees(left)
    expect(one.key("Continua")).to_be_focused()
    one.page.keyboard.press("Enter")
    summed(one)


class Read(NamedTuple):
    """What is pressed, by role and name alone, and what the table in words says afterwards."""

    cards: str
    spins: tuple[Any, ...]
    steps: tuple[tuple[str, str], ...]


CASH = {"segment": "x15", "boxes": (), "start": {}}
TREE = {
    "first-person": Read(
        *("9D 6H TS TC 5D 6S", ()),
        (
            ("Puntata principale, mano 3: aggiungi", "Mano 3, Tu: Puntata principale € 1,00"),
            ("Distribuisci", "Mano 3, Tu: 9 di quadri, 10 di picche, totale 19, posta € 1,00; tocca a te."),
            ("Stai", "Il banco ha 6 di cuori, 10 di fiori, 5 di quadri, totale 21."),
            ("Nuova puntata", "Il banco non ha carte."),
        ),
    ),
    "sisal": Read(
        *("9D AH TS 8C 5D 6S", ()),
        (
            ("Puntata principale, posto 2: aggiungi", "Posto 2, Tu: Puntata principale € 1,00"),
            ("Coppia del banco", "Saldo € 998,00, puntata € 2,00."),
            ("Inizia", "Puoi: Assicura (€ 0,50), No, grazie."),
            ("Rifiuto posto 2", "Posto 2, Tu: 9 di quadri, 10 di picche, totale 19, posta € 1,00; tocca a te."),
            ("Stai", "Posto 2, Tu: 9 di quadri, 10 di picche, totale 19, posta € 1,00, Pari."),
        ),
    ),
    "duello": Read(
        *("8S 9D KC 8D 6H QC", ()),
        (
            ("Ante, mano 2: aggiungi", "Mano 2, Tu: Ante € 1,00"),
            ("Distribuisci", "Il banco ha 2 coperte. Carte comuni: Re di fiori, 8 di quadri."),
            ("Carta sinistra", "Mano 2, Tu: 8 di picche, Re di fiori, totale 18, posta € 2,00; tocca a te."),
            ("Stai", "Il banco ha 9 di quadri, Re di fiori, una coperta, totale 19."),
        ),
    ),
    "link": Read(
        *("AS 7C KD TD 2C 3C", (CASH,)),
        (
            ("Puntata principale, mano 3: aggiungi", "Mano 3, Tu: Puntata principale € 1,00"),
            ("LINK, mano 3: aggiungi", "Saldo € 9.998,00, puntata € 2,00."),
            ("Distribuisci", "Mano 3, Tu: Asso di picche, Re di quadri, totale 21, posta € 1,00, Blackjack"),
            ("Gira", "Hai vinto € 15,00"),
            ("Continua", "Risultato della mano: + € 16,50."),
        ),
    ),
}


@pytest.mark.parametrize("game", GAMES)
def test_x07_a_round_through_the_accessibility_tree(one: SoloPlayer, game: str) -> None:
    """Each key is found in the tree by role and name and pressed there; the table in words tells what became of it."""
    cards, spins, steps = TREE[game]
    one.practise(game, cards, spins=spins)
    for name, told in steps:
        key = one.page.get_by_role("button", name=re.compile(f"^{re.escape(name)}")).first
        expect(key).to_be_enabled()
        assert f'button "{name}' in one.page.locator("main").aria_snapshot().replace("'", "")
        key.press("Enter")
        expect(one.page.locator("main")).to_contain_text(told.replace("€ ", "€\u00a0").replace("+ €", "+\u00a0€"))


NAMED = {game: {"it": "mano", "en": "hand"} for game in GAMES} | {"sisal": {"it": "posto", "en": "seat"}}
LIVE_ONLY = re.compile(r"\b(box|boxes)\b", re.I)


def read_out(page: Page) -> str:
    """All that a screen reader finds: names, texts, and what was announced last."""
    return page.locator("body").aria_snapshot()


@pytest.mark.parametrize("language", ["it", "en"])
@pytest.mark.parametrize("game", GAMES)
def test_x07_a_place_has_the_name_that_the_felt_prints(
    alone: Callable[..., SoloPlayer], den: LiveHouse, game: str, language: str
) -> None:
    """F-03, S-03, D-02, L-02: before the bets, at the question, with the round paid and in the history."""
    reader = alone(f"Lettore_{language}")
    den.settings(reader.player, general={"language": language})
    cards, bets = DEALT[game]
    page, place = reader.practise(game).page, NAMED[game][language]
    told = [read_out(page)]
    assert re.search(rf", {place} 2:", told[0])
    reader.practise(game, cards, bets)
    expect(page.get_by_role("button", name=ANSWERS).first).to_be_visible()
    told.append(read_out(page))
    play_out(page)
    expect(page.locator("[aria-live=polite]").filter(has_text=re.compile(rf"{place} [123]: ", re.I))).to_be_attached()
    told.append(read_out(page))
    for text in told:
        assert LIVE_ONLY.findall(text) == []
    page.locator("main").evaluate("main => main.insertAdjacentHTML('beforeend', '<p>Box 3</p>')")
    assert LIVE_ONLY.findall(read_out(page)) == ["Box"]


def test_v74_who_helps_is_named_and_a_house_can_say_it_in_its_own_words(
    one: SoloPlayer, den: LiveHouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    """V-74: the page names who helps."""
    one.practise("sisal")
    one.key("Gioca responsabile").click()
    window = one.page.get_by_role("dialog")
    expect(window).to_contain_text("Telefono Verde Nazionale")
    expect(window.get_by_role("link", name="800 558822")).to_have_attribute("href", "tel:800558822")
    expect(window.get_by_role("link", name="usciredalgioco.iss.it")).to_be_visible()
    one.page.keyboard.press("Escape")
    own = replace(den.doors.application.config, helpline="Linea di prova: 06 12345")
    monkeypatch.setattr(den.doors.application, "config", own)
    one.key("Gioca responsabile").click()
    expect(window).to_contain_text("Linea di prova: 06 12345")
    expect(window.get_by_role("link", name="06 12345")).to_have_attribute("href", "tel:0612345")
    expect(window.get_by_text("800 558822")).to_have_count(0)
    one.practise("sisal")
    expect(window).to_have_count(0)


@pytest.mark.parametrize("game", GAMES)
def test_x01_the_seal_of_a_table_for_one_opens_at_every_size(one: SoloPlayer, den: LiveHouse, game: str) -> None:
    """With money it shows what was sealed; a table for practice says that nothing is."""
    window = one.page.get_by_role("dialog")

    def shows(text: str) -> None:
        for size in (PHONE, (667, 375), DESK):
            with seen_at(one.page, *size):
                one.key("Menu").click()
                window.get_by_role("button", name="Sigillo del sabot").click()
                expect(window).to_contain_text(text)
                one.page.keyboard.press("Escape")
                expect(window).to_have_count(0)

    one.play(game)
    shows(den.seal(one.table))
    one.practise(game)
    shows("Un tavolo di prova non ha sigillo")


@pytest.mark.parametrize("game", GAMES)
def test_r41_rules_return_and_help_with_gambling_are_two_presses_away_in_mid_round(one: SoloPlayer, game: str) -> None:
    """R-41: and the round is there when the window closes, with the same question."""
    one.practise(game, *DEALT[game])
    question = one.page.get_by_role("button", name=ANSWERS).first
    expect(question).to_be_visible()
    asked = question.text_content() or ""
    window = one.page.get_by_role("dialog")
    for first, second, shown in (
        (re.compile("^Aiuto"), "Pagamenti", " a 1"),
        (re.compile("^Aiuto"), "Ritorno", "%"),
        (re.compile("^Gioca responsabile"), "", "Telefono Verde"),
    ):
        one.page.get_by_role("button", name=first).first.click()
        if second:
            window.get_by_role("link", name=second, exact=True).click()
            region = window.get_by_role("region", name=second, exact=True)
            expect(region).to_be_in_viewport()
            expect(region).to_contain_text(shown)
        else:
            expect(window).to_contain_text(shown)
        one.page.keyboard.press("Escape")
        expect(window).to_have_count(0)
    expect(question).to_have_text(asked)


def test_x28_a_first_round_has_five_hints_that_anyone_can_close(one: SoloPlayer) -> None:
    """X-28: a step says what is due and covers nothing; once the round was seen, or the guide closed, it stays away."""
    page = one.practise("first-person", "9D 6H TS TC 5D 6S " * 2).page
    page.evaluate("() => localStorage.setItem('ventuno-guide', 'wanted')")
    page.reload()
    guide = page.get_by_role("group", name="Guida della prima mano")
    expect(guide).to_contain_text("2 di 5")
    expect(guide).to_contain_text("Scegli una fiche")
    one.spot(3).click()
    expect(guide).to_contain_text("3 di 5")
    one.key("Distribuisci").click()
    expect(guide).to_contain_text("4 di 5")
    with seen_at(page, *PHONE):
        strip: Any = guide.bounding_box()
        for name in ("Carta", "Stai"):
            key: Any = one.act(name).bounding_box()
            assert strip["y"] + strip["height"] <= key["y"] + 1, "the decision is not covered"
    one.acts("Stai")
    expect(guide).to_contain_text("5 di 5")
    one.key("Nuova puntata").click()
    expect(guide).to_have_count(0)
    page.evaluate("() => localStorage.setItem('ventuno-guide', 'wanted')")
    page.reload()
    guide.get_by_role("button", name="Chiudi la guida").click()
    expect(guide).to_have_count(0)
    page.reload()
    expect(one.spot(3)).to_be_visible()
    expect(guide).to_have_count(0)


@pytest.mark.parametrize("game", ["first-person", "duello"])
def test_b7_alone_one_may_ask_for_a_hint(one: SoloPlayer, game: str) -> None:
    """The best choice by the house's figures, when it is asked for and not before."""
    cards, bets = DEALT[game]
    one.practise(game, cards, bets)
    expect(one.page.get_by_text(re.compile("^La migliore:"))).to_have_count(0)
    one.key("Consiglio").click()
    one.sees(re.compile("^La migliore: "))
    expect(one.key("Consiglio")).to_have_count(0)


def test_b7_a_hint_that_was_refused_is_asked_for_again(
    one: SoloPlayer, den: LiveHouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever is told to try again in a moment has the key for it."""
    one.practise("first-person", *DEALT["first-person"])
    monkeypatch.setattr(den.doors.app.state.solved.calculator, "_patience", Timeouts(waiting=0))
    one.key("Consiglio").click()
    one.sees(re.compile("Riprova fra poco"))
    monkeypatch.undo()
    one.visitor.complaints.clear()
    one.key("Consiglio").click()
    one.sees(re.compile("^La migliore: "))
