"""A dealer in a browser of his own: a scanner that types, and the keys of the desk."""

from __future__ import annotations

import re
from typing import Any

from playwright.sync_api import Locator, Page, expect

from tests.support.browser.live_house import LiveHouse
from tests.support.browser.visitor import Visitor
from tests.support.house import FACTOR
from ventuno.core.rules.card_codes import write_code
from ventuno.core.rules.money import PlayerId
from ventuno.house.accounts.players import Role


def appoint(room: LiveHouse, name: str = "") -> PlayerId:
    """An account that may deal, with its second factor."""
    player = room.player(name)
    room.run(room.doors.application.accounts.appoint(player, Role.DEALER, FACTOR))
    return player


class DealerDesk:
    """The desk of one table. What is pressed here are keys alone; the pointer is for tests that say so."""

    def __init__(self, visitor: Visitor, room: LiveHouse, player: PlayerId, table: str) -> None:
        self.visitor, self.room, self.player, self.table, self.page = visitor, room, player, table, visitor.page
        cookie: Any = {"name": "ventuno", "value": room.token(player), "url": room.url}
        visitor.context.add_cookies([cookie])
        self.open()

    def open(self) -> Page:
        """By a load of the page: only then has it a camera."""
        self.page.goto(f"{self.room.url}/dealer/{self.table.replace(' ', '%20')}")
        expect(self.title).to_be_visible()
        return self.page

    def take(self) -> None:
        self.page.get_by_role("button", name=re.compile("^Siediti al banco|^Dai il cambio")).press("Enter")
        expect(self.page.get_by_role("group", name="Comandi del banco")).to_be_visible()

    @property
    def title(self) -> Locator:
        """The next action in large type."""
        return self.page.locator("[data-duty]")

    @property
    def alarm(self) -> Locator:
        return self.page.locator("[role=alert].alarm")

    def wants(self, text: str) -> None:
        expect(self.title).to_have_text(text)

    def type(self, text: str) -> None:
        """What a scanner types, with the Enter at its end."""
        self.page.keyboard.type(text)
        self.page.keyboard.press("Enter")

    def scan(self, *cards: str) -> None:
        """Each card is taken before the next is passed over the reader."""
        for card in cards:
            count = self.count_out() + 1
            self.type(write_code(card))
            self.wait_for(count)

    def wait_for(self, count: int) -> None:
        self.room.until(lambda: self.count_out() == count)

    def count_out(self) -> int:
        shoe = self.room.state(self.table).shoe
        return len(shoe.cards) if shoe else 0

    def press(self, key: str) -> None:
        self.page.keyboard.press(key)

    def give_reason(self) -> None:
        """The reason that is offered first, by the Enter key."""
        expect(self.page.get_by_role("dialog")).to_be_visible()
        expect(self.page.get_by_role("radio").first).to_be_focused()
        self.press("Enter")
        expect(self.page.get_by_role("dialog")).to_have_count(0)

    def make_shoe(self, burnt: str) -> None:
        self.wants("Mescola, poi dichiara il nuovo sabot")
        self.press("F10")
        self.wants("Carta da bruciare")
        self.scan(burnt)
