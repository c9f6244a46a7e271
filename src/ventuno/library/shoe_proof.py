"""A shoe's document, as a player downloads it: read, and checked from the commitment to the payouts (X-01)."""

from __future__ import annotations

import gzip
from pathlib import Path

from ventuno.core.rules.sheet import Sheet
from ventuno.house.shoes import shoe_document
from ventuno.house.shoes.shoe_document import ShoeDocument
from ventuno.house.shoes.verification import VerificationResult
from ventuno.house.shoes.verification import verify as verify_document
from ventuno.library.sheets import read_sheet
from ventuno.sheets import load_games


def read_shoe(document: bytes | Path) -> ShoeDocument:
    """The document of a shoe, its bytes or its file (also gzipped); `Unreadable` where its form is wrong."""
    raw = document.read_bytes() if isinstance(document, Path) else document
    if raw[:2] == b"\x1f\x8b":
        raw = gzip.decompress(raw)
    return shoe_document.read(raw, tuple(load_games()))


def verify_shoe(
    document: ShoeDocument | bytes | Path, sheet: Sheet | str | Path | None = None, key: bytes | None = None
) -> VerificationResult:
    """Everything that the document claims: commitment, cut, each card shown, each payout played again, signatures.

    The sheet is the installed one of its game unless another is given; `key` is the public key that must have signed.
    Raises `ProofFailed` at the first thing that does not hold, with its place.
    """
    read = document if isinstance(document, ShoeDocument) else read_shoe(document)
    return verify_document(read, read_sheet(sheet or read.commitment.game), key)
