"""One suite for both databases: what is committed is there, in order, once, and nothing else is (T-3…T-6, G-23)."""

from __future__ import annotations

import asyncio
import signal
import sqlite3
import time
import warnings
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing, suppress
from functools import partial
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, create_engine
from sqlalchemy.ext.asyncio import create_async_engine

from tests.support.databases import create_database, execute
from tests.support.postgres import Cluster
from tests.support.scripted_evening import SHEETS, authority, fill, funds, tape
from ventuno.house.store import migrations
from ventuno.house.store.durability import Unsafe, find_postgres_faults, find_sqlite_faults, open_store
from ventuno.house.store.migrations import PAGE, migrate
from ventuno.house.store.records import (
    ERASED,
    Batch,
    KeyRow,
    NameRow,
    PostingRow,
    RoundRow,
    ShareRow,
    Snapshot,
    check_chain,
)
from ventuno.house.store.schema import REVISION, metadata
from ventuno.house.store.store import Store, StoreFailed


@asynccontextmanager
async def opened(url: str) -> AsyncIterator[Store]:
    store = await open_store(url)
    try:
        yield store
    finally:
        await store.close()


def test_a_new_file_has_small_pages_and_an_old_one_keeps_its_own(tmp_path: Path) -> None:
    """What a batch touches is synced page by page."""
    for name, pages in (("new", PAGE), ("old", 4_096)):
        file = tmp_path / f"{name}.db"
        with closing(sqlite3.connect(file)) as held:
            if name == "old":
                held.executescript("CREATE TABLE before (x); DROP TABLE before;")
        migrate(f"sqlite:///{file}")
        with closing(sqlite3.connect(file)) as held:
            assert held.execute("PRAGMA page_size").fetchone() == (pages,)


def test_the_migration_makes_the_schema_of_the_metadata(url: str) -> None:
    """One schema for both, and Alembic finds nothing to change in it."""
    migrate(url)
    migrate(url)

    def differences(connection: Connection) -> list[object]:
        if connection.dialect.name == "sqlite":  # it has no index of an expression, and needs none
            warnings.filterwarnings("ignore", "autogenerate skipping metadata-specified expression-based index")
        return list(compare_metadata(MigrationContext.configure(connection, opts={"compare_type": True}), metadata))

    async def on_postgres() -> list[object]:
        engine = create_async_engine(url.replace("postgresql", "postgresql+asyncpg"))
        async with engine.connect() as connection:
            found = await connection.run_sync(differences)
        await engine.dispose()
        return found

    if url.startswith("sqlite"):
        engine = create_engine(url)
        try:
            with engine.connect() as connection:
                assert differences(connection) == []
        finally:
            engine.dispose()
        assert _without_rowid(url) == _without_rowid_of_the_metadata()
    else:
        assert asyncio.run(on_postgres()) == []


def _without_rowid(url: str) -> set[str]:
    connection = sqlite3.connect(url.removeprefix("sqlite:///"))
    rows = connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table'").fetchall()
    connection.close()
    return {name for name, sql in rows if "WITHOUT ROWID" in sql}


def _without_rowid_of_the_metadata() -> set[str]:
    return {name for name, table in metadata.tables.items() if table.dialect_options["sqlite"]["with_rowid"] is False}


def test_the_schema_names_the_newest_migration() -> None:
    config = Config()
    config.set_main_option("script_location", str(Path(migrations.__file__).parent))
    config.set_main_option("path_separator", "os")
    assert ScriptDirectory.from_config(config).get_current_head() == REVISION


def test_a_planted_difference_of_schema_is_found(url: str) -> None:
    migrate(url)
    asyncio.run(execute(url, "ALTER TABLE names ADD COLUMN planted TEXT"))
    with pytest.raises(AssertionError):
        test_the_migration_makes_the_schema_of_the_metadata(url)


@pytest.mark.parametrize("seed", range(4))
def test_what_is_committed_is_there(url: str, seed: int) -> None:
    """Streams, keys, balances, rounds and histories of a whole world come back as its disk holds them."""
    made = tape(seed)
    streams, sums = made.records(), made.house.wallet.balances()

    async def scenario() -> None:
        async with opened(url) as store:
            await fill(store, made.batches)
        async with opened(url) as store:
            heads = await store.read_heads()
            async for records in store.iterate_streams("table:"):
                assert records == streams[records[0].stream]
                assert check_chain(records) == heads[records[0].stream]
            assert set(await store.read_heads("table:")) == set(streams)
            assert await store.read_recent_keys(10**6) == made.keys()
            assert await store.sum_postings() == await store.read_balances()
            assert {account: amount for account, amount in (await store.sum_postings()).items() if amount} == sums
            assert sum(sums.values()) == 0
            for batch in made.batches:
                for row in batch.rounds:
                    assert await store.find_round(row.code) == row
                for key in batch.keys:
                    assert await store.find_key(key.key) == key
            assert await store.find_round("none") is None
            assert await store.find_key("none") is None
            assert await store.find_owner("login", "none") is None

    asyncio.run(scenario())


def test_v69_everything_comes_in_pages(url: str) -> None:
    """Rounds, shares and records: page after page the same as all at once, in the order of their ends."""
    batches = tape(3, 500).batches
    rounds = sorted((row for batch in batches for row in batch.rounds), key=lambda row: (row.ended, row.code))
    shares = sorted(
        (row for batch in batches for row in batch.shares), key=lambda row: (row.ended, row.code, row.player)
    )
    practice = rounds[0]._replace(code="P", stream="table:practice-ada-1", practice=True)
    extra = ShareRow("P", "ada", practice.ended, 100, 0)
    assert len(rounds) > 5

    async def scenario() -> None:
        async with opened(url) as store:
            await fill(store, batches)
            await store.commit(Batch(rounds=(practice,), shares=(extra,)))
            found, after = list[RoundRow](), (-1, "")
            while some := await store.list_rounds(after, 2):
                found += some
                after = some[-1].ended, some[-1].code
            assert found == sorted([*rounds, practice], key=lambda row: (row.ended, row.code))
            held, last = list[ShareRow](), (-1, "", "")
            while page := await store.list_shares(last, 3):
                held += page
                last = page[-1].ended, page[-1].code, page[-1].player
            assert held == sorted([*shares, extra], key=lambda row: (row.ended, row.code, row.player))
            voided = {row.code for row in rounds if row.voided}
            assert await store.list_counted_shares(0) == [row for row in shares if row.code not in voided]
            money = {share.code for share in shares if share.player == "ada"}
            assert {line.code for line in await store.list_account_rows("ada", limit=1_000)} == money
            row = rounds[2]
            assert await store.list_round_shares(row.code) == [share for share in shares if share.code == row.code]
            assert row in await store.list_rounds_started(row.started, row.started)
            for stream in await store.read_heads("table:"):
                records = [one async for some in store.iterate_records(stream, page=7) for one in some]
                assert records == await store.read_records(stream)

    asyncio.run(scenario())


def test_a_body_is_taken_out_and_a_name_given_up_on_both_databases(url: str) -> None:
    """The place, its time, its kind and its hash stay, and the chain holds; other bodies and names are untouched."""

    async def scenario() -> None:
        names = (NameRow("login", "ada", "1"), NameRow("login", "bea", "2"))
        async with opened(url) as store:
            await fill(store, tape(3).batches)
            await store.commit(Batch(names=names))
            stream = next(iter(await store.read_heads("table:")))
            before = await store.read_records(stream)
            gone = before[1]
            await store.commit(
                Batch(erased=((stream, gone.seq),), freed=names[:1], names=(names[0]._replace(owner="3"),))
            )
            after = await store.read_records(stream)
            assert [record for record in after if record.seq != gone.seq] == [before[0], *before[2:]]
            assert after[1] == gone._replace(body=ERASED)
            assert check_chain(after) == check_chain(before)
            assert [await store.find_owner(row.kind, row.name) for row in names] == ["3", "2"]

    asyncio.run(scenario())


def test_a_name_that_is_written_twice_stops_the_writer(url: str) -> None:
    """The last line behind the reservation in memory: the schema holds a name once (R-42)."""
    row = NameRow("login", "ada", "1")

    async def scenario() -> None:
        async with opened(url) as store:
            await store.commit(Batch(names=(row,)))
            assert await store.find_owner("login", "ada") == "1"
            with pytest.raises(StoreFailed):
                await store.commit(Batch(names=(row._replace(owner="2"),)))
        async with opened(url) as store:
            assert await store.list_names("login") == [row]

    asyncio.run(scenario())


def test_t11_a_database_of_the_step_before_is_brought_up(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/house.db"
    migrate(url)
    asyncio.run(
        execute(
            url,
            "DROP TABLE milestones",
            "DROP TABLE pits",
            "DROP TABLE nodes",
            "DROP TABLE streams",
            "DROP INDEX IF EXISTS accounts_by_pit",
            "DROP INDEX rounds_by_end",
            "DROP INDEX rounds_by_start",
            "DROP INDEX shares_by_end",
            "ALTER TABLE rounds DROP COLUMN practice",
            "UPDATE alembic_version SET version_num = 'r0001'",
        )
    )

    async def scenario() -> None:
        async with opened(url) as store:
            assert await store.list_rounds() == []

    asyncio.run(scenario())
    test_the_migration_makes_the_schema_of_the_metadata(url)


def test_t11_rounds_of_the_step_before_say_whether_they_were_practice(url: str) -> None:
    """As their tables were opened, whatever those are called; the rest is as it was."""
    house, at = authority(), 1_790_000_000_000
    first = next(one for batch in tape(3, 300).batches for one in batch.rounds)
    names = {"practice-ada-1": True, "rehearsal": True, "T7": False, "practiced": False}
    batches = [house.open(name, SHEETS["ventuno"], at, practice=practice) for name, practice in names.items()]
    held = [first._replace(code=name, stream=f"table:{name}", practice=practice) for name, practice in names.items()]

    async def before() -> None:
        async with opened(url) as store:
            await fill(store, [*batches, Batch(rounds=tuple(held))])

    async def after() -> None:
        async with opened(url) as store:
            assert await store.list_rounds() == sorted(held, key=lambda one: (one.ended, one.code))

    asyncio.run(before())
    asyncio.run(
        execute(
            url,
            "DROP TABLE milestones",
            "DROP TABLE pits",
            "DROP TABLE nodes",
            "DROP TABLE streams",
            "DROP INDEX IF EXISTS accounts_by_pit",
            "ALTER TABLE rounds DROP COLUMN practice",
            "UPDATE alembic_version SET version_num = 'r0002'",
        )
    )
    asyncio.run(after())
    test_the_migration_makes_the_schema_of_the_metadata(url)


def test_postings_and_records_of_a_round(url: str) -> None:
    batches = tape(1, 300).batches
    row = next(row for batch in batches for row in batch.rounds)

    async def scenario() -> None:
        async with opened(url) as store:
            await fill(store, batches)
            records = await store.read_records(row.stream, row.first - 1, row.last)
            assert [one.seq for one in records] == list(range(row.first, row.last + 1))
            wanted = [
                one
                for batch in batches
                for one in batch.postings
                if one.stream == row.stream and row.first <= one.seq <= row.last
            ]
            assert await store.read_postings(row.stream, row.first, row.last) == wanted

    asyncio.run(scenario())


def test_answers_come_in_the_order_of_submission(url: str) -> None:
    batches = tape(2).batches
    told: list[int] = []

    def note(number: int, _fault: BaseException | None) -> None:
        told.append(number)

    async def scenario() -> None:
        async with opened(url) as store:
            for number, batch in enumerate(batches):
                store.submit(batch, partial(note, number))
            await store.commit(Batch())
            assert told == list(range(len(batches)))

    asyncio.run(scenario())


def test_the_newest_snapshot_is_kept_and_tails_begin_at_it(url: str) -> None:
    made = tape(3)
    stream, records = next(iter(made.records().items()))

    async def scenario() -> None:
        async with opened(url) as store:
            await fill(store, made.batches)
            assert await store.read_tails("table:") == made.records()
            await store.save(Snapshot(stream, 2, b"old"))
            await store.save(Snapshot(stream, 5, b"new"))
            assert await store.read_snapshots() == {stream: Snapshot(stream, 5, b"new")}
            assert (await store.read_tails("table:"))[stream] == records[4:]

    asyncio.run(scenario())


ONE = Batch(keys=(KeyRow("k", b"d", b"a"),))


@pytest.mark.parametrize(
    ("what", "bad"),
    [
        ("the same key twice (I-4)", ONE),
        ("the same record twice", funds({"ada": 100}, 1)),
        ("money from nothing (I-1)", Batch(postings=(PostingRow("x", 1, "player:ada", 1, "", ""),))),
        (
            "an overdrawn player (I-2)",
            Batch(
                postings=(PostingRow("x", 1, "player:ada", -101, "", ""), PostingRow("x", 1, "cashier", 101, "", ""))
            ),
        ),
    ],
)
def test_a_bug_stops_the_writer_for_good(url: str, what: str, bad: Batch) -> None:
    """No retry: whoever waits and whoever comes later is told, and nothing of the bad group is there."""
    good = Batch(keys=(KeyRow("later", b"d", b"a"),))

    async def scenario() -> None:
        async with opened(url) as store:
            await store.commit(funds({"ada": 100}, 1))
            await store.commit(ONE)
            before = await store.read_balances()
            faults: list[BaseException | None] = []
            store.submit(bad, faults.append)
            store.submit(good, faults.append)
            with pytest.raises(StoreFailed):
                await store.commit(Batch(keys=(KeyRow("last", b"d", b"a"),)))
            assert all(isinstance(fault, StoreFailed) for fault in faults), what
            assert len(faults) == 2
            for name in ("after", "long after"):
                with pytest.raises(StoreFailed):
                    await store.commit(Batch(keys=(KeyRow(name, b"d", b"a"),)))
        async with opened(url) as store:
            assert await store.read_balances() == before
            assert await store.read_recent_keys(10) == list(ONE.keys)
            await store.commit(good)

    asyncio.run(scenario())


@pytest.mark.parametrize(
    ("settings", "count"),
    [
        ({"synchronous": "2", "journal_mode": "wal"}, 0),
        ({"synchronous": "3", "journal_mode": "delete"}, 0),
        ({"synchronous": "1", "journal_mode": "wal"}, 1),
        ({"synchronous": "0", "journal_mode": "memory"}, 2),
        ({"synchronous": "2", "journal_mode": "off"}, 1),
    ],
)
def test_g23_settings_of_sqlite(settings: dict[str, str], count: int) -> None:
    assert len(find_sqlite_faults(settings)) == count


@pytest.mark.parametrize("name", ["fsync", "synchronous_commit", "full_page_writes"])
def test_g23_settings_of_postgres(name: str) -> None:
    safe = {"fsync": "on", "synchronous_commit": "on", "full_page_writes": "on"}
    assert find_postgres_faults(safe) == []
    assert len(find_postgres_faults(safe | {name: "off"})) == 1


@pytest.mark.parametrize("query", ["synchronous=normal", "synchronous=off", "journal_mode=memory", "journal_mode=off"])
def test_g23_sqlite_refuses_to_trade_durability(tmp_path: Path, query: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # a database in memory has its lock beside the folder one is in
    url = f"sqlite:///{tmp_path}/house.db?{query}"

    async def scenario() -> None:
        with pytest.raises(Unsafe, match=query.partition("=")[0]):
            await open_store(url)
        store = await open_store(url, unsafe=True)
        assert store.unsafe.startswith("UNSAFE: ")
        assert query in store.unsafe
        await store.close()
        async with opened(f"sqlite:///{tmp_path}/safe.db") as safe:
            assert safe.unsafe == ""
        with pytest.raises(Unsafe):
            await open_store("sqlite://")

    asyncio.run(scenario())


def test_g23_postgres_refuses_to_trade_durability(postgres: Cluster) -> None:
    url = create_database(postgres)

    async def scenario() -> None:
        await execute(url, f"ALTER DATABASE {url.rpartition('/')[2]} SET synchronous_commit = off")
        with pytest.raises(Unsafe, match="synchronous_commit=off"):
            await open_store(url)
        store = await open_store(url, unsafe=True)
        assert "synchronous_commit=off" in store.unsafe
        await store.close()

    asyncio.run(scenario())


def test_t6_a_lost_backend_stops_the_writer_and_keys_tell(postgres: Cluster) -> None:
    """The server ends our session: no answer, no retry; what was acknowledged is there."""
    url = create_database(postgres)

    async def scenario() -> None:
        store = await open_store(url)
        await store.commit(ONE)
        await execute(
            url,
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE datname = current_database() AND pid <> pg_backend_pid()",
        )
        for number in range(3):
            with pytest.raises(StoreFailed):
                await store.commit(Batch(keys=(KeyRow(f"after{number}", b"d", b"a"),)))
        await store.close()
        async with opened(url) as again:
            assert await again.read_recent_keys(10) == list(ONE.keys)

    asyncio.run(scenario())


def test_t6_the_server_dies_in_the_middle_and_comes_back(postgres: Cluster) -> None:
    """Killed while commits stream in: each acknowledged key is there, each other one is whole or not at all."""
    url = create_database(postgres)
    acknowledged: list[str] = []

    async def life(number: int) -> None:
        store = await open_store(url)
        dying = asyncio.create_task(asyncio.to_thread(_die, postgres, 0.05 + number * 0.1))
        with suppress(StoreFailed):
            for count in range(100_000):
                key = f"{number}-{count}"
                await store.commit(Batch(keys=(KeyRow(key, b"d", b"a"),)))
                acknowledged.append(key)
        await dying
        with pytest.raises(StoreFailed):
            await store.commit(Batch(keys=(KeyRow(f"{number}-late", b"d", b"a"),)))
        await store.close()

    async def left() -> set[str]:
        async with opened(url) as store:
            return {key.key for key in await store.read_recent_keys(10**6)}

    for number in range(2):
        asyncio.run(life(number))
        postgres.start()
        assert set(acknowledged) <= asyncio.run(left())
    assert len(acknowledged) > 2


def _die(server: Cluster, after: float) -> None:
    time.sleep(after)
    server.stop(signal.SIGQUIT)
