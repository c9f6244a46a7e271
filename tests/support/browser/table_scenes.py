"""Every table of the house in its main states, by name: built by what players and the house do, nothing invented.

`PICTURED` are kept as golden images; all of `SCENES`, the rooms among them, are measured and shown to axe.
"""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from tests.support.browser.page_scenes import ROOMS, ROOMS_PICTURED, Scene
from tests.support.browser.picture_house import OTHERS, PATIENCE, Build, Guest, PictureHouse
from ventuno.core.messages.commands import PlaceBet, Spot
from ventuno.core.rules.money import PlayerId
from ventuno.core.table.round import Action

FIRST, SECOND, DRAWN = "AS TS 7D AD 8C TD", "KC 5H 4C 6S 8S JH", "9C 9H"
DUELS = "9D 7C 8H QC 6S JD 5C 8S KD 4H 3C 2D"


def _felt(guest: Guest, *tables: str) -> Page:
    """Before the table of this window."""
    first, *more = (table.replace(" ", "%20") for table in tables)
    page = guest.go(f"/table/{first}" + ("?" + "&".join(f"and={one}" for one in more) if more else ""))
    expect(page.get_by_role("region", name=re.compile(re.escape(tables[0]))).first).to_be_visible(timeout=PATIENCE)
    guest.shows(page.get_by_role("group", name=guest.says("^Banco", "^Dealer")).first)
    return page


def _company(gallery: PictureHouse, guest: Guest, table: str) -> list[PlayerId]:
    """Six boxes taken: four people, and two boxes of one's own."""
    others = [gallery.person(name) for name in OTHERS]
    for other, box in zip(others, (1, 2, 3, 7), strict=True):
        gallery.room.seat(other, table, box)
    gallery.room.seat(guest.player, table, 4, 5, money=125_450)
    return others


def _staked(gallery: PictureHouse, guest: Guest, dealer: str = "QH", hole: str = "9D") -> tuple[str, list[PlayerId]]:
    table = gallery.table(f"{FIRST} {dealer} {SECOND} {hole} {DRAWN}")
    others = _company(gallery, guest, table)
    for other, box, amount in zip(others, (1, 2, 3, 7), (5_000, 2_500, 20_000, 10_000), strict=True):
        gallery.bets(other, table, box, main=amount)
    gallery.bets(others[0], table, 1, pairs=500)
    gallery.bets(others[2], table, 3, poker=1_000)
    for box in (4, 5):
        gallery.bets(guest.player, table, box, main=2_500, pairs=500, poker=500)
    gallery.room.ask(table, PlaceBet(others[3], (Spot(3, "behind"),), 4_500, 0), others[3])
    return table, others


def _dealt(gallery: PictureHouse, guest: Guest, dealer: str = "QH", hole: str = "9D") -> tuple[str, list[PlayerId]]:
    table, others = _staked(gallery, guest, dealer, hole)
    for player in (guest.player, *others):
        gallery.room.deal(player, table)
    return table, others


def _until_mine(gallery: PictureHouse, guest: Guest) -> tuple[str, list[PlayerId]]:
    table, others = _dealt(gallery, guest)
    gallery.act(others[1], table, 2, Action.HIT)
    gallery.act(others[2], table, 3, Action.HIT, Action.STAND)
    return table, others


def betting(gallery: PictureHouse, guest: Guest) -> Page:
    table, _ = _staked(gallery, guest)
    page = _felt(guest, table)
    return guest.shows(page.get_by_role("button", name=guest.says("^Inizia ora", "^Deal now")).first)


def deciding(gallery: PictureHouse, guest: Guest) -> Page:
    table, _ = _until_mine(gallery, guest)
    gallery.early(guest.player, table, 5, Action.SPLIT)
    _felt(guest, table)
    return guest.shows(guest.button("^Carta", "^Hit"))


def settled(gallery: PictureHouse, guest: Guest) -> Page:
    table, others = _until_mine(gallery, guest)
    _felt(guest, table)
    gallery.act(guest.player, table, 4, Action.STAND)
    gallery.act(guest.player, table, 5, Action.STAND)
    gallery.act(others[3], table, 7, Action.STAND)
    return guest.shows(guest.button("^Il conto", "^Round details"))


def insurance(gallery: PictureHouse, guest: Guest) -> Page:
    table, _ = _dealt(gallery, guest, "AH", "9D")
    _felt(guest, table)
    return guest.shows(guest.button("^Assicura", "^Insure"))


def paused(gallery: PictureHouse, guest: Guest) -> Page:
    table, _ = _until_mine(gallery, guest)
    page = _felt(guest, table)
    gallery.room.pause(table, {"it": "Controllo del sabot", "en": "A check of the shoe"}[guest.language])
    return guest.shows(page.get_by_role("alert").first)


def voided(gallery: PictureHouse, guest: Guest) -> Page:
    table, _ = _until_mine(gallery, guest)
    page = _felt(guest, table)
    reason = {"it": "Errore di distribuzione", "en": "A dealing error"}[guest.language]
    gallery.room.pause(table, reason)
    guest.shows(page.get_by_text(guest.says("Tavolo in pausa", "Table paused")).first)
    gallery.room.void(table, reason)
    guest.shows(page.get_by_text(guest.says("^Mano annullata$", "^Round void$")).first)
    return guest.shows(page.get_by_role("alert").first)


def reconnecting(gallery: PictureHouse, guest: Guest) -> Page:
    table, _ = _until_mine(gallery, guest)
    page = _felt(guest, table)
    gallery.cut(guest)
    return guest.shows(page.get_by_text(guest.says("riportando al tavolo", "Taking you back")).first)


def limit(gallery: PictureHouse, guest: Guest) -> Page:
    """A stake limit of one's own is reached: the circle is closed and says which it is (R-33, X-19)."""
    application = gallery.room.doors.application
    assert gallery.room.run(application.protection.set_limit(guest.player, "stake:day", 2_500)) is None
    table = gallery.table()
    gallery.room.seat(guest.player, table, 4, 5)
    gallery.bets(guest.player, table, 4, main=2_500)
    page = _felt(guest, table)
    page.get_by_role("button", name=guest.says("principale, box 5", "main bet, box 5")).first.hover()
    return guest.shows(page.locator(".bubble", has_text=guest.says("Il tuo limite", "Your limit")))


def excluded(gallery: PictureHouse, guest: Guest) -> Page:
    """Of one who watches: the line ends at once, whether or not it has told him of stakes that came back."""
    table = gallery.table()
    for name, box in zip(OTHERS, (1, 2, 3, 7), strict=True):
        gallery.room.seat(gallery.person(name), table, box)
    page = _felt(guest, table)
    assert gallery.room.run(gallery.room.doors.application.protection.exclude(guest.player, 90)) is None
    guest.shows(page.get_by_text(guest.says("La tua esclusione è in corso", "Your exclusion is in force")).first)
    return guest.shows(page.get_by_role("dialog"))


def four(gallery: PictureHouse, guest: Guest) -> Page:
    """Four tables in one window: deciding, betting, paid, watched (V-83…V-90)."""
    tables = [_until_mine(gallery, guest)[0], _staked(gallery, guest)[0]]
    third, others = _until_mine(gallery, guest)
    gallery.act(guest.player, third, 4, Action.STAND)
    gallery.act(guest.player, third, 5, Action.STAND)
    gallery.act(others[3], third, 7, Action.STAND)
    return _felt(guest, *tables, third, gallery.table())


def _practised(gallery: PictureHouse, guest: Guest, game: str, cards: str, *bets: tuple[int, str, int]) -> str:
    table = gallery.practice(guest, game, cards)
    for box, bet, amount in bets:
        gallery.room.bet(guest.player, table, box, amount, bet)
    return table


def _alone(guest: Guest, game: str, table: str) -> Page:
    page = guest.go(f"/solo/{game}?table={table}")
    guest.shows(page.get_by_role("group", name=guest.says("^Banco", "^Dealer")).first)
    return page


def first_person(gallery: PictureHouse, guest: Guest) -> Page:
    bets = [(box, "main", 2_500) for box in (2, 3, 4)]
    table = _practised(gallery, guest, "first-person", "9D 8H TC 6H 7S AC 5D TS", *bets, (3, "perfect-pairs", 500))
    gallery.room.deal(guest.player, table)
    _alone(guest, "first-person", table)
    return guest.shows(guest.button("^Stai", "^Stand"))


def sisal(gallery: PictureHouse, guest: Guest) -> Page:
    bets = [(box, "main", 500) for box in (1, 2, 3)]
    sides = [(2, "perfect-pairs", 100), (3, "21+3", 200), (0, "dealer-pair", 100)]
    _alone(guest, "sisal", _practised(gallery, guest, "sisal", "", *bets, *sides))
    return guest.shows(guest.button("^Inizia", "^Start"))


def duello(gallery: PictureHouse, guest: Guest) -> Page:
    bets = [(box, "main", 1_000) for box in (1, 2, 3)]
    table = _practised(gallery, guest, "duello", DUELS, *bets)
    gallery.room.deal(guest.player, table)
    _alone(guest, "duello", table)
    return guest.shows(guest.button("^Carta sinistra", "^Left card"))


def link(gallery: PictureHouse, guest: Guest) -> Page:
    bets = [(box, "main", 2_500) for box in (2, 3)]
    table = _practised(gallery, guest, "link", "9D 8H 6H 7S AC TS", *bets, (3, "link", 500))
    gallery.room.deal(guest.player, table)
    _alone(guest, "link", table)
    return guest.shows(guest.button("^Stai", "^Stand"))


def link_wheel(gallery: PictureHouse, guest: Guest) -> Page:
    table = _practised(gallery, guest, "link", "AS 7C KD TD", (3, "main", 2_500), (3, "link", 500))
    gallery.room.deal(guest.player, table)
    page = guest.go(f"/solo/link?table={table}")
    return guest.shows(page.get_by_role("img", name=guest.says("Ruota del bonus", "wheel")))


def _board(wanted: int) -> Build:
    """On a board, with what its first turn locked."""

    def build(gallery: PictureHouse, guest: Guest) -> Page:
        gallery.chance.wanted = wanted
        page = link_wheel(gallery, guest)
        guest.button("^Gira", "^Spin").click()
        guest.button("^Continua", "^Go on|^Continue").click(timeout=PATIENCE)
        guest.shows(page.locator(".cells").first)
        guest.button("^Gira", "^Spin").click()
        return guest.shows(page.locator(".cell.won").first)

    return build


PICTURED = {
    **ROOMS_PICTURED,
    "betting": Scene(betting),
    "deciding": Scene(deciding),
    "settled": Scene(settled),
    "insurance": Scene(insurance),
    "paused": Scene(paused),
    "voided": Scene(voided, fresh=True),
    "reconnecting": Scene(reconnecting, fresh=True),
    "limit": Scene(limit, fresh=True),
    "excluded": Scene(excluded, fresh=True),
    "first-person": Scene(first_person),
    "sisal": Scene(sisal),
    "duello": Scene(duello),
    "link": Scene(link),
    "link-wheel": Scene(link_wheel),
    "link-board": Scene(_board(0)),
    "link-mega": Scene(_board(1)),
}
SCENES = {**PICTURED, **ROOMS, "four": Scene(four)}
