"""The concession's stream read again: from a photograph of its fold, and of a round however long ago (R-14, R-30)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple, cast

import msgspec

from ventuno.core.rules.money import PlayerId
from ventuno.house.store import codec
from ventuno.house.store.records import Record, RoundRow
from ventuno.house.store.store import Snapshot, Store
from ventuno.house.store.streams import tail_of
from ventuno.house.tables.concession import (
    BEGINNING,
    STREAM,
    Admission,
    Concession,
    ParticipationBegun,
    Report,
    RoundReported,
    State,
    Totals,
    folded,
    read,
)


class Kept(NamedTuple):
    """The fold in a snapshot; `hash` is that of the record it was taken at."""

    hash: str
    sessions: dict[str, str]
    participations: list[tuple[str, PlayerId, str]]
    totals: dict[str, Totals]
    queued: list[tuple[int, str, msgspec.Raw]]
    last: int


def frozen(state: State, hashed: bytes) -> bytes:
    queued = [(number, kind, msgspec.Raw(body)) for number, one in state.queued for kind, body in [codec.encode(one)]]
    held = [(*key, one) for key, one in state.participations.items()]
    kept = Kept(hashed.hex(), dict(state.sessions), held, dict(state.totals), queued, state.last)
    return msgspec.json.encode(kept)


def thawed(kept: Kept) -> State:
    queued = tuple((number, cast("Report", read(kind, body))) for number, kind, body in kept.queued)
    held = {(session, player): one for session, player, one in kept.participations}
    return State(kept.sessions, held, kept.totals, queued, kept.last)


def unfolded(records: Sequence[Record], snapshot: Snapshot | None = None) -> State:
    """All that these records say; where a snapshot was taken at the first of them, on top of that."""
    if snapshot is None:
        return folded(records)
    kept = codec.typed(snapshot.body, Kept)
    tail_of(records, snapshot, kept.hash)
    return folded(records[1:], thawed(kept))


def photograph(concession: Concession) -> Snapshot:
    """All as it is with what was decided. It stays: whoever looks for a report begins before its time."""
    seq, hashed = concession.head
    return Snapshot(STREAM, seq, frozen(concession.state, hashed), concession.at)


async def admission_in(store: Store, row: RoundRow, player: PlayerId) -> Admission | None:
    """The ids under which a player was in a round that is stored, however long ago."""
    if row.practice:
        return None
    base = await store.milestone(STREAM, row.ended - 1)
    state = thawed(codec.typed(base.body, Kept)) if base else BEGINNING
    found: list[Record] = []
    async for page in store.each_record(STREAM, after=base.seq if base else 0):
        found += [one for one in page if one.kind == ParticipationBegun.__name__ or row.code.encode() in one.body]
        if page[-1].at > row.ended:
            break
    return admission_of(found, row.code, player, state)


def admission_of(records: Iterable[Record], code: str, player: PlayerId, state: State = BEGINNING) -> Admission | None:
    """The ids under which a player was in a round, from the stream alone, or from its fold on (R-14, R-30)."""
    mine = {held: session for (session, who), held in state.participations.items() if who == player}
    for record in records:
        event = read(record.kind, record.body)
        if isinstance(event, ParticipationBegun) and event.player == player:
            mine[event.participation] = event.session
        elif isinstance(event, RoundReported) and event.code == code:
            held = next((one.participation for one in event.shares if one.participation in mine), None)
            return Admission(mine[held], held, "") if held else None
    return None
