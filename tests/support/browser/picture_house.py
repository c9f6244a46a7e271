"""A house to be looked at: the same people, cards, names and moments in every run, in Italian and in English.

Clocks stand still, in the house and in the browser; what the house draws for the bonus is drawn from a fixed seed; and
everything is drawn as richly as it can be, where a slow machine would leave out shadows.
What still differs from run to run (ids, clocks, the net result of the session, whether a key was pressed last, a step
of an animation, the number of a table) is covered by `COVERED`, `NUMBERED` and `SAMPLES`.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from random import Random
from typing import Any, TypeAlias

from playwright.sync_api import Browser, Locator, Page, Route, expect

from tests.support.browser.live_house import QUICK, LiveHouse, open_live_house
from tests.support.browser.visitor import Visitor
from tests.support.house import NOON, key
from ventuno.core.messages.commands import Act, ActEarly, Command, SpinWheel
from ventuno.core.messages.refusals import Refusal
from ventuno.core.rules.cards import card
from ventuno.core.rules.money import Cents, PlayerId
from ventuno.core.table.round import Action
from ventuno.house.tables.authority import LiveTable
from ventuno.house.tables.bonus_draws import BonusDraws
from ventuno.sheets import GAMES, load

LANGUAGES = ("it", "en")
NAMES = {"it": "Marco", "en": "Emma"}
OTHERS = ("Giulia_M", "Tommaso.R", "NonnoPippo", "contessa_21")
STILL = (
    f"const at = {NOON}; const Real = Date; const first = performance.now(); performance.now = () => first;"
    "globalThis.Date = class extends Real {"
    " constructor(...given) { if (given.length) super(...given); else super(at); } static now() { return at; } };"
    "const later = setTimeout; globalThis.setTimeout = (run, wait, ...more) =>"
    " later(run, wait >= 1500 ? 2 ** 31 - 1 : wait, ...more);"
    "globalThis.setInterval = () => 0;"
)
"""The clock of the page stands, and what would go by itself after some seconds stays to be looked at."""
COVERED = (
    "header dl, header dl *, header .small, header .small *, header p.num, .seal, .bar p {"
    " visibility: hidden !important; }"
    ":focus-visible { outline: none !important; }"
    "*, *::before, *::after { animation: none !important; transition: none !important; caret-color: transparent; }"
)
NUMBERED = [*NAMES.values(), "Aurelia"]
"""Names that carry a number in a house where there are several of them: pictures leave it out."""
SAMPLES = {
    r"\b([SP])[0-9A-F]{12}\b": "$1000000000000",
    r"\bpractice-[\d-]*\d(?=-\d+-(?:\d+:|$)| |$)": "practice-0",
    r"\b\d+:\d\d:\d\d\b": "0:00:00",
}
"""Ids and clocks: pictures have a sample of each, as wide in every run."""
THERE = "(path) => { history.pushState(null, '', path); dispatchEvent(new PopStateEvent('popstate')); }"
"""As a link of the house does it: no new page."""
REST = """async () => {
  await document.fonts.ready;
  const look = () => [...document.querySelectorAll('body *')].map((one) => {
    const place = one.getBoundingClientRect();
    return `${place.x} ${place.y} ${place.width} ${place.height}`;
  }).join() + document.title + innerWidth;
  let [before, equal] = ['', 0];
  for (let turn = 0; turn < 100 && equal < 2; turn += 1) {
    await new Promise((done) => setTimeout(() => requestAnimationFrame(done), 25));
    const now = look();
    equal = now === before ? equal + 1 : 0;
    before = now;
  }
  for (const one of document.getAnimations()) {
    if (one.effect.getComputedTiming().endTime < Infinity) one.finish();
    else one.cancel();
  }
}"""
PATIENCE = 120_000
GAMES_SHOWN = {game: load(game, QUICK if game == "ventuno" else None) for game in GAMES}


class SameDraws:
    """The draws of the bonus from one seed: the wheel opens the board that is wanted."""

    wanted = 0

    def fill(self, live: LiveTable, command: Any) -> Command:
        board = [*live.table.sheet.bonus.boards][self.wanted]
        for seed in range(1_000):
            drawn = BonusDraws(Random(f"{type(command).__name__} {seed}").randrange).fill(live, command)
            if not isinstance(drawn, SpinWheel) or drawn.segment == board:
                return drawn
        raise AssertionError("no seed opens a board")


Build: TypeAlias = Callable[["PictureHouse", "Guest"], Page]


class Guest:
    """One person in one browser of the gallery."""

    def __init__(self, browser: Browser, room: LiveHouse, language: str, player: PlayerId = "") -> None:
        self.room, self.language, self.player = room, language, player
        context = browser.new_context(
            viewport={"width": 1280, "height": 800},
            locale={"it": "it-IT", "en": "en-GB"}[language],
            timezone_id="Europe/Rome",
            reduced_motion="reduce",
        )
        context.add_init_script(STILL)
        if player:
            room.settings(player, general={"language": language}, video={"quality": "high"})
            cookie: Any = {"name": "ventuno", "value": room.token(player), "url": room.url}
            context.add_cookies([cookie])
        self.visitor = Visitor(context, room.url)
        self.page: Page = self.visitor.page
        self.waiting: list[Route] = []
        self.faults: list[str] = []
        self.page.on("pageerror", lambda fault: self.faults.append(str(fault)))

    @property
    def room_name(self) -> str:
        return NAMES[self.language]

    def go(self, path: str) -> Page:
        if self.page.url.startswith(self.room.url) and self.player:
            self.page.evaluate(THERE, path)
        else:
            self.visitor.go(f"{path}{'&' if '?' in path else '?'}lang={self.language}")
        return self.page

    def says(self, italian: str, english: str) -> re.Pattern[str]:
        return re.compile(italian if self.language == "it" else english, re.I)

    def button(self, italian: str, english: str) -> Locator:
        return self.page.get_by_role("button", name=self.says(italian, english)).first

    def shows(self, what: Locator) -> Page:
        expect(what).to_be_visible(timeout=PATIENCE)
        return self.page

    def close(self) -> None:
        for asked in self.waiting:
            asked.abort()
        self.visitor.context.close()


class PictureHouse:
    """One house for all pictures of a session, and who is in it."""

    def __init__(self, browser: Browser, pages: Path, folder: Path) -> None:
        self.browser, self.pages, self.folder = browser, pages, folder
        self._regulars: dict[str, Guest] = {}
        self._closing: list[Any] = []
        self._passing: list[Guest] = []
        self._played: set[PlayerId] = set()
        self._count = 0
        self.chance = SameDraws()

    @cached_property
    def room(self) -> LiveHouse:
        return self.another("house")

    @cached_property
    def hall(self) -> LiveHouse:
        """A house of its own for the lobby, which shows every table there is."""
        return self.another("hall")

    @cached_property
    def office(self) -> LiveHouse:
        """A house of its own for the supervisor, who sees every table too."""
        return self.another("office")

    def another(self, name: str) -> LiveHouse:
        (folder := self.folder / name).mkdir(exist_ok=True)
        opening = open_live_house(folder, self.pages, cut_seconds=0, games=GAMES_SHOWN)
        opened: LiveHouse = opening.__enter__()
        self._closing.append(opening)
        opened.doors.application.host.authority._chance = self.chance
        return opened

    def regular(self, language: str) -> Guest:
        """Who comes again and again; a page that is open goes elsewhere in no time."""
        if language not in self._regulars:
            self._regulars[language] = Guest(self.browser, self.room, language, self.person(NAMES[language]))
        return self._regulars[language]

    def stranger(self, language: str) -> Guest:
        return Guest(self.browser, self.room, language)

    def newcomer(self, language: str) -> Guest:
        """An account of its own, for what cannot be taken back."""
        self._count += 1
        return Guest(self.browser, self.room, language, self.person(f"{NAMES[language]}{self._count}"))

    def later(self, guest: Guest) -> None:
        """Closed with the scene that brought him."""
        self._passing.append(guest)

    @contextmanager
    def scene(self, build: Build, language: str, *, fresh: bool, stranger: bool) -> Iterator[Page]:
        """A screen in a state, and afterwards nobody of it left but the regulars."""
        makes = self.stranger if stranger else self.newcomer if fresh else self.regular
        guest = makes(language)
        if stranger or fresh:
            self.later(guest)
        try:
            yield build(self, guest)
            broken = [fault for one in {guest, *self._passing} for fault in one.faults]
            assert broken == [], f"a page broke: {broken}"
        finally:
            for one in self._passing:
                one.close()
            self._passing.clear()

    def past(self, guest: Guest) -> None:
        """Somebody with a past: one round, won on one box and lost on the other."""
        if not guest.player or guest.player in self._played:
            return
        self._played.add(guest.player)
        table = self.table("TS 6H 9D KD 5C TC 8H")
        self.room.seat(guest.player, table, 4, 5)
        for box in (4, 5):
            self.bets(guest.player, table, box, main=2_500, pairs=500)
        self.room.deal(guest.player, table)
        self.act(guest.player, table, 4, Action.STAND)
        self.act(guest.player, table, 5, Action.STAND)

    def person(self, name: str, room: LiveHouse | None = None) -> PlayerId:
        house = room or self.room
        known = house.doors.application.accounts
        found = next((one for one in known if known[one].player.name == name), None)
        return found or house.player(name)

    def table(self, cards: str = "", room: LiveHouse | None = None, name: str = "") -> str:
        house = room or self.room
        taken = house.doors.application.host.authority.tables
        given = name or next(one for one in (f"Aurelia {n}" for n in range(10, 1000)) if one not in taken)
        house.chosen[given] = tuple(map(card, cards.split()))
        answer = house.run(house.doors.application.tables.open(given, "ventuno"))
        assert not isinstance(answer, Refusal), answer
        return given

    def practice(self, guest: Guest, game: str, cards: str) -> str:
        return self.room.run(
            self.room.doors.application.tables.open_practice(guest.player, game, tuple(map(card, cards.split())))
        )

    def act(self, player: PlayerId, table: str, box: int, *actions: Action) -> None:
        for action in actions:
            self.room.ask(table, Act(player, box, action, 0), player)

    def early(self, player: PlayerId, table: str, box: int, action: Action) -> None:
        self.room.ask(table, ActEarly(player, box, action, 0), player)

    def cut(self, guest: Guest) -> None:
        """The line of a browser breaks, and the house does not answer when it asks for another."""
        guest.visitor.context.route("**/api/ticket", lambda route: guest.waiting.append(route))
        self.room.drop(guest.player)

    def bets(self, player: PlayerId, table: str, box: int, **amounts: Cents) -> None:
        """With a shoe on the table, which is made when the first player sits down."""
        until = time.monotonic() + PATIENCE / 1000
        while not self.room.state(table).shoe and time.monotonic() < until:
            time.sleep(0.01)
        for bet, amount in amounts.items():
            self.room.bet(player, table, box, amount, {"pairs": "perfect-pairs", "poker": "21+3"}.get(bet, bet))

    def close(self) -> None:
        for guest in self._regulars.values():
            guest.close()
        for opening in reversed(self._closing):
            opening.__exit__(None, None, None)


def settled(page: Page) -> Page:
    """At rest: fonts there, nothing moves from one frame to the next; what comes has come, what goes on begins."""
    page.evaluate(REST)
    return page


@contextmanager
def open_picture_house(browser: Browser, pages: Path, folder: Path) -> Iterator[PictureHouse]:
    opened = PictureHouse(browser, pages, folder)
    try:
        yield opened
    finally:
        opened.close()


__all__ = ["COVERED", "LANGUAGES", "NUMBERED", "Build", "Guest", "PictureHouse", "key", "settled"]
