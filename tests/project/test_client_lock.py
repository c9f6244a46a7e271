"""The client's lock file serves on every machine: nothing is missing from it, and it names no registry."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

LOCK = Path(__file__).resolve().parents[2] / "client" / "package-lock.json"


def find_faults(lock: dict[str, Any]) -> list[str]:
    """What keeps `npm ci` from installing the same everywhere. npm 11.19 writes such locks (see `dev.py lock`)."""
    packages: dict[str, dict[str, Any]] = {name: row for name, row in lock["packages"].items() if name}
    faults = [
        f"{name}: no {field}"
        for name, row in packages.items()
        for field in ("version", "integrity")
        if field not in row
    ]
    faults += [f"{name}: names a registry" for name, row in packages.items() if "resolved" in row]
    for name, row in packages.items():
        for needed in row.get("optionalDependencies", {}):
            if f"node_modules/{needed}" not in packages and f"{name}/node_modules/{needed}" not in packages:
                faults.append(f"{name}: {needed} is missing")
    return faults


def test_the_lock_is_whole() -> None:
    assert find_faults(json.loads(LOCK.read_text(encoding="utf-8"))) == []


def test_a_lock_that_is_not_whole_is_found() -> None:
    lock = json.loads(LOCK.read_text(encoding="utf-8"))
    binding = next(name for name in lock["packages"] if "rolldown/binding-darwin" in name)
    for spoil in ("emptied", "removed", "named"):
        spoilt = copy.deepcopy(lock)
        if spoil == "emptied":
            spoilt["packages"][binding] = {"dev": True, "optional": True}
        elif spoil == "removed":
            del spoilt["packages"][binding]
        else:
            spoilt["packages"][binding]["resolved"] = "somewhere"
        assert find_faults(spoilt), spoil
