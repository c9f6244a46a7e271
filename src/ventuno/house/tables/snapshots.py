"""The album: what the house has folded of shoes and of the concession, photographed now and then (R-06, G-4).

Those streams grow with every round. A house comes back from its photographs and what was written since, not from its
first round; the ones that stay let anybody read of long ago. Tables photograph
themselves (`tables.shell`).
"""

from __future__ import annotations

from collections.abc import Mapping

from ventuno.house.shoes import shoe_log
from ventuno.house.shoes.shoe_log import ShoeLog, ShoeLogs
from ventuno.house.store.records import Batch, ChainBroken, Snapshot, check_chain
from ventuno.house.store.store import Store, is_permanent
from ventuno.house.tables import concession, concession_log
from ventuno.house.tables.concession import Concession
from ventuno.house.tables.table_host import ignore_outcome

SHOE_RECORDS = 64
"""Records of a trail between two photographs: what recovery folds at most."""
CONCESSION_RECORDS = 16_384
"""Reports between two photographs of the concession, which hold everybody who plays."""
STREAMS = (shoe_log.PUBLIC, concession.STREAM)
_NOTHING = Batch()


class Snapshots:
    """Everything that was decided is in the store's hands before anybody looks here: a photograph is never ahead."""

    def __init__(self, store: Store, trails: ShoeLogs, reported: Concession, taken: Mapping[str, Snapshot]) -> None:
        self._store, self._trails, self._reports = store, trails, reported
        self._last = {stream: snapshot.seq for stream, snapshot in taken.items()}

    def take_due(self, every: int = SHOE_RECORDS) -> None:
        """Photograph what has grown by so many records since the last time."""
        for table in self._trails.logs:
            stream, seq = f"{shoe_log.PUBLIC}{table}", self._trails.count_records(table)
            last = self._last.get(stream, 0)
            if seq - last >= every:
                self._keep(self._trails.take_snapshot(table, stays=is_permanent(seq, last)))
        if self._reports.head.seq - self._last.get(concession.STREAM, 0) >= CONCESSION_RECORDS:
            self._keep(concession_log.take_snapshot(self._reports))

    def close(self) -> None:
        """The last photographs; the concession's is large, and stays, so it waits for its time."""
        self.take_due(every=1)

    def _keep(self, snapshot: Snapshot) -> None:
        self._last[snapshot.stream] = snapshot.seq
        self._store.submit(_NOTHING, ignore_outcome, snapshot)


async def find_differing(store: Store) -> list[str]:
    """Photographs that are not what their streams say, read from the first record."""
    faults = []
    for stream, snapshot in [item for start in STREAMS for item in (await store.read_snapshots(start)).items()]:
        records = await store.read_records(stream, upto=snapshot.seq)
        try:
            check_chain(records)
        except ChainBroken as fault:
            faults.append(str(fault))
            continue
        if stream == concession.STREAM:
            again = concession_log.encode_state(concession_log.restore_state(records), records[-1].hash)
        else:
            folded = ShoeLog("", stream.removeprefix(shoe_log.PUBLIC))
            folded.replay(records)
            again = folded.encode_snapshot(records[-1].hash)
        if again != snapshot.body:
            faults.append(f"{stream}: its snapshot is not what its records say")
    return faults
