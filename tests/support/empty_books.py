"""Empty books, made once in a test process and written wherever a house begins.

Alembic's steps are half of the work of opening a new house, and end in the same bytes every time. Tests of the steps
call `migrate` themselves; a house in a process of its own makes its books as an operator's does.
"""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path

from sqlalchemy.engine import make_url

from ventuno.house.store.migrations import migrate


def migrate_quickly(url: str) -> None:
    """As `durability` migrates a database; a file that is not there yet is written as it was made before."""
    parsed = make_url(url)
    path = Path(parsed.database or "")
    if parsed.get_backend_name() == "sqlite" and not path.exists():
        path.write_bytes(make_books())
    else:
        migrate(url)


@cache
def make_books() -> bytes:
    with tempfile.TemporaryDirectory(prefix="ventuno-books-") as folder:
        path = Path(folder, "house.db")
        migrate(f"sqlite:///{path}")
        return path.read_bytes()
