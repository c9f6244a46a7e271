"""Every example of the pages runs as it is written, or its page says by which test it is run, or why it is not."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.support.house import OpenHouse, key
from tests.support.page_examples import IN_A_HOUSE, Block, House, find_blocks, find_fault, list_pages, run_page
from tests.support.project_files import ROOT
from ventuno.core.messages.commands import Spot

BLOCKS = {page: list(find_blocks(page, (ROOT / page).read_text(encoding="utf-8"))) for page in list_pages()}
RUN_HERE = {
    page: [block for block in blocks if not block.mark or block.mark == IN_A_HOUSE] for page, blocks in BLOCKS.items()
}


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> House:
    """A house in which one round was played, closed again."""
    folder = tmp_path_factory.mktemp("examples")

    async def play() -> str:
        evening = OpenHouse(f"sqlite:///{folder}/house.db", folder)
        evening.certify("duello")
        await evening.open()
        ada = await evening.joined("Ada")
        table = await evening.application.tables.open_solo(ada, "duello")
        assert isinstance(table, str)
        await evening.application.tables.bring(ada, table, 50_000, key())
        code, _ = await evening.solo_round(ada, table, (Spot(1, "main"),))
        await evening.application.close()
        return code

    return House(folder, asyncio.run(play()))


@pytest.mark.parametrize("document", [page for page, blocks in RUN_HERE.items() if blocks])
def test_the_examples_of_a_page_run_as_they_are_written(document: str, tmp_path: Path, house: House) -> None:
    assert run_page(RUN_HERE[document], tmp_path, house) == ""


def test_what_is_not_run_here_says_who_runs_it_or_why_nobody_does() -> None:
    blocks = [block for blocks in BLOCKS.values() for block in blocks]
    assert [fault for block in blocks if (fault := find_fault(block))] == []
    assert len(blocks) > 40
    assert sum(len(blocks) for blocks in RUN_HERE.values()) >= 5


def read(text: str) -> list[Block]:
    return list(find_blocks("docs/odds.md", text))


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("```python\nassert 1 + 1 == 3\n```\n", "AssertionError"),
        ("```python\n>>> 1 + 1\n3\n```\n", "Expected"),
        ("```console\n$ ventuno setle round.json\n```\n", "ended with 2"),
        ("```console\n$ echo one\ntwo\n```\n", "printed\none"),
        ("```\nventuno sheet no-such-game   # a comment\n```\n", "ended with 2"),
        ("```console\n$ ventuno sheet duello # exit 2\n```\n", "ended with 0"),
    ],
)
def test_a_planted_broken_example_is_caught(text: str, fault: str, tmp_path: Path) -> None:
    assert fault in run_page(read(text), tmp_path)


@pytest.mark.parametrize(
    "text",
    [
        "```python\nx = 1\n```\n\n```python\n>>> x + 1\n2\n```\n",
        "```console\n$ ventuno --version\nventuno...\n$ ventuno sheet roulette   # exit 2\n```\n",
        "```console\n$ echo '{}' > a.json\n$ cat a.json | tr -d '}'\n{\n```\n",
    ],
)
def test_what_is_true_passes(text: str, tmp_path: Path) -> None:
    assert run_page(read(text), tmp_path) == ""


def test_a_planted_mark_that_is_not_true_is_caught() -> None:
    block = "```python\n1/0\n```\n"
    assert find_fault(read(f"<!-- run by: tests/no_such.py -->\n{block}")[0])
    assert find_fault(read(f"<!-- run by: tests/cli/test_play.py -->\n{block}")[0]), "it does not read that page"
    assert find_fault(read(f"<!-- not run: no -->\n{block}")[0])
    assert not find_fault(read(f"<!-- run by: tests/odds/test_public.py -->\n{block}")[0])
    assert not find_fault(read(f"<!-- not run: a person has to answer -->\n{block}")[0])


def test_only_what_a_reader_would_run_is_an_example() -> None:
    assert read('```json\n{"a": 1}\n```\n\n```\nventuno | p1=1 | x\n```\n\n```toml\na = 1\n```\n') == []
    assert [block.line for block in read("a\n\n```\n$ ventuno check\n```\n")] == [3]
    assert len(read("```\ndocker compose up\n```\n\n```\nvenv/bin/ventuno serve\n```\n")) == 2
