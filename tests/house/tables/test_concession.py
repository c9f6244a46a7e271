"""Session and participation ids, and reports sent once and in order (R-30…R-32, V-75)."""

from __future__ import annotations

from random import Random

import msgspec
import pytest

from tests.support.house_in_memory import SHEETS, HouseInMemory
from ventuno.core.messages.commands import Command, LeaveSeat, TakeMoney, TakeSeat, Tick, Void
from ventuno.core.messages.events import BetPlaced
from ventuno.house.store.records import read_table_event
from ventuno.house.tables.authority import Decision, Request
from ventuno.house.tables.concession import (
    MAX_REPORTS,
    CentralUnreachable,
    ConcessionEvent,
    LocalIssuer,
    ParticipationBegun,
    RoundReported,
    SessionEnded,
    Unreachable,
    read,
    read_admission,
)


def test_r30_ids_come_before_the_first_stake() -> None:
    """V-75: in one batch with the money; the record of the participation stands before the first bet in time."""
    foyer = HouseInMemory()
    ada = foyer.joined("Ada", 100_000)
    table = foyer.open("ventuno", "T1")
    assert foyer.concession.find_admission(ada, table) is None
    brought = foyer.bring(ada, table, 10_000)
    assert brought.admission is not None
    assert brought.admission.issuer == "LOCAL"
    assert brought.admission == foyer.concession.find_admission(ada, table)
    assert brought.decided.batch is not None
    assert {one.stream for one in brought.decided.batch.records} == {"concession", "table:T1"}
    again = foyer.bring(ada, table, 1_000)
    assert again.admission == brought.admission


def test_r30_every_stake_in_the_log_has_its_participation() -> None:
    foyer = played(seed=30)
    begun = {
        event.player: record.at
        for record in foyer.disk.streams["concession"]
        if isinstance(event := read(record.kind, record.body), ParticipationBegun)
    }
    stakes = 0
    for record in foyer.disk.streams["table:T1"][1:]:
        event = read_table_event(record.kind, record.body)
        if isinstance(event, BetPlaced):
            stakes += 1
            assert begun[event.player] <= record.at
    assert stakes > 10


def test_r31_unreachable_no_new_tickets_but_rounds_finish() -> None:
    """R-31: nobody new comes in, the open round ends, and its report waits on the disk for its turn."""
    foyer = HouseInMemory(5)
    ada, bea = foyer.joined("Ada", 100_000), foyer.joined("Bea", 100_000)
    table = foyer.open("ventuno", "T1")
    foyer.sit(ada, table, 1)
    foyer.bet(table, ada, 1, 1_000)
    foyer.issuer.answers = False
    refused = foyer.bring(bea, table, 5_000).decided
    assert refused.answer.refused == CentralUnreachable.__name__
    assert refused.answer.numbers == {"waiting": 2}
    assert foyer.authority.wallet.balance(f"player:{bea}") == 100_000
    assert foyer.finish(table)
    assert foyer.concession.send_reports(foyer.now) is None
    assert not foyer.bring(ada, table, 1_000).decided.answer.refused, "his participation is open"
    foyer.crash()
    foyer.issuer.answers = True
    foyer.disk.add(foyer.concession.send_reports(foyer.now))
    assert [next(iter(msgspec.json.decode(body))) for body in foyer.issuer.received.values()] == [
        *("SessionBegun", "ParticipationBegun", "RoundReported")
    ]
    assert foyer.concession.send_reports(foyer.now) is None


def played(seed: int, rounds: int = 12) -> HouseInMemory:
    """Three players over some rounds, some of them voided."""
    foyer = HouseInMemory(seed)
    table = foyer.open("ventuno", "T1")
    people = [foyer.joined(name, 200_000) for name in ("Ada", "Bea", "Cleo")]
    for box, player in enumerate(people, start=1):
        foyer.sit(player, table, box, 100_000)
    for number in range(rounds):
        for box, player in enumerate(people, start=1):
            assert not foyer.bet(table, player, box, foyer.chance.choice((500, 1_000, 2_500))).answer.refused
        if number % 5 == 4:
            foyer.tick(table)
            if not foyer.ask(table, Void("sup", "test", foyer.now), "").answer.refused:
                foyer.tick(table)
        foyer.finish(table)
    return foyer


def test_r32_session_totals_are_the_ledgers_to_the_cent() -> None:
    foyer = played(seed=32)
    leave_all(foyer)
    foyer.disk.add(foyer.concession.send_reports(foyer.now))
    bodies = [msgspec.json.decode(body) for body in foyer.issuer.received.values()]
    ended = next(body["SessionEnded"] for body in bodies if "SessionEnded" in body)
    house = sum(row.amount for row in foyer.disk.postings if row.account == "house:ventuno")
    assert ended["staked"] - ended["returned"] == house
    assert ended["rounds"] == len(foyer.disk.rounds)
    assert ended["staked"] == sum(share.staked for share in foyer.disk.shares)
    for share in foyer.disk.shares:
        assert share.player in {"1", "2", "3"}
    by_participation: dict[str, int] = {}
    for body in bodies:
        for one in body.get("RoundReported", {}).get("shares", ()):
            key = one["participation"]
            by_participation[key] = by_participation.get(key, 0) + one["returned"] - one["staked"]
    assert sorted(by_participation.values()) == sorted(
        foyer.authority.wallet.balance(f"player:{player}") - 200_000 for player in ("1", "2", "3")
    )
    assert any(body["RoundReported"]["voided"] for body in bodies if "RoundReported" in body)


class Flaky(LocalIssuer):
    """Takes a report and loses the receipt, or is not there at all; numbers still count once."""

    def __init__(self, seed: int, *, forgets: bool = False) -> None:
        super().__init__()
        self.chance, self.forgets, self.taken = Random(seed), forgets, list[int]()

    def report(self, number: int, body: bytes) -> None:
        if self.chance.random() < 0.3:
            raise Unreachable("silent")
        if self.forgets or number not in self.received:
            self.taken.append(number)
        super().report(number, body)
        if self.chance.random() < 0.3:
            raise Unreachable("the receipt was lost")


def delivered(seed: int, *, forgets: bool = False) -> list[int]:
    """Reports sent over a bad line, with crashes before the receipt is committed."""
    foyer = played(seed, rounds=6)
    issuer = foyer.issuer = Flaky(seed, forgets=forgets)
    foyer.crash()
    for _ in range(200):
        batch = foyer.concession.send_reports(foyer.now, most=4)
        if foyer.chance.random() < 0.5:
            foyer.disk.add(batch)
        else:
            foyer.crash()
        if not foyer.concession.state.queued:
            break
    foyer.crash()
    return issuer.taken


def test_r31_sent_once_and_in_order_over_a_bad_line() -> None:
    for seed in range(6):
        taken = delivered(seed)
        assert taken == list(range(1, len(taken) + 1))
        assert len(taken) >= 8


def test_r31_planted_fault_an_issuer_that_does_not_know_numbers_counts_twice() -> None:
    assert any(len(found := delivered(seed, forgets=True)) != len(set(found)) for seed in range(6))


def test_r14_the_ids_of_a_round_are_found_long_after() -> None:
    """Also when its session has ended and another runs at the table."""
    foyer = played(seed=9, rounds=2)
    before = foyer.concession.find_admission("1", "T1")
    assert before is not None
    leave_all(foyer)
    foyer.now += 5_000
    foyer.sit("1", "T1", 1, 5_000)
    after = foyer.concession.find_admission("1", "T1")
    assert after is not None
    assert after.session != before.session
    code = foyer.round("T1", {"1": (1, 500)})
    stream = foyer.disk.streams["concession"]
    assert read_admission(stream, foyer.disk.rounds[0].code, "1") == before._replace(issuer="")
    assert read_admission(stream, code, "1") == after._replace(issuer="")
    assert read_admission(stream, code, "2") is None
    assert read_admission(stream, "T1-none", "1") is None


def test_participations_are_numbered_within_their_session() -> None:
    asked: list[tuple[str, int]] = []

    class Counting(LocalIssuer):
        def participation(self, session: str, player: str, number: int, at: int) -> str:
            asked.append((session, number))
            return super().participation(session, player, number, at)

    foyer = HouseInMemory()
    foyer.issuer = Counting()
    foyer.crash()
    people = [foyer.joined(name, 10_000) for name in ("Ada", "Bea", "Cleo")]
    for table in ("T1", "T2"):
        foyer.open("ventuno", table)
        for player in people:
            foyer.bring(player, table, 1_000)
    assert [number for _, number in asked] == [1, 2, 3, 1, 2, 3]
    assert len({session for session, _ in asked}) == 2


def ask_house(foyer: HouseInMemory, command: Command, player: str = "") -> Decision:
    """By the whole pipeline, as doors do."""
    decided = foyer.pipeline.handle(Request("T1", command, foyer.key(), player))
    foyer.disk.add(decided.batch)
    return decided


def leave_all(foyer: HouseInMemory) -> None:
    """Everybody takes his money out, then leaves his seat; the last of them ends the session (reading 35)."""
    table = foyer.authority.tables["T1"].table
    for player, purse in table.purses.items():
        ask_house(foyer, TakeMoney(player, purse, foyer.now), player)
    assert foyer.concession.state.sessions, "they still sit"
    for box, seat in enumerate(table.seats, start=1):
        if seat:
            ask_house(foyer, LeaveSeat(seat.player, box, foyer.now), seat.player)
    assert not foyer.concession.state.sessions


def list_seated_without_ids(foyer: HouseInMemory) -> list[str]:
    seats = foyer.authority.tables["T1"].table.seats
    return [seat.player for seat in seats if seat and foyer.concession.find_admission(seat.player, "T1") is None]


def test_v75_who_sits_keeps_his_ids_when_he_takes_all_his_money_out() -> None:
    """Alone at the table, without a cent: as long as he sits the session lives, then it ends."""
    foyer = HouseInMemory()
    ada = foyer.joined("Ada", 10_000)
    foyer.open("ventuno", "T1")
    foyer.sit(ada, "T1", 1, 1_000)
    before = foyer.concession.find_admission(ada, "T1")
    ask_house(foyer, TakeMoney(ada, 1_000, foyer.now), ada)
    assert list_seated_without_ids(foyer) == []
    assert foyer.concession.find_admission(ada, "T1") == before
    foyer.crash()
    assert foyer.concession.find_admission(ada, "T1") == before
    ask_house(foyer, LeaveSeat(ada, 1, foyer.now), ada)
    assert foyer.concession.find_admission(ada, "T1") is None
    assert isinstance(read_last(foyer), SessionEnded)


def test_v75_who_comes_back_without_money_sits_down_with_new_ids() -> None:
    """The house knows him from before; a refused seat begins nothing."""
    foyer = HouseInMemory()
    ada, bea = foyer.joined("Ada", 10_000), foyer.joined("Bea")
    foyer.open("ventuno", "T1")
    foyer.bring(ada, "T1", 1_000)
    ask_house(foyer, TakeMoney(ada, 1_000, foyer.now), ada)
    foyer.now += 5_000
    for player, box in ((ada, 8), (bea, 1), ("", 1)):
        assert ask_house(foyer, TakeSeat(player, box, foyer.now), player).answer.refused
    assert ask_house(foyer, TakeSeat(ada, 1, foyer.now), bea).answer.refused
    assert isinstance(read_last(foyer), SessionEnded), "nothing began"
    foyer.issuer.answers = False
    assert ask_house(foyer, TakeSeat(ada, 1, foyer.now), ada).answer.refused == CentralUnreachable.__name__
    foyer.issuer.answers = True
    assert not ask_house(foyer, TakeSeat(ada, 1, foyer.now), ada).answer.refused
    assert list_seated_without_ids(foyer) == []


def test_v75_a_seat_lost_for_not_betting_ends_the_session_of_an_empty_table() -> None:
    foyer = HouseInMemory()
    ada = foyer.joined("Ada", 10_000)
    foyer.open("ventuno", "T1")
    foyer.sit(ada, "T1", 1, 1_000)
    ask_house(foyer, TakeMoney(ada, 1_000, foyer.now), ada)
    for _ in range(SHEETS["ventuno"].seats.lost_after):
        assert list_seated_without_ids(foyer) == []
        assert foyer.concession.find_admission(ada, "T1")
        foyer.now = foyer.authority.tables["T1"].table.deadline or 0
        ask_house(foyer, Tick(foyer.now))
    assert not any(foyer.authority.tables["T1"].table.seats)
    assert isinstance(read_last(foyer), SessionEnded)


def read_last(foyer: HouseInMemory) -> ConcessionEvent:
    record = foyer.disk.streams["concession"][-1]
    return read(record.kind, record.body)


def test_a_session_with_open_stakes_does_not_end() -> None:
    """Nor one where somebody plays who has left his seat; at a table for one it is the money that counts."""
    foyer = HouseInMemory()
    ada = foyer.joined("Ada", 10_000)
    foyer.open("ventuno", "T1")
    foyer.sit(ada, "T1", 1, 1_000)
    foyer.bet("T1", ada, 1, 1_000)
    table = foyer.authority.tables["T1"].table
    assert foyer.concession.end_session(table, foyer.now) is None
    assert foyer.concession.end_session(table._replace(seats=(None,) * 7), foyer.now) is None
    foyer.open("sisal", "S1", ada)
    foyer.bring(ada, "S1", 1_000)
    assert foyer.concession.end_session(foyer.authority.tables["S1"].table, foyer.now) is None
    foyer.say("S1", TakeMoney(ada, 1_000, foyer.now), ada)
    assert foyer.concession.end_session(foyer.authority.tables["S1"].table, foyer.now)


def test_a_local_issuer_that_starts_again_goes_on() -> None:
    """Its memory is gone with the process; the queue is not."""
    foyer = played(seed=8, rounds=3)
    foyer.disk.add(foyer.concession.send_reports(foyer.now))
    foyer.issuer = LocalIssuer()
    foyer.crash()
    foyer.round("T1", {"1": (1, 500)})
    foyer.disk.add(foyer.concession.send_reports(foyer.now))
    assert len(foyer.issuer.received) == 1
    assert foyer.concession.state.queued == ()


def test_concession_is_the_fold_of_its_stream() -> None:
    foyer = played(seed=7)
    before = foyer.concession.state
    foyer.crash()
    assert foyer.concession.state == before
    kinds = {type(read(record.kind, record.body)) for record in foyer.disk.streams["concession"]}
    assert RoundReported in kinds
    assert SessionEnded not in kinds


def test_g25_the_local_issuer_keeps_the_last_reports_and_still_takes_each_once() -> None:
    """However long a house runs; one that is left out is seen."""
    taking = LocalIssuer()
    for number in range(5, 3 * MAX_REPORTS):
        taking.report(number, b"first")
        taking.report(number, b"again")
    assert list(taking.received) == list(range(2 * MAX_REPORTS, 3 * MAX_REPORTS))
    assert set(taking.received.values()) == {b"first"}
    with pytest.raises(ValueError, match="one is missing"):
        taking.report(3 * MAX_REPORTS + 1, b"late")
