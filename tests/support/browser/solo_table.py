"""A table for one as a browser shows it: what one sees there and presses, by role and name alone."""

from __future__ import annotations

import re
from typing import Self

from playwright.sync_api import Locator, expect

from tests.support.browser.live_seat import plain
from tests.support.browser.visitor import Visitor
from ventuno.core.rules.money import Cents

BETS = {
    "main": "Puntata principale",
    "ante": "Ante",
    "perfect-pairs": "(Coppie Perfette|Coppia del giocatore)",
    "21+3": r"21\+3",
    "dealer-pair": "Coppia del banco",
    "link": "LINK",
    "2-up": "2 UP",
}
"""As patterns: games have names of their own for one bet."""
PLACE = "(mano|posto)"


class Felt:
    """One browser at a table for one."""

    def __init__(self, visitor: Visitor) -> None:
        self.visitor, self.page = visitor, visitor.page

    def past(self) -> list[str]:
        """The history of the account, line by line."""
        self.visitor.walk("/history")
        found = self.page.get_by_role("region", name="Storico").locator("li")
        expect(found.first).to_be_visible()
        return [plain(one) for one in found.all_inner_texts()]

    def spot(self, box: int, bet: str = "main") -> Locator:
        where = f", {PLACE} {box}" if box else ""
        return self.page.get_by_role("button", name=re.compile(rf"{BETS[bet]}{where}:")).first

    def held(self, box: int, bet: str = "main") -> Locator:
        """A stake that cannot be changed any more."""
        return self.page.get_by_role("img", name=re.compile(rf"^{BETS[bet]}, {PLACE} {box}:"))

    def chip(self, value: Cents) -> Self:
        amount = plain_brief(value)
        self.page.get_by_role("radio", name=f"Fiche da {amount}", exact=True).click()
        return self

    def key(self, name: str | re.Pattern[str]) -> Locator:
        exact = isinstance(name, str)
        return self.page.get_by_role("button", name=name, exact=exact)

    def act(self, name: str) -> Locator:
        return self.page.get_by_role("group", name="La tua decisione").get_by_role(
            "button", name=re.compile(f"^{name}")
        )

    def acts(self, *names: str) -> Self:
        """Presses decisions one after the other, each when the house has taken the last."""
        for name in names:
            self.act(name).click()
            expect(self.page.locator("main [aria-busy=true]")).to_have_count(0)
        return self

    def presses(self, name: str) -> Self:
        """A key by how its name begins, and until the house has answered."""
        self.key(re.compile(name)).click()
        expect(self.page.locator("main [aria-busy=true]")).to_have_count(0)
        return self

    def help(self, chapter: str) -> dict[str, str]:
        """The first two columns of a table of figures in the help."""
        self.key("Aiuto").click()
        shown = self.page.get_by_role("dialog")
        shown.get_by_role("link", name=chapter, exact=True).click()
        table = shown.get_by_role("region", name=chapter, exact=True)
        expect(table.locator("tbody tr").first).to_be_in_viewport()
        rows = [row.locator("th, td").all_inner_texts() for row in table.locator("tbody tr").all()]
        self.page.keyboard.press("Escape")
        return {plain(row[0]): plain(row[1]) for row in rows}

    def limits(self) -> dict[str, str]:
        """The limits as they are printed beside the table."""
        rows = self.page.get_by_role("group", name="Limiti di puntata").locator("dl div").all()
        return {row.locator("dt").inner_text(): plain(row.locator("dd").inner_text()) for row in rows}

    def tab_to(self, key: Locator) -> None:
        """By the Tab key alone, as far as a page has keys."""
        for _ in range(80):
            self.page.keyboard.press("Tab")
            if key.evaluate("one => one === document.activeElement"):
                return
        raise AssertionError("Tab does not come there")

    def told(self, text: str | re.Pattern[str]) -> None:
        """A notice of the house."""
        self.visitor.told(text)

    def box(self, number: int) -> Locator:
        return self.page.get_by_role("group", name=re.compile(rf"^{PLACE} {number}(, Tu)?$", re.I))

    @property
    def dealer(self) -> Locator:
        return self.page.get_by_role("group", name="Banco", exact=True)

    def cards(self, box: int = 0) -> list[str]:
        """The cards of a box, or of the dealer, as they are read out."""
        held = self.box(box) if box else self.dealer
        return [one.get_attribute("aria-label") or "" for one in held.get_by_role("listitem").get_by_role("img").all()]

    def sums(self) -> Locator:
        """The arithmetic of the round that was paid."""
        self.key("Il conto").click()
        shown = self.page.get_by_role("dialog")
        expect(shown.get_by_role("table")).to_be_visible()
        return shown

    @property
    def text(self) -> str:
        return plain(self.page.inner_text("main"))

    def sees(self, text: str | re.Pattern[str]) -> None:
        expect(self.page.get_by_text(text).first).to_be_visible()


def plain_brief(cents: Cents) -> str:
    """A round amount as chips and circles have it."""
    euro, rest = divmod(cents, 100)
    whole = f"{euro:,}".replace(",", ".")
    return f"€\u00a0{whole},{rest:02}" if rest else f"€\u00a0{whole}"


def named(cards: str) -> list[str]:
    """Cards as they are read out."""
    ranks = {"A": "Asso", "T": "10", "J": "Fante", "Q": "Donna", "K": "Re"}
    suits = {"S": "picche", "H": "cuori", "D": "quadri", "C": "fiori"}
    return [f"{ranks.get(one[0], one[0])} di {suits[one[1]]}" for one in cards.split()]


def closed(key: Locator) -> str:
    """Why a key is closed, in the words that lie with it."""
    expect(key).to_have_attribute("aria-disabled", "true")
    return str(
        key.evaluate("one => (document.getElementById(one.getAttribute('aria-describedby')) || {}).innerText || ''")
    )


def lines(one: Felt) -> list[tuple[str, ...]]:
    """The settlement as the browser tells it: bet, arithmetic, what came back, criterion."""
    rows = one.sums().get_by_role("table").locator("tbody tr").all()
    told = [tuple(plain(cell) for cell in row.locator("td").all_inner_texts()) for row in rows]
    one.page.keyboard.press("Escape")
    return told
