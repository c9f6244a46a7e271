"""Seats, focus, chat, codes, sound and the windows over a table, in browsers (V-39…V-42, V-61…V-75, V-95, V-96)."""

from __future__ import annotations

import re
from collections.abc import Callable

from playwright.sync_api import expect

from tests.support.browser.live_house import LiveHouse
from tests.support.browser.live_seat import Seat, phase, plain

Sit = Callable[..., Seat]


def test_v39_v75_sit_here_brings_money_with_ids_and_shows_the_name(sit: Sit, room: LiveHouse) -> None:
    ada, carlo = sit(), sit("Carlo").go(table := room.table())
    ada.go(table).tool("Siediti qui, Box 4").click()
    expect(ada.dialog.get_by_role("heading", name="Siediti al box 4")).to_be_visible()
    ada.dialog.get_by_label("Importo").fill("50")
    ada.sees(re.compile("Mancano €.50,00: si depositano ora"))
    ada.dialog.get_by_role("button", name=re.compile("Deposita e porta €.50")).click()
    expect(ada.box(4)).to_have_accessible_name("Box 4, Tu")
    name = room.doors.application.accounts[ada.player].player.name
    expect(carlo.box(4)).to_have_accessible_name(f"Box 4, {name}")
    ids = room.doors.application.tables._concession.find_admission(ada.player, table)
    assert ids is not None
    ada.sees(ids.session)
    ada.sees(ids.participation)
    ada.sees("Blackjack Ventuno")


def test_v40_several_seats_are_several_hands(sit: Sit) -> None:
    ada = sit("Ada").plays("TS 9S 8S 9H QD QC QS 8C", 1, 4, 7)
    assert [len(ada.cards(box)) for box in (1, 4, 7)] == [2, 2, 2]
    for box in (1, 4, 7):
        expect(ada.page.get_by_role("heading", name=f"Box {box}, tocca a te")).to_be_visible()
        ada.decide("Stai")
    assert [line.box for line in ada.paid()] == [1, 4, 7]


def test_v41_x_leaves_a_seat_and_in_a_round_at_its_end(sit: Sit, room: LiveHouse) -> None:
    ada = sit("Ada").at(table := room.table("TS 9H QD 8C"), 2, 4)
    ada.tool("Lascia il box 2").click()
    expect(ada.box(2)).to_have_accessible_name("Box 2, libero")
    ada.bet(4).deal()
    ada.tool("Lascia il box 4").click()
    expect(ada.box(4).get_by_text("si alza a fine mano")).to_be_visible()
    room.due(table)
    assert [line.returned for line in ada.paid()] == [200]
    room.due(table)
    expect(ada.box(4)).to_have_accessible_name("Box 4, libero")


def test_v42_v45_who_does_not_bet_is_asked_whether_he_is_there_before_the_seat_is_lost(
    sit: Sit, room: LiveHouse
) -> None:
    """Nobody is timed before a first bet. The question stands until it is answered: one press keeps the seat."""
    bea = sit("Bea").at(table := room.table("TS 9H QD 8C"), 5)
    keep = bea.page.get_by_role("button", name="Resta al tavolo")
    room.due(table)
    expect(bea.page.get_by_text("Si aspetta la prima puntata")).to_be_visible()
    expect(bea.page.get_by_role("timer")).to_have_count(0)
    expect(keep).to_have_count(0)
    room.due(table)
    expect(bea.page.get_by_role("alert").get_by_text("Box 5: se non punti, il posto si libera")).to_be_visible()
    expect(bea.page.get_by_role("alert").get_by_role("timer")).to_be_visible()
    bea.page.reload()
    keep.click()
    expect(keep).to_have_count(0)
    for idle in (1, 2):
        room.due(table)
        assert [seat.idle for seat in room.state(table).seats if seat] == [idle]
    expect(keep).to_be_visible()
    room.due(table)
    bea.told("Box 5: troppe mani senza puntata")
    expect(bea.box(5)).to_have_accessible_name("Box 5, libero")
    expect(keep).to_have_count(0)


SHOWN = """([name, box]) => {
  const own = (node) => Array.from(node.childNodes, (child) => (child.nodeType === Node.TEXT_NODE ? child.data : ''));
  const told = (node) => ['aria-label', 'aria-description', 'title'].map((at) => node.getAttribute(at) ?? '');
  const stake = new RegExp(`box ${box}\\\\b.*\\\\d,?\\\\d*$`, 'i');
  const texts = [...document.querySelectorAll('body *')].flatMap((node) => [...own(node), ...told(node)]);
  const cards = document.querySelectorAll(`[aria-label^='Box ${box}, '] [role=listitem]`);
  return [...texts.filter((text) => text.includes(name) || stake.test(text)), ...Array.from(cards, () => 'card')];
}"""
"""Everything on a page that tells of another player: his name, a stake on his box, a card of his."""


def test_v61_focus_hides_the_others_in_every_phase(sit: Sit, room: LiveHouse) -> None:
    """V-61: nothing of the other player stands anywhere in the page, and all of it after one press more."""
    ada, bea = sit("Ada").at(table := room.table("5S TS AH TD QC 8C"), 2), sit().at(table, 5)
    focus, chat = bea.tool("Modalità concentrazione"), bea.page.get_by_role("group", name="Chat")

    def hides() -> None:
        bea.page.wait_for_function(f"(of) => ({SHOWN})(of).length === 0", arg=["Ada", 2])
        expect(chat).to_have_count(0)

    def toggles(cards: int) -> None:
        hides()
        focus.click()
        expect(bea.box(2)).to_have_accessible_name("Box 2, Ada")
        expect(bea.box(2).get_by_role("listitem")).to_have_count(cards)
        expect(chat).to_be_visible()
        assert len(bea.page.evaluate(SHOWN, ["Ada", 2])) > cards
        focus.click()
        hides()

    ada.bet(2)
    bea.bet(5)
    focus.click()
    toggles(0)
    ada.deal()
    bea.deal()
    expect(bea.act("No, grazie")).to_be_visible()
    toggles(2)
    for seat in (ada, bea):
        seat.decide("No, grazie")
    ada.decide("Stai")
    expect(bea.act("Stai")).to_be_visible()
    toggles(2)
    bea.decide("Stai")
    phase(bea.page, "si paga la mano")
    expect(bea.box(5).get_by_role("listitem")).to_have_count(2)
    toggles(2)


def test_v61_a_planted_trace_of_another_player_is_found(sit: Sit, room: LiveHouse) -> None:
    """V-61: a name, a title, a stake or a card that focus left on the page."""
    bea = sit().at(room.table(), 5)
    assert bea.page.evaluate(SHOWN, ["Ada", 2]) == []
    for planted in (
        "<b>Ada</b>",
        "<b title='Tocca a Ada'></b>",
        "<b aria-label='Puntata principale, box 2: €\u00a01'></b>",
        "<b role=listitem></b>",
    ):
        bea.box(2).evaluate("(box, planted) => box.insertAdjacentHTML('beforeend', planted)", planted)
        assert len(bea.page.evaluate(SHOWN, ["Ada", 2])) == 1, planted
        bea.box(2).evaluate("(box) => box.lastElementChild.remove()")


def test_v62_v63_v65_chat_is_sent_filtered_hidden_and_muted(sit: Sit, room: LiveHouse) -> None:
    ada, bea = sit().at(table := room.table(), 2), sit("Bea").at(table, 5)
    field, log = ada.page.get_by_label("Scrivi un messaggio"), bea.page.get_by_role("log", name="Chat")
    field.fill("buona fortuna")
    field.press("Enter")
    expect(log.get_by_text("buona fortuna")).to_be_visible()
    field.fill("<b>grazie</b>")
    ada.tool("Invia").click()
    expect(log.get_by_text("<b>grazie</b>")).to_be_visible()
    bea.tool("Nascondi i messaggi degli altri").click()
    expect(log.get_by_text("buona fortuna")).to_have_count(0)
    bea.tool("Mostra i messaggi degli altri").click()
    expect(log.get_by_text("buona fortuna")).to_be_visible()
    field.fill("sei un idiota")
    field.press("Enter")
    ada.told(re.compile("linguaggio|improper", re.I))
    room.run(room.doors.application.supervision.mute(room.eva, table, ada.player, "insulti", 5))
    expect(ada.page.get_by_text(re.compile("La chat è chiusa per te.*insulti")).first).to_be_visible()
    expect(field).to_have_count(0)


def test_v64_the_chat_opens_closes_moves_and_grows(sit: Sit, room: LiveHouse) -> None:
    """V-64: the button opens and closes the window; keys and the mouse move it, keys make it larger."""
    ada = sit().at(room.table(), 2)
    chat = ada.page.get_by_role("group", name="Chat")
    grip = ada.page.get_by_role("button", name=re.compile("^Sposta la chat"))
    expect(chat).to_have_css("left", "16px")
    grip.press("ArrowRight")
    grip.press("Shift+ArrowRight")
    expect(chat).to_have_css("left", "32px")
    expect(chat).to_have_css("width", "284px")
    held = chat.bounding_box()
    assert held is not None
    ada.page.mouse.move(held["x"] + 100, held["y"] + 20)
    ada.page.mouse.down()
    ada.page.mouse.move(held["x"] + 160, held["y"] - 30)
    ada.page.mouse.up()
    expect(chat).to_have_css("left", "92px")
    ada.tool("Chiudi la chat").click()
    expect(chat).to_have_count(0)
    ada.page.get_by_role("group", name="Strumenti").get_by_role("button", name="Chat").click()
    expect(chat).to_have_css("left", "92px")


def test_v66_the_game_code_carries_the_time_and_can_be_searched(sit: Sit, room: LiveHouse) -> None:
    ada = sit("Ada").plays("TS 9H QD 8C")
    code = room.state(ada.here).round.code
    assert re.fullmatch(r"Aurelia \d+-\d{8}-\d{6}-1", code)
    day, time = code.split("-")[1:3]
    written = f"-{day[6:]}{day[4:6]}{day[2:4]}-{time[:2]}:{time[2:4]}:{time[4:]} GMT"
    expect(ada.page.get_by_role("definition").filter(has_text=written)).to_be_visible()
    ada.decide("Stai").paid()
    ada.visitor.go(f"/history/{code}")
    expect(ada.page.get_by_role("heading", name=written)).to_be_visible()


def test_v67_audio_is_one_switch_and_a_change_of_table_sets_it_on(sit: Sit, room: LiveHouse) -> None:
    """V-67: whatever was heard before, the next table begins with its audio on."""
    ada = sit("Ada").at(room.table(), 2)
    ada.tool("Audio").click()
    expect(ada.tool("Audio spento")).to_have_attribute("aria-pressed", "false")
    ada.go(room.table())
    expect(ada.tool("Audio")).to_have_attribute("aria-pressed", "true")


def test_v69_v70_history_opens_over_the_table_and_shows_a_round_in_full(sit: Sit) -> None:
    ada = sit().plays("TS 9H QD 8C")
    ada.decide("Stai").paid()
    ada.tool("Storico").click()
    ada.dialog.get_by_role("link", name=re.compile("Blackjack Ventuno")).first.click()
    expect(ada.dialog.get_by_text("V-19")).to_have_count(0)
    ada.dialog.get_by_role("switch", name="Mostra i riferimenti alle regole").click()
    expect(ada.dialog.get_by_text("V-19").first).to_be_visible()
    ada.page.keyboard.press("Escape")
    expect(ada.dialog).to_have_count(0)
    assert "/table/" in ada.page.url


def test_v70_x02_a_round_is_replayed_step_by_step(sit: Sit) -> None:
    """From the deal to the end as it was seen: the hidden card is hidden until the dealer turned it."""
    ada = sit().plays("5S 9H 6D 8C TD")
    ada.decide("Raddoppia").paid()
    ada.tool("Storico").click()
    ada.dialog.get_by_role("link", name=re.compile("Blackjack Ventuno")).first.click()
    step = ada.dialog.get_by_label("Passo della mano")
    expect(step).to_be_visible()
    last = int(step.input_value())
    assert last >= 3
    expect(ada.dialog.get_by_role("img", name="8 di fiori")).to_be_visible()
    expect(ada.dialog.get_by_role("img", name="10 di quadri")).to_be_visible()
    for _ in range(last):
        ada.dialog.get_by_role("button", name="Passo indietro").click()
    expect(step).to_have_value("0")
    expect(ada.dialog.get_by_role("img", name="10 di quadri")).to_have_count(0)
    ada.dialog.get_by_role("button", name="Passo avanti").click()
    while not ada.dialog.get_by_role("img", name="5 di picche").count():
        ada.dialog.get_by_role("button", name="Passo avanti").click()
    expect(ada.dialog.get_by_role("img", name="Carta coperta")).to_be_visible()
    expect(ada.dialog.get_by_role("img", name="8 di fiori")).to_have_count(0)
    expect(ada.dialog.get_by_role("row", name=re.compile("Raddoppio"))).to_contain_text("€\u00a02,00")


def is_drawn(seat: Seat, quality: str) -> bool:
    """Whether the page is drawn so: without the dealer's portrait and the shadows of cards where it is low."""
    shown: list[object] = seat.page.evaluate("""() => {
      const root = document.documentElement;
      const portrait = getComputedStyle(document.querySelector('.portrait')).display !== 'none';
      const chip = getComputedStyle(root).getPropertyValue('--shadow-chip').trim() !== 'none';
      const blur = getComputedStyle(root).getPropertyValue('--blur').trim() !== 'none';
      return [root.dataset.quality, portrait, chip, blur];
    }""")
    return shown == [quality, quality != "low", quality != "low", quality == "high"]


def test_v68_v71_v72_settings_are_kept_together_and_hold_at_the_table(sit: Sit, room: LiveHouse) -> None:
    """V-72: each quality is chosen by hand, and drawn. Planted: a page that is drawn otherwise than it was chosen."""
    ada = sit().at(room.table(), 2)
    root = ada.page.locator("html")
    expect(root).to_have_attribute("data-quality", re.compile("high|medium|low"))
    ada.tool("Impostazioni").click()
    ada.dialog.get_by_role("tab", name="Audio").click()
    ada.dialog.get_by_role("switch").first.click()
    for quality in ("high", "medium", "low"):
        if not ada.dialog.count():
            ada.tool("Impostazioni").click()
        ada.dialog.get_by_role("tab", name="Video").click()
        ada.dialog.get_by_label(re.compile("Qualità")).select_option(quality)
        ada.dialog.get_by_role("button", name="Salva").click()
        expect(ada.dialog).to_have_count(0)
        expect(root).to_have_attribute("data-quality", quality)
        assert is_drawn(ada, quality)
    held = room.doors.application.accounts[ada.player].settings
    assert (held.audio.voice, held.audio.sounds, held.video.quality) == (False, True, "low")
    root.evaluate("(root) => root.dataset.quality = 'medium'")
    assert not is_drawn(ada, "low")
    root.evaluate("(root) => root.dataset.quality = 'low'")
    ada.page.locator(".portrait").evaluate("(drawn) => drawn.style.setProperty('display', 'block', 'important')")
    assert not is_drawn(ada, "low")


WAYS = (("Aiuto", "Pagamenti", " a 1"), ("Aiuto", "Ritorno", "%"), ("Gioca responsabile", "", "Telefono Verde"))
"""To the rules, the return and the help with gambling: a tool, a chapter, what stands there."""


def list_unreachable(seat: Seat, *ways: tuple[str, str, str]) -> list[str]:
    """What is not on the screen after two presses."""
    missing = []
    for tool, chapter, text in ways:
        key = seat.page.get_by_role("group", name="Strumenti").get_by_role("button", name=tool)
        if not key.count():
            missing.append(tool)
            continue
        key.click()
        if chapter:
            seat.dialog.get_by_role("link", name=chapter, exact=True).click()
        page = seat.dialog.get_by_role("region", name=chapter, exact=True) if chapter else seat.dialog
        expect(page).to_contain_text(text)
        top = page.evaluate("(page) => [page.getBoundingClientRect().top, innerHeight]")
        if not 0 <= top[0] < top[1]:
            missing.append(chapter)
        seat.page.keyboard.press("Escape")
        expect(seat.dialog).to_have_count(0)
    return missing


def test_r41_rules_return_and_help_are_two_presses_away_in_the_middle_of_a_round(sit: Sit) -> None:
    """R-41: at a live table, with the same question after it. Planted: a chapter that does not open, hidden tools."""
    ada = sit().plays("TS 9H QD 8C")
    assert list_unreachable(ada, *WAYS) == []
    expect(ada.act("Stai")).to_be_enabled()
    ada.page.evaluate("""() => document.addEventListener('click', (event) => {
      if (event.target.textContent.trim() !== 'Ritorno') return;
      event.preventDefault();
      event.stopImmediatePropagation();
    }, true)""")
    assert list_unreachable(ada, WAYS[1]) == ["Ritorno"]
    for tool in ("Aiuto", "Gioca responsabile"):
        ada.tool(tool).evaluate("(key) => key.style.setProperty('display', 'none')")
    assert list_unreachable(ada, *WAYS) == ["Aiuto", "Aiuto", "Gioca responsabile"]


def test_v73_v74_cashier_and_play_responsibly_open_over_the_table(sit: Sit, room: LiveHouse) -> None:
    """V-73, V-74, R-41: one step from the table, without leaving it."""
    ada = sit("Ada").at(room.table(), 2)
    for name, text in (("Cassa", "Versa"), ("Gioca responsabile", "limit")):
        ada.page.get_by_role("group", name="Strumenti").get_by_role("button", name=name).click()
        expect(ada.dialog.get_by_text(re.compile(text, re.I)).first).to_be_visible()
        ada.page.keyboard.press("Escape")
        expect(ada.dialog).to_have_count(0)


def test_v95_help_is_written_from_the_sheet_of_the_table(sit: Sit, room: LiveHouse) -> None:
    ada = sit("Ada").at(room.table(), 2)
    ada.tool("Aiuto").click()
    ada.dialog.get_by_role("link", name="Pagamenti").click()
    shown = plain(ada.dialog.inner_text())
    assert "25 a 1" in shown
    assert "3 a 2" in shown


def test_v96_full_screen(sit: Sit, room: LiveHouse) -> None:
    ada = sit("Ada").at(room.table(), 2)
    ada.tool("Schermo intero").click()
    ada.page.wait_for_function("() => document.fullscreenElement !== null")
    ada.tool("Esci dallo schermo intero").click()
    ada.page.wait_for_function("() => document.fullscreenElement === null")
    expect(ada.tool("Schermo intero")).to_have_attribute("aria-pressed", "false")
