"""`ventuno verify FILE`: cards, cut and payouts of a shoe against what was committed and signed.

`ventuno verify CODE --database URL` does the same for the shoe of a round in the house's own database.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict
from pathlib import Path

from ventuno import sheets
from ventuno.cli.fault import ANSWER_IS_NO, Fault
from ventuno.cli.replay import stored
from ventuno.core.reader import read as read_sheet
from ventuno.core.sheet import Sheet
from ventuno.core.switches import SheetError
from ventuno.house.books import fields
from ventuno.house.books.canonical import Unreadable
from ventuno.house.books.records import RoundRow
from ventuno.house.books.store import Store
from ventuno.house.shoes import dossier, papers
from ventuno.house.shoes.dossier import Dossier
from ventuno.house.shoes.verification import Unproven, Verdict, verify


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "file", metavar="FILE", help="a shoe as downloaded, - for standard input; or the CODE of a round"
    )
    parser.add_argument("--database", metavar="URL", help="take the shoe of the round CODE from this database")
    parser.add_argument("--key", metavar="HEX", help="the public key that must have signed, as you noted it")
    parser.add_argument("--sheet", metavar="TOML", help="the rule sheet, where it is not the one installed here")
    parser.add_argument("--json", action="store_true", help="print one JSON document")


def run(given: argparse.Namespace) -> int:
    try:
        key = fields.octets(given.key, "--key", fields.HASH) if given.key is not None else None
        raw = _from_database(given.database, given.file) if given.database else _bytes(given.file)
        read = dossier.read(raw, sheets.GAMES)
        sheet = _sheet(given.sheet, read.commitment.game)
    except Unreadable as fault:
        raise Fault(f"{given.file}: {fault}") from None
    try:
        verdict = verify(read, sheet, key)
    except Unproven as no:
        if given.json:
            print(json.dumps({"holds": False, "at": no.at, "detail": no.detail}, ensure_ascii=False))
            return ANSWER_IS_NO
        raise Fault(f"{given.file}: does not hold: {no}", ANSWER_IS_NO) from None
    if given.json:
        signed = {"key": read.receipt.key.hex(), "root": read.commitment.root.hex()}
        print(json.dumps({"holds": True, **asdict(verdict), **signed}, ensure_ascii=False))
    else:
        print(_readable(read, verdict))
    return 0


def _from_database(address: str, code: str) -> bytes:
    """The document as the house would hand it out, written and read again like any other."""
    known = {sheet.hash: sheet for sheet in map(sheets.load, sheets.GAMES)}

    async def read(store: Store, row: RoundRow) -> Dossier | None:
        return await papers.of_round(store, row, known)

    if (found := stored(address, code, read)) is None:
        raise Fault(f"{code}: its cards were not committed", ANSWER_IS_NO)
    return json.dumps(found.plain()).encode()


def _bytes(name: str) -> bytes:
    try:
        return sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
    except (OSError, ValueError) as fault:
        reason = fault.strerror if isinstance(fault, OSError) and fault.strerror else str(fault)
        raise Fault(f"{name}: cannot be read: {reason}") from None


def _sheet(name: str | None, game: str) -> Sheet:
    try:
        if name is None:
            return sheets.load(game)
        return read_sheet(_bytes(name).decode())
    except (SheetError, UnicodeDecodeError) as fault:
        raise Unreadable(f"{name or 'commitment.game'}: {fault}") from None


def _readable(read: Dossier, verdict: Verdict) -> str:
    made = read.commitment
    rows = [
        f"holds: shoe {made.shoe} of table {made.table}, {made.game}",
        f"  commitment  {made.root.hex()}",
        f"  cut         players who had a part: {verdict.contributors}; cut card at {read.entropy.cut_card}",
        f"  cards       {verdict.cards} shown, each proven{'; the whole shoe opened' if verdict.is_open else ''}",
        f"  rounds      {verdict.rounds} played again, every payout equal",
        f"  signed by   {read.receipt.key.hex()}",
    ]
    return "\n".join([*rows, *(f"  note: {note}" for note in verdict.notes)])
