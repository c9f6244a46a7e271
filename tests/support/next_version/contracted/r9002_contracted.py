"""The step after it takes something away: programs before the last step could not go on."""

from __future__ import annotations

from alembic import op

revision = "r9002"
down_revision = "r9001"
branch_labels = None
depends_on = None
oldest = "r9001"


def upgrade() -> None:
    op.drop_column("nodes", "zone")
