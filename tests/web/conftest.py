"""Houses with their doors open, for the tests of this folder."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest_asyncio

from tests.support.in_process_house import InProcessHouse, opened


@pytest_asyncio.fixture
async def entrance(tmp_path: Path) -> AsyncIterator[InProcessHouse]:
    async with opened(tmp_path) as made:
        yield made
