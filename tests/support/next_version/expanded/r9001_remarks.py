"""A step of a version to come, for tests of upgrades: it only adds, so that this version goes on beside it."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "r9001"
down_revision = "r0007"
branch_labels = None
depends_on = None
oldest = "r0007"


def upgrade() -> None:
    op.add_column("rounds", sa.Column("remark", sa.Text, nullable=False, server_default=""))
    op.add_column("nodes", sa.Column("zone", sa.Text, nullable=False, server_default=""))
