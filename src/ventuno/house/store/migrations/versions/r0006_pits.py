"""Leases of pits, for a house of several machines; it is empty in a house of one process."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "r0006"
down_revision = "r0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "pits",
        sa.Column("pit", sa.BigInteger, nullable=False, autoincrement=False),
        sa.Column("epoch", sa.BigInteger, nullable=False),
        sa.Column("node", sa.Text, nullable=False),
        sa.Column("until", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("pit"),
        sqlite_with_rowid=False,
    )
