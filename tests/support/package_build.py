"""Ventuno as a package: a clean copy of the sources, what is built from it, and environments to install it into."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from tests.support.project_files import ROOT, project_files

STATIC = Path("src", "ventuno", "web", "static")
LEFT_OUT = ("tests", "bench", "docs")
"""Folders that a wheel is built without."""


def copy_sources(folder: Path, pages: Path | None = None, *, whole: bool = False) -> Path:
    """The files of a clean clone, with the pages where they are given: as if built just now."""
    for file in project_files():
        name = file.relative_to(ROOT)
        if whole or name.parts[0] not in LEFT_OUT:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(file, folder / name)
    if pages is not None:
        shutil.copytree(pages, folder / STATIC, copy_function=shutil.copy)
    return folder


def clean_environment() -> dict[str, str]:
    """Nothing of this checkout: the package has to be found where it was installed."""
    return {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VENTUNO_", "VIRTUAL"))}


def run(*command: str | Path, folder: Path | None = None) -> subprocess.CompletedProcess[str]:
    words = [str(word) for word in command]
    return subprocess.run(words, cwd=folder, env=clean_environment(), capture_output=True, text=True, check=False)


def build(sources: Path, target: Path, kind: str = "wheel") -> subprocess.CompletedProcess[str]:
    """`python -m build --no-isolation`, without its front end: hatchling's own command."""
    return run(sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", target, folder=sources)


def make_environment(folder: Path, *, shared: bool = False) -> Path:
    """An empty environment, and its Python; `shared` lets it see the libraries of this one, but not this checkout."""
    done = run(sys.executable, "-m", "uv", "venv", "--quiet", "--offline", "--python", sys.executable, folder)
    assert done.returncode == 0, done.stderr
    python = folder / "bin" / "python"
    if shared:
        found = run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").stdout.strip()
        # a path in such a file is no site folder: the .pth files inside it, with this checkout's, are not read
        Path(found, "shared.pth").write_text("\n".join(path for path in sys.path if path.endswith("site-packages")))
    return python


def install(python: Path, *what: str | Path) -> None:
    done = run(sys.executable, "-m", "uv", "pip", "install", "--quiet", "--python", python, *what)
    assert done.returncode == 0, done.stderr
