"""Sealed shoes of the tables of one pit: the same logs, proofs and draws as in a house of one owner (X-01, R-20…R-28).

What a table does is written into the log of its shoes in the commit of the command that did it, through the same fence:
an owner of before signs what nobody ever reads. Streams are those of the tables, so the next owner of the pit folds
them with it and goes on with the same cards (R-23).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from msgspec.structs import replace

from ventuno.core.rules.sheet import Sheet
from ventuno.core.table.state import Phase
from ventuno.house.shoes.entropy import EntropySource
from ventuno.house.shoes.shoe_log import PUBLIC, SECRET, ShoeLogs
from ventuno.house.store.records import Batch, Head, Journal, Record, check_tail, merge, read_table_event
from ventuno.house.store.signing_key import SigningKey
from ventuno.house.tables.authority import Decision, LiveTable, recover_table
from ventuno.house.tables.bonus_draws import SealedDraws
from ventuno.house.tables.live_proofs import LiveProofs


@dataclass(frozen=True, slots=True)
class Seals:
    """What every pit of a house seals its shoes with: the key that signs, the name of the house, fresh entropy."""

    key: SigningKey
    house: str
    source: EntropySource


class PitShoes:
    def __init__(self, journal: Journal, seals: Seals) -> None:
        self.logs = ShoeLogs(journal, seals.key, seals.house)
        self.proofs = LiveProofs(self.logs)
        self.draws = SealedDraws(self.proofs, seals.source)

    def record(self, before: LiveTable, decision: Decision, at: int) -> Decision:
        """A decision with the records of rounds that ended by it and of shoes that retired."""
        if before.practice or not decision.events:
            return decision
        records = self.logs.record_table_events(before.table, decision.events, at)
        return replace(decision, batch=merge(decision.batch, Batch(records=records))) if records else decision

    def recover(
        self,
        streams: Sequence[list[Record]],
        tables: Mapping[str, LiveTable],
        records: Mapping[str, list[Record]],
        sheets: Mapping[str, Sheet],
    ) -> None:
        """Fold the public and the secret streams of these tables; a round that is open from its beginning, so that its
        record is complete when it ends.
        """
        by_name = {listed[0].stream: listed for listed in streams}
        for stream, listed in by_name.items():
            if not stream.startswith(PUBLIC):
                continue
            name = stream.removeprefix(PUBLIC)
            log = self.logs.recover(listed)
            sealed = by_name.get(f"{SECRET}{name}", [])
            head = self.logs.sealed_heads[f"{SECRET}{name}"] = check_tail(sealed) if sealed else Head()
            first = min(log.digests, default=head.seq + 1)
            self.proofs.restore(name, sealed[first - 1 :], head, sheets)
            live = tables.get(name)
            if live and live.table.phase is Phase.ROUND:
                own = records[live.stream]
                log.opening = recover_table(own[: live.first - 1], dict(sheets)).table
                log.log = [read_table_event(record.kind, record.body) for record in own[live.first - 1 :]]
