"""The player's guide at /docs: two languages, the sheets in force, every link leads somewhere, nothing inline."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.support.in_process_house import InProcessHouse
from ventuno.sheets import GAMES, load, load_games
from ventuno.web.http.guide import ADDRESS, Guide, choose_language, render_text
from ventuno.words import LANGUAGES

INLINE = re.compile(r"<script|<style|\sstyle=|\son[a-z]+=|javascript:|https?://", re.IGNORECASE)
"""What the policy of the house would refuse, and addresses of others."""
CLIENT = Path(__file__).resolve().parents[3] / "client" / "src"
ROUTES = (CLIENT / "routes.ts").read_text(encoding="utf-8")


def list_targets(html: str) -> set[str]:
    return set(re.findall(r'(?:href|src)="([^"#]+)', html))


@pytest.mark.parametrize("language", LANGUAGES)
async def test_every_link_of_the_guide_leads_to_a_page(entrance: InProcessHouse, language: str) -> None:
    """All pages are found from the first; what leads out of the guide leads to a page of the client."""
    async with entrance.client() as client:
        waiting, seen, others = {f"{ADDRESS}/{language}"}, set[str](), set[str]()
        while waiting:
            path = waiting.pop()
            answer = await client.get(path)
            assert answer.status_code == 200, path
            seen.add(path)
            if answer.headers["content-type"].startswith("text/html"):
                assert INLINE.findall(answer.text) == [], path
                targets = list_targets(answer.text)
                waiting |= {target for target in targets if target.startswith(ADDRESS)} - seen
                others |= {target for target in targets if not target.startswith(ADDRESS)}
    assert {f"{ADDRESS}/{language}/games/{game}" for game in GAMES} < seen
    assert {f"{ADDRESS}/{each}/play" for each in LANGUAGES} < seen
    assert others == {"/", "/mark.svg", "/verify"}
    assert "  verify: {" in ROUTES


async def test_the_browser_chooses_the_language(entrance: InProcessHouse) -> None:
    async with entrance.client() as client:
        for wished, language in (("en-GB,en;q=0.9,it;q=0.5", "en"), ("de, it;q=0.8", "it"), ("", "it")):
            answer = await client.get(ADDRESS, headers={"Accept-Language": wished})
            assert (answer.status_code, answer.headers["location"]) == (303, f"{ADDRESS}/{language}")
        page = await client.get(f"{ADDRESS}/en")
        assert '<html lang="en">' in page.text
    assert choose_language("fr;q=1,,") == "it"


async def test_a_page_that_is_not_there_is_said(entrance: InProcessHouse) -> None:
    async with entrance.client() as client:
        answer = await client.get(f"{ADDRESS}/it/games/roulette")
        assert answer.status_code == 404
        assert "Questa pagina non c’è." in answer.text
        assert (await client.get(f"{ADDRESS}/fr")).json()["error"]["code"] == "NothingHere"
        assert (await client.post(f"{ADDRESS}/it")).status_code == 405


async def test_the_protocol_stays_where_it_was(entrance: InProcessHouse) -> None:
    """No framework's page of the calls has taken the address, and their document is not moved by the guide."""
    async with entrance.client() as client:
        assert (await client.get("/api/openapi.json")).json()["info"]["title"] == "Ventuno"
        assert "openapi" not in (await client.get(f"{ADDRESS}/en")).text


def test_v95_the_help_of_the_client_leads_to_the_guide_in_the_readers_language() -> None:
    page = (CLIENT / "pages" / "help" / "HelpPage.svelte").read_text(encoding="utf-8")
    assert f'<a href="{ADDRESS}/{{reading.language}}" target="_blank"' in page, (
        "its router would keep a link without target"
    )


def test_the_fonts_of_the_built_client_are_used(tmp_path: Path) -> None:
    (tmp_path / "assets").mkdir()
    assert "@font-face" not in Guide(load_games(), tmp_path).write_style()
    (tmp_path / "assets" / "inter-latin-wght-normal-1a2b.woff2").touch()
    assert "url('/assets/inter-latin-wght-normal-1a2b.woff2')" in Guide(load_games(), tmp_path).write_style()


def test_what_a_sheet_says_is_text_and_never_markup(tmp_path: Path) -> None:
    """Planted: an operator's sheet with a name that would be a script."""
    name = '<script>alert("x")</script>'
    sheet = load("first-person", {"game.id": "vienna", "game.name": name})
    pages = Guide({"vienna": sheet}, tmp_path).list_pages("en")
    assert "&lt;script&gt;" in pages["games/vienna"]
    assert not any(INLINE.search(page) for page in pages.values())
    assert INLINE.search(f"<p>{name}</p>")


def test_a_table_can_be_scrolled_and_a_heading_be_led_to() -> None:
    html = render_text("## Più di 21\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n[x](games/sisal.md)", "it")
    assert '<h2 id="più-di-21">' in html
    assert '<div class="scroll" tabindex="0"><table>' in html
    assert f'href="{ADDRESS}/it/games/sisal"' in html
