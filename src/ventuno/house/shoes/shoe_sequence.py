"""Several shoes of a table against each other: numbered and chained, so that none can be left out unseen (X-01)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from ventuno.house.shoes.receipts import find_equivocation
from ventuno.house.shoes.shoe_document import ShoeDocument
from ventuno.house.shoes.verification import ProofFailed


def check_sequence(documents: Sequence[ShoeDocument]) -> list[int]:
    """The numbers of the shoes that are not given between the first and the last of each table.

    Raises ProofFailed where two that follow each other are not chained, where one number was given to two shoes, or
    where the house signed two histories.
    """
    listed = sorted(documents, key=lambda document: (document.commitment.table, document.commitment.shoe))
    absent: list[int] = []
    for first, second in pairwise(listed):
        older, newer = first.commitment, second.commitment
        if older.table != newer.table or first.receipt.key != second.receipt.key:
            continue
        if story := find_equivocation(first.receipt, second.receipt):
            raise ProofFailed("receipt", story.detail)
        if older.shoe == newer.shoe and older != newer:
            raise ProofFailed("commitment.shoe", f"two shoes of table {older.table} have the number {older.shoe}")
        if newer.shoe == older.shoe + 1 and newer.previous != older.digest:
            raise ProofFailed("commitment.previous", f"shoe {newer.shoe} does not follow shoe {older.shoe}")
        if older != newer and first.included[0].height >= second.included[0].height:
            raise ProofFailed("commitment", f"shoe {newer.shoe} was chained before shoe {older.shoe}")
        absent += range(older.shoe + 1, newer.shoe)
    return absent
