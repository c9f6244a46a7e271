"""`bench manual` runs every block for a clean machine, and says where one does not do as it is written."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from bench import manual
from tests.support.free_port import free_port
from tests.support.page_examples import ON_A_CLEAN_MACHINE, Block, find_blocks, list_pages
from tests.support.project_files import ROOT


def test_it_has_every_block_that_a_page_leaves_to_it() -> None:
    texts = {page: (ROOT / page).read_text(encoding="utf-8") for page in list_pages()}
    left = {block for page, text in texts.items() for block in find_blocks(page, text)}
    assert {block for block in left if block.mark == ON_A_CLEAN_MACHINE} == set(manual.list_blocks())
    assert len(manual.list_blocks()) == 5, "a checkout, the package, what is missing, play, uvx"


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("python3 -m vnev venv\n", "ended with 1"),
        ("python3 -c 'print(1)'   # a comment\n", ""),
        ("$ echo one\ntwo\n", "printed one"),
        ("$ echo one\none\n", ""),
        ("python3 dev.py paly serve\n", "no house opened"),
    ],
)
def test_a_planted_block_is_judged(text: str, fault: str, tmp_path: Path) -> None:
    settings = {**os.environ, "VENTUNO_PORT": str(free_port())}
    found = manual.run_block(Block("docs/index.md", 1, "", text, ""), tmp_path, settings)
    assert fault in found
    assert bool(fault) == bool(found)
