"""The profile at a live table: five tabs, applied together, on every device (V-32, V-33, V-53, V-65…V-72)."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from playwright.sync_api import Locator, expect

from tests.support.browser.live_house import VARIANTS, LiveHouse
from tests.support.browser.live_seat import Seat
from ventuno.sheets import load

Sit = Callable[..., Seat]
HANDS = "TS 9H QD 8C"


def held(room: LiveHouse, seat: Seat) -> Any:
    """The profile as the house keeps it."""
    return room.doors.application.accounts[seat.player].settings


def tab(seat: Seat, name: str) -> Locator:
    """A tab of the settings, in the window over the table."""
    if not seat.dialog.count():
        seat.tool("Impostazioni").click()
    seat.dialog.get_by_role("tab", name=name).click()
    return seat.dialog.get_by_role("tabpanel")


def save(seat: Seat) -> None:
    seat.dialog.get_by_role("button", name="Salva").click()
    expect(seat.dialog).to_have_count(0)


def test_v71_all_tabs_are_applied_together_and_found_on_another_device(sit: Sit, room: LiveHouse) -> None:
    ada = sit().at(table := room.table(), 4)
    before = held(room, ada)
    tab(ada, "Generali").get_by_role("switch", name="Mazzo a quattro colori").click()
    tab(ada, "Video").get_by_label("Qualità").select_option("medium")
    tab(ada, "Audio").get_by_role("switch", name="Suoni di gioco").click()
    tab(ada, "Puntate alle spalle").get_by_role("switch", name="Seguo la divisione").click()
    tab(ada, "Gioco").get_by_label("Fiche iniziale").select_option("500")
    assert held(room, ada) == before
    save(ada)
    kept = held(room, ada)
    assert (kept.general.four_colours, kept.video.quality, kept.audio.sounds) == (True, "medium", False)
    assert (kept.bet_behind.follow_split, kept.game.chip) == (True, 500)
    other = sit(again=ada).go(table)
    expect(other.page.locator("html")).to_have_attribute("data-quality", "medium")
    expect(tab(other, "Audio").get_by_role("switch", name="Suoni di gioco")).to_have_attribute("aria-checked", "false")
    other.page.keyboard.press("Escape")
    expect(other.page.get_by_role("radio", name="Fiche da €\u00a05", exact=True)).to_have_attribute(
        "aria-checked", "true"
    )


def test_v68_voice_and_sounds_have_switches_and_volumes_of_their_own(sit: Sit, room: LiveHouse) -> None:
    """V-68: one muted, each at a volume of its own, kept by the house."""
    ada = sit().at(room.table(), 4)
    shown = tab(ada, "Audio")
    shown.get_by_role("slider", name="Volume della voce").fill("35")
    shown.get_by_role("slider", name="Volume dei suoni").fill("60")
    shown.get_by_role("switch", name="Voce del banco").click()
    save(ada)
    kept = held(room, ada).audio
    assert (kept.voice, kept.voice_volume, kept.sounds, kept.sounds_volume) == (False, 35, True, 60)


LISTEN = """() => {
  window.heard = { voice: [], sounds: [] };
  speechSynthesis.speak = (line) => heard.voice.push(line.volume);
  const connect = AudioNode.prototype.connect;
  AudioNode.prototype.connect = function (to, ...more) {
    if (this instanceof GainNode && to instanceof GainNode) heard.sounds.push(to.gain.value);
    return connect.call(this, to, ...more);
  };
}"""
"""Volumes at which lines reach the speaker; each sound is connected to the mixer, which has the volume of all."""


def is_heard(heard: Mapping[str, list[float]], audio: Mapping[str, int]) -> bool:
    """Whether voice and sounds came at the volumes that were chosen, and not at all where they are muted."""
    volumes = {name: {round(volume * 100) for volume in heard[name]} for name in ("voice", "sounds")}
    return all(volumes[name] == ({audio[f"{name}_volume"]} if audio[name] else set()) for name in volumes)


@pytest.mark.parametrize(("voice", "sounds"), [(True, False), (False, True)])
def test_v68_what_is_muted_is_not_heard_and_the_other_is(
    sit: Sit, room: LiveHouse, *, voice: bool, sounds: bool
) -> None:
    """V-68: what reaches the speaker and the mixer of the browser. Planted: any other setting than the chosen one."""
    ada, audio = sit(), {"voice": voice, "voice_volume": 35, "sounds": sounds, "sounds_volume": 60}
    room.settings(ada.player, audio=audio)
    ada.at(room.table(HANDS), 4)
    ada.page.evaluate(LISTEN)
    ada.bet(4)
    ada.deal()
    expect(ada.act("Stai")).to_be_visible()
    heard = ada.page.evaluate("heard")
    assert is_heard(heard, audio)
    volume = {"voice_volume": 60} if voice else {"sounds_volume": 35}
    for planted in ({"voice": not voice}, {"sounds": not sounds}, volume):
        assert not is_heard(heard, {**audio, **planted}), planted


def test_v65_others_words_can_be_hidden_for_good(sit: Sit, room: LiveHouse) -> None:
    ada, bea = sit("Ada").at(table := room.table(), 2), sit().at(table, 5)
    expect(ada.box(2)).to_have_accessible_name("Box 2, Tu")
    expect(ada.page.get_by_role("region", name=re.compile(rf"{table}\b"))).to_be_visible()
    field = ada.page.get_by_label("Scrivi un messaggio")
    field.fill("buona fortuna")
    field.press("Enter")
    log = bea.page.get_by_role("log", name="Chat")
    expect(log.get_by_text("buona fortuna")).to_be_visible()
    tab(bea, "Generali").get_by_role("switch", name="Mostra i messaggi degli altri").click()
    save(bea)
    expect(log.get_by_text("buona fortuna")).to_have_count(0)
    expect(log.get_by_text("I messaggi degli altri sono nascosti.")).to_be_visible()


def test_v53_the_currency_is_chosen_in_the_settings(sit: Sit, room: LiveHouse) -> None:
    bea, ada = sit("Bea").at(table := room.table(), 5), sit().at(table, 4)
    bea.bet(5).deal()
    expect(ada.spot_image(5)).to_have_accessible_name(re.compile("€.1$"))
    tab(ada, "Generali").get_by_label("Valuta").select_option("USD")
    save(ada)
    expect(ada.spot_image(5)).to_have_accessible_name(re.compile(r"\$.1,08$"))


def test_v32_pre_decisions_are_edited_in_the_settings_for_bets_that_lie_already(sit: Sit, room: LiveHouse) -> None:
    ada, bea = sit("Ada").at(table := room.table("6S 9H 5D 8C TC"), 2), sit().at(table)
    ada.bet(2)
    room.bet(bea.player, table, 2, 500, "behind")
    ada.deal()
    expect(ada.act("Raddoppia")).to_be_visible()
    tab(bea, "Puntate alle spalle").get_by_role("switch", name="Seguo il raddoppio").click()
    save(bea)
    room.until(lambda: room.state(table).round.boxes[0].behind[0].follow_double)
    ada.decide("Raddoppia")
    assert [(line.bet, line.stake) for line in bea.paid()] == [("behind", 500), ("behind-double", 500)]


def test_v33_bets_behind_are_forbidden_in_the_settings_and_the_spot_closes(sit: Sit, room: LiveHouse) -> None:
    bea, ada = sit("Bea"), sit()
    name = room.doors.application.accounts[ada.player].player.name
    ada.at(table := room.table(), 2)
    bea.at(table)
    expect(bea.tool(f"Punta alle spalle di {name}")).to_be_visible()
    tab(ada, "Puntate alle spalle").get_by_role("switch", name="Altri possono puntare alle spalle dei miei box").click()
    save(ada)
    expect(bea.tool(f"Punta alle spalle di {name}")).to_have_count(0)
    assert room.state(table).forbids == {ada.player}
    tab(ada, "Puntate alle spalle").get_by_role("switch", name="Altri possono puntare alle spalle dei miei box").click()
    save(ada)
    expect(bea.tool(f"Punta alle spalle di {name}")).to_be_visible()


def test_the_chip_of_the_profile_lies_ready_and_totals_can_be_hidden(sit: Sit, room: LiveHouse) -> None:
    ada = sit()
    room.settings(ada.player, game={"chip": 1000, "show_totals": False})
    ada.at(room.table(HANDS), 4)
    expect(ada.page.get_by_role("radio", name="Fiche da €\u00a010", exact=True)).to_have_attribute(
        "aria-checked", "true"
    )
    ada.bet(4).deal()
    total = ada.box(4).get_by_text("Totale 20")
    expect(ada.act("Stai")).to_be_visible()
    assert not total.is_visible()
    tab(ada, "Gioco").get_by_role("switch", name="Mostra i totali").click()
    save(ada)
    expect(ada.page.locator("html")).to_have_attribute("data-totals", "on")


def test_the_chips_of_the_profile_are_those_of_the_sheets_in_force(sit: Sit, room: LiveHouse) -> None:
    """Two sheets of this room have chips that no client knows by itself."""
    ada = sit("Ada").at(room.table(), 4)
    offered = tab(ada, "Gioco").get_by_label("Fiche iniziale").get_by_role("option")
    values = sorted({*load("ventuno").stakes.chips, *load("ventuno", VARIANTS["other"]).stakes.chips})
    expect(offered).to_have_text([f"€\u00a0{value // 100}" for value in values])
    assert 700 in values


def test_a_deal_is_confirmed_where_the_profile_asks_for_it(sit: Sit, room: LiveHouse) -> None:
    ada = sit()
    room.settings(ada.player, game={"confirm_deal": True})
    ada.at(table := room.table(HANDS), 4).bet(4).deal()
    expect(ada.dialog).to_contain_text("In tutto €\u00a01,00. Dopo non si cambiano più.")
    assert room.state(table).round is None
    ada.dialog.get_by_role("button", name="Inizia ora").click()
    expect(ada.act("Stai")).to_be_visible()


def test_v96_who_wishes_the_whole_screen_has_it_with_the_first_press(sit: Sit, room: LiveHouse) -> None:
    ada = sit()
    room.settings(ada.player, video={"full_screen": True})
    ada.at(room.table(), 4).bet(4)
    ada.page.wait_for_function("() => document.fullscreenElement !== null")
    ada.tool("Esci dallo schermo intero").click()
    ada.page.wait_for_function("() => document.fullscreenElement === null")
    ada.bet(4)
    expect(ada.tool("Schermo intero")).to_be_visible()


@pytest.mark.parametrize(("all_hours", "shown"), [(True, "14:00"), (False, r"02:00.PM")])
def test_times_are_read_by_the_clock_of_the_profile(sit: Sit, room: LiveHouse, all_hours: bool, shown: str) -> None:
    ada = sit(width=1280, timezone_id="Europe/Rome")
    room.settings(ada.player, general={"clock_24h": all_hours})
    ada.plays(HANDS).decide("Stai").paid()
    ada.tool("Storico").click()
    hour = shown.replace("14", r"(1[4-9]|2\d|0\d)").replace("02:00", r"\d\d:\d\d:\d\d").replace(":00", r":\d\d")
    expect(ada.dialog.get_by_role("link", name=re.compile(rf"2026, {hour}(?! ?[AP]M)", re.I))).to_be_visible()


def test_x21_the_table_in_english(sit: Sit) -> None:
    """X-21: the language of the profile holds at once, amounts and reasons included."""
    ada = sit().plays("9S 9H 7D 8C")
    tab(ada, "Generali").get_by_label("Lingua").select_option("en")
    ada.dialog.get_by_role("button", name="Salva").click()
    page = ada.page
    expect(page.get_by_role("heading", name="Box 4, your turn")).to_be_visible()
    acts = page.get_by_role("group", name="Your decision")
    expect(acts.get_by_role("button", name=re.compile("^Split", re.I))).to_be_disabled()
    expect(acts.get_by_role("button", name=re.compile("^Double", re.I))).to_contain_text("€1.00")
    acts.get_by_role("button", name=re.compile("^Stand", re.I)).click()
    expect(page.get_by_text("You lost €1.00").first).to_be_visible()
    expect(page.locator("html")).to_have_attribute("lang", "en")
