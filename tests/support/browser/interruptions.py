"""Points at which a round of Link or of the duel can break off, and how it goes on from there (D-24, L-31, L-32)."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from playwright.sync_api import expect

from tests.support.browser.solo_table import Felt

NATURAL = "AS 7C KD TD 2C 3C"
BOARD = {"segment": "link", "boxes": ("x2", "diamond", "x5"), "start": {0: 5, 7: 10, 13: 50}}
MEGA = {
    "segment": "mega-link",
    "boxes": ("x2", "x3", "diamond", "x5", "x2", "diamond"),
    "start": {0: 1, 6: 2, 12: 3, 18: 4, 24: 5, 30: 50},
}
CASH = {"segment": "x15", "boxes": (), "start": {}}
NOTHING: dict[str, Any] = {"locks": {}}
SPINS = re.compile(r"^\d di 3$")


def spun(felt: Felt, *left: int) -> Felt:
    """Spins of a board, each until its cells stand."""
    for one in left:
        felt.presses("^Gira$")
        expect(felt.page.get_by_text(SPINS)).to_have_text(f"{one} di 3")
    return felt


def opened(felt: Felt, *left: int) -> Felt:
    """The wheel, its result, the board it opens, and so many spins of it."""
    back(turned(felt))
    expect(felt.page.get_by_text(SPINS)).to_have_text("3 di 3")
    return spun(felt, *left)


def turned(felt: Felt) -> Felt:
    """The wheel, or the last spin of a board, until its result is told."""
    felt.key("Gira").click()
    expect(felt.key("Continua")).to_be_visible()
    return felt


def back(felt: Felt) -> Felt:
    felt.key("Continua").click()
    return felt


def over(felt: Felt) -> Felt:
    """Nothing is left to press: the round is paid."""
    expect(felt.key("Il conto")).to_be_visible()
    return felt


class Point(NamedTuple):
    """Cards, bets and spins that lead there by `reach`; what is pressed afterwards by `rest`, and what came back."""

    game: str
    cards: str
    bets: Mapping[str, int]
    spins: tuple[Mapping[str, Any], ...]
    reach: Callable[[Felt], object]
    rest: Callable[[Felt], object]
    returned: tuple[str, ...]
    same: bool = True
    """Whether who comes back sees what he left; where the wheel was told, he is a step further: at its result."""


MAIN, LINK = {"main": 3}, {"main": 3, "link": 3}
DUEL = "8S 9D KC 8D 6H QC"
POINTS = {
    "insurance": Point(
        *("link", "9D AS TC KC 5D", MAIN, (), lambda felt: expect(felt.key(re.compile("^Accetto"))).to_be_visible()),
        *(lambda felt: felt.presses("^Accetto").acts("Stai"), ("0,00", "1,50")),
    ),
    "play": Point(
        "link",
        "5D 6H 6S TC 4D 9C",
        MAIN,
        (),
        lambda felt: felt.acts("Carta"),
        lambda felt: felt.acts("Stai"),
        ("2,00",),
    ),
    "wheel due": Point(
        *("link", NATURAL, LINK, (CASH,), lambda felt: expect(felt.key("Gira")).to_be_visible()),
        *(lambda felt: back(turned(felt)), ("2,50", "16,00")),
    ),
    "wheel turned to cash": Point("link", NATURAL, LINK, (CASH,), turned, over, ("2,50", "16,00"), False),
    "wheel turned to a board": Point(
        *("link", NATURAL, LINK, (BOARD, NOTHING, NOTHING, NOTHING), turned),
        *(lambda felt: back(turned(spun(felt, 2, 1))), ("2,50", "66,00"), False),
    ),
    "board": Point(
        *("link", NATURAL, LINK, (BOARD, NOTHING, {"locks": {1: 3}}, NOTHING, NOTHING, NOTHING)),
        *(lambda felt: opened(felt, 2, 3, 2), lambda felt: back(turned(spun(felt, 1))), ("2,50", "69,00")),
    ),
    "mega board": Point(
        *("link", NATURAL, LINK, (MEGA, {"locks": {35: 10}}, NOTHING, NOTHING, NOTHING)),
        *(lambda felt: opened(felt, 3, 2), lambda felt: back(turned(spun(felt, 1))), ("2,50", "76,00")),
    ),
    "duel, a card to choose": Point(
        *("duello", DUEL, {"ante": 2, "2-up": 2}, ()),
        lambda felt: expect(felt.key("Consiglio")).to_be_visible(),
        *(lambda felt: felt.presses("^Carta sinistra").acts("Stai"), ("0,00", "0,00", "4,00")),
    ),
    "duel, hit or stand": Point(
        *("duello", DUEL, {"ante": 2}, (), lambda felt: felt.presses("^Carta destra")),
        *(lambda felt: felt.acts("Carta"), ("0,00", "0,00")),
    ),
}


def reached(felt: Felt, point: Point) -> None:
    """Bets, the deal, and as far as the point, all in the browser."""
    for bet, box in point.bets.items():
        felt.spot(box, bet).click()
        expect(felt.spot(box, bet)).to_have_accessible_name(re.compile("€.1$"))
    felt.key("Distribuisci").click()
    point.reach(felt)


def seen(felt: Felt) -> str:
    """All that lies on the felt, as it is read out: cards, totals, cells, spins, keys."""
    return felt.page.locator("section > .felt").aria_snapshot()
