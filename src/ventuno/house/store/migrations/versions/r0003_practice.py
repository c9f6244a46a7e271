"""Rounds say themselves whether they were practice; those that are there, as their tables were opened (X-08)."""

from __future__ import annotations

import json

import sqlalchemy as sa
from alembic import op

from ventuno.house.store.body_packing import unpack

revision = "r0003"
down_revision = "r0002"
branch_labels = None
depends_on = None

_OPENED = sa.text("SELECT stream, body FROM log WHERE seq = 1 AND kind = 'TableOpened'")
_MARKED = sa.text("UPDATE rounds SET practice = :practice WHERE stream = :stream")


def upgrade() -> None:
    op.add_column("rounds", sa.Column("practice", sa.Boolean, nullable=False, server_default=sa.false()))
    connection = op.get_bind()
    opened = connection.execute(_OPENED).all()
    practice = [stream for stream, body in opened if json.loads(unpack(bytes(body)))["practice"]]
    if practice:
        connection.execute(_MARKED, [{"practice": True, "stream": stream} for stream in practice])
