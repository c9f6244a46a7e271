"""What supervisors do at tables: limits, closing, overseeing, a void that asks twice; and how one becomes one (H-8)."""

from __future__ import annotations

from collections.abc import AsyncIterator
from hashlib import sha256
from itertools import count
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from tests.support.house import LIVE, OpenHouse, examined, key, permuted
from tests.support.house_in_memory import HouseInMemory
from ventuno.core.messages.commands import CloseTable, DealNow, PlaceBet, RepeatBets, Spot, TakeSeat, Void
from ventuno.core.messages.refusals import NothingToVoid, Refusal
from ventuno.core.views.private_view import Limit, build_empty_view
from ventuno.house.accounts.account_service import NotSupervisor
from ventuno.house.accounts.players import Role
from ventuno.house.accounts.rights import Right
from ventuno.house.accounts.second_factor import SecondFactorMissing
from ventuno.house.accounts.sessions import Entered
from ventuno.house.store import audit_log
from ventuno.house.store.audit_log import RightsChanged, SupervisorViewed, TableActed
from ventuno.house.supervision import CONFIRM, Confirmation
from ventuno.house.tables.authority import NameUsed, NoSuchTable
from ventuno.house.tables.table_service import TableUnfit, VersionedView
from ventuno.sheets import GAMES, load


class Shift(OpenHouse):
    """An evening with a supervisor; tokens come from a source that is the same every time."""

    def config(self) -> dict[str, Any]:
        numbers = count()
        return {
            **super().config(),
            "tokens": lambda size: sha256(f"token {next(numbers)}".encode()).digest()[:size],
        }

    async def acts(self) -> list[TableActed]:
        records = await self.application.host.commits.store.read_records(audit_log.STREAM)
        return [entry.event for entry in audit_log.read_entries(records) if isinstance(entry.event, TableActed)]

    async def seated(self) -> str:
        """Ada at the live table, with 1 000 of hers on box 1."""
        ada = await self.joined("Ada")
        await self.application.tables.open(LIVE, "ventuno")
        await self.sit(ada, LIVE, 1)
        await self.betting(LIVE)
        await self.bet(ada, LIVE, (Spot(1, "main"),))
        return ada

    async def prepared(self, by: str, table: str = LIVE, reason: str = "camera fault") -> Confirmation:
        found = self.application.supervision.prepare_void(by, table, reason)
        assert isinstance(found, Confirmation), found
        return found


@pytest_asyncio.fixture
async def shift(tmp_path: Path) -> AsyncIterator[Shift]:
    made = Shift(f"sqlite:///{tmp_path}/house.db", tmp_path / "data")
    made.certify(*GAMES)
    await made.open()
    yield made
    await made.application.close()


async def test_x10_a_void_is_confirmed_for_the_round_it_was_prepared_for(shift: Shift) -> None:
    ada, eva = await shift.seated(), await shift.supervisor()
    code = await shift.deal(LIVE, ada)
    house = shift.application
    prepared = await shift.prepared(eva)
    assert (prepared.round, prepared.expires) == (code, house.host.commits.now() + CONFIRM)
    assert (await house.supervision.void(eva, LIVE, "camera fault", key(), "no tok\u00e9n")).refused == "NotConfirmed"
    assert (await house.supervision.void(eva, LIVE, "another reason", key(), prepared.token)).refused == "NotConfirmed"
    assert (await house.supervision.void(ada, LIVE, "camera fault", key(), prepared.token)).refused == "NotSupervisor"
    ugo = await shift.supervisor("Ugo")
    assert (await house.supervision.void(ugo, LIVE, "camera fault", key(), prepared.token)).refused == "NotConfirmed"
    again = key()
    done = await house.supervision.void(eva, LIVE, "camera fault", again, prepared.token)
    assert not done.refused
    assert await house.supervision.void(eva, LIVE, "camera fault", again, prepared.token) == done, (
        "the same key, the same answer"
    )
    assert (await house.supervision.void(eva, LIVE, "camera fault", key(), prepared.token)).refused == "NothingToVoid"
    assert shift.own_view(LIVE, ada).balance == 100_000


async def test_x10_a_confirmation_ends_after_a_minute(shift: Shift) -> None:
    ada, eva = await shift.seated(), await shift.supervisor()
    await shift.deal(LIVE, ada)
    await shift.application.supervision.pause(eva, LIVE, "camera fault", key())
    prepared = await shift.prepared(eva)
    shift.clock.move(CONFIRM)
    assert (
        await shift.application.supervision.void(eva, LIVE, "camera fault", key(), prepared.token)
    ).refused == "NotConfirmed"
    prepared = await shift.prepared(eva)
    shift.clock.move(CONFIRM - 1)
    assert not (await shift.application.supervision.void(eva, LIVE, "camera fault", key(), prepared.token)).refused


async def test_x10_a_confirmation_voids_no_later_round(shift: Shift) -> None:
    """Neither the round that these bets become, nor the next bets."""
    ada, eva = await shift.seated(), await shift.supervisor()
    prepared = await shift.prepared(eva)
    assert prepared.round == "bets-1"
    await shift.deal(LIVE, ada)
    assert (
        await shift.application.supervision.void(eva, LIVE, "camera fault", key(), prepared.token)
    ).refused == "OtherRound"
    prepared = await shift.prepared(eva)
    await shift.finish(LIVE, (ada,))
    await shift.betting(LIVE)
    await shift.bet(ada, LIVE, (Spot(1, "main"),))
    assert (
        await shift.application.supervision.void(eva, LIVE, "camera fault", key(), prepared.token)
    ).refused == "OtherRound"
    assert shift.own_view(LIVE, ada).staked == 1_000


async def test_x10_a_void_is_prepared_only_where_something_is_open(shift: Shift) -> None:
    eva = await shift.supervisor()
    await shift.application.tables.open(LIVE, "ventuno")
    assert shift.application.supervision.prepare_void(eva, LIVE, "why not") == NothingToVoid()
    assert shift.application.supervision.prepare_void(eva, "T9", "why not") == NoSuchTable("T9")
    assert isinstance(shift.application.supervision.prepare_void(eva, LIVE, " "), Refusal)
    assert shift.application.supervision.prepare_void("1000", LIVE, "why not") == NotSupervisor("1000")


async def test_tokens_come_from_the_random_source_of_the_house(tmp_path: Path) -> None:
    found = []
    for name in ("one", "two"):
        shift = Shift(f"sqlite:///{tmp_path}/{name}.db", tmp_path / name)
        shift.certify(*GAMES)
        await shift.open()
        ada, eva = await shift.seated(), await shift.supervisor()
        await shift.deal(LIVE, ada)
        found.append([(await shift.prepared(eva)).token for _ in range(2)])
        await shift.application.close()
    assert found[0] == found[1]
    assert found[0][0] != found[0][1]
    assert len(found[0][0]) == 32


async def test_v43_new_limits_bind_when_betting_opens_next_and_say_why(shift: Shift) -> None:
    ada, eva = await shift.seated(), await shift.supervisor()
    house = shift.application
    changed = await house.supervision.change_limits(eva, LIVE, {"main": (500, 2_000)}, "a quiet evening", key())
    assert not changed.refused
    assert shift.own_view(LIVE, ada).limits["main"] == Limit(100, 50_000), "not under bets that lie there"
    await shift.deal(LIVE, ada)
    await shift.finish(LIVE, (ada,))
    await shift.betting(LIVE)
    assert shift.own_view(LIVE, ada).limits["main"] == Limit(500, 2_000)
    too_much = PlaceBet(ada, (Spot(1, "main"),), 2_010, 0, exact=True)
    assert (await house.tables.ask(ada, LIVE, too_much, key())).refused == "LimitReached"
    assert (
        await house.supervision.change_limits(ada, LIVE, {"main": (100, 200)}, "mine", key())
    ).refused == "NotSupervisor"
    assert (
        await house.supervision.change_limits(eva, LIVE, {"gold": (100, 200)}, "new", key())
    ).refused == "BetNotOffered"
    assert (
        await house.supervision.change_limits(eva, LIVE, {"main": (100, 200)}, "", key())
    ).refused == "ReasonMissing"
    await shift.crash()
    assert shift.own_view(LIVE, ada).limits["main"] == Limit(500, 2_000)
    assert TableActed(LIVE, "limits", eva, "a quiet evening: main 500-2000") in await shift.acts()


async def test_x10_a_table_closes_after_its_round_and_the_money_is_free_again(shift: Shift) -> None:
    ada, eva = await shift.seated(), await shift.supervisor()
    house = shift.application
    code = await shift.deal(LIVE, ada)
    again = key()
    closing = await house.supervision.close_table(eva, LIVE, "end of the evening", again)
    assert not closing.refused
    closing_room = house.host.committed[LIVE].table
    assert (shift.view(LIVE, ada).closing, closing_room.closing) == (True, "end of the evening")
    assert (await house.tables.ask(ada, LIVE, TakeSeat(ada, 2, 0), key())).refused == "TableClosing"
    told: list[VersionedView] = []
    house.tables.watch(LIVE, ada, told.append)
    await shift.finish(LIVE, (ada,))
    shift.clock.move(20_000)
    await shift.until(lambda: LIVE not in house.host.committed)
    assert told[-1].public.phase == "closed"
    assert house.tables.see(LIVE, ada) == NoSuchTable(LIVE)
    assert [line.table for line in house.tables.list_lobby(ada)] == []
    line = (await house.history.list_rounds(ada)).lines[0]
    assert line.code == code
    means = await house.cashier.read_balances(ada)
    assert (means.free, means.at_tables, means.in_play) == (500_000 + line.net, 0, 0)
    assert (await house.tables.ask(ada, LIVE, RepeatBets(ada, 0), key())).refused == "NoSuchTable"
    assert await house.supervision.close_table(eva, LIVE, "end of the evening", again) == closing
    assert TableActed(LIVE, "close", eva, "end of the evening") in await shift.acts()
    assert (await shift.verdict(ada, code)).is_open, "its shoe is opened, and can be verified"
    assert LIVE not in house.tables._concession.state.sessions
    assert await examined(shift.url) == ()


async def test_x10_a_closed_name_is_not_given_again(shift: Shift) -> None:
    eva = await shift.supervisor()
    house = shift.application
    await house.tables.open(LIVE, "ventuno")
    assert not (await house.supervision.close_table(eva, LIVE, "no players", key())).refused
    for _ in range(2):
        assert LIVE not in shift.application.host.committed
        assert await shift.application.tables.open(LIVE, "ventuno") == TableUnfit(LIVE, "name-taken")
        with pytest.raises(NameUsed):
            await shift.application.host.open_table(LIVE, load("ventuno"))
        await shift.crash()
    assert not isinstance(await shift.application.tables.open("T2", "ventuno"), Refusal)


async def test_x10_a_crash_in_the_closing_goes_on_closing(shift: Shift) -> None:
    ada, eva = await shift.seated(), await shift.supervisor()
    await shift.deal(LIVE, ada)
    await shift.application.supervision.close_table(eva, LIVE, "late", key())
    await shift.crash()
    assert (shift.view(LIVE, ada).closing, shift.application.host.committed[LIVE].table.closing) == (True, "late")
    await shift.finish(LIVE, (ada,))
    await shift.crash()
    shift.clock.move(20_000)
    await shift.until(lambda: LIVE not in shift.application.host.committed)
    assert (await shift.application.cashier.read_balances(ada)).at_tables == 0
    await shift.crash()
    assert LIVE not in shift.application.host.committed
    assert LIVE in shift.application.host.authority.closed_names


async def test_x10_a_table_for_one_comes_back_under_another_name(shift: Shift) -> None:
    ada, eva = await shift.joined("Ada"), await shift.supervisor()
    first = await shift.application.tables.open_solo(ada, "duello")
    assert isinstance(first, str)
    await shift.application.tables.bring(ada, first, 10_000, key())
    await shift.betting(first, ada)
    await shift.bet(ada, first, (Spot(1, "main"),))
    assert not (await shift.application.supervision.close_table(eva, first, "new limits", key())).refused
    assert (await shift.application.cashier.read_balances(ada)).free == 500_000, "the bets were not dealt"
    second = await shift.application.tables.open_solo(ada, "duello")
    assert isinstance(second, str)
    assert second != first
    assert await shift.application.tables.open_solo(ada, "duello") == second
    await shift.application.tables.bring(ada, second, 10_000, key())
    await shift.solo_round(ada, second, (Spot(1, "main"),))
    await shift.application.supervision.close_table(eva, second, "again", key())
    assert await shift.application.tables.open_solo(ada, "duello") not in (first, second)


async def test_x10_no_player_closes_a_table(shift: Shift) -> None:
    ada = await shift.seated()
    assert (await shift.application.tables.ask(ada, LIVE, CloseTable(ada, "mine", 0), key())).refused == "NotYours"
    assert (await shift.application.supervision.close_table(ada, LIVE, "mine", key())).refused == "NotSupervisor"


async def test_h8_a_supervisor_sees_what_a_spectator_sees_and_it_is_written_down(shift: Shift) -> None:
    ada, eva = await shift.joined("Ada"), await shift.supervisor()
    table = await shift.application.tables.open_solo(ada, "sisal")
    assert isinstance(table, str)
    await shift.application.tables.bring(ada, table, 10_000, key())
    await shift.betting(table, ada)
    oversee = shift.application.supervision.oversee

    async def overseen() -> VersionedView:
        seen = await oversee(eva, table)
        assert isinstance(seen, VersionedView)
        return seen

    assert isinstance(await oversee(ada, table), Refusal)
    assert await oversee(eva, "T9") == NoSuchTable("T9")
    assert (await overseen()).private == build_empty_view("")
    await shift.bet(ada, table, (Spot(1, "main"),))
    assert (await overseen()).public.bets == (), "bets that are not final are their player's own"
    await shift.say(ada, table, DealNow(ada, 0))
    shown = await overseen()
    assert shown.private == build_empty_view("")
    house = shift.application.host
    room = house.committed[table]
    if room.table.phase == "round":
        assert shown.public.dealer.face_down == 1
        other = permuted(room)
        assert other.table != room.table
        house.committed[table] = other
        again = await overseen()
        house.committed[table] = room
        assert str(again) == str(shown)
    records = await house.commits.store.read_records(audit_log.STREAM)
    views = [entry.event for entry in audit_log.read_entries(records) if isinstance(entry.event, SupervisorViewed)]
    assert views.count(SupervisorViewed(eva, "table", table)) >= 3


async def test_appointing_is_written_down_and_needs_a_second_factor(shift: Shift) -> None:
    ada = await shift.joined("Ada")
    await shift.application.tables.open(LIVE, "ventuno")
    await shift.application.accounts.appoint(ada, Role.SUPERVISOR)
    assert (await shift.application.supervision.pause(ada, LIVE, "x", key())).refused == SecondFactorMissing().code
    assert (await shift.application.tables.bring(ada, LIVE, 1_000, key()))[0].refused == "SecondFactorMissing"
    entered = await shift.application.accounts.log_in("Ada", "correct horse battery", "::1", "browser")
    assert isinstance(entered, Entered), "to enrol"
    await shift.application.accounts.appoint(ada, Role.SUPERVISOR, "JBSWY3DPEHPK3PXP")
    assert not (await shift.application.supervision.pause(ada, LIVE, "x", key())).refused
    await shift.application.accounts.appoint(ada, Role.PLAYER)
    assert (await shift.application.supervision.resume(ada, LIVE, key())).refused == "NotSupervisor"
    records = await shift.application.host.commits.store.read_records(audit_log.STREAM)
    given = [entry.event for entry in audit_log.read_entries(records) if isinstance(entry.event, RightsChanged)]
    assert given[0] == RightsChanged(ada, "operator", "role supervisor")
    assert given[-1] == RightsChanged(ada, "operator", "role player")


async def test_h8_a_supervisor_whose_account_is_closed_supervises_no_more(shift: Shift) -> None:
    await shift.application.tables.open(LIVE, "ventuno")
    eva, commits = await shift.supervisor(), shift.application.host.commits
    assert shift.application.accounts.check_right(eva, Right.CORRECT) is None
    await commits.commit(shift.application.accounts._login.disable(eva, "operator", "left", commits.now()))
    assert shift.application.accounts.check_right(eva, Right.CORRECT) == NotSupervisor(eva)
    assert (await shift.application.supervision.pause(eva, LIVE, "x", key())).refused == "NotSupervisor"


def test_a_table_is_never_opened_over_another() -> None:
    foyer = HouseInMemory()
    foyer.open("ventuno", "T1")
    held = foyer.authority.tables["T1"]
    with pytest.raises(NameUsed, match="T1"):
        foyer.open("ventuno", "T1")
    assert foyer.authority.tables["T1"] is held
    foyer.say("T1", CloseTable("sup", "late", foyer.now), "")
    foyer.authority.retire("T1")
    with pytest.raises(NameUsed):
        foyer.open("ventuno", "T1")


def test_void_and_closing_are_the_houses_to_say() -> None:
    foyer = HouseInMemory()
    ada = foyer.joined("Ada", 50_000)
    foyer.open("ventuno", "T1")
    for command in (Void(ada, "mine", foyer.now), CloseTable(ada, "mine", foyer.now)):
        assert foyer.ask("T1", command, ada).answer.refused == "NotYours"
