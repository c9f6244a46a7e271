"""The concession's stream read again: from a photograph of its fold, and of a round however long ago (R-14, R-30)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple, cast

import msgspec

from ventuno.core.rules.money import PlayerId
from ventuno.house.store import codec
from ventuno.house.store.records import Record, RoundRow, Snapshot, check_tail
from ventuno.house.store.store import Store
from ventuno.house.tables.concession import (
    EMPTY,
    STREAM,
    Admission,
    Concession,
    ConcessionState,
    ParticipationBegun,
    Report,
    RoundReported,
    Totals,
    fold,
    read,
)


class StoredState(NamedTuple):
    """The fold in a snapshot; `hash` is that of the record it was taken at."""

    hash: str
    sessions: dict[str, str]
    participations: list[tuple[str, PlayerId, str]]
    totals: dict[str, Totals]
    queued: list[tuple[int, str, msgspec.Raw]]
    last: int


def encode_state(state: ConcessionState, hashed: bytes) -> bytes:
    queued = [
        (number, kind, msgspec.Raw(body)) for number, entry in state.queued for kind, body in [codec.encode(entry)]
    ]
    participations = [(*key, entry) for key, entry in state.participations.items()]
    stored = StoredState(hashed.hex(), dict(state.sessions), participations, dict(state.totals), queued, state.last)
    return msgspec.json.encode(stored)


def decode_state(stored: StoredState) -> ConcessionState:
    queued = tuple((number, cast("Report", read(kind, body))) for number, kind, body in stored.queued)
    participations = {(session, player): participation for session, player, participation in stored.participations}
    return ConcessionState(stored.sessions, participations, stored.totals, queued, stored.last)


def restore_state(records: Sequence[Record], snapshot: Snapshot | None = None) -> ConcessionState:
    """All that these records say; where a snapshot was taken at the first of them, on top of that."""
    if snapshot is None:
        return fold(records)
    stored = codec.decode(snapshot.body, StoredState)
    check_tail(records, snapshot, stored.hash)
    return fold(records[1:], decode_state(stored))


def take_snapshot(concession: Concession) -> Snapshot:
    """All as it is with what was decided. It stays: whoever looks for a report begins before its time."""
    seq, hashed = concession.head
    return Snapshot(STREAM, seq, encode_state(concession.state, hashed), concession.at)


async def find_admission(store: Store, row: RoundRow, player: PlayerId) -> Admission | None:
    """The ids under which a player was in a round that is stored, however long ago."""
    if row.practice:
        return None
    base = await store.find_permanent_snapshot(STREAM, row.ended - 1)
    state = decode_state(codec.decode(base.body, StoredState)) if base else EMPTY
    records: list[Record] = []
    async for page in store.iterate_records(STREAM, after=base.seq if base else 0):
        records += [
            record for record in page if record.kind == ParticipationBegun.__name__ or row.code.encode() in record.body
        ]
        if page[-1].at > row.ended:
            break
    return read_admission(records, row.code, player, state)


def read_admission(
    records: Iterable[Record], code: str, player: PlayerId, state: ConcessionState = EMPTY
) -> Admission | None:
    """The ids under which a player was in a round, from the stream alone, or from its fold on (R-14, R-30)."""
    sessions = {
        participation: session for (session, who), participation in state.participations.items() if who == player
    }
    for record in records:
        event = read(record.kind, record.body)
        if isinstance(event, ParticipationBegun) and event.player == player:
            sessions[event.participation] = event.session
        elif isinstance(event, RoundReported) and event.code == code:
            participation = next(
                (share.participation for share in event.shares if share.participation in sessions), None
            )
            return Admission(sessions[participation], participation, "") if participation else None
    return None
