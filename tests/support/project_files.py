"""The files of the project, and what none of them may hold."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NOT_OURS = {"__pycache__", "node_modules", "build", "dist", "mutants"}
# Written in pieces, so that this file does not hold what it looks for.
REGISTRIES = ["py" + "pi.org", "python" + "hosted.org", "registry.npm" + "js.org", "registry.yarn" + "pkg.com"]
REGISTRY = re.compile("|".join(map(re.escape, REGISTRIES)))


@cache
def project_files() -> tuple[Path, ...]:
    """Every file that is tracked or would be; without git, every file outside hidden and generated folders."""
    try:
        command = ["git", "ls-files", "-co", "--exclude-standard", "-z"]
        listed = subprocess.run(command, cwd=ROOT, capture_output=True, check=True, text=True).stdout
        paths = [ROOT / name for name in listed.split("\0") if name]
    except (OSError, subprocess.CalledProcessError):
        paths = []
    return tuple(sorted(path for path in paths or walked(ROOT) if path.is_file()))


def walked(folder: Path) -> Iterator[Path]:
    for path in folder.iterdir():
        if path.is_dir():
            if path.name == ".ci" or not (path.name.startswith(".") or path.name in NOT_OURS):
                yield from walked(path)
        elif path.name != "uv.lock":
            yield path


def lines_with(pattern: re.Pattern[str], text: str) -> list[int]:
    """The numbers of the lines that hold the pattern; it may run over a line's end."""
    return [text.count("\n", 0, found.start()) + 1 for found in pattern.finditer(text)]
