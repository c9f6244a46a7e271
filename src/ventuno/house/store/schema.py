"""The one schema of the house, for SQLite and for PostgreSQL; `questions` has what is asked of it.

Rows are only ever added, but for what is derived and kept beside them: running balances, heads and the newest
snapshots; of these some stay as milestones.
Statements are written once in SQLAlchemy Core and handed to each driver as text: the drivers are the hot path.
"""

from __future__ import annotations

from msgspec.structs import fields
from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Index,
    LargeBinary,
    MetaData,
    Table,
    Text,
)

from ventuno.house.store.records import Batch

REVISION = "r0004"
"""The newest step of `migrations`: a database that is there needs no migration, and no Alembic."""

metadata = MetaData()

log = Table(
    "log",
    metadata,
    Column("stream", Text, primary_key=True),
    Column("seq", BigInteger, primary_key=True, autoincrement=False),
    Column("at", BigInteger, nullable=False),
    Column("kind", Text, nullable=False),
    Column("body", LargeBinary, nullable=False),
    Column("hash", LargeBinary, nullable=False),
    sqlite_with_rowid=False,
)
heads = Table(
    "heads",
    metadata,
    Column("stream", Text, primary_key=True),
    Column("seq", BigInteger, nullable=False),
    Column("hash", LargeBinary, nullable=False),
    sqlite_with_rowid=False,
)
postings = Table(
    "postings",
    metadata,
    Column("stream", Text, primary_key=True),
    Column("seq", BigInteger, primary_key=True, autoincrement=False),
    Column("line", BigInteger, primary_key=True, autoincrement=False),
    Column("account", Text, nullable=False),
    Column("amount", BigInteger, nullable=False),
    Column("criterion", Text, nullable=False),
    Column("arithmetic", Text, nullable=False),
    sqlite_with_rowid=False,
)
accounts = Table(
    "accounts",
    metadata,
    Column("account", Text, primary_key=True),
    Column("balance", BigInteger, nullable=False),
    sqlite_with_rowid=False,
)
keys = Table(
    "keys",
    metadata,
    Column("key", Text, primary_key=True),
    Column("digest", LargeBinary, nullable=False),
    Column("answer", LargeBinary, nullable=False),
    Column("place", BigInteger, nullable=False, unique=True),
    sqlite_with_rowid=False,
)
rounds = Table(
    "rounds",
    metadata,
    Column("code", Text, primary_key=True),
    Column("stream", Text, nullable=False),
    Column("first", BigInteger, nullable=False),
    Column("last", BigInteger, nullable=False),
    Column("started", BigInteger, nullable=False),
    Column("ended", BigInteger, nullable=False),
    Column("game", Text, nullable=False),
    Column("sheet", Text, nullable=False),
    Column("voided", Boolean, nullable=False),
    Column("practice", Boolean, nullable=False),
    Index("rounds_by_end", "ended", "code"),
    Index("rounds_by_start", "started", "code"),
    sqlite_with_rowid=False,
)
shares = Table(
    "shares",
    metadata,
    Column("code", Text, primary_key=True),
    Column("player", Text, primary_key=True),
    Column("ended", BigInteger, nullable=False),
    Column("staked", BigInteger, nullable=False),
    Column("returned", BigInteger, nullable=False),
    Index("shares_by_player", "player", "ended", "code"),
    Index("shares_by_end", "ended", "code", "player"),
    sqlite_with_rowid=False,
)
snapshots = Table(
    "snapshots",
    metadata,
    Column("stream", Text, primary_key=True),
    Column("seq", BigInteger, nullable=False),
    Column("body", LargeBinary, nullable=False),
    sqlite_with_rowid=False,
)
milestones = Table(
    "milestones",
    metadata,
    Column("stream", Text, primary_key=True),
    Column("seq", BigInteger, primary_key=True, autoincrement=False),
    Column("mark", BigInteger, nullable=False),
    Column("body", LargeBinary, nullable=False),
    Index("milestones_by_mark", "stream", "mark"),
    sqlite_with_rowid=False,
)
names = Table(
    "names",
    metadata,
    Column("kind", Text, primary_key=True),
    Column("name", Text, primary_key=True),
    Column("owner", Text, nullable=False),
    sqlite_with_rowid=False,
)

_TABLE_OF_FIELD: dict[str, Table] = {
    "records": log,
    "postings": postings,
    "keys": keys,
    "rounds": rounds,
    "shares": shares,
    "names": names,
}
APPEND_TABLES: tuple[tuple[str, Table], ...] = tuple(
    (field.name, _TABLE_OF_FIELD[field.name]) for field in fields(Batch) if field.name in _TABLE_OF_FIELD
)
"""The fields of a batch and where their rows go: columns in the order of the row type, `line` and `place` added.

Primary keys come first: the check of SQLite 3.40 wrongly finds NULLs in tables without rowid where they do not.
"""

UPSERT_CLAUSES: dict[str, str] = {
    "heads": "ON CONFLICT (stream) DO UPDATE SET seq = excluded.seq, hash = excluded.hash",
    "snapshots": "ON CONFLICT (stream) DO UPDATE SET seq = excluded.seq, body = excluded.body",
    "milestones": "ON CONFLICT (stream, seq) DO NOTHING",
    "accounts": "ON CONFLICT (account) DO UPDATE SET balance = accounts.balance + excluded.balance "
    "RETURNING account, balance",
}
"""What happens where the row is there already. Accounts give the new balance back, so that it can be judged (I-2)."""
