"""A browser that loses its connection, and what the dealer writes meanwhile."""

from __future__ import annotations

import re

from playwright.sync_api import Route, expect

from tests.support.browser.live_seat import Seat


def expect_dealer_text(seat: Seat, text: str | re.Pattern[str]) -> None:
    """What the dealer writes into the chat."""
    expect(seat.page.get_by_role("log", name="Chat").get_by_text(text).first).to_be_attached()


class Tunnel:
    """A browser whose way to a new line is closed until it is opened."""

    def __init__(self, seat: Seat) -> None:
        self.seat, self.waiting = seat, list[Route]()
        seat.page.route("**/api/ticket", lambda route: self.waiting.append(route))
        seat.parlour.drop(seat.player)

    def over(self) -> None:
        for route in self.waiting:
            route.continue_()
        self.seat.page.unroute("**/api/ticket")
