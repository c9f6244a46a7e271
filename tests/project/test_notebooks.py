"""The notebooks run, and what is stored in them is what they give; longer trainings in `soak volume`."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tests.support import notebooks
from tests.support.notebooks import NOTEBOOKS, list_results, read
from tests.support.volume import VOLUME

EPOCHS = re.compile(r"^EPOCHS = (\d+)$", re.MULTILINE)
"""How long an agent is trained: the one number that a longer run changes."""
WORDS = 400
"""A notebook is short: so many words of prose at most."""


def lengthen(notebook: Any, times: int) -> bool:
    """Train so many times as long; whether there is anything to train."""
    found = False
    for cell in notebook.cells:
        cell.source, count = EPOCHS.subn(lambda match: f"EPOCHS = {int(match[1]) * times}", cell.source)
        found |= bool(count)
    return found


def find_faults(notebook: Any) -> list[str]:
    """What may not be in a stored notebook: cells without results, errors, what was not run in order, long prose."""
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    faults = [f"cell {cell.id} failed" for cell in code for out in cell.outputs if out.output_type == "error"]
    if [cell.execution_count for cell in code] != list(range(1, len(code) + 1)):
        faults.append("not run from top to bottom")
    if not any(cell.outputs for cell in code):
        faults.append("no results")
    prose = " ".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    if len(prose.split()) > WORDS:
        faults.append(f"{len(prose.split())} words")
    return faults


def test_there_are_four() -> None:
    names = [file.stem for file in NOTEBOOKS]
    assert names == ["audit-a-shoe", "price-a-rule-change", "settle-a-disputed-hand", "train-an-agent"]


@pytest.mark.parametrize("file", NOTEBOOKS, ids=lambda file: file.stem)
def test_it_gives_what_is_stored(file: Path) -> None:
    stored, notebook = read(file), read(file)
    is_longer = bool(VOLUME) and lengthen(notebook, 10 * VOLUME)
    notebooks.execute(notebook)
    assert is_longer or list_results(notebook) == list_results(stored)
    assert find_faults(stored) == []


def test_planted_faults_are_caught() -> None:
    """A result that is not that of the cell, a cell that failed, cells run out of order, a notebook never run."""
    file = next(file for file in NOTEBOOKS if file.stem.startswith("settle"))
    stored, changed = read(file), read(file)
    output = next(cell.outputs[0] for cell in changed.cells if cell.get("outputs"))
    key = "text" if output.output_type == "stream" else "data"
    output[key] = "€ 1" if key == "text" else {"text/plain": "€ 1"}
    assert list_results(changed) != list_results(stored)
    for cell in changed.cells:
        cell.update(outputs=[], execution_count=None) if cell.cell_type == "code" else None
    assert find_faults(changed) == ["not run from top to bottom", "no results"]
    assert lengthen(read(next(file for file in NOTEBOOKS if "train" in file.stem)), 2)
    assert not lengthen(stored, 2)
