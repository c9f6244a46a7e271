"""Rounds and shares by the time they ended or began: an export and a history read them in pages."""

from __future__ import annotations

from alembic import op

revision = "r0002"
down_revision = "r0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_index("rounds_by_end", "rounds", ["ended", "code"])
    op.create_index("rounds_by_start", "rounds", ["started", "code"])
    op.create_index("shares_by_end", "shares", ["ended", "code", "player"])
