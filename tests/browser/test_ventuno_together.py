"""Two players and a spectator in three browsers at one table, through whole rounds with chosen cards.

Nobody tells another browser anything: what one does, the others must see by themselves (V-25…V-88, X-06).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from playwright.sync_api import expect

from tests.support.browser.live_house import LiveHouse
from tests.support.browser.live_seat import Seat, bet_behind, phase, plain
from tests.support.browser.lost_connection import Tunnel, expect_dealer_text

Sit = Callable[..., Seat]
ROUNDS = """
    6S TS 9H 5D 9C 8C TC
    TH 4C AD 6D 5C KC
    TS 9S 6H 6C 7D TC 5D 5C KD
    8S 7H 9H 3D 7C TC
"""
"""A double that is followed; insurance against a Blackjack of the dealer; time-outs; a round that is voided."""


class Company(NamedTuple):
    """Ada and Bea play, Carlo watches."""

    ada: Seat
    bea: Seat
    carlo: Seat

    def see(self, name: str) -> None:
        for seat in self:
            phase(seat.page, name)

    def agree(self, room: LiveHouse, table: str) -> None:
        """All three have the same cards on the felt, and they are those of the house."""
        play = room.state(table).round
        for seat in self:
            for box in play.boxes:
                expect(seat.box(box.number).get_by_role("listitem")).to_have_count(
                    sum(len(hand.cards) for hand in box.hands)
                )
        texts = {tuple(seat.cards(box) for box in (0, 2, 5)).__repr__() for seat in self}
        assert len(texts) == 1, texts


def test_v88_who_watches_on_a_phone_sees_the_boxes_all_through_a_round(sit: Sit) -> None:
    """There is no own hand that the boxes of the others could make way for."""
    ada = sit("Ada").plays("TS 9H QD 8C", 4)
    carlo = sit(width=360, height=640).go(ada.here)
    others = carlo.page.get_by_role("group", name="Altri box")
    for moment in ("la mano è in corso", "si paga la mano"):
        phase(carlo.page, moment)
        expect(others.get_by_role("button", name="Ada")).to_be_in_viewport()
        if moment == "la mano è in corso":
            ada.decide("Stai")


def test_v88_two_players_and_a_spectator_through_whole_rounds(sit: Sit, room: LiveHouse) -> None:
    table = room.table(ROUNDS)
    all_three = Company(sit("Ada").at(table, 2), sit("Bea").at(table, 5), sit("Carlo").go(table))
    _followed(all_three, room, table)
    _insured(all_three, room, table)
    _timed_out(all_three, room, table)
    _taken_over_and_voided(all_three, room, table, sit)
    for seat in all_three:
        assert seat.visitor.complaints == []


def _opened(room: LiveHouse, table: str, company: Company) -> None:
    room.due(table)
    company.see("si raccolgono le puntate")


def _dealt(company: Company) -> None:
    """Both bet, then both have had enough of waiting (V-38)."""
    for seat, box in ((company.ada, 2), (company.bea, 5)):
        seat.bet(box)
        expect(seat.tool("Inizia ora")).to_be_enabled()
    company.ada.deal()
    company.bea.deal()


def _followed(company: Company, room: LiveHouse, table: str) -> None:
    """Bea plays her box and bets behind Ada's; Ada doubles; Bea had chosen before her turn (V-25, V-30, V-54)."""
    ada, bea, carlo = company
    ada.bet(2)
    bea.bet(5)
    bet_behind(bea, "Ada", double=True)
    expect(carlo.spot_image(2)).to_have_accessible_name(re.compile("vuoto"))
    ada.deal()
    expect(carlo.spot_image(2)).to_have_accessible_name(re.compile("€.1$"))
    bea.deal()
    company.see("la mano è in corso")
    company.agree(room, table)
    bea.decide("Stai")
    expect(bea.box(5).get_by_text("Stai prenotato")).to_be_visible()
    expect(carlo.page.get_by_role("group", name="La tua decisione")).to_have_count(0)
    assert "prenotat" not in carlo.text + ada.text
    ada.decide("Raddoppia")
    company.see("si paga la mano")
    company.agree(room, table)
    assert {line.bet: line.returned for line in bea.paid()} == {"main": 200, "behind": 200, "behind-double": 200}
    ada.sees("Hai vinto €\u00a02,00")
    bea.sees("Hai vinto €\u00a03,00")
    carlo.sees("La mano è pagata")
    _opened(room, table, company)


def _insured(company: Company, room: LiveHouse, table: str) -> None:
    """Each answers on his own; nobody sees the answer of another before all have answered (V-06, V-08)."""
    ada, bea, carlo = company
    _dealt(company)
    for seat, box in ((ada, 2), (bea, 5)):
        expect(seat.page.get_by_role("heading", name=f"Box {box}, assicurazione?")).to_be_visible()
    carlo.sees("Assicurazione: si aspettano le risposte")
    ada.decide("Assicura")
    assert "Assicurato" not in bea.text + carlo.text
    bea.decide("No, grazie")
    company.see("si paga la mano")
    company.agree(room, table)
    ada.sees("Mano in pari")
    bea.sees("Hai perso €\u00a01,00")
    for seat in company:
        assert "Re di fiori" in " ".join(seat.cards())
    _opened(room, table, company)


def _timed_out(company: Company, room: LiveHouse, table: str) -> None:
    """Ada says nothing and is stood; Bea's line breaks, the clock acts for her, she is back at the end (V-57, V-79)."""
    ada, bea, carlo = company
    _dealt(company)
    ada.sees("Allo scadere: Stai")
    tunnel = Tunnel(bea)
    expect(bea.page.get_by_role("heading", name="Ti stiamo riportando al tavolo")).to_be_visible()
    room.due(table)
    for seat in (ada, carlo):
        expect(seat.in_words.get_by_text(re.compile("^Box 5, .*tocca a"))).to_be_attached()
    room.due(table)
    tunnel.over()
    company.see("si paga la mano")
    company.agree(room, table)
    assert [line.returned for line in ada.paid()] == [0]
    _opened(room, table, company)


def _taken_over_and_voided(company: Company, room: LiveHouse, table: str, sit: Sit) -> None:
    """Ada goes on from a second device; the round is paused and voided, and every stake comes back (V-76…V-78)."""
    ada, bea, carlo = company
    purses = [room.state(table).purse(seat.player) for seat in (ada, bea)]
    _dealt(company)
    expect(ada.act("Raddoppia")).to_be_visible()
    second = sit(again=ada).go(table)
    expect(ada.page.get_by_role("heading", name="Giochi da un altro dispositivo")).to_be_visible()
    second.decide("Raddoppia")
    expect(bea.page.get_by_role("heading", name="Box 5, tocca a te")).to_be_visible()
    room.pause(table, "carta scoperta")
    for seat in (second, bea, carlo):
        expect(seat.page.get_by_role("heading", name="Tavolo in pausa")).to_be_visible()
    room.void(table, "carta scoperta")
    for seat, back in ((second, "€\u00a02,00"), (bea, "€\u00a01,00")):
        expect(seat.page.get_by_role("heading", name="Mano annullata")).to_be_visible()
        seat.sees(f"Ti tornano {back}.")
    expect_dealer_text(carlo, re.compile("Mano annullata: carta scoperta"))
    assert [room.state(table).purse(seat.player) for seat in (ada, bea)] == purses


def test_x06_a_spectator_sees_no_private_thing(sit: Sit, room: LiveHouse) -> None:
    """Neither the balance of another nor his session; the words of the table are those of somebody without money."""
    ada, carlo = sit("Ada").at(table := room.table("TS 9H QD 8C"), 4, money=123_400), sit("Carlo").go(table)
    ids = room.doors.application.tables._concession.find_admission(ada.player, table)
    assert ids is not None
    ada.bet(4).deal()
    phase(carlo.page, "la mano è in corso")
    ada.sees(ids.session)
    seen = plain(carlo.page.inner_text("body"))
    assert ids.session not in seen
    assert ids.participation not in seen
    assert "1.23" not in seen
    expect(carlo.in_words).to_contain_text("Saldo €\u00a00,00")
    expect(carlo.tool("Aggiungi denaro")).to_be_visible()
