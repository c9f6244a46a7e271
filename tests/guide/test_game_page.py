"""The page of a game says what its sheet says, in both languages, with the phrases of the help (V-95)."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from ventuno import words
from ventuno.core.rules.sheet import Sheet
from ventuno.core.rules.sheet_reader import switches
from ventuno.guide import WRITTEN, read_page, write_game, write_pages
from ventuno.guide.game_page import is_told
from ventuno.sheets import GAMES, load, load_games

LANGUAGES = words.LANGUAGES
OTHERS = {
    "first-person": (
        {"dealer.soft_17": "hit", "surrender": "late", "split.hands": "4", "double.on": "9-11"},
        {"double.on": "10-11"},
    ),
}
"""What-if sheets with the rules that none of the five has."""
NOT_PAGES = {"toc", "sources", "you", "dealer", "table", "minutes", "sides.text"}
"""Phrases of the help that belong to its buttons, cards and table of contents."""


def list_sheets() -> Iterator[Sheet]:
    yield from load_games().values()
    yield from (load(game, changes) for game, all_changes in OTHERS.items() for changes in all_changes)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("game", GAMES)
def test_v95_a_page_has_every_payout_limit_and_return_of_its_sheet(game: str, language: str) -> None:
    sheet = load(game)
    page = write_game(sheet, language)
    names = words.load(language)
    assert "{" not in page
    assert page.startswith(f"# {sheet.game.name}\n")
    for bet, limits in sheet.stakes.limits.items():
        name = names[f"bet.{sheet.looks.name(bet)}"]
        money = [re.escape(words.format_money(cents, language)[:-3]) for cents in limits]
        assert re.search(rf"\| {re.escape(name)} \| {money[0]} \| {money[1]} \|", page), bet
    for side in sheet.sides.values():
        assert all(f"| {names[f'won.{sheet.looks.name(category)}']} |" in page for category in side.pays)
    for figure in sheet.published.returns.values():
        assert (figure.replace(".", ",") if language == "it" else f"{figure}%") in page


def test_v95_every_rule_is_told_with_its_criterion_where_the_game_has_it() -> None:
    page = write_game(load("ventuno"), "en")
    assert "| On soft 17 | stands | V-18 |" in page
    assert "| Seat lost after rounds without a bet | 3 |" in page
    assert "Cash out" not in page
    assert "| On soft 17 | hits | V-18 |" in write_game(load("ventuno", {"dealer.soft_17": "hit"}), "en")


@pytest.mark.parametrize("game", GAMES)
def test_no_rule_is_told_by_its_path(game: str) -> None:
    """Every switch that is shown has a name in both languages."""
    for language in LANGUAGES:
        assert not re.search(r"^\| `", write_game(load(game), language), re.MULTILINE)


def test_what_a_game_has_not_is_not_told() -> None:
    listed = {switch.path: switch for switch in switches(load("sisal"))}
    told = {path for path, switch in listed.items() if is_told(switch, listed)}
    assert {"insurance.pays", "stakes.round_cap", "split.aces"} <= told
    assert not told & {"cash_out.offered", "bonus.spins", "clocks.betting", "shoe.cut", "options.behind"}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_lesson_of_the_help_is_on_some_page(language: str) -> None:
    """So that help and guide teach the same: a phrase that no sheet leads to would be noticed here."""
    pages = "\n".join(write_game(sheet, language) for sheet in list_sheets())
    lessons = {
        key.removeprefix("teach."): text for key, text in words.load(language).items() if key.startswith("teach.")
    }
    missing = {key for key, text in lessons.items() if not re.search(make_pattern(text), pages)}
    assert missing == NOT_PAGES & missing
    assert missing >= {"toc", "sources"}


def make_pattern(text: str) -> str:
    """A phrase, whatever stands in its fields."""
    return ".+?".join(map(re.escape, re.split(r"\{[^{}]*\}", text)))


def test_a_sheet_of_ones_own_has_its_page_too() -> None:
    vienna = load("first-person", {"game.id": "vienna", "game.name": "Blackjack Vienna", "surrender": "late"})
    pages = write_pages("en", {"vienna": vienna})
    assert list(pages) == ["", *WRITTEN, "games/vienna"]
    assert "**Surrender.** You give the hand up" in pages["games/vienna"]
    assert "[Blackjack Vienna](games/vienna.md): Up to 5 hands, " in pages[""]


@pytest.mark.parametrize("name", WRITTEN)
def test_both_languages_have_the_same_sections(name: str) -> None:
    shapes = [re.findall(r"^(#+ |- |1\. )", read_page(language, name), re.MULTILINE) for language in LANGUAGES]
    assert shapes[0] == shapes[1]
    assert len(shapes[0]) > 10
