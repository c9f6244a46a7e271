"""The examples in docstrings and in the README are true."""

from __future__ import annotations

import doctest
import importlib
import json
import re
from pathlib import Path

import pytest

from tests.support.scenario_outcomes import compute_outcome, find_differences

ROOT = Path(__file__).resolve().parents[2]
MODULES = sorted(
    ".".join(file.relative_to(ROOT / "src").with_suffix("").parts)
    for file in (ROOT / "src").rglob("*.py")
    if ">>> " in file.read_text(encoding="utf-8")
)


@pytest.mark.parametrize("name", MODULES)
def test_examples(name: str) -> None:
    done = doctest.testmod(importlib.import_module(name.removesuffix(".__init__")))
    assert done.attempted
    assert not done.failed


def test_the_readmes_round_settles_as_it_says() -> None:
    """The scenario and the settlement printed there are run against each other."""
    page = (ROOT / "README.md").read_text(encoding="utf-8")
    shown = re.search(r"\$ cat round.json\n(.*?)\$ ventuno settle round.json --json\n(.*?)```", page, re.DOTALL)
    assert shown
    scenario, settled = json.loads(shown[1]), json.loads(shown[2])
    assert find_differences(settled, compute_outcome(scenario)) == []
