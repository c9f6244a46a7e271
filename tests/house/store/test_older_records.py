"""T-11: what an earlier version has written is read as it was meant then."""

from __future__ import annotations

import json
from dataclasses import replace

from tests.support.house_in_memory import SHEETS, HouseInMemory
from ventuno.core.messages.commands import Act, BringMoney, DealNow, LoadShoe, Pause, PlaceBet, Resume, Spot
from ventuno.core.messages.events import BettingEnded, Event, LimitsChanged, RoundSettled, TablePausedBy, TableResumed
from ventuno.core.messages.refusals import Refusal
from ventuno.core.rules.cards import cards
from ventuno.core.table.fold import advance, evolve, open_table, replay
from ventuno.core.table.round import Action
from ventuno.house.history.round_detail import RecordedRound, has_same_payouts
from ventuno.house.store.records import RoundRow, decode_table, encode_table, read_table_event
from ventuno.sheets import load


def test_pauses_without_a_time_move_nothing() -> None:
    """As their tables went on then: the log folds to the same state, and a snapshot of it opens."""
    paused = read_table_event("TablePausedBy", b'{"by":"sup","reason":"x","remaining":5000}')
    resumed = read_table_event("TableResumed", b'{"by":"sup","deadline":90000}')
    assert paused == TablePausedBy("sup", "x", 5000)
    assert resumed == TableResumed("sup", 90_000)
    assert read_table_event("LimitsChanged", b'{"limits":{},"by":"sup"}') == LimitsChanged({}, "sup")
    foyer = HouseInMemory()
    foyer.open("ventuno", "T1")
    table = foyer.authority.tables["T1"].table
    after = evolve(evolve(table, paused), resumed)
    assert (after.opened, after.deadline) == (table.opened, 90_000)


def test_a_snapshot_of_an_earlier_version_opens() -> None:
    foyer = HouseInMemory()
    ada = foyer.joined("Ada", 50_000)
    foyer.open("ventuno", "T1")
    foyer.sit(ada, "T1", 1, 10_000)
    foyer.say("T1", PlaceBet(ada, (Spot(1, "main"),), 1_000, foyer.now), ada)
    foyer.say("T1", Pause("sup", "x", foyer.now), "")
    table = foyer.authority.tables["T1"].table
    assert table.pause is not None
    fields = json.loads(encode_table(table))
    del fields["closing"]
    fields["pause"] = fields["pause"][:3]
    thawed = decode_table(json.dumps(fields).encode(), SHEETS["ventuno"])
    assert thawed == table._replace(pause=table.pause._replace(at=None))


def test_the_floor_of_deal_now_survives_a_restart_in_mid_pause() -> None:
    """V-38, R-06: pause, crash, resume; the time that betting was open is counted without the pause."""
    foyer = HouseInMemory()
    ada = foyer.joined("Ada", 50_000)
    foyer.open("ventuno", "T1")
    foyer.sit(ada, "T1", 1, 10_000)
    foyer.say("T1", PlaceBet(ada, (Spot(1, "main"),), 1_000, foyer.now), ada)
    foyer.now += 500
    foyer.say("T1", DealNow(ada, foyer.now), ada)
    foyer.say("T1", Pause("sup", "x", foyer.now), "")
    foyer.crash()
    foyer.now += 60_000
    foyer.say("T1", Resume("sup", foyer.now), "")
    table = foyer.authority.tables["T1"].table
    assert (table.phase, table.deadline) == ("betting", foyer.now + 5_000)


def test_r16_a_capped_round_of_an_earlier_version_still_agrees() -> None:
    """Its line of the cap named no box; another amount does not agree, then as now."""
    table = open_table("T", load("link", {"stakes.max_win": "500"}), "ada")
    shoe = LoadShoe(cards("TS 7D TC TH"), 0, 0, stacked=True)
    bet = PlaceBet("ada", (Spot(1, "main"),), 1_000, 0)
    events: list[Event] = []
    for command in (BringMoney("ada", 5_000, 0), shoe, bet, DealNow("ada", 0), Act("ada", 1, Action.STAND, 0)):
        outcome = advance(table, command)
        assert not isinstance(outcome, Refusal), outcome
        events += outcome[0]
        table = outcome[1]
    first = next(place for place, event in enumerate(events) if isinstance(event, BettingEnded))
    start = open_table("T", table.sheet, "ada")
    row = RoundRow("T", "table:T", 1, 2, 0, 0, "link", table.sheet.hash, False)
    played = RecordedRound(row, replay(start, events[:first]), (), tuple(events[first:]))
    assert has_same_payouts(played)
    assert has_same_payouts(_changed(played, box=0)), "as it was written before"
    assert not has_same_payouts(_changed(played, returned=-499))


def _changed(played: RecordedRound, box: int = 1, returned: int = -500) -> RecordedRound:
    """The round with its line of the cap written otherwise."""
    paid = next(event for event in played.events if isinstance(event, RoundSettled))
    assert paid.lines[-1][1:4] == ("max-win", 0, -500)
    assert paid.lines[-1].box == 1
    other = replace(paid, lines=(*paid.lines[:-1], paid.lines[-1]._replace(box=box, returned=returned)))
    return played._replace(events=tuple(other if one is paid else one for one in played.events))
