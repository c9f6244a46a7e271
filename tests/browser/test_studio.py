"""X-27 in browsers: a dealer deals real cards by scanner keystrokes, and players see each when it lies there."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import pairwise

import pytest
from playwright.sync_api import Page, WebSocket, expect

from tests.support.browser.browsers import Browsers
from tests.support.browser.dealer_desk import DealerDesk, appoint
from tests.support.browser.live_house import LiveHouse
from tests.support.browser.live_seat import Seat
from tests.support.browser.screens import faults
from tests.support.browser.shown_order import noted
from tests.support.browser.solo_browser import seen_at
from ventuno.core.messages.commands import Act
from ventuno.core.table.round import Action

Sit = Callable[..., Seat]
TakeDesk = Callable[..., DealerDesk]
MOVES = {"reduced_motion": "no-preference"}


@pytest.fixture
def desk(browsers: Browsers, room: LiveHouse, request: pytest.FixtureRequest) -> Iterator[TakeDesk]:
    """Opens desks, each with a dealer of its own; at the end none of their browsers may have complained."""
    opened: list[DealerDesk] = []
    failures = request.session.testsfailed

    def open_one(table: str, name: str = "", width: int = 820, height: int = 1180) -> DealerDesk:
        visitor = browsers.lend(room.url, width, height, reduced_motion="reduce")
        opened.append(DealerDesk(visitor, room, appoint(room, name), table))
        return opened[-1]

    yield open_one
    complaints = [complaint for one in opened for complaint in one.visitor.complaints]
    for one in opened:
        browsers.discard(one.visitor)
    assert request.session.testsfailed > failures or complaints == []


def hear(page: Page) -> list[str]:
    """All that the house tells this page from its next load on."""
    told: list[str] = []

    def listen(line: WebSocket) -> None:
        line.on("framereceived", lambda frame: told.append(frame if isinstance(frame, str) else ""))

    page.on("websocket", listen)
    return told


def end_bets(room: LiveHouse, table: str, *bets: tuple[Seat, int]) -> None:
    """A chip of five on each of these boxes, and the time for bets is over."""
    for seat, box in bets:
        room.bet(seat.player, table, box)
    room.due(table)


def test_x27_a_round_by_keyboard_and_scanner_alone_shows_nothing_early(
    room: LiveHouse, sit: Sit, desk: TakeDesk
) -> None:
    """A whole round: burn, deal, a card asked for, the dealer's draw; the hole card is told when it is turned."""
    table = room.table(game="studio")
    dora = desk(table)
    dora.take()
    dora.make_shoe("2C")
    dora.wants("Invita a puntare")
    ada = sit("", **MOVES)
    told = hear(ada.page)
    ada.at(table, 3)
    expect(ada.page.get_by_role("group", name="Banco", exact=True)).to_contain_text(room.name(dora.player))
    with noted(ada.page) as deal:
        end_bets(room, table, (ada, 3))
        dora.wants("Box 3, prima carta")
        ada.sees("Il croupier dà una carta…")
        dora.scan("8S")
        dora.wants("Banco, prima carta")
        dora.scan("9H", "5D")
        dora.wants("Banco, seconda carta")
        expect(dora.page.get_by_text("Coperta: leggila")).to_be_visible()
        dora.scan("7C")
        expect(ada.act("Carta")).to_be_visible()
    counts = deal.cards
    assert all(after - before <= 1 for before, after in pairwise(counts)), counts
    assert deal.lies("Box 3", 1) < deal.lies("Banco", 1) < deal.lies("Box 3", 2) < deal.lies("Banco", 2)
    dora.wants("Aspetta Box 3")
    ada.decide("Carta")
    dora.wants("Box 3, terza carta")
    ada.sees("Il croupier dà una carta…")
    assert not [frame for frame in told if '"7C"' in frame], "the hole card travels to nobody before it is turned"
    dora.scan("6H")
    ada.decide("Stai")
    dora.wants("Banco, terza carta")
    expect(dora.page.get_by_text("Gira la carta coperta.")).to_be_visible()
    dora.scan("KD")
    dora.wants("Paga e ritira")
    assert [line.returned - line.stake for line in ada.paid()] == [500]


def test_x27_what_cannot_be_is_refused_aloud_and_the_last_scan_is_taken_back(
    room: LiveHouse, sit: Sit, desk: TakeDesk
) -> None:
    """A code that is none, a card out of turn, a card of which all copies are out, one that was read twice."""
    table = room.table(game="studio")
    dora = desk(table, width=1366, height=768)
    dora.take()
    dora.make_shoe("2C")
    dora.type("KS")
    expect(dora.alarm).to_contain_text("Ora non si attende nessuna carta")
    ada = sit("Ada").at(table, 3)
    end_bets(room, table, (ada, 3))
    dora.wants("Box 3, prima carta")
    dora.type("V21-KS-0")
    expect(dora.alarm).to_contain_text("non è una carta")
    assert dora.count_out() == 1
    dora.scan("KS")
    expect(dora.alarm).to_have_count(0)
    dora.type("KS")
    expect(dora.alarm).to_contain_text("letta un attimo fa")
    dora.wants("Banco, prima carta")
    dora.press("F2")
    dora.give_reason()
    dora.wants("Box 3, prima carta")
    expect(ada.box(3).get_by_role("img", name="Re di picche")).to_have_count(0)
    dora.page.get_by_role("textbox").first.focus()
    dora.page.keyboard.type("9C")
    expect(dora.page.get_by_role("textbox").first).to_have_value("9C")
    assert dora.count_out() == 1, "a card typed into a field stays there"
    dora.page.get_by_role("textbox").first.fill("")
    dora.page.get_by_role("button", name="Pausa").focus()
    dora.scan("9C")
    expect(ada.box(3).get_by_role("img", name="9 di fiori")).to_be_visible()
    assert room.state(table).pause is None, "the Enter of a scanner presses no button"


def test_x27_three_players_and_a_spectator_with_all_that_can_go_wrong(
    room: LiveHouse, sit: Sit, desk: TakeDesk
) -> None:
    """Insurance and a dealer Blackjack; a split with the desk reloaded in the middle; a misdeal; a change of dealer."""
    table = room.table(game="studio")
    dora = desk(table, "Dora")
    dora.take()
    dora.make_shoe("2C")
    players = [sit("").at(table, box) for box in (1, 3, 5)]
    ada, bea, ciro = players
    seats = ((ada, 1), (bea, 3), (ciro, 5))
    dino = sit("")
    told = hear(dino.page)
    dino.go(table)

    end_bets(room, table, *seats)
    dora.scan("TS", "9H", "8C", "AD", "9S", "8D")
    dora.type("V21-7S-Q")
    expect(dora.alarm).to_be_visible()
    dora.scan("7S", "KC")
    dora.wants("Offri l’assicurazione")
    assert not [frame for frame in told if '"KC"' in frame]
    for seat, box in seats:
        room.ask(table, Act(seat.player, box, Action.INSURE if seat is ada else Action.DECLINE, 0), seat.player)
    dora.wants("Paga e ritira")
    expect(dora.page.get_by_text("Blackjack al banco.")).to_be_visible()
    expect(
        dino.page.get_by_role("group", name="Banco", exact=True).get_by_role("img", name="Re di fiori")
    ).to_be_visible()
    assert [sum(line.returned - line.stake for line in seat.paid()) for seat in players] == [0, -500, -500]
    room.due(table)

    end_bets(room, table, *seats)
    dora.scan("8S", "9D", "5C", "6D", "8H", "TC", "TH", "TD")
    ada.decide("Dividi")
    dora.wants("Box 1, mano 1, seconda carta")
    dora.scan("3C")
    dora.open()
    dora.wants("Box 1, mano 2, seconda carta")
    expect(dora.page.get_by_role("group", name="Box 1, mano 1").get_by_role("img", name="3 di fiori")).to_be_visible()
    dora.scan("2H")
    for seat, box in ((ada, 1), (ada, 1), (bea, 3), (ciro, 5)):
        room.ask(table, Act(seat.player, box, Action.STAND, 0), seat.player)
    dora.wants("Banco, terza carta")
    assert not [frame for frame in told if '"5H"' in frame]
    dora.scan("5H")
    dora.wants("Paga e ritira")
    expect(dino.page.get_by_role("group", name="Banco", exact=True)).to_contain_text("21")
    assert [sum(line.returned - line.stake for line in seat.paid()) for seat in players] == [-1000, -500, -500]
    room.due(table)

    end_bets(room, table, *seats)
    dora.scan("4S", "4H")
    dora.press("F9")
    dora.give_reason()
    dora.wants("Errore di distribuzione: aspetta l’ispettore")
    for seat in (*players, dino):
        expect(seat.page.get_by_text(re.compile("errore di distribuzione", re.I)).first).to_be_visible()
    before = room.state(table).purses[ada.player]
    room.void(table, "una carta si è scoperta")
    assert room.state(table).purses[ada.player] == before + 500, "the stake comes back"

    elio = desk(table, "Elio", width=360, height=740)
    elio.take()
    expect(dora.alarm).to_contain_text("Elio")
    dora.type("6S")
    expect(dora.alarm).to_contain_text("un altro croupier")
    expect(dino.page.get_by_role("group", name="Banco", exact=True)).to_contain_text("Elio")


SIZES = ((360, 740), (740, 360), (820, 1180), (1366, 768), (1920, 1080))


def test_x27_the_pages_of_a_dealer_fit_and_axe_finds_nothing(
    room: LiveHouse, sit: Sit, desk: TakeDesk, axe: Callable[[Page], list[str]]
) -> None:
    """The list of tables, a desk in a round with a refused card, and a lesson, at every size."""
    table = room.table(game="studio")
    dora = desk(table)
    dora.take()
    dora.make_shoe("2C")
    ada = sit("").at(table, 3)
    end_bets(room, table, (ada, 3))
    dora.scan("8S", "9H", "5D", "7C")
    page = dora.page
    for path in (f"/dealer/{table.replace(' ', '%20')}", "/dealer", "/dealer/practice"):
        page.goto(room.url + path)
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        if table.replace(" ", "%20") in path:
            dora.wants("Aspetta Box 3")
            dora.type("KS")
            expect(dora.alarm).to_be_visible()
        assert axe(page) == [], path
        found = []
        for size in SIZES:
            with seen_at(page, *size):
                found += [f"{path} {size}: {fault}" for fault in faults(page, touch=False)]
        assert found == []
