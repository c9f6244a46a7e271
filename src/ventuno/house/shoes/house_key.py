"""With which key the books of a house were signed: every node of it must sign with that one."""

from __future__ import annotations

from ventuno.house.shoes.shoe_log import PUBLIC, ReceiptSigned, read
from ventuno.house.store.store import Store

TAIL = 64
"""Records at the end of a shoe log among which a receipt is looked for: most kinds are followed by one."""


async def find_house_key(store: Store) -> bytes | None:
    """The public key of the newest receipt of a table; None in books that hold no receipt."""
    for stream, head in (await store.read_heads(PUBLIC)).items():
        for record in reversed(await store.read_records(stream, max(head.seq - TAIL, 0))):
            if record.kind == ReceiptSigned.__name__:
                event = read(record.kind, record.body)
                assert isinstance(event, ReceiptSigned)
                return bytes.fromhex(event.receipt["key"])
    return None
