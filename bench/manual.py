"""The pages' blocks for a clean machine, run as they are written: in a clean clone, with an empty home, from the index.

They install the house from a checkout, from its package and by `uvx`, and open it each time; what they print is
compared where the page says it. The package is on no index, so pip and uv also look for it in the clone's `dist`; the
port is a free one. Exits 1 at the first block that does not do as it says. It needs the package index, npm's, and some
minutes.

    python3 dev.py bench manual
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import httpx

from tests.support import package_build
from tests.support.free_port import free_port
from tests.support.page_examples import ON_A_CLEAN_MACHINE, Block, find_blocks, list_commands
from tests.support.project_files import ROOT

PAGES = ("docs/operations.md", "docs/index.md")
"""In this order: the first block builds the pages that every package needs."""
OPENS = ("serve", "play")
"""Lines with this as their last word open a house that stays."""
LONGEST = 900
"""Seconds for one line: the first start computes certificates, an install fetches everything."""


def main() -> int:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        clone, home = package_build.copy_sources(folder / "clone", whole=True), folder / "home"
        home.mkdir()
        for command in (["git", "init", "-q"], ["git", "add", "-A"]):
            subprocess.run(command, cwd=clone, check=True)
        settings = make_settings(folder, clone, home)
        blocks = list_blocks()
        for number, block in enumerate(blocks):
            if number == 1:
                build(clone, folder, settings)
            with_base = f"{install_base(clone, folder)}{os.pathsep}" if "needs the extra" in block.text else ""
            fault = run_block(block, clone, {**settings, "PATH": f"{with_base}{settings['PATH']}"})
            if fault:
                print(f"{block.page}:{block.line}: {fault}", file=sys.stderr)
                return 1
    return 0


def list_blocks() -> list[Block]:
    texts = {page: (ROOT / page).read_text(encoding="utf-8") for page in PAGES}
    blocks = [block for page, text in texts.items() for block in find_blocks(page, text)]
    return [block for block in blocks if block.mark == ON_A_CLEAN_MACHINE]


def make_settings(folder: Path, clone: Path, home: Path) -> dict[str, str]:
    """The environment of somebody who has Python, uv and Node, and nothing of ours."""
    empty = package_build.make_environment(folder / "empty").parent
    subprocess.run([empty / "python", "-m", "ensurepip", "--upgrade"], check=True, capture_output=True)
    for name in ("pip", "uv", "uvx"):
        (empty / name).unlink(missing_ok=True)
    (empty / "pip").symlink_to(empty / "pip3")
    for name in ("uv", "uvx"):
        (empty / name).symlink_to(Path(sys.executable).parent / name)
    dist = str(clone / "dist")
    own = {"HOME": str(home), "PIP_FIND_LINKS": dist, "UV_FIND_LINKS": dist, "VENTUNO_PORT": str(free_port())}
    clean = package_build.clean_environment()
    return {**clean, **own, "PATH": f"{empty}{os.pathsep}{clean['PATH']}"}


def build(clone: Path, folder: Path, settings: Mapping[str, str]) -> None:
    """`python -m build`, as the manual says; its front end is in an environment of its own."""
    python = package_build.make_environment(folder / "builder")
    package_build.install(python, "build")
    run_line(f"{python} -m build", clone, settings)


def install_base(clone: Path, folder: Path) -> Path:
    """An install without extras; the folder of its programs."""
    python = package_build.make_environment(folder / "base")
    (wheel,) = (clone / "dist").glob("*.whl")
    package_build.install(python, wheel)
    return python.parent


def run_block(block: Block, clone: Path, settings: Mapping[str, str]) -> str:
    for line, promised in list_commands(block.text):
        command = line.partition(" #")[0].rstrip()
        begun = time.monotonic()
        if command.split()[-1] in OPENS and not promised:
            fault = open_house(command, clone, settings)
        else:
            code, printed = run_line(command, clone, settings)
            fault = f"printed {printed}" if promised and printed != promised else ""
            if code and not promised:
                fault = f"ended with {code}: {printed[-2000:]}"
        told = f"{'failed' if fault else 'done'}, {time.monotonic() - begun:.0f} s"
        print(f"    {block.page}:{block.line} {told}: {command}", flush=True)
        if fault:
            return f"$ {command}\n{fault}"
    return ""


def run_line(command: str, clone: Path, settings: Mapping[str, str]) -> tuple[int, str]:
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=clone,
        env=dict(settings),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=LONGEST,
        check=False,
    )
    return done.returncode, done.stdout


def open_house(command: str, clone: Path, settings: Mapping[str, str]) -> str:
    """The house of a line: its page and its guide; and its end when it is told to end."""
    address, log = f"http://127.0.0.1:{settings['VENTUNO_PORT']}", clone / "house.log"
    with log.open("wb") as told:
        house = subprocess.Popen(
            ["bash", "-c", f"exec {command}"],
            cwd=clone,
            env=dict(settings),
            stdout=told,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        until = time.monotonic() + LONGEST
        while not answers(address):
            if house.poll() is not None or time.monotonic() > until:
                return f"no house opened: {log.read_text()[-2000:]}"
            time.sleep(0.2)
        pages = [httpx.get(f"{address}{path}", follow_redirects=True, timeout=60) for path in ("/", "/docs")]
        wrong = [str(page) for page in pages if page.status_code != httpx.codes.OK or b"<html" not in page.content]
        return ", ".join(wrong)
    finally:
        with suppress(ProcessLookupError):
            os.killpg(house.pid, signal.SIGTERM)
        house.wait(60)


def answers(address: str) -> bool:
    try:
        return httpx.get(f"{address}/readyz", timeout=10).is_success
    except httpx.TransportError:
        return False


if __name__ == "__main__":
    sys.exit(main())
