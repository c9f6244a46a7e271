"""Shoes of one table that follow each other, and what a house that signs could tell of them.

`python -m tests.support.chained_shoes` writes them anew. The file is shared with the verifier of the browser.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from tests.support.lying_house import find_changes
from tests.support.sample_shoes import VECTORS, cut_by, fixed_source, signed, specimen, toy_key
from ventuno.house.shoes.commitment import CLOSED, open_shoe, seal
from ventuno.house.shoes.receipts import Chain
from ventuno.house.shoes.shoe_document import ShoeDocument
from ventuno.house.shoes.shoe_sequence import check_sequence
from ventuno.house.shoes.verification import ProofFailed
from ventuno.sheets import load

FILE = VECTORS / "sequence.json"
HOUSE, TABLE = "ventuno.test", "T7"


def chained_shoes(count: int) -> list[ShoeDocument]:
    """Shoes of one table that follow each other, without a round, in one chain."""
    sheet, source, made_before = load("duello"), fixed_source("chained"), bytes(32)
    chain, shoes, heights = Chain(HOUSE, TABLE), [], []
    blank = specimen("duello").dossier
    for number in range(1, count + 1):
        shoe, made = seal(source, sheet, TABLE, number, made_before)
        made_before = made.digest
        closed, opening = cut_by(made, sheet, ("anna",), source), open_shoe(shoe, CLOSED)
        shoes.append(replace(blank, commitment=made, entropy=closed.entropy, dealt=(), rounds=(), opening=opening))
        heights.append([chain.append(hashed) for _, hashed in shoes[-1].hash_records()])
    receipt = chain.sign_receipt(toy_key(), 1)
    return [
        replace(one, receipt=receipt, included=tuple(chain.prove_inclusion(height) for height in listed))
        for one, listed in zip(shoes, heights, strict=True)
    ]


def list_stories(shoes: list[ShoeDocument]) -> Iterator[tuple[str, list[ShoeDocument]]]:
    """Documents that are given together: in any order, with gaps, and as a house tells them that lies."""
    first, second, third, fourth = shoes
    yield "in any order", [third, first, second]
    yield "with a gap", [first, fourth]
    yield "one of them twice", [first, first, second]
    other_table = replace(third, commitment=replace(third.commitment, table="T8"))
    yield "of two tables", [first, other_table]
    foreign = replace(third.commitment, previous=first.commitment.digest)
    yield "one that follows another than the one before", [second, replace(third, commitment=foreign)]
    yield (
        "a number given to two shoes",
        [
            second,
            replace(second, commitment=replace(second.commitment, root=bytes(32))),
        ],
    )
    yield "one chained before the one before", [replace(first, included=third.included), second]
    story = signed(second).receipt
    fork = Chain(HOUSE, TABLE, [bytes(32)] * story.checkpoint.height).sign_receipt(toy_key(), 1)
    yield "two histories", [replace(first, receipt=story), replace(second, receipt=fork)]


def judge(documents: list[ShoeDocument]) -> tuple[str, list[int]]:
    """The place of what does not agree, and the numbers that are not given."""
    try:
        return "", check_sequence(documents)
    except ProofFailed as failed:
        return failed.at, []


def vectors() -> dict[str, Any]:
    shoes = chained_shoes(4)
    plain = [json.loads(json.dumps(shoe.to_dict())) for shoe in shoes]
    cases = []
    for name, told in list_stories(shoes):
        numbers = [shoe.commitment.shoe - 1 for shoe in told]
        changes = [
            list(find_changes(plain[number], json.loads(json.dumps(shoe.to_dict())), []))
            for number, shoe in zip(numbers, told, strict=True)
        ]
        at, missing = judge(told)
        cases.append({"name": name, "shoes": numbers, "changes": changes, "at": at, "missing": missing})
    return {"documents": copy.deepcopy(plain), "cases": cases}


if __name__ == "__main__":
    FILE.write_text(json.dumps(vectors(), ensure_ascii=False) + "\n", encoding="utf-8")
