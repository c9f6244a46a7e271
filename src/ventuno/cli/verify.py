"""`ventuno verify FILE`: cards, cut and payouts of a shoe against what was committed and signed.

`ventuno verify CODE` does the same for the shoe of a round in the house's own database; several files are checked one
by one, and then against each other. `--receipt` and `--entropy` add what somebody kept.
"""

from __future__ import annotations

import argparse
import json
import os
import re
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, assert_never

from ventuno.cli import book_source, input_file, sheet_choice
from ventuno.cli.beacon_chain import read_chain_file
from ventuno.cli.errors import ANSWER_IS_NO, Fault
from ventuno.cli.extras import explain_missing
from ventuno.core.rules.sheet import Sheet
from ventuno.house.shoes import document_fields, kept, shoe_document
from ventuno.house.shoes.beacon import QUICKNET, BeaconUnsupported
from ventuno.house.shoes.cut import ENTROPY
from ventuno.house.shoes.kept import NOTHING, Kept
from ventuno.house.shoes.shoe_document import ShoeDocument
from ventuno.house.shoes.shoe_sequence import check_sequence
from ventuno.house.shoes.verification import Basis, ProofFailed, VerificationResult, verify
from ventuno.house.store.canonical_json import Unreadable
from ventuno.sheets import read_file

if TYPE_CHECKING:
    from ventuno.house.store.records import RoundRow
    from ventuno.house.store.store import Store

_PATH = re.compile(r".*[/\\].*|[.~].*|.*\.\w{1,8}")
"""What is written like the name of a file: a folder in it, or an ending."""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "files",
        metavar="FILE",
        nargs="+",
        help="a shoe as downloaded, - for standard input; or the CODE of a round; several shoes of a table",
    )
    book_source.arguments(parser)
    sheet_choice.add_folders(parser)
    parser.add_argument("--key", metavar="HEX", help="the public key that must have signed, as you noted it")
    parser.add_argument(
        "--receipt",
        metavar="FILE",
        action="append",
        default=[],
        help="what you kept: a receipt, or the file of a shoe from the page; may be given again",
    )
    parser.add_argument("--entropy", metavar="HEX", help="the bytes with which you cut, as you noted them")
    parser.add_argument("--sheet", metavar="TOML", help="the rule sheet, where it is not the one installed here")
    parser.add_argument(
        "--chain", metavar="FILE", help="a beacon that you trust beside quicknet, as its /info tells it"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON document")


def run(given: argparse.Namespace) -> int:
    key, own = _read_option(given.key, "--key", document_fields.HASH), _read_kept(given)
    chains = (QUICKNET, *([read_chain_file(given.chain)] if given.chain is not None else []))
    documents, verdicts, gaps = list[ShoeDocument](), list[VerificationResult](), list[int]()
    for name in given.files:
        try:
            document, sheet = _read(given, name)
        except Unreadable as fault:
            raise Fault(f"{name}: {fault}") from None
        try:
            verdicts.append(verify(document, sheet, key, _join_kept(given, own, document), chains))
            documents.append(document)
            gaps = check_sequence(documents)
        except BeaconUnsupported as fault:
            raise Fault(f"{name}: {fault}") from None
        except ProofFailed as unproven:
            if given.json:
                told = {"holds": False, "at": unproven.at, "detail": unproven.detail}
                print(json.dumps(told | ({"file": name} if len(given.files) > 1 else {}), ensure_ascii=False))
                return ANSWER_IS_NO
            raise Fault(f"{name}: does not hold: {unproven}", ANSWER_IS_NO) from None
    if given.json:
        shoes = [_to_dict(*pair) for pair in zip(documents, verdicts, strict=True)]
        print(json.dumps(shoes[0] if len(shoes) == 1 else _join_shoes(shoes, gaps), ensure_ascii=False))
    else:
        print("\n".join(_describe(*pair) for pair in zip(documents, verdicts, strict=True)))
        if len(documents) > 1:
            absent = f"; not given: shoes {', '.join(map(str, gaps))}" if gaps else ""
            print(f"one after the other: {len(documents)} shoes{absent}")
    return 0


def _read(given: argparse.Namespace, name: str) -> tuple[ShoeDocument, Sheet]:
    games = sheet_choice.load_games(given)
    is_file = _is_file(given, name)
    raw = input_file.read_document(name) if is_file else _from_database(_books(given, name), name, games)
    named = read_file(Path(given.sheet)).sheet if given.sheet is not None else None
    document = shoe_document.read(raw, (*games, named.game.id) if named else tuple(games))
    return document, named or _find_sheet(games, document.commitment.game)


def _read_option(written: str | None, option: str, size: int) -> bytes | None:
    try:
        return document_fields.read_hex(written, option, size) if written is not None else None
    except Unreadable as fault:
        raise Fault(str(fault)) from None


def _read_kept(given: argparse.Namespace) -> dict[str, Kept]:
    """All that was given of what somebody kept, by the file that holds it."""
    kept_files = {"--entropy": Kept(entropy=_read_option(given.entropy, "--entropy", ENTROPY) or b"")}
    for name in given.receipt:
        try:
            kept_files[name] = kept.read(input_file.read_document(name))
        except Unreadable as fault:
            raise Fault(f"{name}: {fault}") from None
    return kept_files


def _join_kept(given: argparse.Namespace, kept_files: Mapping[str, Kept], document: ShoeDocument) -> Kept:
    """What was kept of one shoe, as one; of several shoes each has what names it, or names none."""
    made, whole = document.commitment, NOTHING
    for name, other in kept_files.items():
        is_of = other.table in ("", made.table) and other.shoe in (0, made.shoe)
        if is_of or len(given.files) == 1:
            try:
                whole = kept.join(whole, other)
            except Unreadable as fault:
                raise Fault(f"{name}: {fault}") from None
    return whole


def _to_dict(read: ShoeDocument, verdict: VerificationResult) -> dict[str, object]:
    signed = {"key": read.receipt.key.hex(), "root": read.commitment.root.hex()}
    return {"holds": True, **asdict(verdict), **signed}


def _join_shoes(shoes: list[dict[str, object]], gaps: list[int]) -> dict[str, object]:
    return {"holds": True, "shoes": shoes, "missing": gaps}


def _is_file(given: argparse.Namespace, name: str) -> bool:
    """A document, or else a round: what is no file, and is not written like one, is a code."""
    if book_source.are_named(given):
        return False
    return name == input_file.STDIN or os.path.exists(name) or _PATH.fullmatch(name) is not None


def _books(given: argparse.Namespace, name: str) -> str:
    try:
        address = book_source.address(given)
    except ModuleNotFoundError as fault:
        raise explain_missing(
            f"{name}: there is no such file; a round in the books of a house", str(fault.name)
        ) from None
    if not (book_source.are_named(given) or book_source.may_exist(address)):
        raise Fault(f"{name}: there is no such file, nor a house at {book_source.format_address(address)}")
    return address


def _from_database(address: str, code: str, games: Mapping[str, Sheet]) -> bytes:
    """The document as the house would hand it out, written and read again like any other."""
    from ventuno.house.history import shoe_documents  # needs the extra `house`; a file is verified without

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
        f"  rests on    {_describe_basis(verdict)}",
    ]
    return "\n".join([*rows, *(f"  note: {note}" for note in verdict.notes)])


def _describe_basis(verdict: VerificationResult) -> str:
    match verdict.rests_on:
        case Basis.YOU:
            return f"you: what you kept agrees ({', '.join(verdict.matches)}); nobody chose the order after your bet"
        case Basis.BEACON:
            return "a public beacon: no house or player chooses the order if the commitment was out before it was due"
        case Basis.PLAYERS:
            players = "1 player was" if verdict.contributors == 1 else f"one of {verdict.contributors} players was"
            return f"others: verified if you trust that {players} real; {verdict.signers} signed with their own key"
        case Basis.HOUSE:
            return "the house alone: nobody else had a part in the order"
        case _:
            assert_never(verdict.rests_on)
