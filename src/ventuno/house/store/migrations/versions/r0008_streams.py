"""Streams by pit, for a house that several hosts decide at once; it is empty in a house of one process.

On PostgreSQL the money of a pit is found by the end of its accounts' names. It only adds.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "r0008"
down_revision = "r0007"
branch_labels = None
depends_on = None
oldest = "r0007"


def upgrade() -> None:
    op.create_table(
        "streams",
        sa.Column("stream", sa.Text, nullable=False),
        sa.Column("pit", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("stream"),
        sqlite_with_rowid=False,
    )
    op.create_index("streams_by_pit", "streams", ["pit", "stream"])
    if op.get_bind().dialect.name == "postgresql":
        op.execute(
            "CREATE INDEX accounts_by_pit ON accounts (split_part(account, '#', 2)) WHERE strpos(account, '#') > 0"
        )
