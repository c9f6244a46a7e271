"""The export for regulators and laboratories: one file of JSON lines that can be checked without trust (X-14, G-11).

First a line that says what this is; then records, postings, rounds and shares; last a line with the end of every chain,
every balance and the digest of all lines before it. `check_export` checks the chains, plays every event again, and
makes every posting, round and balance anew; whatever differs is a fault, in words.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import IO, Any, Union, cast, get_args, get_type_hints

import msgspec

from ventuno.core.messages.events import Event
from ventuno.core.messages.refusals import Refusal
from ventuno.core.rules.money import Cents
from ventuno.core.rules.sheet import Sheet
from ventuno.house.accounts import accounts
from ventuno.house.history.export_range import Part, add_balances, check_part, cut_range
from ventuno.house.history.in_memory import TABLE_PREFIX, HouseData, derive_rows, select_public
from ventuno.house.integrity import alerts
from ventuno.house.money import corrections
from ventuno.house.shoes import shoe_log
from ventuno.house.store import audit_log
from ventuno.house.store.durability import open_store
from ventuno.house.store.records import (
    ERASED,
    ChainBroken,
    Head,
    PostingRow,
    Record,
    RoundRow,
    ShareRow,
    Unreadable,
    check_chain,
    make_reader,
)
from ventuno.house.store.store import Store
from ventuno.house.tables import chat, concession
from ventuno.house.tables.authority import TableOpened

FORMAT = 2
SECONDS = 600
"""How long an export may take beside a house that plays."""
_READERS: dict[str, Callable[[str, bytes], object]] = {
    TABLE_PREFIX: make_reader([TableOpened, *get_args(Event)]),
    accounts.PUBLIC: accounts.read_public,
    accounts.PRIVATE: accounts.read_private,
    alerts.STREAM: alerts.read,
    audit_log.STREAM: audit_log.read,
    concession.STREAM: concession.read,
    corrections.STREAM: corrections.read,
    "chat:": chat.read,
    shoe_log.PUBLIC: shoe_log.read,
    shoe_log.SECRET: shoe_log.read_sealed,
}
"""The vocabulary of each stream, by how its name begins."""


class _Line(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="line"):
    pass


class Opening(_Line, frozen=True, omit_defaults=True, tag="ventuno-export"):
    """`whole` files hold private streams and undealt cards: they never leave the house. Others say what they lack.

    A file of some days has them in `days`, as milliseconds; `before` and `balances` are what it begins with.
    """

    format: int
    at: int
    whole: bool
    withheld: dict[str, int]
    days: tuple[int, int] | None = None
    before: dict[str, tuple[int, str]] = {}
    balances: dict[str, Cents] = {}


class RecordLine(_Line, frozen=True, tag="record"):
    stream: str
    seq: int
    at: int
    kind: str
    body: msgspec.Raw
    hash: str


class Closing(_Line, frozen=True, tag="end"):
    """`heads` gives the last record and hash of each stream; note it down, and no later file can tell otherwise."""

    lines: int
    heads: dict[str, tuple[int, str]]
    balances: dict[str, Cents]
    digest: str


def _make_row_line(tag: str, row: type[Any]) -> type[Any]:
    """The line of a row, with the fields of the row."""
    fields = list(get_type_hints(row).items())
    return msgspec.defstruct(row.__name__, fields, bases=(_Line,), tag=tag, frozen=True)


_ROW_LINES: dict[type[Any], type[Any]] = {
    PostingRow: _make_row_line("posting", PostingRow),
    RoundRow: _make_row_line("round", RoundRow),
    ShareRow: _make_row_line("share", ShareRow),
}
_decoder: msgspec.json.Decoder[_Line] = msgspec.json.Decoder(Union[Opening, RecordLine, Closing, *_ROW_LINES.values()])


class ExportBusy(Refusal):
    """One at a time: each reads everything that the house has written."""


class ExportFailed(Refusal):
    """The books could not be read to their end within the time."""

    seconds: int = SECONDS


@dataclass(frozen=True, slots=True)
class CheckedExport:
    """What a file holds, the balances made anew from its events, and everything that is wrong with it."""

    data: HouseData
    balances: Mapping[str, Cents]
    heads: Mapping[str, tuple[int, str]]
    faults: tuple[str, ...]
    is_part: bool = False

    @property
    def is_valid(self) -> bool:
        return not self.faults


def encode_export(
    data: HouseData, at: int, *, whole: bool = False, days: tuple[int, int] | None = None
) -> Iterator[bytes]:
    """The lines of an export, each with its end of line; of some days where they are named."""
    shown, withheld = (data, {}) if whole else select_public(_without_sealed_shoes(data))
    opening, balances = Opening(FORMAT, at, whole, withheld), shown.balances()
    if days:
        shown, heads_before, balances_before = cut_range(shown, *days)
        before = {stream: (head.seq, head.hash.hex()) for stream, head in sorted(heads_before.items()) if head.seq}
        opening = Opening(FORMAT, at, whole, withheld, days, before, dict(balances_before))
        balances = add_balances(balances_before, shown.balances())
    digest, count = sha256(), 0
    for line in _iterate_lines(shown, opening):
        raw = msgspec.json.encode(line) + b"\n"
        digest.update(raw)
        count += 1
        yield raw
    heads = {stream: (head.seq, head.hash.hex()) for stream, head in sorted(shown.heads().items())}
    yield msgspec.json.encode(Closing(count, heads, balances, digest.hexdigest())) + b"\n"


def _without_sealed_shoes(data: HouseData) -> HouseData:
    """Without the sealed shoes, which nobody reads but the house."""
    streams = {name: records for name, records in data.streams.items() if not name.startswith(shoe_log.SECRET)}
    return HouseData(streams, data.postings, data.rounds, data.shares)


async def collect(store: Store) -> HouseData:
    """Everything a store holds, beside a house that plays: rows of what came after its stream was read are left out."""
    data = HouseData()
    async for records in store.iterate_streams():
        stream = records[0].stream
        data.streams[stream] = records
        data.postings += await store.read_postings(stream, last=records[-1].seq)
    while page := await store.list_rounds(_last_round_key(data.rounds)):
        data.rounds += page
    while rows := await store.list_shares(_last_share_key(data.shares)):
        data.shares += rows
    ends = {stream: records[-1].seq for stream, records in data.streams.items()}
    data.rounds = [row for row in data.rounds if row.last <= ends.get(row.stream, 0)]
    codes = {row.code for row in data.rounds}
    data.shares = [share for share in data.shares if share.code in codes]
    return data


def _last_round_key(rows: list[RoundRow]) -> tuple[int, str]:
    return (rows[-1].ended, rows[-1].code) if rows else (-1, "")


def _last_share_key(rows: list[ShareRow]) -> tuple[int, str, str]:
    return (rows[-1].ended, rows[-1].code, rows[-1].player) if rows else (-1, "", "")


def _iterate_lines(data: HouseData, opening: Opening) -> Iterator[_Line]:
    yield opening
    for stream in sorted(data.streams):
        for record in data.streams[stream]:
            yield RecordLine(
                record.stream, record.seq, record.at, record.kind, msgspec.Raw(record.body), record.hash.hex()
            )
    for row in (*data.postings, *data.rounds, *data.shares):
        yield _ROW_LINES[type(row)](*row)


def read(raw: Iterable[bytes]) -> tuple[HouseData, Opening, Closing, list[str]]:
    """The content of a file, its first and last line, what is wrong with its form; Unreadable where it is no export."""
    data, closing, faults = HouseData(), None, []
    opening = Opening(FORMAT, 0, whole=False, withheld={})
    digest, count = sha256(), 0
    for number, text in enumerate(raw, start=1):
        line = _decode_line(text, number)
        if closing is not None:
            faults.append(f"line {number}: after the end")
        elif isinstance(line, Opening) and line.format != FORMAT:
            raise Unreadable(f"line {number}: format {line.format}, and {FORMAT} is read here")
        elif isinstance(line, Opening) != (number == 1):
            faults.append(f"line {number}: the opening stands first and once")
        elif isinstance(line, Closing):
            closing = line
        elif isinstance(line, Opening):
            opening = line
        else:
            _add_line(data, line)
        if closing is None:
            digest.update(text)
            count += 1
    if closing is None:
        raise Unreadable("the file has no end: part of it is missing")
    if (count, digest.hexdigest()) != (closing.lines, closing.digest):
        faults.append("the file is not what was written: its digest differs")
    return data, opening, closing, faults


def _decode_line(text: bytes, number: int) -> _Line:
    try:
        return _decoder.decode(text)
    except (msgspec.ValidationError, msgspec.DecodeError, UnicodeDecodeError) as fault:
        raise Unreadable(f"line {number}: {fault}") from None


def _add_line(data: HouseData, line: _Line) -> None:
    if isinstance(line, RecordLine):
        record = Record(line.stream, line.seq, line.at, line.kind, bytes(line.body), _parse_hex(line.hash))
        data.streams.setdefault(line.stream, []).append(record)
    for row, rows in ((PostingRow, data.postings), (RoundRow, data.rounds), (ShareRow, data.shares)):
        if isinstance(line, _ROW_LINES[row]):
            cast("list[Any]", rows).append(row(*msgspec.structs.astuple(line)))


def _parse_hex(text: str) -> bytes:
    try:
        return bytes.fromhex(text)
    except ValueError:
        return b""


def check_export(
    raw: Iterable[bytes], sheets: Mapping[str, Sheet], expected_heads: Mapping[str, tuple[int, str]] | None = None
) -> CheckedExport:
    """Check a file from scratch; it must lead up to `expected_heads`, which somebody wrote down before."""
    data, opening, closing, faults = read(raw)
    is_part = opening.days is not None
    before = {stream: Head(seq, _parse_hex(hashed)) for stream, (seq, hashed) in opening.before.items()}
    faults += _check_chains(data, closing, before if is_part else {})
    if not is_part:  # of some days the log may tell on another
        empty = [
            (stream, record.seq)
            for stream, listed in data.streams.items()
            for record in listed
            if record.body == ERASED
        ]
        faults += audit_log.find_unexplained(empty, data.streams.get(audit_log.STREAM, ()))
    faults += _check_expected_heads(data, expected_heads or {})
    if faults:
        return CheckedExport(data, {}, closing.heads, tuple(faults), is_part)
    try:
        rederived = data if is_part else derive_rows(data.streams, sheets)
        for stream, records in data.streams.items():
            read_events(stream, records)
        if is_part:
            faults += check_part(Part(data, before, opening.balances), closing.balances)
            return CheckedExport(data, closing.balances, closing.heads, tuple(faults), is_part)
    except (Unreadable, LookupError, ValueError, ArithmeticError) as fault:
        return CheckedExport(data, {}, closing.heads, (f"the records cannot be played: {fault}",), is_part)
    balances = rederived.balances()
    faults += compare_rows("posting", data.postings, rederived.postings)
    faults += compare_rows("round", data.rounds, rederived.rounds)
    faults += compare_rows("share", data.shares, rederived.shares)
    faults += [
        f"{account}: {closing.balances.get(account, 0)} is written, its events make {balances.get(account, 0)}"
        for account in sorted({*balances, *closing.balances})
        if balances.get(account, 0) != closing.balances.get(account, 0)
    ]
    faults += [
        f"{account} is overdrawn by {-amount}" for account, amount in balances.items() if _is_overdrawn(account, amount)
    ]
    return CheckedExport(data, balances, closing.heads, tuple(faults))


def read_events(stream: str, records: Iterable[Record]) -> None:
    """Unreadable where the stream is none of a house, or a record has no event of its vocabulary."""
    reader = next((reader for start, reader in _READERS.items() if stream.startswith(start)), None)
    if reader is None:
        raise Unreadable(f"{stream}: is no stream of a house")
    for record in records:
        reader(record.kind, record.body)


def _check_chains(data: HouseData, closing: Closing, before: Mapping[str, Head]) -> list[str]:
    faults = []
    for stream, records in data.streams.items():
        try:
            head = check_chain(records, before.get(stream))
        except ChainBroken as fault:
            faults.append(str(fault))
            continue
        if closing.heads.get(stream) != (head.seq, head.hash.hex()):
            faults.append(f"{stream}: ends at record {head.seq}, the last line says otherwise")
    faults += [f"{stream}: is missing" for stream in closing.heads if stream not in data.streams]
    return faults


def _check_expected_heads(data: HouseData, expected_heads: Mapping[str, tuple[int, str]]) -> list[str]:
    """A chain may have grown since; what was its end must still be in it."""
    faults = []
    for stream, (seq, hashed) in expected_heads.items():
        if not any((record.seq, record.hash.hex()) == (seq, hashed) for record in data.streams.get(stream, ())):
            faults.append(f"{stream}: record {seq} is not the one that was noted")
    return faults


def compare_rows(what: str, written: Iterable[object], derived: Iterable[object]) -> list[str]:
    """Rows that were written and do not follow from the events, and rows that follow and were not written."""
    file, events = Counter(written), Counter(derived)
    extra, missing = file - events, events - file
    return [f"{what} does not follow from any event: {row}" for row in extra] + [
        f"{what} is missing: {row}" for row in missing
    ]


def _is_overdrawn(account: str, amount: Cents) -> bool:
    return amount < 0 and account.startswith(accounts.PUBLIC)


class Exporter:
    """Exports beside a house that plays: a process of its own reads the books, so that no table waits for it."""

    def __init__(self, url: str, folder: Path) -> None:
        self._url, self._folder = url, folder
        self._is_running = False

    async def run(self, at: int, days: tuple[int, int] | None = None) -> IO[bytes] | Refusal:
        """A file without a name that holds what may leave the house; it is gone when it is closed."""
        if self._is_running:
            return ExportBusy()
        self._is_running = True
        try:
            with ExitStack() as stack:
                file = stack.enter_context(tempfile.TemporaryFile(dir=self._folder))
                if not await self._write(file, at, days):
                    return ExportFailed()
                file.seek(0)
                stack.pop_all()
                return file
        finally:
            self._is_running = False

    async def _write(self, file: IO[bytes], at: int, days: tuple[int, int] | None) -> bool:
        command = [sys.executable, "-P", "-m", __name__]
        process = await asyncio.create_subprocess_exec(*command, stdin=asyncio.subprocess.PIPE, stdout=file)
        try:
            async with asyncio.timeout(SECONDS):
                await process.communicate(msgspec.json.encode([self._url, at, days]))
        except TimeoutError:
            return False
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
        return process.returncode == 0


async def _write_export(url: str, at: int, days: tuple[int, int] | None, file: IO[bytes]) -> None:
    store = await open_store(url, unsafe=True, exclusive=False)
    try:
        file.writelines(encode_export(await collect(store), at, days=days))
    finally:
        await store.close()


if __name__ == "__main__":
    asked = msgspec.json.decode(sys.stdin.buffer.read(), type=tuple[str, int, tuple[int, int] | None])
    asyncio.run(_write_export(*asked, sys.stdout.buffer))
