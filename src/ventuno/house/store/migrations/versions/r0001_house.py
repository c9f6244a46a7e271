"""The house: log, heads, postings, accounts, keys, rounds, shares, snapshots, names."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "r0001"
down_revision = None
branch_labels = None
depends_on = None


def _text(name: str) -> sa.Column[str]:
    return sa.Column(name, sa.Text, nullable=False)


def _whole(name: str) -> sa.Column[int]:
    return sa.Column(name, sa.BigInteger, nullable=False, autoincrement=False)


def _bytes(name: str) -> sa.Column[bytes]:
    return sa.Column(name, sa.LargeBinary, nullable=False)


def upgrade() -> None:
    _table(
        "log",
        *(_text("stream"), _whole("seq"), _whole("at"), _text("kind"), _bytes("body"), _bytes("hash")),
        sa.PrimaryKeyConstraint("stream", "seq"),
    )
    _table("heads", _text("stream"), _whole("seq"), _bytes("hash"), sa.PrimaryKeyConstraint("stream"))
    _table(
        "postings",
        *(_text("stream"), _whole("seq"), _whole("line"), _text("account"), _whole("amount")),
        *(_text("criterion"), _text("arithmetic")),
        sa.PrimaryKeyConstraint("stream", "seq", "line"),
    )
    _table("accounts", _text("account"), _whole("balance"), sa.PrimaryKeyConstraint("account"))
    _table(
        "keys",
        *(_text("key"), _bytes("digest"), _bytes("answer"), _whole("place")),
        sa.PrimaryKeyConstraint("key"),
        sa.UniqueConstraint("place"),
    )
    _table(
        "rounds",
        *(_text("code"), _text("stream"), _whole("first"), _whole("last"), _whole("started"), _whole("ended")),
        *(_text("game"), _text("sheet"), sa.Column("voided", sa.Boolean, nullable=False)),
        sa.PrimaryKeyConstraint("code"),
    )
    _table(
        "shares",
        *(_text("code"), _text("player"), _whole("ended"), _whole("staked"), _whole("returned")),
        sa.PrimaryKeyConstraint("code", "player"),
    )
    op.create_index("shares_by_player", "shares", ["player", "ended", "code"])
    _table("snapshots", _text("stream"), _whole("seq"), _bytes("body"), sa.PrimaryKeyConstraint("stream"))
    _table("names", _text("kind"), _text("name"), _text("owner"), sa.PrimaryKeyConstraint("kind", "name"))


def _table(name: str, *parts: sa.schema.SchemaItem) -> None:
    op.create_table(name, *parts, sqlite_with_rowid=False)
