"""The one schema of the house, for SQLite and for PostgreSQL; `queries` has what is asked of it.

Rows are only ever added, but for what is derived and kept beside them: running balances, heads and the newest
snapshots; of these some stay as milestones. Columns stand in the order of the row types in `records`.
Statements are written once in SQLAlchemy Core and handed to each driver as text: the drivers are the hot path.
"""

from __future__ import annotations

from typing import Any, get_type_hints

from sqlalchemy import BigInteger, Boolean, Column, Index, LargeBinary, MetaData, Table, Text, UniqueConstraint, text
from sqlalchemy.schema import SchemaItem

from ventuno.house.store.records import KeyRow, NameRow, PostingRow, Record, RoundRow, ShareRow

REVISION = "r0008"
"""The newest step of `migrations`: a database that is there needs no migration, and no Alembic."""
READABLE: tuple[str, ...] = (REVISION, "r0007", "r0006", "r0005", "r0004")
"""The steps that are read as they are: the newest ones changed no table that is read."""

metadata = MetaData()
_TYPES = {str: Text, int: BigInteger, bytes: LargeBinary, bool: Boolean}


def _make_table(name: str, columns: dict[str, type[Any]], *more: SchemaItem, primary: int = 1) -> Table:
    """A table whose first columns, so many, are its primary key.

    Primary keys come first: the check of SQLite 3.40 wrongly finds NULLs in tables without rowid where they do not.
    """
    listed: list[Column[Any]] = [
        Column(column, _TYPES[kind], primary_key=place < primary, nullable=False, autoincrement=False)
        for place, (column, kind) in enumerate(columns.items())
    ]
    return Table(name, metadata, *listed, *more, sqlite_with_rowid=False)


log = _make_table("log", get_type_hints(Record), primary=2)
heads = _make_table("heads", {"stream": str, "seq": int, "hash": bytes})
postings = _make_table("postings", {"stream": str, "seq": int, "line": int} | get_type_hints(PostingRow), primary=3)
accounts = _make_table("accounts", {"account": str, "balance": int})
Index(
    "accounts_by_pit",
    text("split_part(account, '#', 2)"),
    postgresql_where=text("strpos(account, '#') > 0"),
    _table=accounts,
).ddl_if(dialect="postgresql")
keys = _make_table("keys", get_type_hints(KeyRow) | {"place": int}, UniqueConstraint("place"))
rounds = _make_table(
    "rounds",
    get_type_hints(RoundRow),
    Index("rounds_by_end", "ended", "code"),
    Index("rounds_by_start", "started", "code"),
)
shares = _make_table(
    "shares",
    get_type_hints(ShareRow),
    Index("shares_by_player", "player", "ended", "code"),
    Index("shares_by_end", "ended", "code", "player"),
    primary=2,
)
snapshots = _make_table("snapshots", {"stream": str, "seq": int, "body": bytes})
milestones = _make_table(
    "milestones",
    {"stream": str, "seq": int, "mark": int, "body": bytes},
    Index("milestones_by_mark", "stream", "mark"),
    primary=2,
)
names = _make_table("names", get_type_hints(NameRow), primary=2)
pits = _make_table("pits", {"pit": int, "epoch": int, "node": str, "until": int})
"""Who decides a pit, where several machines do; a house of one process writes nothing here."""
nodes = _make_table(
    "nodes",
    {"node": str, "key": bytes, "version": str, "started": int, "seen": int, "offset": int, "draining": bool},
)
"""The nodes of a house of several machines, also those that have stopped; `seen` is by the database's clock."""
streams = _make_table("streams", {"stream": str, "pit": int}, Index("streams_by_pit", "pit", "stream"))
"""The streams of each pit, where several hosts decide at once; a house of one process writes nothing here."""

APPEND_TABLES = {
    "records": "log",
    "postings": "postings",
    "keys": "keys",
    "rounds": "rounds",
    "shares": "shares",
    "names": "names",
}
"""The fields of a batch and the tables of their rows; `line` and `place` are added."""

UPSERT_CLAUSES: dict[str, str] = {
    "heads": "ON CONFLICT (stream) DO UPDATE SET seq = excluded.seq, hash = excluded.hash",
    "snapshots": "ON CONFLICT (stream) DO UPDATE SET seq = excluded.seq, body = excluded.body",
    "milestones": "ON CONFLICT (stream, seq) DO NOTHING",
    "accounts": "ON CONFLICT (account) DO UPDATE SET balance = accounts.balance + excluded.balance "
    "RETURNING account, balance",
}
"""What happens where the row is there already. Accounts give the new balance back, so that it can be judged (I-2)."""
