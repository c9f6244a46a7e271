"""What `ventuno.odds` promises: light to import, every name there, and a page whose examples and figures are true."""

from __future__ import annotations

import doctest
import re
import subprocess
import sys
from pathlib import Path

import pytest

import ventuno.odds
from ventuno.odds.certificate.certificate import certify
from ventuno.sheets import GAMES, load

PAGE = Path(__file__).resolve().parents[2] / "docs" / "odds.md"
ROW = re.compile(r"^\| (\S+) \| (\S+) \| (initial|total) \| ([\d.]+) \| ([\d.]*) ?\| ([\d.]+) \| ([\d.-]+) \|$", re.M)


def test_importing_it_brings_neither_numpy_nor_numba() -> None:
    code = "import sys, ventuno.odds; print(sorted({'numpy', 'numba', 'gymnasium'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "[]"


def test_every_name_is_there() -> None:
    for name in ventuno.odds.__all__:
        assert getattr(ventuno.odds, name) is not None
    assert set(ventuno.odds.__all__) <= set(dir(ventuno.odds))
    with pytest.raises(AttributeError, match="nonsense"):
        ventuno.odds.nonsense  # type: ignore[attr-defined] # noqa: B018


def test_the_page_s_examples_are_true() -> None:
    done = doctest.testfile(str(PAGE), module_relative=False, encoding="utf-8")
    assert done.attempted > 20
    assert not done.failed


def test_the_page_s_figures_are_true() -> None:
    rows = ROW.findall(PAGE.read_text(encoding="utf-8"))
    found = [
        (
            *(game, claim.bet, claim.base, f"{claim.rtp:.8f}"),
            f"{claim.rtp_td:.8f}" if claim.rtp_td is not None else "",
            f"{claim.sd:.6f}",
            claim.published,
        )
        for game in GAMES
        for claim in certify(load(game)).figures
    ]
    assert rows == found
