"""Refuses a package of Ventuno that would have no pages, or old ones. `python -m build` reads this, through hatchling.

An install in place (`pip install -e .`) is free: there the pages are built when they are wanted.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

STATIC = Path("src", "ventuno", "web", "static")
PAGES = ("index.html", "verifier.html", "ventuno-verifier.html", "notices.txt")
"""What a whole build of the client leaves; the first is written by every build."""
BUILT_FROM = (
    *("client/src", "client/public", "client/scripts", "client/index.html", "client/package-lock.json"),
    "src/ventuno/words",
)
HOW = "cd client && npm ci && npm run build"


class ClientNotBuilt(RuntimeError):
    """The client has to be built first."""


class ClientHook(BuildHookInterface[Any]):
    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        del build_data
        if version != "editable":
            check_client(Path(self.root))


def check_client(root: Path) -> None:
    """ClientNotBuilt where a page is missing, or older than what it is made from, where that is here too."""
    static = root / STATIC
    if missing := [name for name in PAGES if not (static / name).is_file()]:
        raise ClientNotBuilt(f"the client is not built ({STATIC / missing[0]} is missing): {HOW}")
    built = (static / PAGES[0]).stat().st_mtime
    newer = [path for path in list_sources(root) if path.stat().st_mtime > built]
    if newer and (root / BUILT_FROM[0]).is_dir():
        raise ClientNotBuilt(f"the client was built before {newer[0].relative_to(root)} was changed: {HOW}")


def list_sources(root: Path) -> Iterator[Path]:
    for name in BUILT_FROM:
        top = root / name
        for path in sorted(top.rglob("*")) if top.is_dir() else [top]:
            if path.is_file() and "__pycache__" not in path.parts:
                yield path
