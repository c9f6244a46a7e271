"""The documents by which shoes are verified, read from the store: all that is shown by now and nothing else (G-14)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ventuno.core.sheet import Sheet
from ventuno.house.books.codec import Unreadable
from ventuno.house.books.records import Record, RoundRow, check
from ventuno.house.books.store import Store
from ventuno.house.shoes import commitment, cut, opening, provenance
from ventuno.house.shoes.commitment import restored
from ventuno.house.shoes.dossier import DealtCard, Dossier, RoundRecord, read_round
from ventuno.house.shoes.provenance import PUBLIC, SECRET, RoundChained, ShoeCommitted, ShoeCut, ShoeOpened, Trail


async def of_round(store: Store, row: RoundRow, sheets: Mapping[str, Sheet]) -> Dossier | None:
    """The document of the shoe that a round was dealt from; None where nothing was committed, as in practice."""
    number = await shoe_of(store, row)
    return await document(store, row.stream, number, sheets) if number else None


async def shoe_of(store: Store, row: RoundRow) -> int:
    """The number of that shoe, or 0."""
    for record in await store.records(_public(row.stream)):
        event = provenance.read(record.kind, record.body)
        if isinstance(event, RoundChained) and event.body["code"] == row.code:
            return event.shoe
    return 0


async def document(store: Store, stream: str, number: int, sheets: Mapping[str, Sheet]) -> Dossier | None:
    """The document of one shoe, with everything that is shown by now and nothing else."""
    records = await store.records(_public(stream))
    sealed = await store.records(f"{SECRET}{stream.removeprefix('table:')}", number - 1, number)
    if not records or not sealed:
        return None
    return _dossier(stream.removeprefix("table:"), records, sealed[0], number, sheets)


def _public(stream: str) -> str:
    return f"{PUBLIC}{stream.removeprefix('table:')}"


def _dossier(
    table: str, records: Sequence[Record], sealed: Record, number: int, sheets: Mapping[str, Sheet]
) -> Dossier | None:
    check(list(records))
    trail = Trail("", table)
    made, entropy, opened, heights = None, None, None, list[int]()
    rounds: list[RoundRecord] = []
    games = tuple({sheet.game.id for sheet in sheets.values()})
    for record in records:
        event = provenance.read(record.kind, record.body)
        trail.apply(event)
        match event:
            case ShoeCommitted(of, _, _, body) if of == number:
                made = commitment.read(body)
            case ShoeCut(of, body) if of == number:
                entropy = cut.read(body)
            case RoundChained(of, body) if of == number:
                rounds.append(read_round(body, f"round {body.get('code')}", games))
            case ShoeOpened(of) if of == number:
                opened = event
            case _:
                continue
        heights.append(trail.chain.height)
    if made is None or entropy is None or trail.receipt is None:
        return None
    kept = provenance.read_sealed(sealed.kind, sealed.body)
    if kept.shoe != number:
        raise Unreadable(f"{sealed.stream}: record {sealed.seq} is the shoe {kept.shoe}")
    shoe, sheet = restored(bytes.fromhex(kept.kept)), sheets[made.sheet]
    order, _ = cut.arrangement(made, [one.reveal for one in entropy.contributions], sheet)
    end = rounds[-1].end if rounds else sheet.shoe.burn
    size = trail.receipt.checkpoint.height
    return Dossier(
        made,
        entropy,
        tuple(DealtCard(play, shoe.show(order[play])) for play in range(sheet.shoe.burn, end)),
        tuple(rounds),
        opening.opened(shoe, opened.retired) if opened else None,
        trail.receipt,
        tuple(trail.chain.inclusion(height, size) for height in heights),
    )
