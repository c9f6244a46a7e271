"""What the record of a round says of scanned cards, and how anybody checks it (X-27).

A face-down card is committed to as it is scanned: SHA-256 over its salt, as it is written, and its two characters. The
commitment is public at once; salt and card are told when the rules have turned it. The commitment says that nobody
changed the card afterwards. It says nothing about the shuffle: that rests on camera, record and supervisor.
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256
from typing import NamedTuple


class ScanLine(NamedTuple):
    """A card as it was scanned: where it went, when, by whom. Card and salt are empty where it was never turned.

    `taken_back` is why the scan does not count, empty where it does.
    """

    at: int
    dealer: str
    place: str
    box: int
    hand: int
    number: int
    face: str
    card: str = ""
    salt: str = ""
    commitment: str = ""
    taken_back: str = ""


def commit(salt: str, card: str) -> str:
    """The commitment to a card that lies face down, in hexadecimal."""
    return sha256(f"{salt}{card}".encode()).hexdigest()


def find_false_commitments(scans: Iterable[ScanLine]) -> list[ScanLine]:
    """The turned cards of a record that are not those which were committed to; none in an honest one."""
    opened = [scan for scan in scans if scan.face == "down" and scan.card]
    return [scan for scan in opened if scan.commitment != commit(scan.salt, scan.card)]
