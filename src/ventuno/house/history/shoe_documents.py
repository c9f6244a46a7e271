"""The documents by which shoes are verified, read from the store: all that is shown by now and nothing else (G-14)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from ventuno.core.rules.sheet import Sheet
from ventuno.house.shoes import commitment, cut
from ventuno.house.shoes.commitment import restore_shoe
from ventuno.house.shoes.shoe_document import DealtCard, RoundRecord, ShoeDocument, read_round
from ventuno.house.shoes.shoe_log import (
    PUBLIC,
    SECRET,
    ReceiptSigned,
    RoundChained,
    ShoeCommitted,
    ShoeCut,
    ShoeLog,
    ShoeOpened,
    read,
    read_sealed,
)
from ventuno.house.store.records import Record, RoundRow, Snapshot, Unreadable, check_tail
from ventuno.house.store.store import Store
from ventuno.house.tables.recovery import rebuild_table_before

PAGE = 50
"""Records that are read at once: a shoe of a table for one has nine."""


async def read_document_of_round(store: Store, row: RoundRow, sheets: Mapping[str, Sheet]) -> ShoeDocument | None:
    """The document of the shoe that a round was dealt from; None where nothing was committed, as in practice."""
    shoe = (await rebuild_table_before(store, row.stream, row.first, sheets)).table.shoe
    return await read_document(store, row.stream, shoe.number, sheets) if shoe and not row.practice else None


async def read_document(store: Store, stream: str, number: int, sheets: Mapping[str, Sheet]) -> ShoeDocument | None:
    """The document of one shoe, with everything that is shown by now and nothing else.

    It is read from the last snapshot of its table's shoe log that stayed before the shoe, to its opening or to the end.
    """
    table = stream.removeprefix("table:")
    base = await store.find_permanent_snapshot(f"{PUBLIC}{table}", number - 1)
    records: list[Record] = []
    async for page in store.iterate_records(f"{PUBLIC}{table}", page=PAGE, after=base.seq - 1 if base else 0):
        records += page
        if any(_is_opening(record, number) for record in records[-len(page) - 1 : -1]):
            break
    sealed = await store.read_records(f"{SECRET}{table}", number - 1, number)
    return _build_document(ShoeLog("", table), base, records, sealed[0], number, sheets) if records and sealed else None


def _is_opening(record: Record, number: int) -> bool:
    """Whether this opens the shoe; the receipt of it is the next record."""
    return record.kind == ShoeOpened.__name__ and cast("ShoeOpened", read(record.kind, record.body)).shoe == number


def _build_document(
    log: ShoeLog,
    base: Snapshot | None,
    records: list[Record],
    sealed: Record,
    number: int,
    sheets: Mapping[str, Sheet],
) -> ShoeDocument | None:
    check_tail(records)
    if base:
        log.replay(records[:1], base)
    commitment_made, entropy, opened, heights = None, None, None, list[int]()
    rounds: list[RoundRecord] = []
    games = tuple({sheet.game.id for sheet in sheets.values()})
    for record in records[1:] if base else records:
        event = read(record.kind, record.body)
        log.apply(event)
        match event:
            case ShoeCommitted(of, _, _, body) if of == number:
                commitment_made = commitment.read(body)
            case ShoeCut(of, body) if of == number:
                entropy = cut.read(body)
            case RoundChained(of, body) if of == number:
                rounds.append(read_round(body, f"round {body.get('code')}", games))
            case ShoeOpened(of) if of == number:
                opened = event
            case ReceiptSigned() if opened:
                break
            case _:
                continue
        heights.append(log.chain.height)
    if commitment_made is None or entropy is None or log.receipt is None:
        return None
    stored = read_sealed(sealed.kind, sealed.body)
    if stored.shoe != number:
        raise Unreadable(f"{sealed.stream}: record {sealed.seq} is the shoe {stored.shoe}")
    shoe, sheet = restore_shoe(bytes.fromhex(stored.kept)), sheets[commitment_made.sheet]
    order, _ = cut.compute_order(commitment_made, entropy.parts, sheet)
    end = rounds[-1].end if rounds else sheet.shoe.burn
    size = log.receipt.checkpoint.height
    return ShoeDocument(
        commitment_made,
        entropy,
        tuple(DealtCard(play, shoe.show(order[play])) for play in range(sheet.shoe.burn, end)),
        tuple(rounds),
        commitment.open_shoe(shoe, opened.retired) if opened else None,
        log.receipt,
        tuple(log.chain.prove_inclusion(height, size) for height in heights),
    )
