"""The export for regulators and laboratories: one file of JSON lines that can be checked without trust (X-14, G-11).

First a line that says what this is; then records, postings, rounds and shares; last a line with the end of every chain,
every balance and the digest of all lines before it. `examined` checks the chains, plays every event again, and makes
every posting, round and balance anew; whatever differs is a fault, in words.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, get_args

import msgspec

from ventuno.core.messages.events import Event
from ventuno.core.rules.money import Cents
from ventuno.core.rules.sheet import Sheet
from ventuno.house.accounts import accounts
from ventuno.house.history import audit
from ventuno.house.history.export_lines import (
    FORMAT,
    AnyLine,
    Closing,
    Opening,
    PostingLine,
    RecordLine,
    RoundLine,
    ShareLine,
)
from ventuno.house.history.in_memory import TABLE, Holdings, derived, public
from ventuno.house.integrity import alerts
from ventuno.house.money import correction_records
from ventuno.house.shoes import shoe_log_records
from ventuno.house.store import codec
from ventuno.house.store.codec import Unreadable
from ventuno.house.store.records import ChainBroken, PostingRow, Record, RoundRow, ShareRow, check
from ventuno.house.store.store import Store
from ventuno.house.tables import chat, concession
from ventuno.house.tables.live_table import TableOpened

_decoder: msgspec.json.Decoder[AnyLine] = msgspec.json.Decoder(AnyLine)


_READERS: dict[str, Callable[[str, bytes], object]] = {
    TABLE: codec.reader([TableOpened, *get_args(Event)]),
    accounts.PUBLIC: accounts.read_open,
    accounts.PRIVATE: accounts.read_hidden,
    alerts.STREAM: alerts.read,
    audit.STREAM: audit.read,
    concession.STREAM: concession.read,
    correction_records.STREAM: correction_records.read,
    "chat:": chat.read,
    shoe_log_records.PUBLIC: shoe_log_records.read,
    shoe_log_records.SECRET: shoe_log_records.read_sealed,
}
"""The vocabulary of each stream, by how its name begins."""


@dataclass(frozen=True, slots=True)
class Examined:
    """What a file holds, the balances made anew from its events, and everything that is wrong with it."""

    held: Holdings
    balances: Mapping[str, Cents]
    heads: Mapping[str, tuple[int, str]]
    faults: tuple[str, ...]

    @property
    def holds(self) -> bool:
        return not self.faults


def written(held: Holdings, at: int, *, whole: bool = False) -> Iterator[bytes]:
    """The lines of an export, each with its end of line."""
    shown, withheld = (held, {}) if whole else public(_unsealed(held))
    digest, count = sha256(), 0
    for line in _lines(shown, Opening(FORMAT, at, whole, withheld)):
        raw = msgspec.json.encode(line) + b"\n"
        digest.update(raw)
        count += 1
        yield raw
    heads = {stream: (head.seq, head.hash.hex()) for stream, head in sorted(shown.heads().items())}
    yield msgspec.json.encode(Closing(count, heads, shown.balances(), digest.hexdigest())) + b"\n"


def _unsealed(held: Holdings) -> Holdings:
    """Without the sealed shoes, which nobody reads but the house."""
    kept = {name: records for name, records in held.streams.items() if not name.startswith(shoe_log_records.SECRET)}
    return Holdings(kept, held.postings, held.rounds, held.shares)


async def gathered(store: Store) -> Holdings:
    """Everything a store holds, beside a house that plays: rows of what came after its stream was read are left out."""
    held = Holdings()
    async for records in store.all_records():
        stream = records[0].stream
        held.streams[stream] = records
        held.postings += await store.postings(stream, last=records[-1].seq)
    while page := await store.rounds(_after(held.rounds)):
        held.rounds += page
    while rows := await store.shares(_place(held.shares)):
        held.shares += rows
    ends = {stream: records[-1].seq for stream, records in held.streams.items()}
    held.rounds = [row for row in held.rounds if row.last <= ends.get(row.stream, 0)]
    codes = {row.code for row in held.rounds}
    held.shares = [one for one in held.shares if one.code in codes]
    return held


def _after(rows: list[RoundRow]) -> tuple[int, str]:
    return (rows[-1].ended, rows[-1].code) if rows else (-1, "")


def _place(rows: list[ShareRow]) -> tuple[int, str, str]:
    return (rows[-1].ended, rows[-1].code, rows[-1].player) if rows else (-1, "", "")


def _lines(held: Holdings, opening: Opening) -> Iterator[AnyLine]:
    yield opening
    for stream in sorted(held.streams):
        for one in held.streams[stream]:
            yield RecordLine(one.stream, one.seq, one.at, one.kind, msgspec.Raw(one.body), one.hash.hex())
    yield from (PostingLine(*row) for row in held.postings)
    yield from (RoundLine(*row) for row in held.rounds)
    yield from (ShareLine(*row) for row in held.shares)


def read(raw: Iterable[bytes]) -> tuple[Holdings, Closing, list[str]]:
    """The content of a file, its last line, and what is wrong with its form; Unreadable where it is no export."""
    held, closing, faults = Holdings(), None, []
    digest, count = sha256(), 0
    for number, text in enumerate(raw, start=1):
        line = _decoded(text, number)
        if closing is not None:
            faults.append(f"line {number}: after the end")
        elif isinstance(line, Opening) and line.format != FORMAT:
            raise Unreadable(f"line {number}: format {line.format}, and {FORMAT} is read here")
        elif isinstance(line, Opening) != (number == 1):
            faults.append(f"line {number}: the opening stands first and once")
        elif isinstance(line, Closing):
            closing = line
        else:
            _take(held, line)
        if closing is None:
            digest.update(text)
            count += 1
    if closing is None:
        raise Unreadable("the file has no end: part of it is missing")
    if (count, digest.hexdigest()) != (closing.lines, closing.digest):
        faults.append("the file is not what was written: its digest differs")
    return held, closing, faults


def _decoded(text: bytes, number: int) -> AnyLine:
    try:
        return _decoder.decode(text)
    except (msgspec.ValidationError, msgspec.DecodeError, UnicodeDecodeError) as fault:
        raise Unreadable(f"line {number}: {fault}") from None


def _take(held: Holdings, line: AnyLine) -> None:
    match line:
        case RecordLine(stream, seq, at, kind, body, hashed):
            records = held.streams.setdefault(stream, [])
            records.append(Record(stream, seq, at, kind, bytes(body), _octets(hashed)))
        case PostingLine():
            held.postings.append(PostingRow(*_values(line)))
        case RoundLine():
            held.rounds.append(RoundRow(*_values(line)))
        case ShareLine():
            held.shares.append(ShareRow(*_values(line)))
        case _:
            return


def _values(line: msgspec.Struct) -> tuple[Any, ...]:
    return msgspec.structs.astuple(line)


def _octets(text: str) -> bytes:
    try:
        return bytes.fromhex(text)
    except ValueError:
        return b""


def examined(
    raw: Iterable[bytes], sheets: Mapping[str, Sheet], noted: Mapping[str, tuple[int, str]] | None = None
) -> Examined:
    """Check a file from scratch. `noted` are heads that somebody wrote down before: the file must lead up to them."""
    held, closing, faults = read(raw)
    faults += _chain_faults(held, closing)
    faults += _noted_faults(held, noted or {})
    if faults:
        return Examined(held, {}, closing.heads, tuple(faults))
    try:
        anew = derived(held.streams, sheets)
        for stream, records in held.streams.items():
            known = next((reader for start, reader in _READERS.items() if stream.startswith(start)), None)
            if known is None:
                return Examined(held, {}, closing.heads, (f"{stream}: is no stream of a house",))
            for one in records:
                known(one.kind, one.body)
    except (Unreadable, LookupError, ValueError, ArithmeticError) as fault:
        return Examined(held, {}, closing.heads, (f"the records cannot be played: {fault}",))
    balances = anew.balances()
    faults += _differences("posting", held.postings, anew.postings)
    faults += _differences("round", held.rounds, anew.rounds)
    faults += _differences("share", held.shares, anew.shares)
    faults += [
        f"{account}: {closing.balances.get(account, 0)} is written, its events make {balances.get(account, 0)}"
        for account in sorted({*balances, *closing.balances})
        if balances.get(account, 0) != closing.balances.get(account, 0)
    ]
    faults += [f"{account} is overdrawn by {-amount}" for account, amount in balances.items() if _owes(account, amount)]
    return Examined(held, balances, closing.heads, tuple(faults))


def _chain_faults(held: Holdings, closing: Closing) -> list[str]:
    found = []
    for stream, records in held.streams.items():
        try:
            head = check(records)
        except ChainBroken as fault:
            found.append(str(fault))
            continue
        if closing.heads.get(stream) != (head.seq, head.hash.hex()):
            found.append(f"{stream}: ends at record {head.seq}, the last line says otherwise")
    found += [f"{stream}: is missing" for stream in closing.heads if stream not in held.streams]
    return found


def _noted_faults(held: Holdings, noted: Mapping[str, tuple[int, str]]) -> list[str]:
    """A chain may have grown since; what was its end must still be in it."""
    found = []
    for stream, (seq, hashed) in noted.items():
        records = held.streams.get(stream, [])
        if len(records) < seq or records[seq - 1].hash.hex() != hashed:
            found.append(f"{stream}: record {seq} is not the one that was noted")
    return found


def _differences(what: str, written: Iterable[object], anew: Iterable[object]) -> list[str]:
    """Rows that were written and do not follow from the events, and rows that follow and were not written."""
    file, events = Counter(written), Counter(anew)
    extra, missing = file - events, events - file
    return [f"{what} does not follow from any event: {row}" for row in extra] + [
        f"{what} is missing: {row}" for row in missing
    ]


def _owes(account: str, amount: Cents) -> bool:
    return amount < 0 and account.startswith(accounts.PUBLIC)
