"""Bodies of records on SQLite's disk: shorter, and the very same when they are read; older books stay as they are."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.scripted_evening import fill, open_house, tape
from ventuno.house.store import body_packing, sqlite
from ventuno.house.store.body_packing import MARK, pack, pack_cards, unpack, unpack_cards
from ventuno.house.store.clock import JumpingClock
from ventuno.house.store.durability import open_store

TEXTS = st.text(st.characters(codec="utf-8"), max_size=200)
HASHES = st.binary(max_size=300).map(bytes.hex)
CARDS = st.lists(st.integers(0, 60), max_size=120)
BODIES = st.dictionaries(TEXTS, TEXTS | HASHES | CARDS | st.integers(), max_size=6)


@given(BODIES)
def test_a_body_comes_back_as_it_was(fields: dict[str, object]) -> None:
    body = json.dumps(fields, separators=(",", ":")).encode()
    assert unpack(pack(body)) == body
    assert len(pack(body)) <= len(body)


@given(st.lists(st.integers(0, 51), max_size=416))
def test_cards_come_back_in_their_order(cards: list[int]) -> None:
    assert unpack_cards(pack_cards(cards), len(cards)) == cards


def test_a_whole_shoe_and_a_signature_lie_within_a_page() -> None:
    """Random bytes are kept as bytes: 416 cards in less than 400, a hash in its own length."""
    shoe = json.dumps({"cards": [card % 52 for card in range(416)], "cut": 7}, separators=(",", ":")).encode()
    assert (len(shoe), len(pack(shoe)) < 400) == (1187, True)
    signature = json.dumps({"signature": "7f" * 64}).encode()
    assert len(pack(signature)) < 64 + 20


def test_every_record_of_an_evening_is_read_as_it_was_written(tmp_path: Path) -> None:
    """The house writes packed bodies and folds them; what was written plainly by an older version is folded too."""
    url, batches = f"sqlite:///{tmp_path}/house.db", tape(3, 120).batches

    async def scenario() -> None:
        store = await open_store(url)
        await fill(store, batches)
        written = [record for batch in batches for record in batch.records]
        for stream in {record.stream for record in written}:
            assert await store.read_records(stream) == [record for record in written if record.stream == stream]
        await store.close()
        await (await open_house(url, JumpingClock(), deep=True)).stop()

    asyncio.run(scenario())
    with closing(sqlite3.connect(tmp_path / "house.db")) as found:
        rows = found.execute("SELECT stream, seq, body FROM log").fetchall()
        assert any(body.startswith(MARK) for _, _, body in rows)
        for stream, seq, body in rows:
            found.execute("UPDATE log SET body = ? WHERE stream = ? AND seq = ?", (unpack(body), stream, seq))
        found.commit()

    async def older() -> None:
        await (await open_house(url, JumpingClock(), deep=True)).stop()

    asyncio.run(older())


def test_a_dictionary_that_was_changed_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A planted fault: books that were written with one dictionary are not read with another."""
    body = b'{"receipt":{"checkpoint":{"house":"ventuno","table":"first-person-1","height":1,"head":""}}}'
    packed = pack(body)
    monkeypatch.setattr(body_packing, "_DICTIONARY", body_packing._DICTIONARY[::-1])
    assert unpack(packed) != body


def test_the_dictionary_is_the_one_of_the_books_that_are_out_there() -> None:
    """Its hash is part of the format: another one needs another mark."""
    packed = bytes.fromhex(PACKED)
    assert unpack(packed) == KNOWN
    assert pack(KNOWN) == packed


KNOWN = b'{"box":1,"hand":2,"deadline":1790078400000,"code":"first-person-1-20260921-120000-9"}'
PACKED = "01000043f7ba11aad72d0d0ccc2d4c402e37c097c90d2c8d0c613eb454aa0500"


def test_the_log_of_sqlite_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Many small commits: the log is carried over before it is twice as long as its limit."""
    url = f"sqlite:///{tmp_path}/house.db"

    async def scenario() -> int:
        store = await open_store(url)
        most, batches = 0, tape(3, 400).batches
        for batch in batches:
            await store.commit(batch)
            most = max(most, (tmp_path / "house.db-wal").stat().st_size)
        await store.close()
        return most

    limit = 1 << 20
    monkeypatch.setattr(sqlite, "LOG_LIMIT", limit)
    monkeypatch.setitem(sqlite.PRAGMAS, "journal_size_limit", str(limit))
    assert limit < asyncio.run(scenario()) < 2 * limit
