"""The log of significant events read back, page by page, newest first (R-17)."""

from __future__ import annotations

from ventuno.house.store.audit_log import STREAM, AuditEntry, read
from ventuno.house.store.store import Store


async def read_audit_page(store: Store, end: int, before: int | None = None, limit: int = 50) -> list[AuditEntry]:
    """So many entries before a number; `end` is the number of the last entry there is."""
    last = end if before is None else min(before - 1, end)
    records = await store.read_records(STREAM, max(last - limit, 0), last)
    return [AuditEntry(record.seq, record.at, read(record.kind, record.body)) for record in reversed(records)]
