"""A browser at a live table: what one sees there and presses, by role and name alone."""

from __future__ import annotations

import re
from typing import Any, Self

from playwright.sync_api import Locator, Page, expect

from tests.support.browser.live_house import LiveHouse
from tests.support.browser.visitor import THERE as THERE
from tests.support.browser.visitor import Visitor
from ventuno.core.rules.money import PlayerId

SPOTS = {"main": "Puntata principale", "perfect-pairs": "Coppie Perfette", "21+3": "21+3"}


class Seat:
    """One person in one browser. What the house does to him is asked of `parlour`, what he does is pressed here."""

    def __init__(self, visitor: Visitor, parlour: LiveHouse, player: PlayerId) -> None:
        self.visitor, self.parlour, self.player, self.page = visitor, parlour, player, visitor.page
        cookie: Any = {"name": "ventuno", "value": parlour.token(player), "url": parlour.url}
        visitor.context.add_cookies([cookie])
        self.here = ""

    def go(self, *tables: str) -> Self:
        """To a table, or to several in one window."""
        self.here = tables[0]
        first, *more = (table.replace(" ", "%20") for table in tables)
        path = f"/table/{first}" + ("?" + "&".join(f"and={one}" for one in more) if more else "")
        self.visitor.walk(path)
        expect(self.page.get_by_role("region", name=re.compile(re.escape(tables[0]))).first).to_be_visible()
        expect(self.page.get_by_role("group", name="Banco").first).to_be_visible()
        return self

    def at(self, table: str, *boxes: int, money: int = 100_000) -> Self:
        """Seated with money before the page is opened."""
        self.parlour.seat(self.player, table, *boxes, money=money)
        return self.go(table)

    def box(self, number: int) -> Locator:
        """The place of a box; what asks for a decision there has a name that goes on otherwise."""
        return self.page.get_by_role("group", name=re.compile(rf"^Box {number}, (?!tocca|scegli|mano|assicura)"))

    def spot(self, box: int, bet: str = "main") -> Locator:
        return self.page.get_by_role("button", name=re.compile(rf"{re.escape(SPOTS[bet])}, box {box}: "))

    def spot_image(self, box: int, bet: str = "main") -> Locator:
        """A stake that cannot be changed any more."""
        return self.page.get_by_role("img", name=re.compile(rf"^{re.escape(SPOTS[bet])}, box {box}: "))

    def cards(self, box: int = 0) -> list[str]:
        """The cards of a box, or of the dealer, as they are read out."""
        held = self.box(box) if box else self.page.get_by_role("group", name="Banco")
        return [one.get_attribute("aria-label") or "" for one in held.get_by_role("listitem").get_by_role("img").all()]

    def act(self, name: str) -> Locator:
        """A decision; what it costs or why it is closed stands on it."""
        offered = self.page.get_by_role("group", name="La tua decisione")
        return offered.get_by_role("button", name=re.compile(f"^{name}", re.I))

    def decide(self, *names: str) -> Self:
        for name in names:
            self.act(name).click()
        return self

    def paid(self) -> list[Any]:
        """The lines of the settlement, once this browser shows that the round is paid."""
        phase(self.page, "si paga la mano")
        return [line for line in self.parlour.state(self.here).round.lines if line.player == self.player]

    def tool(self, name: str) -> Locator:
        return self.page.get_by_role("button", name=name, exact=True)

    def bet(self, box: int, bet: str = "main") -> Self:
        self.spot(box, bet).click()
        return self

    def deal(self) -> Self:
        self.tool("Inizia ora").click()
        return self

    def plays(self, cards: str, *boxes: int) -> Self:
        """Seated at a fresh table with these cards, a chip on each box, dealt."""
        own = boxes or (4,)
        self.at(self.parlour.table(cards), *own)
        self.bet(own[0])
        expect(self.page.get_by_text(plain_cash(len(own) * 100)).first).to_be_visible()
        self.deal()
        for box in own:
            expect(self.box(box).get_by_role("listitem").nth(1)).to_be_attached()
        return self

    @property
    def dialog(self) -> Locator:
        return self.page.get_by_role("dialog")

    @property
    def text(self) -> str:
        """All that is on the screen."""
        return plain(self.page.inner_text("main"))

    @property
    def in_words(self) -> Locator:
        """The table as a reader of the screen has it."""
        return self.page.get_by_role("group", name="Il tavolo in parole")

    def sees(self, text: str | re.Pattern[str]) -> None:
        expect(self.page.get_by_text(text).first).to_be_visible()

    def told(self, text: str | re.Pattern[str]) -> None:
        """A notice of the house."""
        self.visitor.told(text)


def plain_cash(cents: int) -> str:
    return f"€\u00a0{cents // 100},{cents % 100:02}"


def plain(text: str) -> str:
    return text.replace("\u00a0", " ")


def phase(page: Page, name: str) -> None:
    expect(page.get_by_role("group", name="Il tavolo in parole").get_by_text(f"Fase: {name}.")).to_be_attached()


def bet_behind(seat: Seat, owner: str, *, double: bool = False, split: bool = False) -> None:
    """A chip behind somebody by one press, then what it follows."""
    seat.tool(f"Punta alle spalle di {owner}").click()
    expect(seat.dialog.get_by_role("button", name="Togli la puntata")).to_be_visible()
    for name, wanted in (("Segui un raddoppio", double), ("Segui una divisione", split)):
        if wanted:
            seat.dialog.get_by_role("switch", name=re.compile(name)).click()
    seat.dialog.get_by_role("button", name="Conferma").click()
    expect(seat.dialog).to_have_count(0)
