"""What a store does for the house, whichever database is under it.

Batches are written strictly in the order they are handed in, many in one transaction, by one writer. An error while
writing ends the writer for good: nothing is tried again, and the house comes back from what is there (T-5, G-8).
"""

from __future__ import annotations

import asyncio
import errno
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from itertools import groupby
from operator import attrgetter
from typing import Any, NamedTuple

from ventuno.core.rules.money import Cents
from ventuno.house.store import schema
from ventuno.house.store.records import Batch, Head, KeyRow, NameRow, PostingRow, Record
from ventuno.house.store.round_queries import LAST, PAGE, Rounds

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


class Snapshot(NamedTuple):
    """A stream's state after its record `seq`; only the newest is kept, but where it has a mark it stays for good.

    A mark grows with the stream, and is what a later reader knows of the place that he looks for.
    """

    stream: str
    seq: int
    body: bytes
    mark: int | None = None


MILESTONE = 512
"""Records of a stream between two snapshots that stay."""


def is_permanent(seq: int, last: int) -> bool:
    """Whether a snapshot stays, by its place and that of the one before."""
    return seq // MILESTONE > last // MILESTONE


class WriteRequest(NamedTuple):
    """What waits for the writer: rows, a snapshot or neither, and who is told."""

    batch: Batch
    done: OnDone
    snapshot: Snapshot | None = None


def notify(group: Iterable[WriteRequest], fault: StoreFailed | None) -> None:
    """Tell everybody of a group, in its order."""
    for entry in group:
        entry.done(fault)


class Rows(NamedTuple):
    """A group of batches as rows for each table: one transaction."""

    appended: dict[str, list[tuple[Any, ...]]]
    heads: list[tuple[Any, ...]]
    accounts: list[tuple[Any, ...]]
    snapshots: list[tuple[Any, ...]]
    permanent_snapshots: list[tuple[Any, ...]]

    @property
    def is_empty(self) -> bool:
        return not (self.snapshots or any(self.appended.values()))


def collect_rows(group: Sequence[WriteRequest], place: int) -> Rows:
    """The rows of a group. Money must sum to zero in each batch: anything else is a bug and is not written (I-1)."""
    appended: dict[str, list[tuple[Any, ...]]] = {name: [] for name, _ in schema.APPEND_TABLES}
    lines: list[tuple[Any, ...]] = []
    heads: dict[str, Record] = {}
    changes: dict[str, Cents] = {}
    snapshots: dict[str, Snapshot] = {}
    permanent: list[tuple[Any, ...]] = []
    for batch, _, snapshot in group:
        total = 0
        for name, rows in appended.items():
            rows += getattr(batch, name)
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
    appended["postings"] = lines
    appended["keys"] = [(*key, place + number) for number, key in enumerate(appended["keys"], 1)]
    return Rows(
        appended,
        [(record.stream, record.seq, record.hash) for record in heads.values()],
        list(changes.items()),
        [(newest.stream, newest.seq, newest.body) for newest in snapshots.values()],
        permanent,
    )


def find_overdrawn(balances: Iterable[tuple[str, Cents]]) -> list[str]:
    """Players' accounts below zero (I-2)."""
    return [f"{account} is {amount}" for account, amount in balances if amount < 0 and account.startswith("player:")]


def is_disk_full(fault: BaseException) -> bool:
    """Whether this error says that the disk is full: to the system, to SQLite, to APSW, to PostgreSQL."""
    return (
        getattr(fault, "errno", None) == errno.ENOSPC
        or getattr(fault, "sqlite_errorname", "") == "SQLITE_FULL"
        or type(fault).__name__ in ("FullError", "DiskFullError")
    )


class Store(Rounds, ABC):
    """A durable store: one writer that takes batches in order, and readers beside it.

    What an export or a history asks comes in pages: each question takes the place of the last row that was seen. Rows
    are only added, and later ones stand later, so pages that are read while the house plays miss nothing that was there
    when the first was read. `streams` gives the end of each stream now: reading `upto` it makes one moment of them all.
    """

    unsafe: str = ""
    """Why acknowledged play could be lost on this store: for every screen; empty where it cannot (G-23)."""
    full: str = ""
    """Why this store has no room but what was kept in reserve: rounds end, and no new one begins (T-5)."""

    @abstractmethod
    def submit(self, batch: Batch, done: OnDone, snapshot: Snapshot | None = None) -> None:
        """Hand a batch to the writer; `done` is called in the event loop, in the order of submission."""

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

    async def key(self, key: str) -> KeyRow | None:
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

    async def each_posting(self, stream: str, upto: int = LAST, page: int = PAGE) -> AsyncIterator[list[PostingRow]]:
        """The money that a stream moved, in pages."""
        seq, line = 0, -1
        while rows := await self._ask(
            "lines", {"stream": stream, "upto": upto, "seq": seq, "line": line, "limit": page}
        ):
            yield [PostingRow(*row[:2], *row[3:]) for row in rows]
            seq, line = rows[-1][1], rows[-1][2]

    async def posted(self) -> list[str]:
        """The streams that moved money."""
        return [row[0] for row in await self._ask("posted", {})]

    async def list_names(self, kind: str) -> list[NameRow]:
        """All names of a kind."""
        return [NameRow(*row) for row in await self._ask("all names", {"kind": kind})]

    async def owner(self, kind: str, name: str) -> str | None:
        """Who holds a name that may be held once."""
        rows = await self._ask("name", {"kind": kind, "name": name})
        return rows[0][0] if rows else None
