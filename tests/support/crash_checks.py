"""What must hold after a house was killed: the store's own rows beside what players were told (T-3, T-9, G-1, G-3).

Each check gives a list of sentences, empty where nothing is wrong.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from itertools import count
from typing import Any, NamedTuple

from tests.support.load_players import Player, Seen, Settled, Sight
from tests.support.patience import PATIENCE

AT_ONCE = 500
SQLITE = "sqlite:///"


class Share(NamedTuple):
    """What a round brought a player, and when it ended, as the store has it."""

    code: str
    net: int
    ended: int


class Books:
    """The books of a house, to read beside it: a file of SQLite, or a database of PostgreSQL on a loop of its own."""

    def __init__(self, database: str) -> None:
        self._file: sqlite3.Connection | None = None
        if database.startswith(SQLITE):
            self._file = sqlite3.connect(f"file:{database.removeprefix(SQLITE)}?mode=ro", uri=True, timeout=PATIENCE)
            return
        import asyncpg  # where there is no PostgreSQL nobody needs its driver

        self._thread, self._loop = ThreadPoolExecutor(1), asyncio.new_event_loop()
        self._server = self._wait_for(asyncpg.connect(database))

    def query(self, statement: str, values: Sequence[Any] = ()) -> list[Any]:
        """The rows; `?` stands for each value."""
        if self._file is not None:
            return self._file.execute(statement, values).fetchall()
        numbers = count(1)
        numbered = "".join(f"${next(numbers)}" if sign == "?" else sign for sign in statement)
        return list(self._wait_for(self._server.fetch(numbered, *values)))

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
            return
        self._wait_for(self._server.close())
        self._thread.shutdown()
        self._loop.close()

    def _wait_for(self, work: Any) -> Any:
        """A loop runs already where tests ask: this one runs in a thread."""
        return self._thread.submit(self._loop.run_until_complete, work).result()


@contextmanager
def books(database: str) -> Iterator[Books]:
    with closing(Books(database)) as opened:
        yield opened


def lost(database: str, asked: Iterable[tuple[str, str]]) -> list[str]:
    """Acknowledged asks, by player and key, that the store does not hold (G-1)."""
    wanted = {f"ask:{player} {key}" for player, key in asked}
    held: set[str] = set()
    with books(database) as opened:
        for some in _parts(sorted(wanted)):
            marks = ", ".join("?" * len(some))
            held.update(row[0] for row in opened.query(f"SELECT key FROM keys WHERE key IN ({marks})", some))
    return [f"{key} was acknowledged and is not in the store" for key in sorted(wanted - held)]


def unbalanced(database: str) -> list[str]:
    """Σ of all postings, and of each record's postings, is zero (I-1)."""
    with books(database) as opened:
        [(total,)] = opened.query("SELECT COALESCE(SUM(amount), 0) FROM postings")
        single = "SELECT stream, seq, SUM(amount) FROM postings GROUP BY stream, seq HAVING SUM(amount) <> 0"
        found = [f"{stream} {seq}: postings sum to {amount}" for stream, seq, amount in opened.query(single)]
    return ([f"all postings sum to {total}"] if total else []) + found


def shares(database: str, player: str) -> list[Share]:
    with books(database) as opened:
        rows = "SELECT code, returned - staked, ended FROM shares WHERE player = ? ORDER BY ended, code"
        return [Share(*row) for row in opened.query(rows, (player,))]


def finished(database: str, codes: Iterable[str]) -> set[str]:
    """Those of these rounds that are over and were not voided."""
    with books(database) as opened:
        rows = (opened.query("SELECT code FROM rounds WHERE code = ? AND NOT voided", (one,)) for one in codes)
        return {row[0] for found in rows for row in found}


def unexplained(who: str, seen: Sequence[Seen], told: Sequence[Settled], held: Sequence[Share]) -> list[str]:
    """Balances that no order of a player's brings and rounds explains (T-9).

    What he has at the table is what he brought and what his rounds brought him, each once and in their order: those
    that he saw settled for certain, and none that ended later than the moment he was told. A bring that is not answered
    yet may count already.
    """
    by_code = {one.code: place for place, one in enumerate(held)}
    faults = [
        f"{who} was told {one.net} for round {one.code}; the store has {held[by_code[one.code]].net}"
        for one in told
        if one.code in by_code and held[by_code[one.code]].net != one.net
    ]
    faults += [
        f"{who} saw round {one.code} settled; the store does not know it" for one in told if one.code not in by_code
    ]
    if faults:
        return faults
    sums = [0]
    for share in held:
        sums.append(sums[-1] + share.net)
    place = 0
    for one in seen:
        known = by_code[told[one.rounds - 1].code] + 1 if one.rounds else 0
        latest = sum(share.ended <= one.now for share in held)
        wanted = {one.total - one.brought, one.total - one.brought - one.pending}
        found = next((at for at in range(max(place, known), latest + 1) if sums[at] in wanted), None)
        if found is None:
            return [f"{who} was shown {one.total} after bringing {one.brought}: no prefix of his rounds explains it"]
        place = found
    return []


def histories(database: str, players: Iterable[Player]) -> list[str]:
    found: list[str] = []
    for player in players:
        found += unexplained(player.me, player.seen, player.rounds, shares(database, player.me))
    return found


def changed(table: str, before: Sight, after: Sight) -> list[str]:
    """Cards that lay open before and do not lie there now, in the same round (G-3)."""
    if before.code != after.code:
        return []
    return [
        f"{table}, round {before.code}, {place}: {' '.join(cards)} became {' '.join(after.cards.get(place, ()))}"
        for place, cards in before.cards.items()
        if not Counter(cards) <= Counter(after.cards.get(place, ()))
    ]


def _parts(listed: Sequence[str]) -> Iterator[Sequence[str]]:
    for start in range(0, len(listed), AT_ONCE):
        yield listed[start : start + AT_ONCE]
