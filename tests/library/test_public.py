"""What `ventuno` promises to programs: light to import, every name there, the missing extra named, true pages."""

from __future__ import annotations

import doctest
import json
import subprocess
import sys
from pathlib import Path

import pytest

import ventuno
from ventuno.cli import extras

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "library.md"
HEAVY = sorted({*extras.EXTRA_OF, "rich", "cryptography"})
BASE = sorted(set(ventuno.__all__) - {"BetReturn", "Solution", "StrategyChart", "solve"})
"""The names that the base install has."""


def run(script: str, *words: str) -> list[str]:
    command = [sys.executable, "-c", script, *words]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()


def test_importing_it_brings_no_library_and_no_room() -> None:
    script = (
        "import sys, json, ventuno\n"
        "print(sorted(set(json.loads(sys.argv[1])) & set(sys.modules)))\n"
        "print(sorted(name for name in sys.modules if name.startswith('ventuno.')))"
    )
    assert run(script, json.dumps(HEAVY)) == ["[]", "['ventuno.lazy_imports']"]


def test_every_name_is_there() -> None:
    for name in ventuno.__all__:
        assert getattr(ventuno, name) is not None
    assert set(ventuno.__all__) <= set(dir(ventuno))
    assert sorted(ventuno.__all__, key=lambda name: (name.islower(), name)) == ventuno.__all__
    with pytest.raises(AttributeError, match="nonsense"):
        ventuno.nonsense  # type: ignore[attr-defined] # noqa: B018


def test_the_base_install_has_all_but_odds_and_says_which_extra_has_them() -> None:
    script = (
        "import sys, json\n"
        "sys.modules.update(dict.fromkeys(json.loads(sys.argv[1])))\n"
        "import ventuno\n"
        "for name in ventuno.__all__:\n"
        "    try: getattr(ventuno, name)\n"
        "    except ModuleNotFoundError as fault: print(fault)\n"
        "    else: print(name)\n"
    )
    lines = run(script, json.dumps(sorted(extras.EXTRA_OF)))
    assert sorted(line for line in lines if " " not in line) == BASE
    assert "ventuno.solve needs numpy: pip install 'ventuno[odds]'" in lines
    assert len(lines) == len(ventuno.__all__)


def test_the_environments_name_their_extra() -> None:
    script = (
        "import sys; sys.modules.update(gymnasium=None)\n"
        "try: import ventuno.environments\n"
        "except ModuleNotFoundError as fault: print(fault)"
    )
    assert run(script) == ["ventuno.environments needs gymnasium: pip install 'ventuno[research]'"]


def test_the_page_s_examples_are_true() -> None:
    done = doctest.testfile(str(PAGE), module_relative=False, encoding="utf-8")
    assert done.attempted > 20
    assert not done.failed
