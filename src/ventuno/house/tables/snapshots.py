"""Snapshots of what the house has folded of shoes and of the concession, taken now and then (R-06, G-4).

Those streams grow with every round. A house comes back from its snapshots and what was written since, not from its
first round; permanent ones let anybody read of long ago. The host takes those of tables.
"""

from __future__ import annotations

from collections.abc import Mapping

from ventuno.house.shoes import shoe_log
from ventuno.house.shoes.shoe_log import ShoeLog, ShoeLogs
from ventuno.house.store.committer import Committer
from ventuno.house.store.records import ChainBroken, Record, Snapshot, Unreadable, check_chain
from ventuno.house.store.store import Store, is_permanent
from ventuno.house.tables import concession
from ventuno.house.tables.concession import Concession

SHOE_RECORDS = 64
"""Records of a shoe log between two snapshots: what recovery folds at most."""
CONCESSION_RECORDS = 16_384
"""Reports between two snapshots of the concession, which hold everybody who plays."""
STREAMS = (shoe_log.PUBLIC, concession.STREAM)


class Snapshots:
    """Everything that was decided is in the store's hands before anybody looks here: a snapshot is never ahead."""

    def __init__(
        self, commits: Committer, shoe_logs: ShoeLogs, reports: Concession, taken: Mapping[str, Snapshot]
    ) -> None:
        self._commits, self._shoe_logs, self._reports = commits, shoe_logs, reports
        self._last = {stream: snapshot.seq for stream, snapshot in taken.items()}

    def take_due(self, every: int = SHOE_RECORDS) -> None:
        """Take a snapshot of what has grown by so many records since the last time."""
        for table in self._shoe_logs.logs:
            stream, seq = f"{shoe_log.PUBLIC}{table}", self._shoe_logs.count_records(table)
            last = self._last.get(stream, 0)
            if seq - last >= every:
                self._keep(self._shoe_logs.take_snapshot(table, stays=is_permanent(seq, last)))
        if self._reports.head.seq - self._last.get(concession.STREAM, 0) >= CONCESSION_RECORDS:
            self._keep(concession.take_snapshot(self._reports))

    def close(self) -> None:
        """The last snapshots; the concession's is large, and stays, so it waits for its time."""
        self.take_due(every=1)

    def _keep(self, snapshot: Snapshot) -> None:
        self._last[snapshot.stream] = snapshot.seq
        self._commits.save(snapshot)


async def find_differing(store: Store) -> list[str]:
    """Snapshots that are not what their streams say, read from the first record.

    What they say is compared, not how: those of earlier versions write less.
    """
    faults = []
    for stream, snapshot in [item for start in STREAMS for item in (await store.read_snapshots(start)).items()]:
        records = await store.read_records(stream, upto=snapshot.seq)
        try:
            check_chain(records)
            if not (_is_concession_state if stream == concession.STREAM else _is_shoe_log)(snapshot, records):
                faults.append(f"{stream}: its snapshot is not what its records say")
        except ChainBroken as fault:
            faults.append(str(fault))
        except Unreadable as fault:
            faults.append(f"{stream}: its snapshot is not what its records say: {fault}")
    return faults


def _is_concession_state(snapshot: Snapshot, records: list[Record]) -> bool:
    return concession.encode_state(concession.restore_state(records), records[-1].hash) == snapshot.body


def _is_shoe_log(snapshot: Snapshot, records: list[Record]) -> bool:
    folded, taken = (ShoeLog("", snapshot.stream.removeprefix(shoe_log.PUBLIC)) for _ in range(2))
    folded.replay(records)
    taken.replay(records[-1:], snapshot)
    if taken.counts is None:
        folded.counts = None
    return taken.encode_snapshot(records[-1].hash) == folded.encode_snapshot(records[-1].hash)
