"""Bodies of new records may be packed, which an older version cannot read; those that are there stay as they are."""

from __future__ import annotations

revision = "r0005"
down_revision = "r0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Nothing is changed: the number alone keeps older versions from opening these books."""
