"""The order of the run: two workers share it, so what takes longest begins first and what ends it is short."""

from __future__ import annotations

from pathlib import Path

import pytest

LONGEST = (
    "web/test_killed_server",
    "web/test_paired",
    "house/test_killed",
    "web/test_bots",
    "web/test_serve",
    "house/test_shuffle",
    "web/test_fuzz",
    "house/test_outage",
    "faults/test_simulation",
)
HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """File by file, so that what a module has set up serves all of its tests; the rest stays in its order."""
    place = {HERE / f"{name}.py": number for number, name in enumerate(LONGEST)}
    items.sort(key=lambda item: place.get(item.path, len(place)))
