"""The odds room and the trainer in a browser against a real house: figures of any rules, and what a choice is worth."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from ventuno.odds.exact.solver import solve
from ventuno.sheets import load

Visit = Callable[..., Any]
Axe = Callable[[Page], list[str]]
STILL = {"reduced_motion": "reduce"}
AFTER_SPLIT = {"double.after_split": "true"}
CALL = """async ([method, path, body]) => {
  const headers = {'X-Ventuno': '1', 'Content-Type': 'application/json'};
  const answer = await fetch(path, {method, headers, body: body && JSON.stringify(body)});
  return answer.json();
}"""


def written(value: float, digits: int) -> str:
    return f"{value:.{digits}f}".replace(".", ",")


def opened(visitor: Any, path: str) -> Page:
    page: Page = visitor.go(path)
    expect(page.locator(".figures")).to_have_attribute("aria-busy", "false")
    return page


def test_x16_a_changed_rule_shows_return_strategy_and_what_changed(visit: Visit, axe: Axe) -> None:
    """The figures on the page are the solver's own; the address brings the same rules to whoever opens it."""
    visitor = visit(**STILL)
    page = opened(visitor, "/odds/ventuno?lang=it")
    own, other = solve(load("ventuno")), solve(load("ventuno", AFTER_SPLIT))
    expect(page.locator(".exact")).to_contain_text(written(own.rtp, 8))
    expect(page.get_by_text("Le regole di Blackjack Ventuno")).to_be_visible()
    assert axe(page) == []
    page.get_by_role("group", name="Raddoppio dopo divisione").get_by_role("radio", name="Sì").check(force=True)
    expect(page.locator(".exact")).to_contain_text(written(other.rtp, 8))
    delta = written(other.rtp - own.rtp, 2)
    expect(page.locator(".delta")).to_have_text(f"+\u00a0{delta} punti rispetto a Blackjack Ventuno")
    expect(page.get_by_role("group", name="Raddoppio dopo divisione")).to_contain_text(delta)
    changed = page.locator("td .changed")
    expect(changed).to_have_count(sum(own.chart.pair[one] != other.chart.pair[one] for one in own.chart.pair))
    expect(page.get_by_role("cell", name="Dividi, prima Carta").first).to_be_visible()
    assert page.url.endswith("/odds/ventuno?double.after_split=true")
    page.reload()
    expect(page.locator(".exact")).to_contain_text(written(other.rtp, 8))
    page.get_by_role("button", name="Ripristina Blackjack Ventuno").click()
    expect(page.locator(".exact")).to_contain_text(written(own.rtp, 8))
    assert page.url.endswith("/odds/ventuno")


def test_x16_by_keyboard_alone_and_a_wrong_value_says_what_is_allowed(visit: Visit) -> None:
    visitor = visit(**STILL)
    page = opened(visitor, "/odds/first-person?lang=it")
    before = page.locator(".exact").inner_text()
    page.get_by_role("group", name="Banco con 17 morbido").get_by_role("radio", name="Sta").focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator(".exact")).not_to_have_text(before)
    expect(page.locator(".delta")).to_contain_text("−")
    field = page.get_by_role("textbox", name="Blackjack paga: altra quota")
    field.focus()
    page.keyboard.type("tanto")
    page.keyboard.press("Enter")
    field.blur()
    expect(page.get_by_role("alert")).to_contain_text("una quota come 3/2")
    visitor.complaints[:] = [one for one in visitor.complaints if "409" not in one]  # the browser notes every refusal


@pytest.mark.parametrize(("game", "size"), [("duello", (360, 740)), ("link", (1280, 800))])
def test_x16_every_family_on_any_screen(visit: Visit, axe: Axe, game: str, size: tuple[int, int]) -> None:
    visitor = visit(*size, locale="en-GB", **STILL)
    page = opened(visitor, f"/odds/{game}?lang=en&shoe.decks=4")
    expect(page.get_by_role("heading", name="Odds and strategy")).to_be_visible()
    expect(page.locator(".delta")).to_contain_text(re.compile("points against|same return"))
    expect(page.get_by_role("table").last).to_be_visible()
    assert axe(page) == []
    assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")


def test_x03_the_trainer_says_what_each_choice_is_worth_and_what_the_chosen_one_cost(visit: Visit, axe: Axe) -> None:
    """Off until it is wanted; sixteen against a ten: a card is best by a hair, standing costs so much."""
    visitor = visit(**STILL)
    page: Page = visitor.go("/?lang=it")
    page.evaluate(CALL, ["POST", "/api/guest", None])
    cards = ["TS", "TD", "6C", "9H", "9C", "8C", "7C"] * 2
    table = page.evaluate(CALL, ["POST", "/api/practice", {"game": "sisal", "cards": cards}])["table"]
    page = visitor.go("/settings")
    page.get_by_role("tab", name="Gioco").click()
    page.get_by_role("switch", name=re.compile("Maestro")).click()
    page.get_by_role("button", name="Salva").click()
    expect(page.get_by_text("Salvato.")).to_be_visible()
    page = visitor.go(f"/solo/sisal?table={table}")
    strip = page.get_by_role("group", name="Maestro")
    expect(strip).to_contain_text("Nessuna decisione")
    page.get_by_role("button", name="Puntata principale, posto 3:").first.click()
    page.get_by_role("button", name="Inizia", exact=True).first.click()
    expect(strip.get_by_role("listitem").first).to_have_text(re.compile(r"Carta\s*−\s0,57"))
    expect(strip.locator(".best")).to_have_count(1)
    assert axe(page) == []
    page.get_by_role("button", name="Stai").click()
    expect(strip.get_by_role("status")).to_contain_text(re.compile(r"Stai invece di Carta: costa 0,00\d puntate"))
    expect(strip).to_contain_text("Decisioni 0 su 1")
    page.reload()
    expect(page.get_by_role("group", name="Maestro")).to_contain_text("Decisioni 0 su 1")


def test_x03_the_house_gives_no_advice_where_others_play_for_money(visit: Visit) -> None:
    visitor = visit(**STILL)
    page: Page = visitor.go("/?lang=it")
    page.evaluate(CALL, ["POST", "/api/guest", None])
    page.evaluate(CALL, ["PATCH", "/api/settings", {"game": {"trainer": True}}])
    told = page.evaluate(CALL, ["GET", "/api/tables/Ventuno%201/advice", None])
    assert told["error"]["code"] == "NoTrainerHere"
    page = visitor.go("/table/Ventuno%201")
    expect(page.get_by_role("heading", name="Blackjack Ventuno").first).to_be_visible()
    expect(page.get_by_role("group", name="Maestro")).to_have_count(0)
    visitor.complaints[:] = [one for one in visitor.complaints if "409" not in one]  # the browser notes every refusal
