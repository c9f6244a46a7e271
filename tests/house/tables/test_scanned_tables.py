"""Tables whose cards a dealer scans, in a whole house: rights, rounds, crashes, misdeals, the record (X-27)."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from tests.support.house import FACTOR, OpenHouse, key
from ventuno.core.messages.commands import (
    Act,
    CallHelp,
    Command,
    DealNow,
    DeclareMisdeal,
    DeclareShoe,
    LeaveDesk,
    PauseDesk,
    PlaceBet,
    ResumeDesk,
    ScanCard,
    SpinWheel,
    Spot,
    TakeBackScan,
    TakeDesk,
    TakeMoney,
    TakeSeat,
)
from ventuno.core.messages.refusals import Refusal
from ventuno.core.rules.cards import card
from ventuno.core.rules.sheet import SCANNED
from ventuno.core.rules.sheet_reader import with_cards
from ventuno.core.table import scanning
from ventuno.core.table.round import Action, Round
from ventuno.core.views.public_view import PublicView
from ventuno.house.accounts.players import Role
from ventuno.house.history.round_detail import RoundDetail
from ventuno.house.integrity.alerts import DealerCalled
from ventuno.house.shoes.scans import find_false_commitments
from ventuno.house.store.durability import StoreInconsistent
from ventuno.house.tables.fairness import CardsNotSealed
from ventuno.sheets import load

TABLE = "Studio"


class Studio(OpenHouse):
    """A house with one table at which Dora deals."""

    dora: str
    ada: str
    bea: str

    async def begin(self) -> None:
        self.certify("ventuno", "link")
        await self.open()
        answer = await self.application.tables.open(TABLE, "ventuno", cards=SCANNED)
        assert not isinstance(answer, Refusal), answer
        self.dora = await self.dealer("Dora")
        self.ada, self.bea = await self.joined("Ada"), await self.joined("Bea")

    async def dealer(self, name: str, factor: str = FACTOR) -> str:
        player = await self.joined(name, 0)
        await self.application.accounts.appoint(player, Role.DEALER, factor)
        return player

    async def ask(self, player: str, command: Command, table: str = TABLE) -> str:
        """The code of the refusal; empty where it is done."""
        self.clock.move(1_000)
        return (await self.application.tables.ask(player, table, command, key())).refused

    async def scan(self, *cards: str, table: str = TABLE) -> None:
        for each in cards:
            assert await self.ask(self.dora, ScanCard(self.dora, card(each), 0), table) == "", each

    async def shoe(self) -> None:
        assert await self.ask(self.dora, TakeDesk(self.dora, 0)) == ""
        assert await self.ask(self.dora, DeclareShoe(self.dora, 0)) == ""
        assert self.wanted() == ("burn", 0, 0, 1, "down")
        await self.scan("2C")

    async def bet_and_close(self, *bets: tuple[str, int]) -> None:
        for player, box in bets:
            await self.say(player, TABLE, PlaceBet(player, (Spot(box, "main"),), 1_000, 0))
        deadline = self.view(TABLE).deadline
        assert deadline is not None
        self.clock.move(deadline - self.application.now() + 1)
        await self.until(lambda: self.view(TABLE).phase == "round")

    def wanted(self) -> tuple[str, int, int, int, str] | None:
        studio = self.view(TABLE).studio
        assert studio is not None
        place = studio.wanted
        return (place.place, place.box, place.hand, place.card, place.face) if place else None

    def round(self) -> Round:
        play = self.application.host.committed[TABLE].table.round
        assert play is not None
        return play

    def faults(self) -> list[str]:
        return self.application.host.authority.find_faults()


@pytest_asyncio.fixture
async def studio(tmp_path: Path) -> AsyncIterator[Studio]:
    made = Studio(f"sqlite:///{tmp_path}/house.db", tmp_path / "data")
    await made.begin()
    yield made
    await made.application.close()


def cards_of(view: PublicView, box: int) -> list[tuple[str, ...]]:
    return [hand.cards for each in view.boxes if each.box == box for hand in each.hands]


async def begin_round(studio: Studio) -> None:
    """Ada at box 1 and Bea at box 2 have bet; the first card is wanted."""
    await studio.shoe()
    await studio.sit(studio.ada, TABLE, 1)
    await studio.sit(studio.bea, TABLE, 2)
    await studio.bet_and_close((studio.ada, 1), (studio.bea, 2))


async def test_x27_a_round_goes_on_with_the_very_cards_after_crashes(studio: Studio) -> None:
    await begin_round(studio)
    assert studio.wanted() == ("box", 1, 1, 1, "up")
    assert studio.view(TABLE).deadline is None, "nobody's clock runs"
    await studio.scan("6S")
    assert cards_of(studio.view(TABLE), 1) == [("6S",)]
    assert studio.wanted() == ("box", 2, 1, 1, "up")
    await studio.crash()
    assert cards_of(studio.view(TABLE), 1) == [("6S",)], "in the middle of the deal"
    await studio.scan("TD", "9H", "5C", "TC")
    assert studio.wanted() == ("dealer", 0, 0, 2, "down")
    await studio.scan("7D")
    view = studio.view(TABLE)
    assert (view.dealer.cards, view.dealer.face_down, view.stage) == (("9H",), 1, "play")
    assert view.studio is not None
    assert len(view.studio.committed) == 1
    assert "7D" not in str(view)
    before = studio.own_view(TABLE, studio.ada).balance
    await studio.say(studio.ada, TABLE, Act(studio.ada, 1, Action.DOUBLE, 0))
    assert studio.own_view(TABLE, studio.ada).balance == before - 1_000, "the stake moves with the decision"
    assert studio.wanted() == ("box", 1, 1, 3, "up")
    assert studio.view(TABLE).deadline is None
    assert await studio.ask(studio.ada, Act(studio.ada, 1, Action.STAND, 0)) == "CardAwaited"
    await studio.crash()
    assert studio.wanted() == ("box", 1, 1, 3, "up"), "a decision is not lost"
    assert studio.faults() == []
    await studio.scan("KH")
    await studio.say(studio.bea, TABLE, Act(studio.bea, 2, Action.STAND, 0))
    assert studio.wanted() == ("dealer", 0, 0, 3, "up")
    await studio.crash()
    assert studio.view(TABLE).dealer.cards == ("9H", "7D")
    await studio.scan("5D")
    assert studio.view(TABLE).phase == "results"
    assert studio.wanted() is None
    assert studio.faults() == []


async def test_planted_decision_that_a_crash_loses_is_caught(studio: Studio, monkeypatch: pytest.MonkeyPatch) -> None:
    await begin_round(studio)
    await studio.scan("6S", "TD", "9H", "5C", "TC", "7D")
    await studio.say(studio.ada, TABLE, Act(studio.ada, 1, Action.DOUBLE, 0))
    with monkeypatch.context() as planted:
        planted.setattr(scanning, "_hold_decision", lambda table, _event: table)
        with pytest.raises(StoreInconsistent, match="in-play"):
            await studio.crash()
    await studio.open()
    assert studio.wanted() == ("box", 1, 1, 3, "up")


async def test_x27_the_record_has_every_scan_with_its_time_and_opens_what_was_turned(studio: Studio) -> None:
    await begin_round(studio)
    await studio.scan("6S", "TD", "9H", "5H")
    assert await studio.ask(studio.dora, TakeBackScan(studio.dora, "it was the 5C", 0)) == ""
    await studio.scan("5C", "TC", "8D")
    await studio.say(studio.ada, TABLE, Act(studio.ada, 1, Action.HIT, 0))
    await studio.scan("KH")
    await studio.say(studio.bea, TABLE, Act(studio.bea, 2, Action.STAND, 0))
    assert studio.view(TABLE).phase == "results"
    code = studio.view(TABLE).code
    detail = await studio.application.history.describe_round(studio.ada, code)
    assert isinstance(detail, RoundDetail)
    assert detail.agrees is True
    assert [scan.card for scan in detail.scans] == ["6S", "TD", "9H", "5H", "5C", "TC", "8D", "KH"]
    assert [scan.taken_back for scan in detail.scans if scan.taken_back] == ["it was the 5C"]
    assert all(first.at < second.at for first, second in zip(detail.scans, detail.scans[1:], strict=False))
    hole = next(scan for scan in detail.scans if scan.face == "down")
    assert hole.salt
    assert find_false_commitments(detail.scans) == []
    assert find_false_commitments([hole._replace(card="8C")]), "a card that was changed afterwards"
    assert find_false_commitments([hole._replace(salt="00" * 16)])
    assert isinstance(studio.application.fairness.prove(TABLE, studio.ada), CardsNotSealed)
    assert studio.faults() == []


async def test_x27_a_hole_card_of_a_voided_round_stays_closed(studio: Studio) -> None:
    eva = await studio.supervisor()
    await begin_round(studio)
    await studio.scan("6S", "TD", "9H", "5C", "TC", "7D")
    code = studio.view(TABLE).code
    assert await studio.ask(studio.dora, DeclareMisdeal(studio.dora, "a card fell", 0)) == ""
    view = studio.view(TABLE)
    assert view.paused == "misdeal"
    assert view.studio is not None
    assert view.studio.misdeal == "a card fell"
    assert await studio.ask(studio.dora, ResumeDesk(studio.dora, 0)) == "TablePaused", "the supervisor decides"
    await studio.until(lambda: bool(studio.application.integrity._alerts.list_entries()))
    called = studio.application.integrity._alerts.list_entries()[0].alert
    assert isinstance(called, DealerCalled)
    assert (called.table, called.player, called.misdeal) == (TABLE, studio.dora, True)
    await studio.void(eva, TABLE, "misdeal")
    assert studio.own_view(TABLE, studio.ada).balance == 100_000
    detail = await studio.application.history.describe_round(eva, code)
    assert isinstance(detail, RoundDetail)
    assert [scan.card for scan in detail.scans] == ["6S", "TD", "9H", "5C", "TC", ""]
    assert detail.scans[-1].salt == ""
    assert studio.faults() == []
    acts = [entry.event for entry in await studio.application.supervision.read_audit_page(eva)]  # type: ignore[union-attr]
    assert {"desk", "shoe", "misdeal"} <= {getattr(act, "act", "") for act in acts}


async def test_x27_only_a_dealer_with_a_second_factor_deals_and_he_does_not_play(studio: Studio) -> None:
    table, ada, dora = studio.application.tables, studio.ada, studio.dora
    assert await studio.ask(ada, TakeDesk(ada, 0)) == "NotSupervisor"
    nina = await studio.dealer("Nina", "")
    assert await studio.ask(nina, TakeDesk(nina, 0)) == "SecondFactorMissing"
    assert await studio.ask(dora, ScanCard(dora, card("TD"), 0)) == "NoDesk"
    assert not studio.application.studio.has_desk(dora, TABLE)
    await studio.shoe()
    assert studio.application.studio.has_desk(dora, TABLE)
    assert not studio.application.studio.has_desk(ada, TABLE)
    elio = await studio.dealer("Elio")
    assert await studio.ask(elio, ScanCard(elio, card("TD"), 0)) == "NotYourDesk"
    assert await studio.ask(elio, PauseDesk(elio, 0)) == "NotYourDesk"
    await studio.application.cashier.deposit(dora, 10_000, "money of dora")
    answer, _ = await table.bring(dora, TABLE, 10_000, key())
    assert answer.refused == "DealerPlays"
    assert await studio.ask(elio, TakeDesk(elio, 0)) == "", "another dealer takes over"
    assert not studio.application.studio.has_desk(dora, TABLE)
    answer, _ = await table.bring(dora, TABLE, 10_000, key())
    assert not answer.refused
    assert await studio.ask(dora, TakeDesk(dora, 0)) == "DealerPlays"
    assert await studio.ask(dora, TakeMoney(dora, 10_000, 0)) == ""
    await studio.application.accounts.appoint(elio, Role.PLAYER)
    assert not studio.application.studio.has_desk(elio, TABLE), "a role that was taken away deals no more"
    assert await studio.ask(elio, ScanCard(elio, card("TD"), 0)) == "NotSupervisor"


async def test_x27_without_a_dealer_the_table_stands_still(studio: Studio) -> None:
    await begin_round(studio)
    await studio.scan("6S", "TD", "9H", "5C", "TC", "7D")
    assert studio.view(TABLE).deadline is not None
    assert await studio.ask(studio.dora, LeaveDesk(studio.dora, 0)) == ""
    assert studio.view(TABLE).paused == "no-dealer"
    elio = await studio.dealer("Elio")
    assert await studio.ask(elio, TakeDesk(elio, 0)) == ""
    assert studio.view(TABLE).paused is None
    assert studio.view(TABLE).deadline is not None
    assert studio.view(TABLE).studio.dealer == elio  # type: ignore[union-attr]  # views without people name by number


async def test_x27_help_is_called_and_play_goes_on(studio: Studio) -> None:
    await studio.shoe()
    assert await studio.ask(studio.dora, CallHelp(studio.dora, "a player asks", 0)) == ""
    await studio.until(lambda: bool(studio.application.integrity._alerts.list_entries()))
    called = studio.application.integrity._alerts.list_entries()[0].alert
    assert isinstance(called, DealerCalled)
    assert not called.misdeal
    assert studio.view(TABLE).paused is None


async def test_x27_no_shoe_is_sealed_for_a_scanned_table(studio: Studio) -> None:
    await studio.shoe()
    await studio.sit(studio.ada, TABLE, 1)
    assert studio.application.fairness.get_shoe(TABLE) is None
    assert TABLE not in studio.application._shoe_supply._shoe_logs.logs
    sheet = studio.application.host.committed[TABLE].table.sheet
    assert sheet == with_cards(load("ventuno"), SCANNED)
    assert sheet.hash != load("ventuno").hash


async def test_x08_a_trainee_deals_to_himself_without_money(studio: Studio) -> None:
    tables, ada = studio.application.tables, studio.ada
    name = await tables.open_practice(ada, "ventuno", scanned=True)
    assert studio.application.studio.has_desk(ada, name)
    assert await studio.ask(ada, DeclareShoe(ada, 0), name) == ""
    assert await studio.ask(ada, ScanCard(ada, card("2C"), 0), name) == ""
    await studio.say(ada, name, PlaceBet(ada, (Spot(1, "main"),), 1_000, 0))
    deadline = studio.view(name, ada).deadline
    assert deadline is not None
    studio.clock.move(deadline - studio.application.now() + 1)
    await studio.until(lambda: studio.view(name, ada).phase == "round")
    for each in ("TS", "9H", "KS", "7D"):
        assert await studio.ask(ada, ScanCard(ada, card(each), 0), name) == ""
    await studio.say(ada, name, Act(ada, 1, Action.STAND, 0))
    view = studio.view(name, ada)
    assert view.studio is not None
    assert view.studio.wanted is not None
    assert view.studio.wanted.place == "dealer"
    assert studio.faults() == []


async def test_x27_the_wheel_of_link_spins_at_a_scanned_table(studio: Studio) -> None:
    """What is drawn and not dealt comes from fresh entropy: there is no sealed seed."""
    ada = studio.ada
    name = await studio.application.tables.open_practice(ada, "link", scanned=True)
    assert await studio.ask(ada, DeclareShoe(ada, 0), name) == ""
    for bet in ("main", "link"):
        await studio.say(ada, name, PlaceBet(ada, (Spot(1, bet),), 1_000, 0))
    await studio.say(ada, name, DealNow(ada, 0))
    for each in ("AS", "9H", "KS", "7D"):
        assert await studio.ask(ada, ScanCard(ada, card(each), 0), name) == "", each
    assert await studio.ask(ada, SpinWheel(ada, 1, "", 0), name) == ""
    bonus = studio.view(name, ada).boxes[0].bonus
    assert bonus is not None
    assert bonus.segment


async def test_planted_double_read_that_is_taken_is_caught(studio: Studio, monkeypatch: pytest.MonkeyPatch) -> None:
    async def read_twice() -> str:
        first = await studio.application.tables.ask(studio.dora, TABLE, ScanCard(studio.dora, card("6S"), 0), key())
        assert not first.refused
        again = await studio.application.tables.ask(studio.dora, TABLE, ScanCard(studio.dora, card("6S"), 0), key())
        return again.refused

    await begin_round(studio)
    assert await read_twice() == "CardReadTwice"
    assert await studio.ask(studio.dora, TakeBackScan(studio.dora, "wrong", 0)) == ""
    monkeypatch.setattr(scanning, "READ_AGAIN", 0)
    assert await read_twice() == ""


async def test_x27_a_seat_is_not_taken_by_who_deals(studio: Studio) -> None:
    await studio.shoe()
    assert await studio.ask(studio.dora, TakeSeat(studio.dora, 1, 0)) == "DealerPlays"
