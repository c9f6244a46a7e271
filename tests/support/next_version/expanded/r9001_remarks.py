"""A step of a version to come, for tests of upgrades: it only adds, so that this version goes on beside it."""

from __future__ import annotations

from pathlib import Path

import sqlalchemy as sa
from alembic import op

from ventuno.house.store import migrations

revision = "r9001"
down_revision = max(file.name for file in Path(migrations.__file__).parent.glob("versions/r*.py")).partition("_")[0]
branch_labels = None
depends_on = None
oldest = down_revision


def upgrade() -> None:
    op.add_column("rounds", sa.Column("remark", sa.Text, nullable=False, server_default=""))
    op.add_column("nodes", sa.Column("zone", sa.Text, nullable=False, server_default=""))
