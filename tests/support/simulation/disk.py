"""What survives a crash: committed batches, in order, and nothing else."""

from __future__ import annotations

from dataclasses import dataclass, field

from ventuno.core.rules.money import Cents, PlayerId
from ventuno.core.table.ledger import Posting
from ventuno.house.store.records import Batch, KeyRow, PostingRow, Record, RoundRow, ShareRow


class Broken(AssertionError):
    """An invariant does not hold in this world."""


@dataclass
class Disk:
    """Streams of tables, postings, keys, rounds and shares; beside them what players put between them and play."""

    streams: dict[str, list[Record]] = field(default_factory=dict)
    postings: list[Posting | PostingRow] = field(default_factory=list)
    keys: list[KeyRow] = field(default_factory=list)
    rounds: dict[str, RoundRow] = field(default_factory=dict)
    shares: list[ShareRow] = field(default_factory=list)
    shields: dict[PlayerId, list[Record]] = field(default_factory=dict)
    names: set[str] = field(default_factory=set)

    def commit(self, batch: Batch) -> None:
        """One transaction. The unique keys of the schema are kept here too: a second row is a broken house."""
        for record in batch.records:
            self.streams.setdefault(record.stream, []).append(record)
        self.postings += batch.postings
        for key in batch.keys:
            if key.key in self.names:
                raise Broken(f"I-4: {key.key} is written twice")
            self.names.add(key.key)
        self.keys += batch.keys
        for row in batch.rounds:
            if row.code in self.rounds:
                raise Broken(f"I-8: round {row.code} ends twice")
            self.rounds[row.code] = row
        self.shares += batch.shares

    def shield(self, player: PlayerId, records: tuple[Record, ...]) -> None:
        """A change of limits, in the player's own stream."""
        self.shields.setdefault(player, []).extend(records)

    def balances(self) -> dict[str, Cents]:
        """I-5: every balance is the sum of its postings."""
        sums: dict[str, Cents] = {}
        for posting in self.postings:
            sums[posting.account] = sums.get(posting.account, 0) + posting.amount
        return sums

    def last(self) -> int:
        """The time of the latest record of a table: the house's clock never goes before it."""
        return max([records[-1].at for records in self.streams.values()], default=0)

    def copy(self) -> Disk:
        """The same content, to be written on without touching this one."""
        return Disk(
            {stream: [*records] for stream, records in self.streams.items()},
            [*self.postings],
            [*self.keys],
            {**self.rounds},
            [*self.shares],
            {player: [*records] for player, records in self.shields.items()},
            {*self.names},
        )
