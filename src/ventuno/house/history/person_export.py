"""What a house keeps of one person, for that person: his account, what he wrote, his rounds (GDPR 15 and 20).

Secrets are no data about him and stay: hashes of passwords, tokens and codes, secrets of second factors.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec

from ventuno.core.rules.money import PlayerId
from ventuno.house.accounts import accounts
from ventuno.house.history import account_history
from ventuno.house.history.account_history import HistoryLine
from ventuno.house.store.records import Record
from ventuno.house.store.store import Store

CHAT = "chat:"
SECRET_FIELDS = frozenset(("hashed", "secret", "token"))
PAGE = 1000


class PersonRecord(NamedTuple):
    """An event as it stands in the books; `stream` is where."""

    stream: str
    seq: int
    at: int
    kind: str
    fields: Mapping[str, Any]


class PersonData(NamedTuple):
    records: tuple[PersonRecord, ...]
    rounds: tuple[HistoryLine, ...]


async def collect_person(store: Store, player: PlayerId) -> PersonData:
    """All of it, oldest first; rounds for money as his own history has them."""
    records: list[PersonRecord] = []
    for prefix in (accounts.PUBLIC, accounts.PRIVATE):
        async for page in store.iterate_records(f"{prefix}{player}"):
            records += map(_describe, page)
    for stream in await store.read_heads(CHAT):
        async for page in store.iterate_records(stream):
            records += [entry for entry in map(_describe, page) if entry.fields.get("player") == player]
    rounds: list[HistoryLine] = []
    place: tuple[int, str] | None = account_history.START
    while place is not None:
        lines = await account_history.read_page(store, player, place, PAGE)
        rounds += lines.lines
        place = lines.before
    return PersonData(tuple(sorted(records, key=lambda entry: entry.at)), tuple(reversed(rounds)))


def _describe(record: Record) -> PersonRecord:
    fields = msgspec.json.decode(record.body)
    kept = {name: value for name, value in fields.items() if name not in SECRET_FIELDS}
    return PersonRecord(record.stream, record.seq, record.at, record.kind, kept)
