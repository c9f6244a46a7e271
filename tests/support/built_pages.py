"""The built client for the tests that need it."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

import dev
from tests.support.patience import PATIENCE


def provide_pages(folder: Path) -> Path:
    """The client, built from the sources as they are; or a build that VENTUNO_PAGES names."""
    if built := os.environ.get("VENTUNO_PAGES"):
        return Path(built)
    if not dev.MODULES.is_dir():
        pytest.skip("the client's packages are not installed: npm ci in client/")
    if dev.BUILT.exists() and dev.BUILT.read_text() == dev.client_stamps()[1]:
        return dev.STATIC
    command = ["npx", "vite", "build", "--outDir", str(folder), "--emptyOutDir"]
    made = subprocess.run(command, cwd=dev.CLIENT, capture_output=True, text=True, timeout=3 * PATIENCE, check=False)
    assert made.returncode == 0, made.stdout + made.stderr
    return folder
