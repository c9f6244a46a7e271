"""What a house keeps of one person, for that person: his account, what he wrote, his rounds (GDPR 15 and 20).

Secrets are no data about him and stay: hashes of passwords, tokens and codes, secrets of second factors.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec

from ventuno.core.rules.money import Cents, PlayerId
from ventuno.house.accounts import accounts
from ventuno.house.history import account_history
from ventuno.house.history.account_history import HistoryLine
from ventuno.house.integrity import alerts
from ventuno.house.money import corrections
from ventuno.house.store import audit_log
from ventuno.house.store.records import ERASED, Record
from ventuno.house.store.store import Store
from ventuno.house.tables import concession

SHARED = ("chat:", audit_log.STREAM, alerts.STREAM, concession.STREAM, corrections.STREAM)
"""Streams that tell of many: of these what names the person."""
PERSON_FIELDS = ("player", "by", "first", "second", "subject")
"""Fields of events outside tables that name somebody by number; `amounts` has numbers as keys."""
SECRET_FIELDS = frozenset(("hashed", "secret", "token"))
OTHER = "another player"
PAGE = 1000
PERSON_COLUMNS = {
    "log": ("stream", "body"),
    "accounts": ("account",),
    "shares": ("player",),
    "postings": ("account",),
    "names": ("owner",),
    "keys": ("key",),
}
"""Columns of the store that name a person. Records and balances are handed out; shares are his rounds, postings follow
from his cash entries and rounds, a claimed name is that of his account, and a key is a number that his program drew."""
OTHER_COLUMNS = {
    "log": ("kind",),
    "heads": ("stream",),
    "streams": ("stream",),
    "postings": ("stream", "criterion", "arithmetic"),
    "rounds": ("code", "stream", "game", "sheet"),
    "shares": ("code",),
    "snapshots": ("stream",),
    "milestones": ("stream",),
    "names": ("kind", "name"),
    "pits": ("node",),
    "nodes": ("node", "version"),
}
"""Columns of text that name nobody, or what is named elsewhere."""


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
    balances: Mapping[str, Cents]


async def collect_person(store: Store, player: PlayerId) -> PersonData:
    """All of it, oldest first; rounds for money as his own history has them."""
    records: list[PersonRecord] = []
    for prefix in (accounts.PUBLIC, accounts.PRIVATE):
        async for page in store.iterate_records(f"{prefix}{player}"):
            records += [_describe(record) for record in page if record.body != ERASED]
    for prefix in SHARED:
        for stream in await store.read_heads(prefix):
            async for page in store.iterate_records(stream):
                entries = [_describe(record) for record in page if record.body != ERASED]
                records += [_hide_others(entry, player) for entry in entries if names_person(entry.fields, player)]
    rounds: list[HistoryLine] = []
    place: tuple[int, str] | None = account_history.START
    while place is not None:
        lines = await account_history.read_page(store, player, place, PAGE)
        rounds += lines.lines
        place = lines.before
    own = f"player:{player}"
    balances = {
        name: amount
        for name, amount in (await store.read_balances()).items()
        if name == own or name.startswith(f"{own}:")
    }
    return PersonData(tuple(sorted(records, key=lambda entry: entry.at)), tuple(reversed(rounds)), balances)


def names_person(fields: Mapping[str, Any], player: PlayerId) -> bool:
    """Whether an event tells of this person."""
    return any(fields.get(name) == player for name in PERSON_FIELDS) or player in (fields.get("amounts") or ())


def _hide_others(entry: PersonRecord, player: PlayerId) -> PersonRecord:
    """What is told of somebody else in the same breath is not this person's to have."""
    fields: dict[str, Any] = dict(entry.fields)
    for name in ("first", "second"):
        if fields.get(name, player) != player:
            fields[name] = OTHER
    if "amounts" in fields:
        fields["amounts"] = {number: amount for number, amount in fields["amounts"].items() if number == player}
    return entry._replace(fields=fields)


def _describe(record: Record) -> PersonRecord:
    fields = msgspec.json.decode(record.body)
    kept = {name: value for name, value in fields.items() if name not in SECRET_FIELDS}
    return PersonRecord(record.stream, record.seq, record.at, record.kind, kept)
