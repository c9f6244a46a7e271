"""A house comes back from its store to the very card, or says all that is wrong and stays closed (R-06, I-1…I-7)."""

from __future__ import annotations

import asyncio
import random
import shutil
import sqlite3
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.support.databases import execute
from tests.support.patience import PATIENCE
from tests.support.scripted_evening import SHEETS_BY_HASH, Free, Shoes, authority, fill, open_house, tape
from tests.support.seated_table import BET, open_seated_table, perform, wait_for_phase
from ventuno.core.messages.commands import BringMoney, Pause, PlaceBet, Resume, Spot, Tick, Void
from ventuno.core.rules.money import Cents, PlayerId
from ventuno.core.table.state import Phase
from ventuno.house.store.clock import JumpingClock
from ventuno.house.store.durability import StoreInconsistent, open_store
from ventuno.house.store.records import Batch, KeyRow, NameRow, Snapshot
from ventuno.house.store.store import OnDone, Store, StoreFailed
from ventuno.house.tables import table_host
from ventuno.house.tables.authority import Authority, Decision, LiveTable, NotYours, Request, recover_table, refuse
from ventuno.house.tables.bonus_draws import BonusDraws
from ventuno.house.tables.recovery import recover, take_snapshot
from ventuno.house.tables.table_host import TableCommitted, TableHost


@pytest.mark.parametrize("seed", range(6))
def test_the_rooms_come_back_as_they_were(url: str, seed: int) -> None:
    """With or without snapshots, of whatever age, the fold gives the same rooms (I-6)."""
    made = tape(seed, 200)
    chance = random.Random(seed)
    sheets = dict(SHEETS_BY_HASH)

    async def scenario() -> None:
        store = await open_store(url)
        await fill(store, made.batches)
        for stream, records in made.records().items():
            if chance.random() < 0.7:
                await store.save(take_snapshot(recover_table(records[: chance.randint(1, len(records))], sheets)))
                assert stream in await store.read_snapshots()
        found = await recover(store, sheets, deep=True)
        assert found.rooms == made.house.tables
        assert found.balances == made.house.wallet.balances()
        assert found.last == max(records[-1].at for records in made.records().values())
        await store.close()

    asyncio.run(scenario())


EDITS = {
    "a changed body": "UPDATE log SET body = x'7b7d' WHERE kind = 'BetPlaced'",
    "a changed time": "UPDATE log SET at = at + 1 WHERE seq = 3",
    "a changed kind": "UPDATE log SET kind = 'BetRemoved' WHERE kind = 'BetPlaced'",
    "a changed hash": "UPDATE log SET hash = x'00' WHERE seq = 4",
    "a missing record": "DELETE FROM log WHERE seq = 5",
    "a missing first record": "DELETE FROM log WHERE seq = 1",
    "a missing last record": "DELETE FROM log WHERE seq = (SELECT max(seq) FROM log l WHERE l.stream = log.stream)",
    "a missing stream": "DELETE FROM log WHERE stream = 'table:T0'",
    "an inserted record": "INSERT INTO log SELECT stream, seq + 1, at, kind, body, hash FROM log "
    "WHERE stream = 'table:T0' AND seq = (SELECT max(seq) FROM log WHERE stream = 'table:T0')",
    "a changed balance": "UPDATE accounts SET balance = balance + 1 WHERE account = 'player:ada'",
    "a missing account": "DELETE FROM accounts WHERE account = 'player:ada'",
    "a changed posting": "UPDATE postings SET amount = amount + 1 WHERE account = 'player:ada'",
    "a missing posting": "DELETE FROM postings WHERE account = 'player:ada'",
    "a changed snapshot": "UPDATE snapshots SET body = CAST(replace(CAST(body AS TEXT), '\"purses\":{', "
    '\'"purses":{"eve":5,\') AS BLOB)',
    "a snapshot of another record": "UPDATE snapshots SET seq = seq - 1",
    "an unreadable snapshot": "UPDATE snapshots SET body = x'7b7d'",
}


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with a tape in it, and snapshots before its end."""
    file = tmp_path_factory.mktemp("kept") / "house.db"
    made = tape(5, 200)

    async def scenario() -> None:
        store = await open_store(f"sqlite:///{file}")
        await fill(store, made.batches)
        for records in made.records().values():
            await store.save(take_snapshot(recover_table(records[:-2], dict(SHEETS_BY_HASH))))
        await store.close()

    asyncio.run(scenario())
    return file


@pytest.mark.parametrize("what", [*EDITS, "nothing"])
def test_g11_what_was_tampered_with_does_not_open(kept: Path, tmp_path: Path, what: str) -> None:
    url = f"sqlite:///{tmp_path}/house.db"
    shutil.copy(kept, tmp_path / "house.db")

    async def scenario() -> None:
        if what != "nothing":
            await execute(url, EDITS[what])
        store = await open_store(url)
        try:
            await TableHost.open(store, authority(), SHEETS_BY_HASH, JumpingClock(), deep=True, resume=False)
        finally:
            await store.close()

    if what == "nothing":
        asyncio.run(scenario())
    else:
        with pytest.raises(StoreInconsistent) as fault:
            asyncio.run(scenario())
        assert fault.value.faults


def test_all_faults_are_listed_at_once(kept: Path, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/house.db"
    shutil.copy(kept, tmp_path / "house.db")

    async def scenario() -> None:
        await execute(url, EDITS["a changed balance"], EDITS["a missing last record"])
        store = await open_store(url)
        with pytest.raises(StoreInconsistent) as fault:
            await recover(store, SHEETS_BY_HASH)
        assert len(fault.value.faults) >= 3
        await store.close()

    asyncio.run(scenario())


def test_i3_money_that_the_tables_do_not_show_keeps_the_house_closed(kept: Path, tmp_path: Path) -> None:
    """Balanced, summed and chained, but not what the tables say."""
    url = f"sqlite:///{tmp_path}/house.db"
    shutil.copy(kept, tmp_path / "house.db")

    async def scenario() -> None:
        await execute(
            url,
            "INSERT INTO postings VALUES ('x', 1, 0, 'player:ada', -1, '', '')",
            "INSERT INTO postings VALUES ('x', 1, 1, 'player:ada:table', 1, '', '')",
            "UPDATE accounts SET balance = balance - 1 WHERE account = 'player:ada'",
            "UPDATE accounts SET balance = balance + 1 WHERE account = 'player:ada:table'",
        )
        store = await open_store(url)
        with pytest.raises(StoreInconsistent, match="player:ada:table"):
            await TableHost.open(store, authority(), SHEETS_BY_HASH, JumpingClock())
        await store.close()

    asyncio.run(scenario())


def test_r06_an_open_round_goes_on_with_the_same_cards_and_no_less_time(url: str) -> None:
    async def scenario() -> None:
        clock = JumpingClock()
        house = await open_house(url, clock)
        await open_seated_table(house)
        await perform(house, BET, "bet")
        await wait_for_phase(clock, house, Phase.ROUND)
        before = house.committed["T"].table
        assert before.deadline is not None
        left = before.deadline - (await house.commits.store.read_records("table:T"))[-1].at
        await house.commits.store.close()

        later = JumpingClock(clock.now() + 3_600_000)
        again = await open_house(url, later, resume=False)
        paused = again.committed["T"].table
        assert paused.pause is not None
        assert (paused.pause.by, paused.pause.reason, paused.pause.remaining) == ("house", "restart", left)
        await again.resume_all()
        after = again.committed["T"].table
        assert after.deadline is not None
        assert after.deadline - later.now() >= left
        assert after._replace(deadline=before.deadline) == before
        await wait_for_phase(later, again, Phase.RESULTS)
        assert (await again.commits.store.sum_postings())["cashier"] == -100_000
        await again.stop()

    asyncio.run(scenario())


def test_v76_what_a_supervisor_paused_stays_paused(url: str) -> None:
    async def scenario() -> None:
        house = await open_house(url, JumpingClock())
        await open_seated_table(house)
        await perform(house, BET, "bet")
        assert not (await house.ask(Request("T", Pause("eva", "a card fell", 0), "pause"))).refused
        await house.stop()
        again = await open_house(url, JumpingClock())
        pause = again.committed["T"].table.pause
        assert pause is not None
        assert pause.by == "eva"
        await again.stop()

    asyncio.run(scenario())


def test_an_orderly_stop_keeps_the_time_left(url: str) -> None:
    async def scenario() -> None:
        clock = JumpingClock()
        house = await open_house(url, clock)
        await open_seated_table(house)
        await perform(house, BET, "bet")
        clock.move(4_000)
        deadline = house.committed["T"].table.deadline
        assert deadline is not None
        await house.stop()
        with pytest.raises(StoreFailed):
            await house.ask(Request("T", BET, "late", "ada"))
        again = await open_house(url, clock)
        assert again.committed["T"].table.deadline == deadline
        await again.stop()

    asyncio.run(scenario())


def test_i4_a_key_holds_for_the_life_of_the_ledger(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Even where the key is too old to be in memory after a restart."""
    monkeypatch.setattr(table_host, "RECENT_KEYS", 1)

    async def scenario() -> None:
        house = await open_house(url, JumpingClock())
        await open_seated_table(house)
        first = await perform(house, BET, "bet")
        await house.stop()
        again = await open_house(url, JumpingClock())
        version = again.committed["T"].version
        assert await perform(again, BET, "bet") == first
        other = await again.ask(Request("T", BringMoney("ada", 1, 0), "bet", "ada"))
        assert other.refused == "KeyReused"
        assert again.committed["T"].version == version
        await again.stop()

    asyncio.run(scenario())


@pytest.mark.parametrize("kept", [1, 5_000])
def test_g7_one_key_a_hundred_times_at_once_is_one_bet(url: str, monkeypatch: pytest.MonkeyPatch, kept: int) -> None:
    """Also where memory keeps one key, and each of the hundred has to ask the store."""
    monkeypatch.setattr(table_host, "RECENT_KEYS", kept)

    async def scenario() -> None:
        house = await open_house(url, JumpingClock())
        await open_seated_table(house)
        answers = await asyncio.gather(*[house.ask(Request("T", BET, "bet", "ada")) for _ in range(100)])
        assert len(set(map(repr, answers))) == 1
        assert house.committed["T"].table.total_stake_of("ada") == 500
        for number in range(3):
            await perform(house, BringMoney("ada", 1, 0), f"more{number}")
        again = await asyncio.gather(*[house.ask(Request("T", BET, "bet", "ada")) for _ in range(100)])
        other = [house.ask(Request("T", BringMoney("ada", number, 0), "bet", "ada")) for number in range(1, 101)]
        assert {answer.refused for answer in await asyncio.gather(*other)} == {"KeyReused"}
        assert again == answers
        assert house.committed["T"].table.total_stake_of("ada") == 500
        await house.stop()

    asyncio.run(scenario())


def test_i4_memory_holds_as_many_keys_as_are_recent(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many commands come: the authority keeps the last ones, the store all, and a mixture of both is told."""
    monkeypatch.setattr(table_host, "RECENT_KEYS", 20)

    async def scenario() -> None:
        house = await open_house(url, JumpingClock())
        await open_seated_table(house)
        first = [await perform(house, BringMoney("ada", 1, 0), f"k{number}") for number in range(100)]
        assert sum(key.key in house.authority.keys for key in await house.commits.store.read_recent_keys(1_000)) == 20
        purse = house.committed["T"].table.purse("ada")
        again = await asyncio.gather(*[perform(house, BringMoney("ada", 1, 0), f"k{number}") for number in range(100)])
        assert again == first
        assert house.committed["T"].table.purse("ada") == purse
        await house.stop()

    asyncio.run(scenario())


def test_r42_a_name_is_held_once_and_asking_for_it_harms_nobody(url: str) -> None:
    """Two want it at the same moment, a third after a restart: one has it, the writer goes on."""
    row = NameRow("login", "ada", "1")
    other = [NameRow("tax", "5f", "2"), row._replace(owner="2")]

    async def scenario() -> None:
        house = await open_house(url, JumpingClock())
        taken = await asyncio.gather(*[house.commits.reserve([row._replace(owner=str(one))]) for one in range(20)])
        assert sum(one is None for one in taken) == 1
        house.commits.release([row._replace(owner=str(taken.index(None)))])
        assert await house.commits.reserve([row]) is None
        assert await house.commits.reserve(other) == other[1]
        assert await house.commits.reserve([row]) == row, "not even its holder reserves it twice"
        await house.commits.write(Batch(names=(row,)))
        assert await house.commits.reserve(other) == other[1]
        assert await house.commits.reserve([other[0]]) is None, "what was not to be had together was given back"
        with pytest.raises(ValueError, match="reserved"):
            house.commits.write(Batch(names=(row._replace(owner="3"),)))
        await open_seated_table(house)
        await house.stop()
        again = await open_house(url, JumpingClock())
        assert await again.commits.reserve(other) == other[1]
        assert await again.commits.store.find_owner("login", "ada") == "1"
        assert await again.commits.store.list_names("login") == [row]
        await again.stop()

    asyncio.run(scenario())


def test_a_refused_deadline_is_told_and_not_asked_again(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A planted table that will not take its deadline: one report, no loop, and a new deadline is tried again."""
    right = Authority.handle

    def handle(self: Authority, request: Request) -> Decision:
        if isinstance(request.command, Tick):
            return refuse(request.table, self.tables[request.table].version, NotYours("planted"))
        return right(self, request)

    async def scenario() -> None:
        clock = JumpingClock()
        house = await open_house(url, clock)
        await open_seated_table(house)
        await perform(house, BET, "bet")
        monkeypatch.setattr(Authority, "handle", handle)
        clock.move(120_000)
        async with asyncio.timeout(PATIENCE):
            while not house.housekeeping.refused_ticks:
                await asyncio.sleep(0.01)
        await perform(house, BringMoney("ada", 1, 0), "more")
        await asyncio.sleep(0.1)
        assert house.housekeeping.refused_ticks == 1
        monkeypatch.setattr(Authority, "handle", right)
        for command in (Pause("eva", "look", 0), Resume("eva", 0)):
            assert not (await house.ask(Request("T", command, type(command).__name__))).refused
        await wait_for_phase(clock, house, Phase.ROUND)
        assert house.housekeeping.refused_ticks == 1
        await house.stop()

    asyncio.run(scenario())


def test_d05_a_vip_level_is_the_houses_to_say(tmp_path: Path) -> None:
    async def scenario() -> None:
        house = await open_house(f"sqlite:///{tmp_path}/house.db", JumpingClock())
        await open_seated_table(house)
        forged = await house.ask(Request("T", BringMoney("ada", 1, 0, vip=9), "forged", "ada"))
        assert forged.refused == "NotYours"
        honest = await house.ask(Request("T", BringMoney("ada", 1, 0, vip=1), "honest", "ada", trusted=True))
        assert not honest.refused
        assert house.committed["T"].table.vip == {"ada": 1}
        await house.stop()

    asyncio.run(scenario())


def test_r33_what_was_given_back_counts_in_no_limit(url: str) -> None:
    """A voided round is in the history and in no window, before a restart and after it."""
    noted: list[tuple[PlayerId, Cents]] = []

    class Noting(Free):
        def add_round(self, player: PlayerId, staked: Cents, _returned: Cents, _at: int, /) -> None:
            noted.append((player, staked))

    async def scenario() -> None:
        clock = JumpingClock()
        guarded = Authority(Noting(), BonusDraws(random.Random(1).randrange), SHEETS_BY_HASH)
        house = await TableHost.open(await open_store(url), guarded, SHEETS_BY_HASH, clock, Shoes())
        await open_seated_table(house)
        for number, ends in enumerate((Void("eva", "a card fell", 0), None)):
            await wait_for_phase(clock, house, Phase.BETTING)
            await perform(house, BET, f"bet{number}")
            await wait_for_phase(clock, house, Phase.ROUND)
            if ends:
                assert not (await house.ask(Request("T", ends, "void"))).refused
            await wait_for_phase(clock, house, Phase.BETTING)
        assert len(noted) == 1
        assert [(share.player, share.staked) for share in await house.commits.store.list_counted_shares(0)] == noted
        assert [share.player for share in await house.commits.store.list_shares()] == ["ada", "ada"]
        assert await house.commits.store.list_counted_shares(clock.now()) == []
        await house.stop()

    asyncio.run(scenario())


def test_nobody_can_use_up_the_keys_of_the_house_or_of_others(url: str) -> None:
    async def scenario() -> None:
        clock = JumpingClock()
        house = await open_house(url, clock)
        await open_seated_table(house)
        version = house.committed["T"].version
        for ahead in range(4):
            await perform(house, BringMoney("ada", 1, 0), f"house:tick:T:{version + ahead}")
        await perform(house, BET, "bet")
        await wait_for_phase(clock, house, Phase.ROUND)
        await house.stop()

    asyncio.run(scenario())


def test_a_whole_evening_by_the_clock_alone(url: str) -> None:
    """Deadlines come by themselves, shoes are brought, watchers see every version once and in order."""
    seen: list[TableCommitted] = []

    def broken(_news: TableCommitted) -> None:
        raise ZeroDivisionError

    async def scenario() -> None:
        clock = JumpingClock()
        house = await open_house(url, clock)
        await open_seated_table(house)
        first = house.committed["T"].version
        end = house.watch("T", seen.append)
        house.watch("T", broken)
        for number in range(3):
            await wait_for_phase(clock, house, Phase.BETTING)
            await perform(house, BET, f"bet{number}")
            await wait_for_phase(clock, house, Phase.RESULTS)
        end()
        versions = [first, *[news.version for news in seen]]
        assert all(before + len(news.events) == news.version for before, news in zip(versions, seen, strict=False))
        assert [share.player for share in await house.commits.store.list_shares()] == ["ada"] * 3
        assert house.authority.find_faults() == []
        await house.stop()

    asyncio.run(scenario())


def test_t10_a_copy_taken_under_load_opens_whole(tmp_path: Path) -> None:
    """An online copy while the house plays: chains, sums and tables agree, up to its last commit."""
    file, copy = tmp_path / "house.db", tmp_path / "copy.db"

    def copied() -> None:
        source, target = sqlite3.connect(file), sqlite3.connect(copy)
        source.backup(target, pages=5)
        source.close()
        target.close()

    async def scenario() -> None:
        house = await open_house(f"sqlite:///{file}", JumpingClock())
        await open_seated_table(house)
        copying = asyncio.create_task(asyncio.to_thread(copied))
        count = 0
        while not copying.done():
            count += 1
            await perform(house, BringMoney("ada", 1, 0), f"more{count}")
        await house.stop()
        again = await open_house(f"sqlite:///{copy}", JumpingClock(), deep=True)
        assert again.committed["T"].version > 0
        await again.stop()

    asyncio.run(scenario())


@dataclass
class Held(Store):
    """A store in memory whose commits happen when the test says so."""

    waiting: list[OnDone] = field(default_factory=list)

    def submit(self, _batch: Batch, done: OnDone, _snapshot: Snapshot | None = None) -> None:
        self.waiting.append(done)

    def release(self, fault: StoreFailed | None = None) -> None:
        waiting, self.waiting = self.waiting, []
        for done in waiting:
            done(fault)

    async def close(self) -> None:
        self.release()

    async def _ask(self, _name: str, _values: dict[str, Any]) -> list[Any]:
        return []


async def settled() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


async def held() -> tuple[Held, TableHost, list[LiveTable]]:
    store = Held()
    house = await TableHost.open(store, authority(), SHEETS_BY_HASH, JumpingClock(), Shoes())
    opening = asyncio.create_task(open_seated_table(house))
    while not opening.done():
        store.release()
        await settled()
    shown: list[LiveTable] = []
    house.watch("T", lambda news: shown.append(news.live))
    return store, house, shown


def test_i7_nothing_is_said_or_shown_before_it_is_durable() -> None:
    """Not the bet, not the same bet again, not a refusal that knows of it."""

    async def scenario() -> None:
        store, house, shown = await held()
        before = house.committed["T"]
        requests = [
            Request("T", BET, "bet", "ada"),
            Request("T", BET, "bet", "ada"),
            Request("T", PlaceBet("ada", (Spot(1, "main"),), 10**8, 0, exact=True), "huge", "ada"),
        ]
        asked = [asyncio.create_task(house.ask(request)) for request in requests]
        await settled()
        assert not any(task.done() for task in asked)
        assert (house.committed["T"], shown) == (before, [])
        store.release()
        await settled()
        assert [bool(task.result().refused) for task in asked] == [False, False, True]
        assert shown == [house.committed["T"]]

    asyncio.run(scenario())


def test_who_goes_away_does_not_take_the_news_with_him() -> None:
    async def scenario() -> None:
        store, house, shown = await held()
        asked = asyncio.create_task(house.ask(Request("T", BET, "bet", "ada")))
        await settled()
        asked.cancel()
        await settled()
        store.release()
        assert [room.table.total_stake_of("ada") for room in shown] == [500]

    asyncio.run(scenario())


def test_g8_after_a_failed_commit_nothing_is_acknowledged() -> None:
    async def scenario() -> None:
        store, house, shown = await held()
        asked = [asyncio.create_task(house.ask(Request("T", BET, f"bet{number}", "ada"))) for number in range(3)]
        await settled()
        store.release(StoreFailed("planted"))
        results = await asyncio.gather(*asked, return_exceptions=True)
        assert all(isinstance(result, StoreFailed) for result in results)
        with pytest.raises(StoreFailed, match="planted"):
            await house.ask(Request("T", BET, "later", "ada"))
        assert str(await house.commits.failed) == "planted"
        assert shown == []
        await house.stop()

    asyncio.run(scenario())


def test_i4_the_filter_never_denies_a_key_that_was_used() -> None:
    """No is certain; of what was never used, few are looked up. A filter that forgets one key is seen."""
    filter = table_host.BloomFilter(16)
    used, others = [f"ask:ada {number}" for number in range(2_000)], [f"ask:bea {number}" for number in range(2_000)]
    for one in used:
        filter.add(one)
    assert all(one in filter for one in used)
    assert sum(one in filter for one in others) < 200
    filter._bitmap[:] = bytes(len(filter._bitmap))
    assert not any(one in filter for one in used)


def test_i4_an_old_key_is_looked_up_before_and_after_the_filter_has_learnt_it(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing of a page is left out, and a new key asks nothing of the store once all are learnt."""
    monkeypatch.setattr(table_host, "RECENT_KEYS", 1)
    monkeypatch.setattr(table_host, "KEY_PAGE", 2)

    async def scenario() -> None:
        house = await open_house(url, JumpingClock())
        await open_seated_table(house)
        first = [await perform(house, BringMoney("ada", 1, 0), f"k{number}") for number in range(7)]
        await house.stop()
        again = await open_house(url, JumpingClock())
        assert await perform(again, BringMoney("ada", 1, 0), "k0") == first[0]
        while again.keys._is_loading:
            await asyncio.sleep(0.001)
        assert [await perform(again, BringMoney("ada", 1, 0), f"k{number}") for number in range(7)] == first
        asked: list[str] = []
        look = again.commits.store.find_key

        async def looked(key: str) -> KeyRow | None:
            asked.append(key)
            return await look(key)

        monkeypatch.setattr(again.commits.store, "find_key", looked)
        await perform(again, BringMoney("ada", 1, 0), "new")
        assert asked == []
        await perform(again, BringMoney("ada", 1, 0), "k3")
        assert asked == ["ask:ada k3"]
        await again.stop()

    asyncio.run(scenario())
