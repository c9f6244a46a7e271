"""The one database of several hosts: leases, and commits that are fenced by the epoch of their pit."""

from __future__ import annotations

from dataclasses import dataclass, field

from tests.support.simulation.disk import Broken
from ventuno.core.rules.money import Cents, PlayerId
from ventuno.house.accounts.accounts import PUBLIC
from ventuno.house.pits import leases
from ventuno.house.pits.leases import Lease
from ventuno.house.pits.pit import Books
from ventuno.house.pits.placement import PitNumber, name_stream
from ventuno.house.pits.transfers import read_balances
from ventuno.house.shoes import shoe_log
from ventuno.house.store.records import Batch, KeyRow, Record, RoundRow, ShareRow

SHOES = (shoe_log.PUBLIC, shoe_log.SECRET)


@dataclass
class PitRows:
    """What lies in one pit."""

    streams: dict[str, list[Record]] = field(default_factory=dict)
    keys: list[KeyRow] = field(default_factory=list)

    def copy(self) -> PitRows:
        return PitRows({stream: [*records] for stream, records in self.streams.items()}, [*self.keys])


@dataclass
class Disk:
    """What is durable, by pit; balances and rounds are those of the whole house."""

    leases: dict[PitNumber, Lease] = field(default_factory=dict)
    pits: dict[PitNumber, PitRows] = field(default_factory=dict)
    balances: dict[str, Cents] = field(default_factory=dict)
    keys: dict[str, KeyRow] = field(default_factory=dict)
    rounds: dict[str, RoundRow] = field(default_factory=dict)
    shares: dict[PlayerId, list[ShareRow]] = field(default_factory=dict)

    def copy(self) -> Disk:
        return Disk(
            {**self.leases},
            {pit: rows.copy() for pit, rows in self.pits.items()},
            {**self.balances},
            {**self.keys},
            {**self.rounds},
            {player: [*shares] for player, shares in self.shares.items()},
        )

    def commit(self, pit: PitNumber, epoch: int, batch: Batch) -> None:
        """One transaction: the fence first, then the rows. What the schema's own keys forbid is a broken house."""
        leases.check_fence(self.leases[pit], epoch)
        rows = self.pits[pit]
        for record in batch.records:
            records = rows.streams.setdefault(record.stream, [])
            if record.seq != len(records) + 1:
                raise Broken(f"I-6: {record.stream} {record.seq} is written where {len(records) + 1} is next")
            records.append(record)
        for key in batch.keys:
            if key.key in self.keys:
                raise Broken(f"I-4: {key.key} is written twice")
            self.keys[key.key] = key
        rows.keys += batch.keys
        for posting in batch.postings:
            self.balances[posting.account] = self.balances.get(posting.account, 0) + posting.amount
        for row in batch.rounds:
            if row.code in self.rounds:
                raise Broken(f"I-8: round {row.code} ends twice")
            self.rounds[row.code] = row
        for share in batch.shares:
            self.shares.setdefault(share.player, []).append(share)

    def take(self, pit: PitNumber, node: str, now: int) -> dict[PitNumber, int] | None:
        """Make a node the owner, and read the epochs of all pits in the same transaction."""
        if not leases.may_take(self.leases[pit], node, now):
            return None
        self.leases[pit] = leases.take(self.leases[pit], node, now)
        return self.read_epochs()

    def read_epochs(self) -> dict[PitNumber, int]:
        return {pit: lease.epoch for pit, lease in self.leases.items()}

    def read_rounds(self, player: PlayerId) -> list[ShareRow]:
        """The rounds that count: what was voided was never at stake (R-07)."""
        return [share for share in self.shares.get(player, ()) if not self.rounds[share.code].voided]

    def read_books(self, pit: PitNumber, players: tuple[PlayerId, ...]) -> Books:
        """What the next owner of a pit folds; these players are at home in it."""
        rows = self.pits[pit]
        return Books(
            [records for stream, records in rows.streams.items() if stream.startswith("table:")],
            [records for stream, records in rows.streams.items() if stream.startswith(PUBLIC)],
            rows.streams.get(name_stream(pit), []),
            rows.keys,
            read_balances(self.balances, pit),
            [share for player in players for share in self.read_rounds(player)],
            [records for stream, records in rows.streams.items() if stream.startswith(SHOES)],
        )

    def find_last(self, pit: PitNumber) -> int:
        """The time of the latest record of a pit: its clock never goes before it."""
        return max([records[-1].at for records in self.pits[pit].streams.values()], default=0)
