"""What a dealer may do at a table with scanned cards, and why not (X-27, V-76, V-81)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ventuno.core.messages import commands, desk_events, events, refusals
from ventuno.core.messages.commands import Command
from ventuno.core.messages.events import Event
from ventuno.core.messages.refusals import Refusal
from ventuno.core.rules.cards import card
from ventuno.core.rules.sheet import SCANNED
from ventuno.core.rules.sheet_reader import with_cards
from ventuno.core.table import scanning
from ventuno.core.table.fold import advance, open_table, replay
from ventuno.core.table.round import Action, CardPlace
from ventuno.core.table.scanning import find_wanted
from ventuno.core.table.state import Phase, Table
from ventuno.core.views.public_view import build_public_view
from ventuno.sheets import load

DORA, ADA = "dora", "ada"
SHEET = with_cards(load("ventuno"), SCANNED)


class Desk:
    """A table, a dealer who scans a card every two seconds, and one player at box 1."""

    def __init__(self) -> None:
        self.opening = self.table = open_table("T", SHEET, purses={ADA: 100_000})
        self.log: list[Event] = []
        self.now = 0

    def ask(self, command: Command) -> Refusal | None:
        outcome = advance(self.table, command)
        if isinstance(outcome, Refusal):
            return outcome
        self.log += outcome[0]
        self.table = outcome[1]
        assert replay(self.opening, self.log) == self.table
        return None

    def do(self, command: Command) -> None:
        refusal = self.ask(command)
        assert refusal is None, (command, refusal)

    def scan(self, text: str, wait: int = 2_000) -> Refusal | None:
        self.now += wait
        return self.ask(commands.ScanCard(DORA, card(text), self.now, "salt", f"committed {text}"))

    def shoe(self) -> Desk:
        self.do(commands.TakeDesk(DORA, 0))
        self.do(commands.DeclareShoe(DORA, 0))
        assert self.scan("2C") is None
        return self

    def bet(self) -> Desk:
        self.do(commands.TakeSeat(ADA, 1, self.now))
        self.do(commands.PlaceBet(ADA, (commands.Spot(1, "main"),), 1_000, self.now))
        assert self.table.deadline is not None
        self.now = self.table.deadline
        self.do(commands.Tick(self.now))
        return self

    def deal(self, *cards: str) -> Desk:
        for each in cards:
            assert self.scan(each) is None, each
        return self


def test_x27_nothing_moves_without_a_dealer() -> None:
    desk = Desk()
    assert find_wanted(desk.table) == CardPlace("shoe")
    assert desk.ask(commands.DeclareShoe(DORA, 0)) == refusals.NoDesk()
    desk.do(commands.TakeDesk(DORA, 0))
    assert desk.ask(commands.DeclareShoe("elio", 0)) == refusals.NotYourDesk(DORA)
    assert desk.ask(commands.TakeDesk(DORA, 0)) == refusals.WrongPhase("desk-taken")
    assert desk.scan("2C") == refusals.CardNotWanted(), "a shoe is due, no card"
    assert advance(open_table("S", load("ventuno")), commands.TakeDesk(DORA, 0)) == refusals.NoDesk()
    assert desk.ask(commands.LoadShoe((), 1, 0)) == refusals.WrongPhase("cards-scanned")


def test_v81_the_burnt_card_is_scanned_face_down_before_bets_open() -> None:
    desk = Desk()
    desk.do(commands.TakeDesk(DORA, 0))
    desk.do(commands.DeclareShoe(DORA, 0))
    assert find_wanted(desk.table) == CardPlace("burn", card=1, face="down")
    assert build_public_view(desk.table).phase == "shuffling"
    assert desk.scan("2C") is None
    assert build_public_view(desk.table).phase == "betting"
    assert desk.ask(commands.TakeBackScan(DORA, "no", desk.now)) == refusals.AlreadyFollowed()
    assert "2C" not in str(build_public_view(desk.table)).replace("committed 2C", "")
    two = Desk()
    two.table = two.opening = open_table("T", replace(SHEET, shoe=replace(SHEET.shoe, burn=2)), purses={ADA: 1})
    two.do(commands.TakeDesk(DORA, 0))
    two.do(commands.DeclareShoe(DORA, 0))
    assert two.ask(commands.TakeBackScan(DORA, "no", 0)) == refusals.NothingToTakeBack()
    assert two.scan("2C") is None
    two.do(commands.TakeBackScan(DORA, "wrong one", two.now))
    assert find_wanted(two.table) == CardPlace("burn", card=1, face="down")


def test_x27_wrong_scans_are_refused_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    desk = Desk().shoe()
    assert desk.scan("TD") == refusals.CardNotWanted(), "nobody has bet"
    desk.bet()
    assert desk.scan("6S") is None
    assert desk.scan("6S", 999) == refusals.CardReadTwice("6S")
    assert desk.scan("6S", 1) is None, "a second later it is another card"
    monkeypatch.setattr(scanning, "READ_AGAIN", 0)
    for _ in range(6):
        desk.do(commands.TakeBackScan(DORA, "again", desk.now))
        assert desk.scan("6S", 0) is None
    full = desk.table._replace(shoe=desk.table.shoe and desk.table.shoe._replace(cards=(card("6S"),) * 8))
    full = full._replace(shoe=full.shoe and full.shoe._replace(position=7))
    outcome = advance(full, commands.ScanCard(DORA, card("6S"), desk.now + 5_000))
    assert outcome == refusals.CardImpossible("6S", 8)


def test_x27_the_last_scan_is_taken_back_until_something_follows() -> None:
    desk = Desk().shoe().bet().deal("6S", "9H")
    desk.do(commands.TakeBackScan(DORA, "it was the 9D", desk.now))
    assert isinstance(desk.log[-1], desk_events.ScanTakenBack)
    assert find_wanted(desk.table) == CardPlace("dealer", card=1)
    assert desk.scan("9H", 1) is None, "the same card may be the right one after all"
    desk.deal("5C", "7D")
    assert desk.ask(commands.TakeBackScan(DORA, "late", desk.now)) == refusals.AlreadyFollowed()


def test_x27_a_decision_takes_its_stake_and_waits_for_its_card() -> None:
    desk = Desk().shoe().bet().deal("6S", "9H", "5C", "7D")
    assert desk.table.deadline is not None
    assert desk.scan("KH") == refusals.CardNotWanted(), "the player decides"
    desk.do(commands.Act(ADA, 1, Action.DOUBLE, desk.now))
    assert desk.table.purse(ADA) == 98_000
    assert desk.table.deadline is None
    assert desk.table.total_stake_of(ADA) == 2_000
    assert desk.ask(commands.Act(ADA, 1, Action.HIT, desk.now)) == refusals.CardAwaited(1)
    assert desk.ask(commands.TimeOut(1, desk.now)) == refusals.CardAwaited(1)
    assert desk.ask(commands.TakeMoney(ADA, 98_001, desk.now)) == refusals.FundsMissing(98_001, 98_000)
    assert [hand.added for hand in build_public_view(desk.table).boxes[0].hands] == [1_000]
    desk.deal("KH")
    doubled = [event for event in desk.log if isinstance(event, events.HandDoubled)]
    assert [(event.card, event.paid) for event in doubled] == [(card("KH"), True)]
    assert desk.table.purse(ADA) == 98_000, "no stake moves twice"


def test_x27_a_split_shows_its_hands_as_their_cards_come() -> None:
    desk = Desk().shoe().bet().deal("8S", "9H", "8C", "7D")
    desk.do(commands.Act(ADA, 1, Action.SPLIT, desk.now))
    seen = []
    for each in ("KH", "3D"):
        seen.append([hand.cards for hand in build_public_view(desk.table).boxes[0].hands])
        desk.deal(each)
    seen.append([hand.cards for hand in build_public_view(desk.table).boxes[0].hands])
    assert seen == [[("8S",), ("8C",)], [("8S", "KH"), ("8C",)], [("8S", "KH"), ("8C", "3D")]]


def test_v81_the_cut_card_makes_the_round_the_last_of_its_shoe() -> None:
    desk = Desk().shoe().bet().deal("TS", "9H")
    desk.do(commands.ShowCutCard(DORA, desk.now))
    assert desk.ask(commands.ShowCutCard(DORA, desk.now)) == refusals.CardNotWanted()
    desk.deal("TC", "8D")
    desk.do(commands.Act(ADA, 1, Action.STAND, desk.now))
    assert desk.table.phase is Phase.RESULTS
    desk.do(commands.Tick(desk.table.deadline or 0))
    assert find_wanted(desk.table) == CardPlace("shoe")
    desk.now += 10_000
    desk.do(commands.DeclareShoe(DORA, desk.now))
    assert desk.table.shoe is not None
    assert (desk.table.shoe.number, desk.table.studio and desk.table.studio.cut_out) == (2, False)


def test_v81_a_cut_card_that_nobody_saw_ends_the_shoe_at_the_end_of_its_window() -> None:
    desk = Desk().shoe()
    assert desk.table.shoe is not None
    assert desk.table.shoe.cut == 8 * 52 * SHEET.shoe.cut[1] // 100


def test_v76_after_a_misdeal_only_the_supervisor_goes_on() -> None:
    desk = Desk().shoe().bet().deal("TS", "9H", "TC", "8D")
    left = desk.table.deadline
    desk.do(commands.DeclareMisdeal(DORA, "a card fell", desk.now))
    assert desk.table.pause is not None
    assert desk.table.pause.reason == scanning.MISDEAL
    assert desk.ask(commands.ResumeDesk(DORA, desk.now)) == refusals.TablePaused(scanning.MISDEAL)
    assert desk.ask(commands.ScanCard(DORA, 1, desk.now)) == refusals.TablePaused(scanning.MISDEAL)
    desk.do(commands.Resume("sup", desk.now))
    assert desk.table.studio is not None
    assert desk.table.studio.misdeal == ""
    assert desk.table.deadline == left, "V-77: from the very state, with the time that was left"
    desk.do(commands.DeclareMisdeal(DORA, "again", desk.now))
    desk.do(commands.Void("sup", "misdeal", desk.now))
    assert desk.table.purse(ADA) == 100_000
    assert desk.table.shoe is not None
    assert desk.table.shoe.remaining == 0, "cards that were scanned are out"


def test_x27_a_pause_of_the_dealer_is_his_to_end() -> None:
    desk = Desk().shoe()
    assert desk.ask(commands.ResumeDesk(DORA, 0)) == refusals.WrongPhase("running")
    desk.do(commands.PauseDesk(DORA, 0))
    assert desk.ask(commands.PauseDesk(DORA, 0)) == refusals.TablePaused(scanning.DEALER_PAUSE)
    desk.do(commands.ResumeDesk(DORA, 5))
    desk.do(commands.LeaveDesk(DORA, 6))
    assert desk.table.pause is not None
    desk.do(commands.TakeDesk("elio", 7))
    assert desk.table.pause is None


def test_a_new_shoe_is_declared_when_one_is_due_and_never_under_bets() -> None:
    desk = Desk().shoe()
    desk.do(commands.DeclareShoe(DORA, desk.now))
    assert desk.table.shoe is not None
    assert desk.table.shoe.number == 2, "nobody had bet"
    assert desk.scan("2C", 3_000) is None
    desk.do(commands.TakeSeat(ADA, 1, desk.now))
    desk.do(commands.PlaceBet(ADA, (commands.Spot(1, "main"),), 1_000, desk.now))
    assert desk.ask(commands.DeclareShoe(DORA, desk.now)) == refusals.WrongPhase("shoe-in-use")


def view_of(table: Table) -> str:
    return str(build_public_view(table))


def test_h1_face_down_cards_are_counted_and_committed_and_no_more() -> None:
    desk = Desk().shoe().bet().deal("TS", "9H", "TC", "8D")
    view = build_public_view(desk.table)
    assert view.dealer.face_down == 1
    assert view.studio is not None
    assert view.studio.committed == ("committed 8D",)
    assert "8D" not in view_of(desk.table).replace("committed 8D", "")
    assert "salt" not in view_of(desk.table)
