"""The account history as the store answers it: pages, filters, totals, and what a page costs (V-69, R-15)."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from random import Random
from typing import Any

import pytest

from tests.support.account_lines import list_lines, sum_lines
from tests.support.house import NOON
from tests.support.house_in_memory import list_shares, play_all_games, rounds_by_code
from ventuno.house.history import account_history
from ventuno.house.history.account_history import HistoryLine, read_page
from ventuno.house.store.durability import open_store
from ventuno.house.store.records import Batch, RoundRow, ShareRow
from ventuno.house.store.store import NO_FILTER, HistoryFilter, Store

ROUNDS = 10_000
GAMES = ("one", "two", "three")
QUESTIONS = 2
"""What a page asks of the store, however long the history is."""


@asynccontextmanager
async def stored(url: str, batch: Batch) -> AsyncIterator[Store]:
    store = await open_store(url)
    await store.commit(batch)
    try:
        yield store
    finally:
        await store.close()


def long_history(seed: int = 69) -> Batch:
    """Rounds of three games, every tenth of practice, every fiftieth voided, two of them in each second."""
    chance, made, shares = Random(seed), [], []
    for number in range(ROUNDS):
        code, ended = f"R{number:05d}", NOON + number // 2 * 1_000
        voided, practice = number % 50 == 7, number % 10 == 3
        stream = "table:practice-1-1" if practice else "table:T1"
        made.append(RoundRow(code, stream, 1, 2, ended, ended, chance.choice(GAMES), "00", voided, practice))
        for player in ("ada", "bea"):
            staked = chance.randrange(100, 1_000, 10)
            returned = staked if voided else chance.choice((0, staked, 2 * staked))
            shares.append(ShareRow(code, player, ended, staked, returned))
    return Batch(rounds=tuple(made), shares=tuple(shares))


def expected(batch: Batch, chosen: HistoryFilter = NO_FILTER) -> list[HistoryLine]:
    """The lines of ada, made in memory."""
    listed = list_lines([one for one in batch.shares if one.player == "ada"], {row.code: row for row in batch.rounds})
    first, last = chosen.first, chosen.last
    return [one for one in listed if chosen.game in ("", one.game) and first <= one.ended <= last]


@contextmanager
def counted(store: Store, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Every question that is put to the database."""
    asked: list[str] = []
    right = type(store)._ask

    async def ask(self: Store, name: str, values: dict[str, Any]) -> list[Any]:
        asked.append(name)
        return await right(self, name, values)

    with monkeypatch.context() as patched:
        patched.setattr(type(store), "_ask", ask)
        yield asked


CHOICES = (
    NO_FILTER,
    HistoryFilter("two"),
    HistoryFilter(first=NOON + 1_000_000, last=NOON + 2_000_000),
    HistoryFilter("three", NOON + 4_900_000),
    HistoryFilter("four"),
)


def test_r15_a_page_of_ten_thousand_rounds_costs_two_questions(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Newest first, each round once, totals of all that was chosen on every page; on both databases."""
    batch = long_history()

    async def scenario() -> None:
        async with stored(url, batch) as store:
            for chosen in CHOICES:
                wanted, seen, before, pages = expected(batch, chosen), list[HistoryLine](), account_history.START, 0
                with counted(store, monkeypatch) as asked:
                    while True:
                        found = await read_page(store, "ada", before, 700, chosen)
                        pages += 1
                        seen += found.lines
                        assert found.totals == sum_lines(wanted)
                        if found.before is None:
                            break
                        before = found.before
                assert seen == wanted
                assert len(asked) == QUESTIONS * pages
            begun = time.process_time()
            await read_page(store, "ada")
            assert time.process_time() - begun < 1

    asyncio.run(scenario())


def test_r15_planted_fault_a_question_for_each_round_is_noticed(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    batch = long_history()

    async def one_by_one(store: Store) -> int:
        found = await store.list_account_rows("ada", limit=50)
        return sum([(await store.find_round(line.code)) is not None for line in found])

    async def scenario() -> None:
        async with stored(url, batch) as store:
            with counted(store, monkeypatch) as asked:
                assert await one_by_one(store) == 50
            assert len(asked) > QUESTIONS

    asyncio.run(scenario())


@pytest.mark.parametrize("limit", [1, 4, 1_000])
def test_v69_the_store_tells_what_was_played(url: str, limit: int) -> None:
    """Real rounds of five games with a void: as the rows in memory say, and as the ledger paid."""
    foyer, ada, _ = play_all_games()
    wanted = list_lines(list_shares(foyer, ada), rounds_by_code(foyer))

    async def scenario() -> None:
        async with stored(url, Batch(rounds=tuple(foyer.disk.rounds), shares=tuple(foyer.disk.shares))) as store:
            seen, before = list[HistoryLine](), account_history.START
            while True:
                found = await read_page(store, ada, before, limit)
                seen += found.lines
                assert found.totals == sum_lines(wanted)
                if found.before is None:
                    break
                before = found.before
            assert seen == wanted
            assert (await read_page(store, "nobody")) == ((), account_history.HistoryTotals(), None)

    asyncio.run(scenario())
