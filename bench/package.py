"""The package as a stranger gets it: built from a clean copy, installed with each extra alone where nothing else is.

Prints what wheel and archive weigh, what each install weighs with its libraries, how long `ventuno --version` takes,
what runs with the base alone, and whether a house opens and gives its page; exits 1 where a goal is missed. It needs
the package index, and the built client (`python3 dev.py play` builds it; VENTUNO_PAGES names another build).

    python3 dev.py bench package [--extras house,odds]
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import dev
from bench.support.report import Report
from tests.support import package_build
from tests.support.project_files import ROOT
from tests.support.server_process import ServerProcess

MEGABYTE = 1_000_000
BASE_GOAL, VERSION_GOAL = 60.0, 0.15
TRIES = 5
MODULES = {
    "house": "ventuno.web.operations.server",
    "odds": "ventuno.odds.exact.solver",
    "postgres": "ventuno.house.store.postgres",
    "cluster": "ventuno.house.store.postgres",
    "research": "ventuno.environments.live_table",
    "grid": "distributed",
    "bot": "httpx, websockets",
    "beacon": "py_arkworks_bls12381",
    "all": "ventuno.environments.live_table, ventuno.web.operations.server, distributed, asyncpg",
}
"""What must be importable with an extra alone."""
DOCUMENT = ROOT / "tests" / "fixtures" / "old_house" / "documents" / "duello-opened.json.gz"
ROUND = {
    "game": "ventuno",
    "shoe": "9S 7D TC TH",
    "boxes": [{"box": 1, "player": "p1", "main": 1000}],
    "decisions": [{"box": 1, "do": "stand"}],
}


def main() -> int:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--extras", default=",".join(extras), help="those to install, each alone")
    given = parser.parse_args()
    report = Report()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        wheel = build(folder, report)
        measure_base(wheel, folder, report)
        for extra in filter(None, given.extras.split(",")):
            python = package_build.make_environment(folder / extra)
            package_build.install(python, f"ventuno[{extra}] @ {wheel.as_uri()}")
            report.line(f"{extra}: installed, with its libraries", weigh(folder / extra), unit="MB")
            must(python, "-c", f"import {MODULES[extra]}")
            if extra == "house":
                open_house(python, folder)
            shutil.rmtree(folder / extra)
    return 1 if report.missed else 0


def build(folder: Path, report: Report) -> Path:
    """Wheel and archive of a clean copy; and a wheel again from the archive, with the same files in it."""
    pages = Path(os.environ.get("VENTUNO_PAGES") or dev.STATIC)
    sources = package_build.copy_sources(folder / "sources", pages, whole=True)
    for kind in ("wheel", "sdist"):
        done = package_build.build(sources, folder / "built", kind)
        if done.returncode:
            raise SystemExit(done.stderr.splitlines()[-1])
    (wheel,), (archive,) = (folder / "built").glob("*.whl"), (folder / "built").glob("*.tar.gz")
    shutil.unpack_archive(archive, folder / "unpacked", filter="data")
    (unpacked,) = (folder / "unpacked").iterdir()
    again = package_build.build(unpacked, folder / "again")
    same = again.returncode == 0 and (folder / "again" / wheel.name).read_bytes() == wheel.read_bytes()
    report.line("wheel", wheel.stat().st_size / MEGABYTE, unit="MB")
    report.line("archive of the sources", archive.stat().st_size / MEGABYTE, unit="MB")
    report.line("wheels from the archive that are the same bytes", same, 1, most=False)
    return wheel


def measure_base(wheel: Path, folder: Path, report: Report) -> None:
    python = package_build.make_environment(folder / "base")
    package_build.install(python, wheel)
    report.line("base: installed, with its libraries", weigh(folder / "base"), BASE_GOAL, "MB")
    ventuno = python.parent / "ventuno"
    must(ventuno, "--help")  # compiles what it reads
    report.line("ventuno --version, CPU, best of 5", min(time_of(ventuno) for _ in range(TRIES)), VERSION_GOAL, "s")
    scenario, shoe = folder / "round.json", folder / "shoe.json"
    scenario.write_text(json.dumps(ROUND))
    shoe.write_bytes(gzip.decompress(DOCUMENT.read_bytes()))
    for words in (["settle", scenario], ["sheet", "link"], ["verify", shoe], ["play", "--help"]):
        must(ventuno, *words)
    refused = package_build.run(ventuno, "serve")
    print(f"    base, ventuno serve (exit {refused.returncode}): {refused.stderr.strip()}")


def open_house(python: Path, folder: Path) -> None:
    """A first start, certificates and all, and its page."""
    data = folder / "data"
    data.mkdir()
    unset = dict.fromkeys((name for name in os.environ if name.startswith("PYTHON")), "")
    house = ServerProcess(data, command=(str(python.parent / "ventuno"), "serve"), **unset)
    try:
        page = house.get("/")
        page.raise_for_status()
        print(f"    house: the page of {house.url} has {len(page.content)} bytes")
    finally:
        house.process.terminate()
        house.process.wait()


def must(*command: str | Path) -> None:
    done = package_build.run(*command)
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, command))}: {done.stderr.strip()}")


def weigh(folder: Path) -> float:
    """Megabytes of the libraries of an environment, without what Python compiled of them."""
    files = [path for path in (folder / "lib").rglob("*") if path.is_file() and path.suffix != ".pyc"]
    return sum(path.stat().st_size for path in files) / MEGABYTE


def time_of(ventuno: Path) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([ventuno, "--version"], env=package_build.clean_environment(), capture_output=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


if __name__ == "__main__":
    sys.exit(main())
