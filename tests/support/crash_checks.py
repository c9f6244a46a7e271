"""What must hold after a house was killed: the store's own rows beside what players were told (T-3, T-9, G-1, G-3).

Each check gives a list of sentences, empty where nothing is wrong.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import NamedTuple

from tests.support.load_players import Player, Seen, Settled, Sight

AT_ONCE = 500
COPIED = {
    "keys": "key",
    "postings": "stream, seq, account, amount",
    "rounds": "code, voided",
    "shares": "code, player, staked, returned, ended",
}
"""Tables and columns that are looked at."""


class Share(NamedTuple):
    """What a round brought a player, and when it ended, as the store has it."""

    code: str
    net: int
    ended: int


@contextmanager
def books(file: Path) -> Iterator[sqlite3.Connection]:
    """The books of a house, to read beside it."""
    with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True, timeout=10)) as connection:
        yield connection


async def copy_books(url: str, file: Path) -> None:
    """What a PostgreSQL holds now, as the file that the checks below read."""
    import asyncpg  # only who has such a database needs its driver

    file.unlink(missing_ok=True)
    server = await asyncpg.connect(url)
    with closing(sqlite3.connect(file)) as connection:
        for table, columns in COPIED.items():
            rows = await server.fetch(f"SELECT {columns} FROM {table}")
            connection.execute(f"CREATE TABLE {table} ({columns})")
            marks = ", ".join("?" * len(columns.split(",")))
            connection.executemany(f"INSERT INTO {table} VALUES ({marks})", [tuple(row) for row in rows])
        connection.commit()
    await server.close()


def lost(file: Path, asked: Iterable[tuple[str, str]]) -> list[str]:
    """Acknowledged asks, by player and key, that the store does not hold (G-1)."""
    wanted = {f"ask:{player} {key}" for player, key in asked}
    held: set[str] = set()
    with books(file) as connection:
        for some in _parts(sorted(wanted)):
            marks = ", ".join("?" * len(some))
            held.update(row[0] for row in connection.execute(f"SELECT key FROM keys WHERE key IN ({marks})", some))
    return [f"{key} was acknowledged and is not in the store" for key in sorted(wanted - held)]


def unbalanced(file: Path) -> list[str]:
    """Σ of all postings, and of each record's postings, is zero (I-1)."""
    with books(file) as connection:
        (total,) = connection.execute("SELECT COALESCE(SUM(amount), 0) FROM postings").fetchone()
        single = "SELECT stream, seq, SUM(amount) FROM postings GROUP BY stream, seq HAVING SUM(amount) <> 0"
        found = [f"{stream} {seq}: postings sum to {amount}" for stream, seq, amount in connection.execute(single)]
    return ([f"all postings sum to {total}"] if total else []) + found


def shares(file: Path, player: str) -> list[Share]:
    with books(file) as connection:
        rows = "SELECT code, returned - staked, ended FROM shares WHERE player = ? ORDER BY ended, code"
        return [Share(*row) for row in connection.execute(rows, (player,))]


def finished(file: Path, codes: Iterable[str]) -> set[str]:
    """Those of these rounds that are over and were not voided."""
    with books(file) as connection:
        rows = (connection.execute("SELECT code FROM rounds WHERE code = ? AND NOT voided", (one,)) for one in codes)
        return {found[0] for found in (row.fetchone() for row in rows) if found}


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


def histories(file: Path, players: Iterable[Player]) -> list[str]:
    found: list[str] = []
    for player in players:
        found += unexplained(player.me, player.seen, player.rounds, shares(file, player.me))
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
