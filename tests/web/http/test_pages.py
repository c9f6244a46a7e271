"""The client as files: its page for every path of its own, assets that never change, and nothing outside its folder."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from tests.support.in_process_house import InProcessHouse, opened
from ventuno.web.http.pages import FOREVER


@pytest.fixture
def built(tmp_path: Path) -> Path:
    folder = tmp_path / "static"
    (folder / "assets").mkdir(parents=True)
    (folder / "index.html").write_text("<!doctype html><title>Ventuno</title>")
    (folder / "assets" / "index-1a2b3c.js").write_text("export {}")
    (folder / "mark.svg").write_text("<svg/>")
    (folder / ".secret").write_text("secret")
    (tmp_path / "outside.txt").write_text("secret")
    (folder / "assets" / "leak.txt").symlink_to(tmp_path / "outside.txt")
    return folder


@pytest_asyncio.fixture
async def client_at(tmp_path: Path, built: Path) -> AsyncIterator[InProcessHouse]:
    async with opened(tmp_path, {"pages": built}) as house:
        yield house


async def test_every_path_of_the_client_is_its_page(client_at: InProcessHouse) -> None:
    async with client_at.client() as client:
        for path in ("/", "/lobby", "/table/Ventuno%201", "/history/T1-20260921-120000-1/steps"):
            answer = await client.get(path)
            assert "Ventuno</title>" in answer.text
            assert answer.headers["content-type"].startswith("text/html")
            assert answer.headers["cache-control"] == "no-cache"


async def test_assets_are_kept_for_good_and_the_rest_is_asked_for_again(client_at: InProcessHouse) -> None:
    async with client_at.client() as client:
        asset = await client.get("/assets/index-1a2b3c.js")
        assert asset.headers["cache-control"] == FOREVER
        assert "javascript" in asset.headers["content-type"]
        mark = await client.get("/mark.svg")
        assert (mark.headers["cache-control"], mark.headers["content-type"]) == ("no-cache", "image/svg+xml")
        assert (await client.head("/")).status_code == 200


@pytest.mark.parametrize(
    "path",
    [
        "/assets/gone-9f9f9f.js",
        "/assets/leak.txt",
        "/.secret",
        "/assets/..%2f..%2foutside.txt",
        "/..%2foutside.txt",
        "/%2e%2e/outside.txt",
        "/assets/%2e%2e/%2e%2e/outside.txt",
        "/..%5coutside.txt",
        "/mark.svg%00.html",
        "/favicon.ico",
        "/api/nothing",
        "/apis.json",
        "/socket/nothing",
    ],
)
async def test_nothing_but_the_files_of_the_folder(client_at: InProcessHouse, path: str) -> None:
    async with client_at.client() as client:
        answer = await client.get(path)
        assert (answer.status_code, answer.json()["error"]["code"]) == (404, "NothingHere")
        assert "secret" not in answer.text


async def test_a_page_takes_nothing(client_at: InProcessHouse) -> None:
    async with client_at.client() as client:
        for method in ("POST", "PUT", "DELETE", "PATCH"):
            answer = await client.request(method, "/lobby")
            assert (answer.status_code, answer.headers["allow"]) == (405, "GET, HEAD")


async def test_without_a_built_client_the_house_says_how_to_build_it(tmp_path: Path) -> None:
    async with opened(tmp_path, {"pages": tmp_path / "nothing"}) as house, house.client() as client:
        answer = await client.get("/lobby")
        assert answer.status_code == 200
        assert "dev.py play" in answer.text
        assert answer.headers["content-type"].startswith("text/plain")
