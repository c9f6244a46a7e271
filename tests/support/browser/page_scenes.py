"""The rooms around the tables, to be looked at: the lobby, an account's pages, the console, the odds room."""

from __future__ import annotations

from typing import NamedTuple

from playwright.sync_api import Page, expect

from tests.support.browser.live_house import LiveHouse
from tests.support.browser.picture_house import NAMES, OTHERS, Build, Guest, PictureHouse

THINKS = 60_000
"""Milliseconds that a crowded machine may take over the odds of a game."""


class Scene(NamedTuple):
    build: Build
    fresh: bool = False
    """In a browser and an account of its own: what is done there cannot be taken back."""
    stranger: bool = False


def welcome(_: PictureHouse, guest: Guest) -> Page:
    guest.go("/")
    return guest.shows(guest.button("^Gioca come ospite", "^Play as a guest"))


def lobby(gallery: PictureHouse, guest: Guest) -> Page:
    """In a house of its own, whose tables nobody else fills."""
    hall = gallery.hall
    if not hall.doors.application.host.authority.tables:
        for name, boxes in (("Aurelia", (1, 2, 3, 7)), ("Cassia", (2, 4)), ("Flaminia", (1, 2, 3, 4, 5, 6, 7))):
            gallery.table("", hall, name)
            for box in boxes:
                hall.seat(gallery.person(f"Cliente{box}", hall), name, box)
        for box, name in zip((4, 5), NAMES.values(), strict=True):
            hall.seat(gallery.person(name, hall), "Aurelia", box, money=118_450)
    seated = Guest(gallery.browser, hall, guest.language, gallery.person(guest.room_name, hall))
    gallery.later(seated)
    page = seated.go("/")
    seated.shows(page.locator("article").nth(2))
    return page


def _opened(office: LiveHouse, gallery: PictureHouse) -> None:
    """Three tables for a supervisor: people betting, a hand in play, one that stands still."""
    reason, people = "Controllo del sabot", [gallery.person(name, office) for name in OTHERS]
    for name, boxes in (("Appia", (2, 5)), ("Cassia", (1, 3, 4, 6)), ("Flaminia", (4,))):
        gallery.table("AS TS 7D 8C QH KC 5H 4C 9S 9D 6C", office, name)
        seated = dict(zip(boxes, people, strict=False))
        for box, player in seated.items():
            office.seat(player, name, box)
        for box, player in seated.items():
            office.bet(player, name, box, 1_000 * box)
        for player in seated.values() if name != "Appia" else ():
            office.deal(player, name)
    office.pause("Flaminia", reason)


def console(gallery: PictureHouse, guest: Guest) -> Page:
    """A supervisor before his tables, one of them watched (X-10)."""
    office = gallery.office
    if not office.doors.application.host.authority.tables:
        _opened(office, gallery)
    eva = Guest(gallery.browser, office, guest.language, office.eva)
    gallery.later(eva)
    page = eva.go("/console")
    page.locator("[data-table='Cassia']").click()
    eva.shows(page.locator("#con-watch ~ .dim, .live.on").first)
    return eva.shows(page.locator(".felt").first)


def odds(_: PictureHouse, guest: Guest) -> Page:
    """One rule changed: what becomes of the return, and of the best play (X-16)."""
    page = guest.go("/odds/ventuno?double.after_split=true")
    expect(page.locator(".figures")).to_have_attribute("aria-busy", "false", timeout=THINKS)
    guest.shows(page.locator(".row.changed .note b.num").first)
    return guest.shows(page.locator(".chart table").first)


def _at(path: str, italian: str, english: str) -> Build:
    def build(gallery: PictureHouse, guest: Guest) -> Page:
        gallery.past(guest)
        page = guest.go(path)
        guest.shows(page.get_by_role("heading", name=guest.says(italian, english)).first)
        page.wait_for_load_state("networkidle")
        return page

    return build


def round_detail(gallery: PictureHouse, guest: Guest) -> Page:
    gallery.past(guest)
    page = guest.go("/history")
    page.locator(".list li a").first.click()
    return guest.shows(page.get_by_role("slider").first)


ROOMS_PICTURED = {
    "welcome": Scene(welcome, stranger=True),
    "lobby": Scene(lobby),
    "console": Scene(console),
    "odds": Scene(odds, fresh=True),
}
ROOMS = {
    "login": Scene(_at("/login", "^Accedi", "^(Enter|Log in|Sign in)"), stranger=True),
    "register": Scene(_at("/register", "account|Crea", "account|Create"), stranger=True),
    "settings": Scene(_at("/settings", "Impostazioni", "Settings")),
    "help": Scene(_at("/help", "Aiuto|Regole", "Help|Rules")),
    "history": Scene(_at("/history", "Storico", "History")),
    "round": Scene(round_detail),
    "cashier": Scene(_at("/cashier", "Cassa", "Cashier")),
    "protection": Scene(_at("/responsible", "responsabile", "responsibl")),
    "statistics": Scene(_at("/statistics", "Statistiche", "Statistics")),
    "account": Scene(_at("/account", "Conto|Account|Profilo", "Account|Profile")),
    "verify": Scene(_at("/verify", "verificatore", "verifier")),
    "practice": Scene(_at("/practice", "Allenamento|Pratica", "Practice")),
    "parts": Scene(_at("/parts", ".", "."), stranger=True),
}
