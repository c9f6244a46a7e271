"""Writes streams: where each of them ends, and the records that come next.

A journal is ahead of the store, as the authority is: it stands where all that was decided stands once committed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ventuno.house.store import codec
from ventuno.house.store.records import Batch, ChainBroken, Head, Record, chain_events, check_chain
from ventuno.house.store.store import Snapshot


class Journal:
    """The ends of the streams that one part of the house writes."""

    def __init__(self) -> None:
        self._heads: dict[str, Head] = {}

    def head(self, stream: str) -> Head:
        return self._heads.get(stream, Head())

    def write(self, stream: str, at: int, events: Iterable[object]) -> tuple[Record, ...]:
        """The records of these events, chained to what is there."""
        records, head = chain_events(self.head(stream), stream, at, [codec.encode(event) for event in events])
        self._heads[stream] = head
        return records

    def resume(self, records: Sequence[Record]) -> None:
        """Go on after what was committed; raises ChainBroken where it is not whole.

        Where the first record is not the first of its stream, a snapshot vouches for it (see `tail_of`).
        """
        if records:
            self._heads[records[0].stream] = check_tail(records)


def check_tail(records: Sequence[Record], snapshot: Snapshot | None = None, hashed: str = "") -> Head:
    """The end of a stream whose records begin where a snapshot was taken, or at the first."""
    first = records[0]
    if snapshot and (first.seq != snapshot.seq or first.hash.hex() != hashed):
        raise ChainBroken(f"{snapshot.stream}: record {snapshot.seq} is not the one its snapshot was taken at")
    return check_chain(list(records)) if first.seq == 1 else check_chain(list(records[1:]), Head(first.seq, first.hash))


def merge(*batches: Batch | None) -> Batch:
    """Several changes as one: committed together or not at all."""
    merged_batches = [batch for batch in batches if batch is not None]
    return Batch(
        records=tuple(record for batch in merged_batches for record in batch.records),
        postings=tuple(posting for batch in merged_batches for posting in batch.postings),
        keys=tuple(key for batch in merged_batches for key in batch.keys),
        rounds=tuple(row for batch in merged_batches for row in batch.rounds),
        shares=tuple(share for batch in merged_batches for share in batch.shares),
        names=tuple(name for batch in merged_batches for name in batch.names),
    )
