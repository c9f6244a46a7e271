"""What worlds of several hosts reach: without it their invariants would hold for nothing."""

from __future__ import annotations

from collections import Counter

from tests.support.pit_simulation.opening import HOMES, SOLO
from tests.support.pit_simulation.world import STEPS, World
from tests.support.simulation.players import PLAYERS
from ventuno.house.pits.placement import PitNumber, find_table_pit, name_stream
from ventuno.house.pits.transfers import TransferArrived, TransferEvent, read_transfer_event

WANTED = {
    "takes": 400,
    "is fenced": 40,
    "money to a table": 60,
    "money home": 60,
    "money refused": 15,
    "rounds away": 30,
    "rounds at home": 15,
    "stakes": 500,
    "stakes with limits": 100,
    "RoomPending": 300,
    "ProtectionLimit": 40,
    "PlayExcluded": 40,
    "LimitSet": 250,
    "Excluded": 25,
    "promises": 150,
}
"""At least so many in 300 worlds, beyond what every world begins with."""


class Counted(World):
    """A world that counts what happened in it."""

    def __init__(self, seed: int, counts: Counter[str]) -> None:
        self.counts = counts
        super().__init__(seed)

    def run(self, steps: int = STEPS) -> bytes:
        """Count what came after the beginning."""
        self.trace.clear()
        moves, stakes = {*self.checks.moves.seen}, self.checks.stakes
        digest = super().run(steps)
        counts, checks = self.counts, self.checks
        text = "\n".join(self.trace)
        for word in ("takes", "is fenced", "RoomPending", "ProtectionLimit", "PlayExcluded"):
            counts[word] += text.count(word)
        counts["stakes"] += checks.stakes - stakes
        counts["stakes with limits"] += checks.limited
        counts["promises"] += len(checks.promised)
        for pit, rows in self.disk.pits.items():
            for record in [record for records in rows.streams.values() for record in records]:
                if record.stream == name_stream(pit):
                    self._count_transfer(pit, read_transfer_event(record.kind, record.body), moves)
                elif record.stream.startswith("player:"):
                    counts[record.kind] += 1
        shares = [share for player in PLAYERS for share in self.disk.read_rounds(player)]
        counts["rounds at home"] += sum(share.code.startswith(SOLO) for share in shares)
        away = [share for share in shares if find_table_pit(share.code.partition("-")[0]) != HOMES[share.player]]
        counts["rounds away"] += sum(not share.code.startswith(SOLO) for share in away)
        return digest

    def _count_transfer(self, pit: PitNumber, event: TransferEvent, before: set[str]) -> None:
        match event:
            case TransferArrived(key, player, _, accepted) if key not in before:
                to = "home" if HOMES[player] == pit else "to a table"
                self.counts[f"money {to}" if accepted else "money refused"] += 1
            case _:
                pass
