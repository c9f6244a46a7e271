"""X-10 in a browser: the supervisor's console against a real house; each act stands in the log with its author."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.support.browser.live_house import LiveHouse
from tests.support.browser.live_seat import Seat
from tests.support.browser.picture_house import settled
from tests.support.browser.places import bounds
from tests.support.browser.screens import faults
from tests.support.browser.solo_browser import seen_at
from tests.support.browser.visitor import Visitor
from tests.support.house import FACTOR, PASSWORD
from tests.support.mail_server import receiving
from ventuno.core.messages.commands import Act
from ventuno.core.rules.money import PlayerId
from ventuno.core.table.round import Action
from ventuno.house.accounts.players import Role
from ventuno.house.history.export import check_export
from ventuno.sheets import load
from ventuno.web.operations.mail import MailBlock

Sit = Callable[..., Seat]
CARDS = "9S TS 7H KD 8C"
"""A 16 against a ten; under it lies the king of diamonds."""
HIDDEN = "Re di quadri"
SIZES = ((360, 740), (740, 360), (820, 1180), (1280, 800), (1920, 1080))
TABS = ("Tavoli", "Segnali", "Rettifiche", "Giocatori", "Raccolta", "Registro", "Programma")
REFUSED = re.compile(r"status of 4\d\d")
IS_IN_SIGHT = """(words) => {
  const { left, top, width, height } = words.getBoundingClientRect();
  const ends = [top + 2, top + height - 2].map((y) => document.elementFromPoint(left + width / 2, y));
  return ends.every((seen) => words.contains(seen));
}"""


class Desk:
    """The console of one supervisor."""

    def __init__(self, visitor: Visitor, room: LiveHouse, player: PlayerId) -> None:
        self.visitor, self.room, self.player, self.page = visitor, room, player, visitor.page
        cookie: Any = {"name": "ventuno", "value": room.token(player), "url": room.url}
        visitor.context.add_cookies([cookie])
        self.open()

    def open(self) -> Page:
        self.visitor.go("/console")
        expect(self.page.get_by_role("tab").first).to_be_visible()
        return self.page

    def tab(self, name: str) -> None:
        self.page.get_by_role("tab", name=name).click()

    def watch(self, table: str) -> Locator:
        self.tab("Tavoli")
        self.page.locator(f"[data-table='{table}']").click()
        region = self.page.get_by_role("region", name=f"Tavolo {table}", exact=True)
        expect(region.get_by_text("Banco")).to_be_visible()
        return region

    def press(self, name: str) -> None:
        self.page.get_by_role("group", name="Interventi").get_by_role("button", name=name).click()

    @property
    def dialog(self) -> Locator:
        return self.page.get_by_role("dialog")

    def agree(self, button: str, reason: str = "") -> None:
        if reason:
            self.dialog.get_by_label("Motivo").fill(reason)
        self.dialog.get_by_role("button", name=button, exact=True).click()
        expect(self.dialog).to_have_count(0)

    def logged(self, *words: str) -> None:
        """A line of the log has all these words."""
        self.tab("Registro")
        self.page.get_by_role("button", name="Aggiorna").click()
        line = self.page.locator("tbody tr")
        for word in words:
            line = line.filter(has_text=word)
        expect(line.first).to_be_visible()


@pytest.fixture(scope="module")
def desk(chromium: Browser, room: LiveHouse) -> Iterator[Desk]:
    context = chromium.new_context(viewport={"width": 1280, "height": 800}, locale="it-IT", reduced_motion="reduce")
    yield Desk(Visitor(context, room.url), room, room.eva)
    context.close()


@pytest.fixture(autouse=True)
def quiet(desk: Desk) -> Iterator[None]:
    """No complaint but the refusals that a test has asked for."""
    desk.visitor.complaints.clear()
    yield
    assert [one for one in desk.visitor.complaints if not REFUSED.search(one)] == []


def list_faults_at_sizes(page: Page) -> list[str]:
    """What is measured to be wrong with a page of the console at every size of it."""
    found = []
    for size in SIZES:
        with seen_at(page, *size):
            settled(page)
            found += [f"{size}: {fault}" for fault in faults(page, touch=False)]
    return found


def dealt(room: LiveHouse, name: str, box: int = 2) -> tuple[str, PlayerId]:
    """A table with a hand in play."""
    table, player = room.table(CARDS), room.player(f"{name}{time.monotonic_ns() % 10**9}")
    room.seat(player, table, box)
    room.bet(player, table, box, 1000)
    room.deal(player, table)
    return table, player


def test_x10_tables_are_listed_with_state_seats_and_stakes(desk: Desk, room: LiveHouse) -> None:
    table, _ = dealt(room, "Lista")
    desk.tab("Tavoli")
    line = desk.page.locator(f"[data-table='{table}']")
    for words in ("la mano è in corso", "1 di 7 posti", "1 giocatore", "in gioco € 10"):
        expect(line).to_contain_text(words.replace(" 10", "\u00a010"))
    desk.page.get_by_label("Cerca un tavolo").fill("nessun tavolo si chiama così")
    expect(desk.page.get_by_text("Nessun tavolo così.")).to_be_visible()
    desk.page.get_by_label("Cerca un tavolo").fill("")


def test_x10_h8_a_table_is_watched_without_its_hidden_card(desk: Desk, room: LiveHouse) -> None:
    table, player = dealt(room, "Vista")
    region = desk.watch(table)
    expect(region.get_by_role("img", name="10 di picche")).to_be_visible()
    expect(region.get_by_text("in diretta")).to_be_visible()
    assert HIDDEN not in desk.page.content()
    room.ask(table, Act(player, 2, Action.STAND, 0), player)
    expect(region.get_by_role("img", name=HIDDEN)).to_be_visible()
    desk.logged("Sguardo di un ispettore", table)


def test_x10_v76_v77_pause_with_a_reason_that_players_read_and_resume(desk: Desk, room: LiveHouse, sit: Sit) -> None:
    ada = sit("Ada").at(table := room.table(), 4)
    desk.watch(table)
    desk.press("Pausa")
    go = desk.dialog.get_by_role("button", name="Pausa", exact=True)
    expect(go).to_have_attribute("aria-disabled", "true")
    desk.agree("Pausa", "controllo della telecamera")
    assert room.state(table).pause.reason == "controllo della telecamera"
    ada.sees(re.compile("controllo della telecamera"))
    expect(desk.page.get_by_text(f"{table} in pausa: controllo della telecamera")).to_be_visible()
    expect(desk.page.get_by_role("button", name="Pausa", exact=True)).to_have_attribute("aria-disabled", "true")
    desk.press("Riprendi")
    desk.agree("Riprendi")
    assert room.state(table).pause is None
    desk.logged("Atto al tavolo", table, "pausa", "controllo della telecamera", room.name(room.eva))


def test_x10_r07_a_void_asks_twice_and_gives_stakes_back(desk: Desk, room: LiveHouse) -> None:
    table, player = dealt(room, "Nulla")
    before = room.state(table).purse(player)
    code = room.state(table).round.code
    desk.watch(table)
    desk.press("Annulla la mano")
    desk.dialog.get_by_label("Motivo").fill("carta caduta")
    desk.dialog.get_by_role("button", name="Prepara").click()
    expect(desk.dialog.get_by_role("alert")).to_contain_text(code)
    assert room.state(table).round.code == code
    assert room.state(table).purse(player) == before
    desk.agree("Sì, annulla la mano")
    assert room.state(table).purse(player) == before + 1000
    desk.logged("Atto al tavolo", table, "annullamento", "carta caduta", room.name(room.eva))


def test_x19_a_refusal_is_said_in_the_window(desk: Desk, room: LiveHouse) -> None:
    """Between the two words the hand is voided by another: the second finds nothing to void, and says so."""
    table, _ = dealt(room, "Doppia")
    desk.watch(table)
    desk.press("Annulla la mano")
    desk.dialog.get_by_label("Motivo").fill("due volte")
    desk.dialog.get_by_role("button", name="Prepara").click()
    expect(desk.dialog.get_by_role("button", name="Sì, annulla la mano")).to_be_visible()
    room.void(table, "prima di te")
    desk.dialog.get_by_role("button", name="Sì, annulla la mano").click()
    expect(desk.dialog.get_by_role("alert")).to_contain_text(re.compile("mano"))
    desk.page.keyboard.press("Escape")
    expect(desk.dialog).to_have_count(0)


def test_x10_v63_mute_and_unmute(desk: Desk, room: LiveHouse) -> None:
    table, player = dealt(room, "Muta")
    region = desk.watch(table)
    region.get_by_role("button", name=re.compile("^Silenzia Muta")).click()
    desk.dialog.get_by_label("Minuti").fill("0")
    expect(desk.dialog.get_by_text("Da 1 a 43.200 minuti").first).to_be_visible()
    desk.dialog.get_by_label("Minuti").fill("30")
    desk.agree("Silenzia", "parole pesanti")
    expect(desk.page.get_by_text(re.compile("tace per 30 minuti"))).to_be_visible()
    region.get_by_role("button", name=re.compile("^Riattiva la chat di Muta")).click()
    expect(desk.page.get_by_text(re.compile("può scrivere di nuovo"))).to_be_visible()
    desk.logged("Silenzio in chat", room.name(player), "parole pesanti", room.name(room.eva))


def test_x10_v43_limits_change_between_rounds(desk: Desk, room: LiveHouse) -> None:
    table, _ = dealt(room, "Limite")
    desk.watch(table)
    desk.press("Limiti")
    most = desk.dialog.get_by_label("Massimo: Puntata principale")
    expect(most).to_have_value("500")
    expect(desk.dialog.get_by_role("button", name="Cambia i limiti")).to_have_attribute("aria-disabled", "true")
    most.fill("250")
    desk.agree("Cambia i limiti", "serata tranquilla")
    room.void(table, "si ricomincia")
    room.due(table) if room.state(table).deadline else None
    desk.logged("Atto al tavolo", table, "limiti", "serata tranquilla", "25000")


def test_x10_a_table_is_closed(desk: Desk, room: LiveHouse) -> None:
    table = room.table()
    desk.watch(table)
    desk.press("Chiudi il tavolo")
    desk.agree("Chiudi il tavolo", "fine serata")
    expect(desk.page.locator(f"[data-table='{table}']")).to_have_count(0)
    desk.logged("Atto al tavolo", table, "chiusura", "fine serata")


def test_x10_r08_a_correction_needs_two_persons_who_see_what_it_is(
    desk: Desk, room: LiveHouse, chromium: Browser
) -> None:
    """The proposer picks from who was in the hand; the second person reads hand, player, amount and reason first."""
    table, player = dealt(room, "Torto")
    code, name = room.state(table).round.code, room.name(player)
    room.ask(table, Act(player, 2, Action.STAND, 0), player)
    desk.tab("Rettifiche")
    desk.page.get_by_label("Codice della mano").fill(code)
    desk.page.get_by_role("button", name="Leggi la mano").click()
    due = desk.page.get_by_label(f"Dovuto a {name}")
    due.fill("dieci")
    expect(desk.page.get_by_text("Scrivi un importo, per esempio 12,50 o -5")).to_be_visible()
    due.fill("12,50")
    desk.page.get_by_label("Motivo").fill("carta letta male")
    desk.page.get_by_role("button", name="Proponi", exact=True).click()
    waiting = desk.page.get_by_role("listitem").filter(has_text=code)
    expect(waiting).to_contain_text("12,50")
    waiting.get_by_role("button", name=re.compile("^Conferma")).click()
    desk.dialog.get_by_role("button", name="Conferma").click()
    expect(desk.dialog.get_by_role("alert")).to_be_visible()
    desk.page.keyboard.press("Escape")
    second = room.player(f"Ugo{time.monotonic_ns() % 10**9}")
    room.run(room.doors.application.accounts.appoint(second, Role.SUPERVISOR, "JBSWY3DPEHPK3PXP"))
    context = chromium.new_context(viewport={"width": 1280, "height": 800}, locale="it-IT", reduced_motion="reduce")
    other = Desk(Visitor(context, room.url), room, second)
    other.tab("Rettifiche")
    other.page.get_by_role("listitem").filter(has_text=code).get_by_role("button", name=re.compile("^Conferma")).click()
    for words in (code, name, "12,50", "carta letta male", room.name(room.eva)):
        expect(other.dialog).to_contain_text(words)
    with seen_at(other.page, 360, 740):
        term, label = (other.dialog.get_by_role("term").filter(has_text=one) for one in (name, "Motivo"))
        assert bounds(term)[3] - bounds(term)[1] <= bounds(label)[3] - bounds(label)[1] + 1, "a name in two lines"
    other.agree("Conferma")
    expect(other.page.get_by_text("Nessuna rettifica attende.")).to_be_visible()
    other.logged("Rettifica fatta", code, room.name(room.eva), room.name(second))
    assert other.visitor.complaints == []
    context.close()


def test_x10_a_player_is_found_by_name_and_has_one_page(desk: Desk, room: LiveHouse) -> None:
    """Balance, limits, exclusion, hands that lead to their replay, sessions, marks; and what is done to him."""
    table, one = dealt(room, "Gemma")
    room.ask(table, Act(one, 2, Action.STAND, 0), one)
    two = room.player(f"Guido{time.monotonic_ns() % 10**9}")
    application = room.doors.application
    room.run(application.protection.set_limit(one, "loss:day", 20_000))
    room.token(one)
    desk.tab("Giocatori")
    search = desk.page.get_by_label("Nome del giocatore")
    search.fill("G")
    expect(desk.page.get_by_role("button", name="Cerca").first).to_have_attribute("aria-disabled", "true")
    search.fill("nessuno così")
    search.press("Enter")
    expect(desk.page.get_by_text("Nessuno si chiama così.")).to_be_visible()
    search.fill(room.name(one)[1:])
    search.press("Enter")
    desk.page.locator(f"[data-player='{one}']").click()
    expect(desk.page).to_have_url(re.compile(f"/console/players/{one}$"))
    region = desk.page.get_by_role("region", name=room.name(one))
    expect(region).to_contain_text("990,00")
    expect(desk.page.get_by_role("region", name="Limiti")).to_contain_text("Perdite al giorno")
    expect(desk.page.get_by_role("region", name="Limiti")).to_contain_text("200,00")
    expect(desk.page.get_by_role("region", name="Sessioni aperte").get_by_role("listitem")).to_have_count(1)
    expect(desk.page.get_by_text("Nessun segnale su questo giocatore.")).to_be_visible()
    desk.page.get_by_label("Nome del secondo giocatore").fill(room.name(two))
    desk.page.get_by_label("Nome del secondo giocatore").press("Enter")
    desk.page.locator(f"[data-player='{two}']").click()
    desk.page.get_by_role("button", name="Collega", exact=True).click()
    expect(desk.dialog).to_contain_text(f"{room.name(one)} e {room.name(two)}")
    desk.agree("Collega", "stessa casa")
    expect(desk.page.get_by_role("region", name="Segnali")).to_contain_text(room.name(two))
    desk.page.get_by_role("button", name="Chiudi il conto").click()
    desk.agree("Chiudi il conto", "documento falso")
    expect(desk.page.get_by_text("Conto chiuso: documento falso")).to_be_visible()
    assert room.call(lambda: application.accounts[one].player.disabled)
    desk.page.get_by_role("button", name="Riapri il conto").click()
    desk.agree("Riapri il conto", "documento giusto")
    expect(desk.page.get_by_role("button", name="Chiudi il conto")).to_be_visible()
    assert not room.call(lambda: application.accounts[one].player.disabled)
    desk.page.get_by_role("region", name="Mani").get_by_role("link").first.click()
    expect(desk.page.get_by_role("img", name=HIDDEN)).to_be_visible()
    desk.open()
    desk.tab("Segnali")
    mark = desk.page.locator("tbody tr").filter(has_text="Conti collegati").filter(has_text=room.name(two))
    expect(mark).to_contain_text("stessa casa")
    desk.logged("Sguardo di un ispettore", "la pagina di un giocatore", room.name(one))


def test_asvs_6_4_from_a_forgotten_password_to_the_seat_again(desk: Desk, room: LiveHouse, chromium: Browser) -> None:
    """Support creates a code on the player's page, reads it out; he types it, chooses a password and sits down."""
    player, table = room.player(f"Fosca{time.monotonic_ns() % 10**9}", 50_000), room.table()
    name = room.name(player)
    context = chromium.new_context(viewport={"width": 360, "height": 740}, locale="it-IT", reduced_motion="reduce")
    fosca = Visitor(context, room.url)
    page = fosca.go("/login")
    page.get_by_label("Nome", exact=True).fill(name)
    page.get_by_role("button", name="Password dimenticata?").click()
    form = page.get_by_role("form", name="Password dimenticata?")
    expect(form).to_contain_text("Chiedi un codice all’assistenza")
    expect(form.get_by_label("Nome", exact=True)).to_have_value(name)
    go = form.get_by_role("button", name="Cambia la password ed entra")
    expect(go).to_have_attribute("aria-disabled", "true")
    form.get_by_label("Codice dell’assistenza").fill("0000 0000 0000")
    form.get_by_label("Nuova password").fill("una stalla di muli")
    go.click()
    expect(form.get_by_role("alert")).to_contain_text("Nome o codice non corretti")
    assert form.get_by_role("alert").evaluate(IS_IN_SIGHT), "not below the edge of what scrolls"

    desk.page.goto(f"{room.url}/console/players/{player}")
    desk.press("Codice per una nuova password")
    desk.dialog.get_by_label("Motivo").fill("documento visto")
    desk.dialog.get_by_role("button", name="Crea il codice").click()
    shown = desk.dialog.get_by_role("status")
    expect(shown).to_have_text(re.compile(r"^[0-9A-Z]{4}-[0-9A-Z]{4}-[0-9A-Z]{4}$"))
    code = shown.inner_text()
    desk.dialog.get_by_role("button", name="Fatto").click()
    expect(desk.dialog).to_have_count(0)
    expect(desk.page.get_by_text("Codice per la password aperto fino a")).to_be_visible()
    assert code not in desk.page.content(), "it is shown once"

    form.get_by_label("Codice dell’assistenza").fill(code.lower().replace("-", " "))
    go.click()
    expect(page.get_by_role("heading", name=re.compile(f"Buon.*{name}"))).to_be_visible()
    page.get_by_role("button", name=f"Entra al tavolo {table}").first.click()
    page.get_by_role("button", name=re.compile("Box 4")).first.click()
    page.get_by_role("dialog").get_by_role("button", name=re.compile("porta", re.I)).last.click()
    room.until(lambda: room.taken(table) == {4})
    desk.logged(name, "codice per una nuova password", "documento visto", room.name(room.eva))
    assert [one for one in fosca.complaints if not REFUSED.search(one)] == []
    context.close()


@pytest.mark.parametrize("language", ["it", "en"])
def test_asvs_6_4_a_code_by_mail_from_the_address_to_the_new_password(
    sit: Sit, room: LiveHouse, monkeypatch: pytest.MonkeyPatch, language: str
) -> None:
    """ASVS 6.4: the address is given on the page of the account, the code asked for at the door, in either language."""
    save, forgot, mail, code, new, go = {
        "it": ("Salva", "Password dimenticata?", "Mandami il codice", "Codice ricevuto", "Nuova", "Cambia la password"),
        "en": ("Save", "Forgotten your password?", "Send me the code", "Code you received", "New", "Change password"),
    }[language]
    with receiving() as server:
        block = MailBlock(server="127.0.0.1", port=server.port, security="none", sender="casa@example.com")
        state = room.doors.app.state._state
        monkeypatch.setitem(state, "settings", state["settings"].model_copy(update={"mail": block}))
        seat = sit(f"Posta{time.monotonic_ns() % 10**9}", spoils=True, locale="it-IT")
        room.settings(seat.player, general={"language": language})
        page = seat.visitor.go("/account")
        panel = page.locator("section").filter(has=page.get_by_role("textbox"))
        panel = panel.filter(has=page.get_by_role("button", name=save, exact=True))
        panel.get_by_role("textbox").first.fill("posta@example.com")
        panel.locator("input[type=password]").fill(PASSWORD)
        assert list_faults_at_sizes(page) == []
        with page.expect_response(f"{room.url}/api/me"):  # the page asks for it once the address is saved
            panel.get_by_role("button", name=save, exact=True).click()
        room.until(lambda: room.doors.application.accounts[seat.player].player.mail == "posta@example.com")
        seat.visitor.context.clear_cookies()
        page = seat.visitor.go(f"/login?lang={language}")
        page.get_by_role("button", name=forgot).click()
        page.get_by_role("textbox").first.fill(room.name(seat.player))
        page.get_by_role("button", name=mail).click()
        told = re.search(r"[0-9A-Z]{4}-[0-9A-Z]{4}-[0-9A-Z]{4}", server.next().get_content())
        assert told
        assert list_faults_at_sizes(page) == []
        page.get_by_label(code).fill(told[0])
        page.get_by_label(new).fill("una stalla di muli")
        page.get_by_role("button", name=go).click()
        expect(page.get_by_role("heading", name=re.compile(room.name(seat.player)))).to_be_visible()


def test_gdpr_17_a_person_is_erased_by_two_and_the_second_reads_the_first_ones_reason(
    desk: Desk, room: LiveHouse, chromium: Browser
) -> None:
    """GDPR 17, R-08: what goes and what stays is said before; what waits is said on the page; both read at any size."""
    player = room.player(f"Oblio{time.monotonic_ns() % 10**9}")
    name = room.name(player)
    page = desk.page
    page.goto(f"{room.url}/console/players/{player}")
    desk.press("Cancella la persona")
    for words in (name, "per sempre", "restano il numero, il denaro e le mani", "due persone"):
        expect(desk.dialog).to_contain_text(words)
    assert list_faults_at_sizes(page) == []
    desk.agree("Cancella la persona", "lo ha chiesto per lettera")
    waits = page.get_by_text(f"Cancellazione chiesta da {room.name(room.eva)}: «lo ha chiesto per lettera».")
    expect(waits).to_be_visible()
    assert list_faults_at_sizes(page) == []

    second = room.player(f"Ugo{time.monotonic_ns() % 10**9}")
    room.run(room.doors.application.accounts.appoint(second, Role.SUPERVISOR, FACTOR))
    context = chromium.new_context(viewport={"width": 1280, "height": 800}, locale="it-IT", reduced_motion="reduce")
    other = Desk(Visitor(context, room.url), room, second)
    other.page.goto(f"{room.url}/console/players/{player}")
    expect(other.page.get_by_text("Cancellazione chiesta da")).to_be_visible()
    other.press("Cancella la persona")
    expect(other.dialog).to_contain_text(f"{room.name(room.eva)} l’ha chiesto: «lo ha chiesto per lettera».")
    assert list_faults_at_sizes(other.page) == []
    other.agree("Cancella la persona", "lettera vista")
    expect(other.page.get_by_text("Persona cancellata, conto chiuso.")).to_be_visible()
    expect(other.page.get_by_text(re.compile("erased|Cancellazione chiesta"))).to_have_count(0)
    for closed in ("Cancella la persona", "Riapri il conto", "Chiudi il conto"):
        expect(other.page.get_by_role("button", name=closed)).to_have_count(0)
    assert name not in other.page.content()
    context.close()


def test_x10_turnover_by_day_and_game_and_the_file_for_the_regulator(desk: Desk, room: LiveHouse) -> None:
    """What the table says is what the books hold; the file can be checked without trust (X-14)."""
    table, player = dealt(room, "Conti")
    room.ask(table, Act(player, 2, Action.STAND, 0), player)
    desk.tab("Raccolta")
    lines = desk.page.get_by_role("row").filter(has=desk.page.get_by_role("rowheader"))
    expect(lines.filter(has_text=load("ventuno").game.name).first).to_be_visible()
    expect(desk.page.locator(".uplot canvas")).to_be_visible()
    held = room.run(room.doors.application.host.commits.store.sum_postings())["house:ventuno"]
    shown = desk.page.locator("tbody tr").filter(has_text="Blackjack Ventuno").first.locator("td").last.inner_text()
    assert int(re.sub(r"\D", "", shown)) == abs(held)
    desk.page.get_by_label("Dal giorno (GMT)").first.fill("2020-01-01")
    expect(desk.page.get_by_text("Scegli un periodo valido, di un trimestre al più").first).to_be_visible()
    with desk.page.expect_download() as saved:
        desk.page.get_by_role("button", name="Scarica l’esportazione").click()
    assert re.fullmatch(r"ventuno-export-[\d-]+\.jsonl", saved.value.suggested_filename)
    raw = saved.value.path().read_bytes().splitlines(keepends=True)
    assert check_export(raw, room.doors.application.config.sheets).faults == ()
    days = desk.page.get_by_role("region", name="Per il regolatore")
    today = datetime.fromtimestamp(room.doors.application.now() / 1000, UTC).strftime("%Y-%m-%d")
    days.get_by_label("Dal giorno (GMT)").fill(today)
    expect(days.get_by_role("status")).to_have_text("Scegli il primo e l’ultimo giorno, in quest’ordine.")
    days.get_by_label("Al giorno (GMT)", exact=True).fill(today)
    with desk.page.expect_download() as saved:
        days.get_by_role("button", name="Scarica l’esportazione").click()
    assert saved.value.suggested_filename == f"ventuno-export-{today}-{today}.jsonl"
    part = check_export(saved.value.path().read_bytes().splitlines(keepends=True), room.doors.application.config.sheets)
    assert (part.faults, part.is_part) == ((), True)
    desk.logged("Sguardo di un ispettore", "l’esportazione")


def test_x10_a_message_to_all_is_read_at_the_tables(desk: Desk, room: LiveHouse, sit: Sit) -> None:
    """As a notice that stays; its text is text and nothing else."""
    ada = sit("Ada").at(room.table(), 4)
    text = "La sala chiude <b>a mezzanotte</b>"
    desk.page.get_by_role("button", name="Messaggio a tutti").click()
    expect(desk.dialog.get_by_role("button", name="Invia a tutti")).to_have_attribute("aria-disabled", "true")
    field = desk.dialog.get_by_label("Messaggio", exact=True)
    for width, height in ((360, 740), (820, 1180), (1366, 768)):
        with seen_at(desk.page, width, height):
            field.fill("Alle 22:30 la sala chiude\nper la manutenzione: " + "parole " * 21)
            assert field.evaluate("one => one.scrollHeight <= one.clientHeight && one.value.length > 180"), width
            assert "\n" not in field.input_value()
    field.fill(text)
    desk.agree("Invia a tutti")
    ada.sees(f"La casa: {text}")
    room.move(10)
    desk.logged("Messaggio a tutti", text, room.name(room.eva))


def test_x10_a_table_opens_and_its_tile_shows_who_sits(desk: Desk, room: LiveHouse, sit: Sit) -> None:
    """Opened from the console, in the lobby at once; the map follows its seats, stakes and pause."""
    name = f"Sala {time.monotonic_ns() % 10**9}"
    desk.open()
    desk.page.get_by_role("button", name="Apri un tavolo").click()
    desk.dialog.get_by_label("Nome del tavolo").fill("Sala <1>")
    expect(desk.dialog.get_by_text("Scrivi un nome di lettere e cifre, da 2 a 40").first).to_be_visible()
    desk.dialog.get_by_label("Gioco").select_option("ventuno")
    desk.dialog.get_by_label("Nome del tavolo").fill(name)
    desk.agree("Apri il tavolo", "sala piena")
    tile = desk.page.locator(f"[data-tile='{name}']")
    expect(tile).to_contain_text("0 di 7 posti")
    ada = sit("Ada").at(name, 4)
    expect(tile).to_contain_text(f"Box 4: {room.name(ada.player)}")
    room.pause(name, "una prova")
    expect(tile).to_contain_text("in pausa")
    expect(tile).to_have_class(re.compile("alarmed"))
    desk.logged("Atto al tavolo", name, "apertura", "sala piena", room.name(room.eva))


def test_x08_practice_tables_stand_apart_and_go_by_whose_they_are(desk: Desk, room: LiveHouse) -> None:
    player = room.player(f"Pratica{time.monotonic_ns() % 10**9}")
    table = room.run(room.doors.application.tables.open_practice(player, "ventuno"))
    desk.open()
    line = desk.page.locator(f"[data-table='{table}']")
    expect(line).to_contain_text(room.name(player))
    expect(line).not_to_contain_text(table)
    apart = desk.page.get_by_role("heading", name="Di prova, senza denaro")
    expect(apart.first).to_be_visible()
    desk.page.get_by_label("Mostra").select_option("live")
    expect(line).to_have_count(0)
    expect(apart).to_have_count(0)


def test_x10_no_balance_of_a_player_in_the_head(desk: Desk) -> None:
    """A supervisor has the way to the console there, and no money, on a wide page and on a telephone."""
    head = desk.page.get_by_role("banner")
    expect(head.get_by_role("link", name="Ispettorato")).to_be_visible()
    expect(head).not_to_contain_text("Saldo")
    expect(head).not_to_contain_text("€")
    desk.page.set_viewport_size({"width": 360, "height": 740})
    expect(head).not_to_contain_text("€")
    expect(desk.page.get_by_role("navigation").get_by_role("link", name="Ispettorato")).to_be_visible()
    expect(desk.page.get_by_role("link", name="Cassa")).to_have_count(0)
    desk.page.set_viewport_size({"width": 1280, "height": 800})


def test_x10_r17_the_log_is_filtered(desk: Desk) -> None:
    desk.tab("Registro")
    rows = desk.page.locator("tbody tr")
    expect(rows.first).to_be_visible()
    desk.page.get_by_label("Tipo").select_option("SupervisorViewed")
    kinds = set(desk.page.locator("tbody th").all_inner_texts())
    assert kinds == {"Sguardo di un ispettore"}
    desk.page.get_by_label("Filtra per testo").fill("parola che non c’è")
    expect(desk.page.get_by_text("Nessuna riga così tra quelle lette.")).to_be_visible()


def test_x10_h8_a_player_is_told_why_not(sit: Sit) -> None:
    ada = sit("Curiosa")
    ada.visitor.go("/console")
    expect(ada.page.get_by_role("alert")).to_have_text("Questo lo fa solo il personale.")
    expect(ada.page.get_by_role("tab")).to_have_count(0)
    ada.visitor.complaints[:] = [one for one in ada.visitor.complaints if not REFUSED.search(one)]


@pytest.mark.parametrize(
    ("role", "tabs", "speaks"),
    [
        (Role.SUPPORT, ["Tavoli", "Giocatori"], True),
        (Role.PIT, ["Tavoli"], True),
        (Role.AUDITOR, list(TABS), False),
    ],
)
def test_h8_a_role_has_the_rooms_that_it_may_enter(
    role: Role, tabs: list[str], speaks: bool, room: LiveHouse, chromium: Browser
) -> None:
    """No tab that would only refuse; the way to the console is in the head as a supervisor's."""
    person = room.player()
    room.run(room.doors.application.accounts.appoint(person, role, FACTOR))
    context = chromium.new_context(viewport={"width": 1280, "height": 800}, locale="it-IT", reduced_motion="reduce")
    try:
        own = Desk(Visitor(context, room.url), room, person)
        assert own.page.get_by_role("tab").all_inner_texts() == tabs
        expect(own.page.get_by_role("button", name="Messaggio a tutti")).to_have_count(int(speaks))
        expect(own.page.get_by_role("banner").get_by_role("link", name="Ispettorato")).to_be_visible()
        expect(own.page.get_by_role("alert")).to_have_count(0)
        assert own.visitor.complaints == []
    finally:
        context.close()


def test_x10_by_keyboard_alone(desk: Desk, room: LiveHouse) -> None:
    table = room.table()
    desk.tab("Tavoli")
    desk.page.get_by_role("tab", name="Tavoli").press("ArrowRight")
    expect(desk.page.get_by_role("tab", name="Segnali")).to_be_focused()
    desk.page.keyboard.press("ArrowLeft")
    line = desk.page.locator(f"[data-table='{table}']")
    line.press("Enter")
    expect(desk.page.get_by_role("heading", name=f"Tavolo {table}")).to_be_focused()
    desk.page.keyboard.press("Tab")
    expect(desk.page.get_by_role("button", name="Pausa", exact=True)).to_be_focused()
    desk.page.keyboard.press("Enter")
    desk.dialog.get_by_label("Motivo").press_sequentially("una prova")
    desk.page.keyboard.press("Enter")
    expect(desk.dialog).to_have_count(0)
    assert room.state(table).pause.reason == "una prova"
    expect(desk.page.get_by_role("button", name="Pausa", exact=True)).to_be_focused()


@pytest.mark.parametrize("language", ["it", "en"])
def test_x10_is_accessible_and_fits(
    desk: Desk, room: LiveHouse, axe: Callable[[Page], list[str]], language: str
) -> None:
    """Every page of the console fits in both languages; axe sees each of them in one of the two."""
    table, _ = dealt(room, "Aspetto")
    room.settings(room.eva, general={"language": language})
    page = desk.open()
    page.locator(f"[data-table='{table}']").click()
    expect(page.get_by_role("img").first).to_be_visible()
    for i in range(len(TABS)):
        page.get_by_role("tab").nth(i).click()
        expect(page.get_by_role("tabpanel").get_by_role("heading").first).to_be_visible()
        if i == 0:
            page.locator(f"[data-table='{table}']").click()
        if i % 2 == (language == "en"):
            assert axe(page) == [], i
        for width, height in SIZES:
            page.set_viewport_size({"width": width, "height": height})
            assert page.evaluate("document.documentElement.scrollWidth") <= width, (i, width)
        page.set_viewport_size({"width": 1280, "height": 800})
    room.settings(room.eva, general={"language": "it"})
