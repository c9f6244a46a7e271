"""`ventuno verify FILE`: cards, cut and payouts of a shoe against what was committed and signed.

`ventuno verify CODE` does the same for the shoe of a round in the house's own database.
"""

from __future__ import annotations

import argparse
import json
import os
import re
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

from ventuno.cli import book_source, input_file, sheet_choice
from ventuno.cli.beacon_chain import read_chain_file
from ventuno.cli.errors import ANSWER_IS_NO, Fault
from ventuno.core.rules.sheet import Sheet
from ventuno.house.history import shoe_documents
from ventuno.house.shoes import document_fields, shoe_document
from ventuno.house.shoes.beacon import QUICKNET, BeaconUnsupported
from ventuno.house.shoes.shoe_document import ShoeDocument
from ventuno.house.shoes.verification import ProofFailed, VerificationResult, verify
from ventuno.house.store.canonical_json import Unreadable
from ventuno.house.store.records import RoundRow
from ventuno.house.store.store import Store
from ventuno.sheets import read_file

_PATH = re.compile(r".*[/\\].*|[.~].*|.*\.\w{1,8}")
"""What is written like the name of a file: a folder in it, or an ending."""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "file", metavar="FILE", help="a shoe as downloaded, - for standard input; or the CODE of a round"
    )
    book_source.arguments(parser)
    sheet_choice.add_folders(parser)
    parser.add_argument("--key", metavar="HEX", help="the public key that must have signed, as you noted it")
    parser.add_argument("--sheet", metavar="TOML", help="the rule sheet, where it is not the one installed here")
    parser.add_argument(
        "--chain", metavar="FILE", help="a beacon that you trust beside quicknet, as its /info tells it"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON document")


def run(given: argparse.Namespace) -> int:
    try:
        key = document_fields.read_hex(given.key, "--key", document_fields.HASH) if given.key is not None else None
        games = sheet_choice.load_games(given)
        raw = (
            input_file.read_document(given.file)
            if _is_file(given)
            else _from_database(_books(given), given.file, games)
        )
        named = read_file(Path(given.sheet)).sheet if given.sheet is not None else None
        read = shoe_document.read(raw, (*games, named.game.id) if named else tuple(games))
        sheet = named or _find_sheet(games, read.commitment.game)
    except Unreadable as fault:
        raise Fault(f"{given.file}: {fault}") from None
    try:
        chains = (QUICKNET, *([read_chain_file(given.chain)] if given.chain is not None else []))
        verdict = verify(read, sheet, key, chains)
    except BeaconUnsupported as fault:
        raise Fault(f"{given.file}: {fault}") from None
    except ProofFailed as unproven:
        if given.json:
            print(json.dumps({"holds": False, "at": unproven.at, "detail": unproven.detail}, ensure_ascii=False))
            return ANSWER_IS_NO
        raise Fault(f"{given.file}: does not hold: {unproven}", ANSWER_IS_NO) from None
    if given.json:
        signed = {"key": read.receipt.key.hex(), "root": read.commitment.root.hex()}
        print(json.dumps({"holds": True, **asdict(verdict), **signed}, ensure_ascii=False))
    else:
        print(_describe(read, verdict))
    return 0


def _is_file(given: argparse.Namespace) -> bool:
    """A document, or else a round: what is no file, and is not written like one, is a code."""
    if book_source.are_named(given):
        return False
    return given.file == input_file.STDIN or os.path.exists(given.file) or _PATH.fullmatch(given.file) is not None


def _books(given: argparse.Namespace) -> str:
    address = book_source.address(given)
    if not (book_source.are_named(given) or book_source.may_exist(address)):
        raise Fault(f"{given.file}: there is no such file, nor a house at {book_source.format_address(address)}")
    return address


def _from_database(address: str, code: str, games: Mapping[str, Sheet]) -> bytes:
    """The document as the house would hand it out, written and read again like any other."""
    sheets_by_hash = {sheet.hash: sheet for sheet in games.values()}

    async def read(store: Store, row: RoundRow) -> ShoeDocument | None:
        return await shoe_documents.read_document_of_round(store, row, sheets_by_hash)

    if (document := book_source.read_round(address, code, read)) is None:
        raise Fault(f"{code}: its cards were not committed", ANSWER_IS_NO)
    return json.dumps(document.to_dict()).encode()


def _find_sheet(games: Mapping[str, Sheet], game: str) -> Sheet:
    if game not in games:
        raise Unreadable(f"commitment.game: {game!r} is no game; games: {', '.join(games)}")
    return games[game]


def _describe(read: ShoeDocument, verdict: VerificationResult) -> str:
    commitment = read.commitment
    rows = [
        f"holds: shoe {commitment.shoe} of table {commitment.table}, {commitment.game}",
        f"  commitment  {commitment.root.hex()}",
        f"  cut         players who had a part: {verdict.contributors}; cut card at {read.entropy.cut_card}",
        *([f"  beacon      round {commitment.beacon.round}: {verdict.beacon}"] if commitment.beacon else []),
        f"  cards       {verdict.cards} shown, each proven{'; the whole shoe opened' if verdict.is_open else ''}",
        f"  rounds      {verdict.rounds} played again, every payout equal",
        f"  signed by   {read.receipt.key.hex()}",
    ]
    return "\n".join([*rows, *(f"  note: {note}" for note in verdict.notes)])
