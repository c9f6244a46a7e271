"""Versions to come, for tests of upgrades: the program of today with steps of the schema that nobody has taken yet."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import ventuno
from ventuno.house.store import migrations, schema

STEPS = Path(__file__).parent / "next_version"
EXPANDED, CONTRACTED = "r9001", "r9002"
FOLDERS = {EXPANDED: [STEPS / "expanded"], CONTRACTED: [STEPS / "expanded", STEPS / "contracted"]}


def become(revision: str) -> None:
    """This process is of the version that knows this step."""
    schema.REVISION = revision
    schema.READABLE = (revision, *schema.READABLE)
    migrations.VERSIONS[1:] = FOLDERS[revision]
    ventuno.__version__ = f"99.{revision[-1]}"


def plant_expanded() -> None:
    """A host of the next version."""
    become(EXPANDED)


@contextmanager
def as_version(revision: str) -> Iterator[None]:
    """For so long this process is of that version."""
    before = schema.REVISION, schema.READABLE, migrations.VERSIONS[1:], ventuno.__version__
    become(revision)
    try:
        yield
    finally:
        schema.REVISION, schema.READABLE, migrations.VERSIONS[1:], ventuno.__version__ = before
