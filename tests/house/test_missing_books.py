"""R-48: where an older house was kept and its books are lost or empty, no house opens as if nothing had been."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.databases import execute
from tests.support.house import open_application
from ventuno.house.store.durability import BooksMissing


async def lose_books(url: str, folder: Path) -> None:
    if not url.startswith("sqlite"):
        await execute(url, "DROP SCHEMA public CASCADE", "CREATE SCHEMA public")
    for file in folder.glob("house.db*"):
        file.unlink()


async def test_r48_books_that_are_gone_are_not_begun_anew_by_themselves(url: str, tmp_path: Path) -> None:
    first = await open_application(tmp_path, url=url)
    key = first.key
    await first.close()
    await (await open_application(tmp_path, url=url)).close()
    await lose_books(url, tmp_path)
    with pytest.raises(BooksMissing, match="--new-house"):
        await open_application(tmp_path, url=url)
    if url.startswith("sqlite"):
        assert not (tmp_path / "house.db").exists(), "nothing is made"
        (tmp_path / "house.db").touch()
        with pytest.raises(BooksMissing, match="is empty"):
            await open_application(tmp_path, url=url)
    begun = await open_application(tmp_path, url=url, new_house=True)
    assert begun.key == key
    await begun.close()
    await (await open_application(tmp_path, url=url)).close()


async def test_r48_books_elsewhere_and_a_first_start_that_was_cut_short_need_no_leave(tmp_path: Path) -> None:
    (tmp_path / "house.db").touch()
    await (await open_application(tmp_path)).close()
    (tmp_path / "elsewhere").mkdir()
    await (await open_application(tmp_path, url=f"sqlite:///{tmp_path}/elsewhere/house.db")).close()
