"""What a store does for the house, whichever database is under it.

Batches are written strictly in the order they are handed in, many in one transaction (group commit), by one writer. An
error while writing ends the writer for good: nothing is tried again, and the house comes back from what is there (T-5,
G-8). A full disk alone is waited for: of what it refused the database says with certainty that none was kept.

A batch with nothing in it asks the database whether it still answers and is still this house's alone.
"""

from __future__ import annotations

import asyncio
import errno
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from itertools import groupby
from operator import attrgetter
from typing import Any, NamedTuple

from ventuno.core.messages.events import RoundSettled
from ventuno.core.rules.money import Cents
from ventuno.core.table.round import Line
from ventuno.house.store import schema
from ventuno.house.store.records import (
    AccountRow,
    Batch,
    Head,
    KeyRow,
    NameRow,
    PostingRow,
    Record,
    RoundRow,
    ShareRow,
    Snapshot,
    decode_body,
)

PAGE = 500
"""Rows of a page."""
LAST = 2**62
"""Greater than any sequence number and any time."""
MILESTONE = 512
"""Records of a stream between two snapshots that stay."""

OnDone = Callable[[BaseException | None], None]
"""Told once a batch is durable, with nothing; or with the StoreFailed that kept it from being so."""


class StoreFailed(RuntimeError):
    """A commit failed, so the writer has stopped. Leave the process and recover: the store holds what was acknowledged.

    Whether the failed batches are in it is open; their idempotency keys tell.
    """


class HouseOpen(RuntimeError):
    """Another process keeps a house on this database, and two would undo each other. End that one first.

    A process that was killed holds nothing: its lock goes with it.
    """


class HeldByNodes(HouseOpen):
    """Nodes on several machines keep a house on this database; a house of one process would undo what they decide."""


class BooksDivided(HouseOpen):
    """The books are those of pits, or those of one house, and the program would read them as the other.

    Nothing divides or joins books yet: begin on a database of its own.
    """


class NodeUnfit(RuntimeError):
    """A process that cannot be a node of this house as it is: its key is another, or the schema is not its own."""


class LockLost(RuntimeError):
    """The database is no longer this house's alone, or not the one that it opened: it may decide nothing more (T-7)."""


class StaleEpoch(RuntimeError):
    """The pit has another owner by now: nothing was written. Drop the pit and all that was decided for it (T-7)."""


class HistoryFilter(NamedTuple):
    """Of an account history: one game or all (empty), what ended from the first to the last moment."""

    game: str = ""
    first: int = 0
    last: int = LAST


NO_FILTER = HistoryFilter()


def is_permanent(seq: int, last: int) -> bool:
    """Whether a snapshot stays, by its place and that of the one before."""
    return seq // MILESTONE > last // MILESTONE


class StoreSize(NamedTuple):
    """Bytes on the disk: the database, and SQLite's log beside it."""

    file: int = 0
    log: int = 0


class WriteRequest(NamedTuple):
    """What waits for the writer: rows, a snapshot or neither, and who is told."""

    batch: Batch
    done: OnDone
    snapshot: Snapshot | None = None


def take_group(waiting: deque[WriteRequest], limit: int) -> list[WriteRequest]:
    """Take what waits, the oldest first: at most so many, for one transaction."""
    return [waiting.popleft() for _ in range(min(len(waiting), limit))]


def notify(group: Iterable[WriteRequest], fault: StoreFailed | None) -> None:
    """Tell everybody of a group, in its order."""
    for entry in group:
        entry.done(fault)


def make_failure(fault: Exception | str) -> StoreFailed:
    if isinstance(fault, str):
        return StoreFailed(f"the store stopped: {fault}")
    failure = StoreFailed(f"the store stopped: {type(fault).__name__}: {fault}")
    failure.__cause__ = fault
    return failure


def collect_rows(group: Sequence[WriteRequest], place: int) -> dict[str, list[tuple[Any, ...]]]:
    """The rows of a group by table, in the order in which they are written; `place` is that of the last key.

    Money must sum to zero in each batch: anything else is a bug and is not written (I-1).
    """
    appended: dict[str, list[tuple[Any, ...]]] = {table: [] for table in schema.APPEND_TABLES.values()}
    lines: list[tuple[Any, ...]] = []
    heads: dict[str, Record] = {}
    changes: dict[str, Cents] = {}
    snapshots: dict[str, Snapshot] = {}
    permanent: list[tuple[Any, ...]] = []
    for batch, _, snapshot in group:
        total = 0
        for field, table in schema.APPEND_TABLES.items():
            appended[table] += getattr(batch, field)
        for record in batch.records:
            heads[record.stream] = record
        for line, posting in enumerate(batch.postings):
            lines.append((posting.stream, posting.seq, line, *posting[2:]))
            changes[posting.account] = changes.get(posting.account, 0) + posting.amount
            total += posting.amount
        if total:
            raise ValueError(f"the postings of a batch sum to {total}, not to zero")
        if snapshot:
            snapshots[snapshot.stream] = snapshot
            if snapshot.mark is not None:
                permanent.append((snapshot.stream, snapshot.seq, snapshot.mark, snapshot.body))
    return {
        **appended,
        "postings": lines,
        "keys": [(*key, place + number) for number, key in enumerate(appended["keys"], 1)],
        "heads": [(record.stream, record.seq, record.hash) for record in heads.values()],
        "snapshots": [(newest.stream, newest.seq, newest.body) for newest in snapshots.values()],
        "milestones": permanent,
        "accounts": list(changes.items()),
    }


def collect_erased(group: Sequence[WriteRequest]) -> tuple[list[tuple[str, int]], list[NameRow]]:
    """The places whose bodies a group takes out, and the names that it gives up."""
    erased = [place for batch, _, _ in group for place in batch.erased]
    return erased, [row for batch, _, _ in group for row in batch.freed]


def check_overdrawn(balances: Iterable[tuple[str, Cents]]) -> None:
    """ValueError where a player's account is below zero (I-2)."""
    overdrawn = [f"{name} is {amount}" for name, amount in balances if amount < 0 and name.startswith("player:")]
    if overdrawn:
        raise ValueError("; ".join(overdrawn))


def is_disk_full(fault: BaseException) -> bool:
    """Whether this error says that the disk is full: to the system, to SQLite, to APSW, to PostgreSQL."""
    return (
        getattr(fault, "errno", None) == errno.ENOSPC
        or getattr(fault, "sqlite_errorname", "") == "SQLITE_FULL"
        or type(fault).__name__ in ("FullError", "DiskFullError")
    )


class Store(ABC):
    """A durable store: one writer that takes batches in order, and readers beside it.

    What an export or a history asks comes in pages: each query takes the place of the last row that was seen. Rows
    are only added, and later ones stand later, so pages that are read while the house plays miss nothing that was there
    when the first was read. `streams` gives the end of each stream now: reading `upto` it makes one moment of them all.
    """

    unsafe: str = ""
    """Why acknowledged play could be lost on this store: for every screen; empty where it cannot (G-23)."""
    full: str = ""
    """Why this store has no room but what was kept in reserve: rounds end, and no new one begins (T-5)."""

    async def measure(self) -> StoreSize:
        """How much it takes up by now."""
        return StoreSize()

    async def find_shortage(self) -> str:
        """Why there is no room now, as far as that is seen without writing."""
        return self.full

    @abstractmethod
    def submit(self, batch: Batch, done: OnDone, snapshot: Snapshot | None = None) -> None:
        """Hand a batch to the writer; `done` is called in the event loop, in the order of submission."""

    @abstractmethod
    async def _ask(self, name: str, values: dict[str, Any]) -> list[Any]:
        """The rows that answer a query of `queries`."""

    @abstractmethod
    async def close(self) -> None:
        """Write what waits, then let go of the database."""

    async def commit(self, batch: Batch, snapshot: Snapshot | None = None) -> None:
        """Hand in a batch and wait until it is durable."""
        waiting: asyncio.Future[None] = asyncio.get_running_loop().create_future()

        def finish(fault: BaseException | None) -> None:
            if not waiting.done():
                waiting.set_exception(fault) if fault else waiting.set_result(None)

        self.submit(batch, finish, snapshot)
        await waiting

    async def save(self, snapshot: Snapshot) -> None:
        await self.commit(Batch(), snapshot)

    async def read_heads(self, prefix: str = "") -> dict[str, Head]:
        """Every stream and where it ends."""
        return {stream: Head(seq, bytes(end)) for stream, seq, end in await self._ask("heads", {"prefix": prefix})}

    async def read_records(self, stream: str, after: int = 0, upto: int = LAST, limit: int = LAST) -> list[Record]:
        """The records of a stream from the one after `after` to `upto`, included."""
        rows = await self._ask("records", {"stream": stream, "after": after, "upto": upto, "limit": limit})
        return [Record(*row) for row in rows]

    async def iterate_streams(self, prefix: str = "") -> AsyncIterator[list[Record]]:
        """Each stream whole, one after the other."""
        for stream in await self.read_heads(prefix):
            yield await self.read_records(stream)

    async def read_tails(self, prefix: str = "") -> dict[str, list[Record]]:
        """Of each stream the record of its snapshot and what follows; without a snapshot, the whole."""
        rows = [Record(*row) for row in await self._ask("tails", {"prefix": prefix})]
        return {stream: list(records) for stream, records in groupby(rows, attrgetter("stream"))}

    async def read_snapshots(self, prefix: str = "") -> dict[str, Snapshot]:
        return {row[0]: Snapshot(*row) for row in await self._ask("snapshots", {"prefix": prefix})}

    async def find_permanent_snapshot(self, stream: str, mark: int) -> Snapshot | None:
        """The last state of a stream that stayed, up to a mark: whoever reads of long ago begins there."""
        rows = await self._ask("milestone", {"stream": stream, "mark": mark})
        return Snapshot(*rows[0]) if rows else None

    async def find_key(self, key: str) -> KeyRow | None:
        """What was answered under a key, however long ago (I-4)."""
        rows = await self._ask("key", {"key": key})
        return KeyRow(*rows[0]) if rows else None

    async def read_recent_keys(self, limit: int) -> list[KeyRow]:
        """The last keys, oldest first."""
        return [KeyRow(*row) for row in reversed(await self._ask("recent", {"limit": limit}))]

    async def read_keys(self, after: str, limit: int) -> list[str]:
        """Keys alone, in their own order, from the one after `after`."""
        return [row[0] for row in await self._ask("used", {"after": after, "limit": limit})]

    async def read_balances(self) -> dict[str, Cents]:
        """The running balances, as each commit left them."""
        return dict(await self._ask("accounts", {}))

    async def sum_postings(self) -> dict[str, Cents]:
        """The balances again, summed from every posting (I-5)."""
        return dict(await self._ask("sums", {}))

    async def read_postings(self, stream: str, first: int = 0, last: int = LAST) -> list[PostingRow]:
        """The money that records of a stream moved."""
        rows = await self._ask("postings", {"stream": stream, "first": first, "last": last})
        return [PostingRow(*row) for row in rows]

    async def iterate_records(
        self, stream: str, upto: int = LAST, page: int = PAGE, after: int = 0
    ) -> AsyncIterator[list[Record]]:
        """A stream in pages: a table, the audit log, a player."""
        last = after
        while records := await self.read_records(stream, last, upto, page):
            yield records
            last = records[-1].seq

    async def list_names(self, kind: str) -> list[NameRow]:
        """All names of a kind."""
        return [NameRow(*row) for row in await self._ask("all names", {"kind": kind})]

    async def find_owner(self, kind: str, name: str) -> str | None:
        """Who holds a name that may be held once."""
        rows = await self._ask("name", {"kind": kind, "name": name})
        return rows[0][0] if rows else None

    async def find_round(self, code: str) -> RoundRow | None:
        rows = await self._ask("round", {"code": code})
        return _make_round_row(rows[0]) if rows else None

    async def list_rounds(self, after: tuple[int, str] = (-1, ""), limit: int = PAGE) -> list[RoundRow]:
        """All rounds, oldest end first, voided and practice ones too; `after` is the end and code of the last seen."""
        rows = await self._ask("all rounds", {"ended": after[0], "code": after[1], "limit": limit})
        return [_make_round_row(row) for row in rows]

    async def list_settlements(
        self, game: str, after: tuple[int, str], limit: int = PAGE
    ) -> list[tuple[str, int, tuple[Line, ...]]]:
        """Code, end and lines of the rounds of a game that were played for money to their end, oldest first."""
        rows = await self._ask("settlements", {"game": game, "ended": after[0], "code": after[1], "limit": limit})
        return [(code, ended, decode_body(bytes(body), RoundSettled).lines) for code, ended, body in rows]

    async def list_voided_rounds(self) -> list[RoundRow]:
        """Every round for money that was voided, oldest first."""
        return [_make_round_row(row) for row in await self._ask("voided", {})]

    async def count_outcomes(self) -> dict[tuple[str, int], int]:
        """How many rounds of each game the house won (1), lost (-1) or came out even of (0)."""
        return {(game, sign): count for game, sign, count in await self._ask("outcomes", {})}

    async def sum_days(self, first: int, last: int) -> list[tuple[int, str, int, Cents, Cents]]:
        """Day since 1970, game, rounds, stakes and returns of what was played for money to its end in this span."""
        return [tuple(row) for row in await self._ask("days", {"first": first, "last": last})]

    async def list_rounds_started(self, first: int, last: int) -> list[RoundRow]:
        """The rounds that began in this span, newest first (V-66)."""
        return [_make_round_row(row) for row in await self._ask("rounds started", {"first": first, "last": last})]

    async def list_shares(self, after: tuple[int, str, str] = (-1, "", ""), limit: int = PAGE) -> list[ShareRow]:
        """All shares, oldest end first; `after` is the end, code and player of the last one already seen."""
        values = {"ended": after[0], "code": after[1], "player": after[2], "limit": limit}
        return [ShareRow(*row) for row in await self._ask("all shares", values)]

    async def list_round_shares(self, code: str) -> list[ShareRow]:
        """Who was in a round, and with how much."""
        return [ShareRow(*row) for row in await self._ask("shares of", {"code": code})]

    async def list_counted_shares(self, since: int) -> list[ShareRow]:
        """The shares that count in limits and losses, oldest first: no voided round, no practice (R-33, X-08)."""
        return [ShareRow(*row) for row in await self._ask("flows", {"since": since})]

    async def list_account_rows(
        self,
        player: str,
        before: tuple[int, str] = (LAST, ""),
        limit: int = 50,
        *,
        selection: HistoryFilter = NO_FILTER,
    ) -> list[AccountRow]:
        """A player's rounds for money, newest first, in one query (V-69, X-08)."""
        values = {"player": player, "ended": before[0], "code": before[1], "limit": limit, **selection._asdict()}
        return [AccountRow(*row)._replace(voided=bool(row[-1])) for row in await self._ask("account", values)]

    async def sum_account_rows(
        self, player: str, selection: HistoryFilter = NO_FILTER
    ) -> dict[bool, tuple[int, Cents, Cents]]:
        """How many of these rounds there are, what was staked and returned: apart for those that were voided."""
        rows = await self._ask("account totals", {"player": player, **selection._asdict()})
        return {bool(voided): (count, staked, returned) for voided, count, staked, returned in rows}


def _make_round_row(row: tuple[Any, ...]) -> RoundRow:
    return RoundRow(*row)._replace(voided=bool(row[-2]), practice=bool(row[-1]))
