"""The books of one pit on PostgreSQL, for its next owner: its own streams, keys and money, and nothing of the rest.

Whoever reads them has the pit's newest epoch, so nobody else writes to it any more: several questions see one state.
Every question goes by an index (`streams_by_pit`, places of keys, `accounts_by_pit`, `shares_by_player`).
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from operator import attrgetter
from typing import Any, NamedTuple

from ventuno.core.rules.money import PlayerId
from ventuno.house.accounts.accounts import PRIVATE, PUBLIC
from ventuno.house.accounts.player_limits import PERIODS
from ventuno.house.pits.pit import Books
from ventuno.house.pits.placement import PitNumber, name_audit, name_stream, number_unit
from ventuno.house.pits.transfers import PLAYER, read_balances
from ventuno.house.shoes.shoe_log import PUBLIC as SHOES
from ventuno.house.shoes.shoe_log import SECRET
from ventuno.house.store.fenced_commit import first_place
from ventuno.house.store.records import KeyRow, Record, ShareRow

MOST_KEYS = 20_000
"""Keys that an owner has in memory from the start, the newest; of older ones the store is asked."""
TABLE = "table:"
STATEMENTS = {
    "records": "SELECT log.* FROM streams JOIN log USING (stream) WHERE streams.pit = $1 ORDER BY stream, seq",
    "keys": "SELECT key, digest, answer FROM keys WHERE place > $1 AND place < $2 ORDER BY place DESC LIMIT $3",
    "place": "SELECT coalesce(max(place), $1) FROM keys WHERE place > $1 AND place < $2",
    "money of the pit": "SELECT account, balance FROM accounts "
    "WHERE strpos(account, '#') > 0 AND split_part(account, '#', 2) = $1",
    "money at home": "SELECT account, balance FROM accounts WHERE account = ANY ($1::text[])",
    "shares": "SELECT shares.* FROM shares JOIN rounds USING (code) WHERE player = ANY ($1::text[]) "
    "AND shares.ended > $2 AND NOT voided AND NOT practice ORDER BY shares.ended, code, player",
    "key": "SELECT key, digest, answer FROM keys WHERE key = $1",
}
"""What is asked of the database."""


class PitBooks(NamedTuple):
    """What the next owner of a pit folds, and where it goes on: the place of its last key, its latest moment."""

    books: Books
    place: int
    last: int
    has_older_keys: bool
    """Whether there are keys that were not read."""


async def read_books(readers: Any, pit: PitNumber, now: int) -> PitBooks:
    """The books of a pit; `now` says which rounds count in limits."""
    unit = number_unit(pit)
    rows = await readers.fetch(STATEMENTS["records"], unit)
    streams = [list(records) for _, records in groupby((Record(*row) for row in rows), attrgetter("stream"))]
    players = [name for records in streams if (name := _find_player(records[0].stream))]
    bounds = first_place(unit), first_place(unit + 1)
    keys = [KeyRow(*row) for row in await readers.fetch(STATEMENTS["keys"], *bounds, MOST_KEYS)]
    money = await readers.fetch(STATEMENTS["money of the pit"], str(pit))
    money += await readers.fetch(STATEMENTS["money at home"], [f"{PLAYER}{player}" for player in players])
    books = Books(
        tables=[records for records in streams if records[0].stream.startswith(TABLE)],
        accounts=[records for records in streams if records[0].stream.startswith((PUBLIC, PRIVATE))],
        transfers=next((records for records in streams if records[0].stream == name_stream(pit)), []),
        keys=keys[::-1],
        balances=read_balances(dict(map(tuple, money)), pit),
        shares=await read_shares(readers, players, now),
        shoes=[records for records in streams if records[0].stream.startswith((SHOES, SECRET))],
        audit=next((records for records in streams if records[0].stream == name_audit(pit)), []),
    )
    place = await readers.fetchval(STATEMENTS["place"], *bounds)
    return PitBooks(books, place, max((row["at"] for row in rows), default=0), len(keys) == MOST_KEYS)


async def read_shares(readers: Any, players: Iterable[PlayerId], now: int) -> list[ShareRow]:
    """The rounds of the last month of some players, wherever they played; what was voided was never at stake."""
    rows = await readers.fetch(STATEMENTS["shares"], list(players), now - PERIODS["month"])
    return [ShareRow(*row) for row in rows]


async def find_key(readers: Any, key: str) -> KeyRow | None:
    """What was answered under a key, however long ago (I-4)."""
    row = await readers.fetchrow(STATEMENTS["key"], key)
    return KeyRow(*row) if row else None


def _find_player(stream: str) -> PlayerId:
    return stream.removeprefix(PUBLIC) if stream.startswith(PUBLIC) else ""
