#!/usr/bin/env python3
"""The whole interface of the project, for people and for CI. Standard library only.

    python3 dev.py play [ARGS...]          a game in this terminal; a picker when no game is named
    python3 dev.py test [PYTEST ARGS...]   ruff, mypy and every test
    python3 dev.py check                   ruff and mypy only
    python3 dev.py bench [NAME...]         measurements of bench/, all of them when none is named
    python3 dev.py soak                    the long runs of bench/
    python3 dev.py lock [--upgrade]        write requirements/ anew from pyproject.toml

Each command first sets up what it needs in .venv, and remembers it: the second time is instant.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
BIN = VENV / ("Scripts" if os.name == "nt" else "bin")
PYTHON = BIN / ("python.exe" if os.name == "nt" else "python")
STAMP = VENV / "ventuno.stamp"
REQUIREMENTS = ROOT / "requirements"
BENCH = ROOT / "bench"
UV = "uv>=0.9,<1"
OLDEST = (3, 11)
GROUPS = ("test", "lint", "mutation")


class Stop(Exception):
    """What went wrong, in one line for the person at the keyboard."""


def say(text: str) -> None:
    print(f"ventuno: {text}", file=sys.stderr, flush=True)


def environment() -> dict[str, str]:
    """The environment of every program started here: no stray interpreter, and a home even where there is none."""
    env = {**os.environ, "UV_PYTHON_DOWNLOADS": "never", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    for name in ("VIRTUAL_ENV", "PYTHONHOME", "PYTHONPATH", "UV_PYTHON"):
        env.pop(name, None)
    home = env.get("HOME", "")
    if os.name != "nt" and not (os.path.isdir(home) and os.access(home, os.W_OK)):
        env["HOME"] = str(VENV / "home")
        Path(env["HOME"]).mkdir(parents=True, exist_ok=True)
    return env


def call(*command: str | Path) -> int:
    sys.stdout.flush()
    return subprocess.run([str(part) for part in command], cwd=ROOT, env=environment(), check=False).returncode


def must(*command: str | Path) -> None:
    if call(*command):
        raise Stop(f"this did not work: {shlex.join(str(part) for part in command)}")


def hand_over(*command: str | Path) -> int:
    """Become the command where the system can, so that keys and signals reach it alone."""
    if os.name == "posix":
        os.chdir(ROOT)
        sys.stdout.flush()
        os.execve(command[0], [str(part) for part in command], environment())
    return call(*command)


# Set-up


def digest(kind: str) -> str:
    """Changes when the environment has to be made again; the folder counts, as ventuno is installed in place."""
    parts = [kind.encode(), str(ROOT).encode(), (ROOT / "pyproject.toml").read_bytes()]
    parts.append((REQUIREMENTS / f"{kind}.txt").read_bytes())
    return hashlib.sha256(b"\0".join(parts)).hexdigest()


def ready(kind: str) -> bool:
    """Whether .venv already serves; what the tests need includes all that a game needs."""
    if not (STAMP.exists() and PYTHON.exists()):
        return False
    good = {digest("test")} if kind == "test" else {digest("run"), digest("test")}
    return STAMP.read_text() in good


def provide_venv_module() -> None:
    """Debian keeps ensurepip in a package of its own: install it when we may, else name the line to type."""
    if importlib.util.find_spec("ensurepip") is not None:
        return
    if os.name == "posix" and os.geteuid() == 0 and shutil.which("apt-get"):
        say("installing python3-venv")
        if call("apt-get", "install", "-y", "-qq", "python3-venv"):
            must("apt-get", "update", "-qq")
            must("apt-get", "install", "-y", "-qq", "python3-venv")
        importlib.invalidate_caches()
        if importlib.util.find_spec("ensurepip") is not None:
            return
    raise Stop("this Python cannot make environments; type: sudo apt-get install python3-venv")


def make_venv() -> None:
    """A fresh .venv with uv in it, unless a working one is there."""
    works = PYTHON.exists() and subprocess.run(
        [str(PYTHON), "-c", f"import sys, uv; sys.exit(sys.version_info < {OLDEST})"], capture_output=True, check=False
    )
    if works and works.returncode == 0:
        return
    provide_venv_module()
    say("making .venv")
    must(sys.executable, "-m", "venv", "--clear", VENV)
    must(PYTHON, "-m", "pip", "install", "--quiet", UV)


def uv_pip(action: str, *arguments: str | Path) -> None:
    must(PYTHON, "-m", "uv", "pip", action, "--quiet", "--python", PYTHON, *arguments)


def set_up(kind: str) -> None:
    """Bring .venv to requirements/<kind>.txt, with ventuno itself installed in place."""
    if ready(kind):
        return
    started = time.monotonic()
    make_venv()
    STAMP.unlink(missing_ok=True)
    say(f"installing requirements/{kind}.txt")
    uv_pip("sync", "--require-hashes", REQUIREMENTS / f"{kind}.txt")
    uv_pip("install", "--no-deps", "--editable", ROOT)
    STAMP.write_text(digest(kind))
    say(f"ready in {time.monotonic() - started:.0f} s")


# Commands


def play(arguments: Sequence[str]) -> int:
    set_up("run")
    return hand_over(BIN / "ventuno", "play", *arguments)


def failed_checks() -> list[str]:
    """Run ruff and mypy to the end, each on everything, and name those that complain."""
    import tomllib  # not before the version of Python is known to be good

    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    typed = [name for name in settings["tool"]["mypy"]["files"] if (ROOT / name).exists()]
    checks = {
        "ruff check": ["ruff", "check", "."],
        "ruff format": ["ruff", "format", "--check", "."],
        "mypy": ["mypy", *typed],
    }
    failed = []
    for name, command in checks.items():
        say(name)
        if call(PYTHON, "-m", *command):
            failed.append(name)
    return failed


def check(arguments: Sequence[str]) -> int:
    if arguments:
        raise Stop(f"check takes nothing more: {shlex.join(arguments)}")
    set_up("test")
    failed = failed_checks()
    say(f"complaints from {', '.join(failed)}" if failed else "all clean")
    return bool(failed)


def test(arguments: Sequence[str]) -> int:
    """Checks, then pytest, whose closing line is the last one; the exit code speaks for both."""
    set_up("test")
    failed = failed_checks()
    say(f"complaints from {', '.join(failed)} above: this run will not pass" if failed else "pytest")
    return call(PYTHON, "-m", "pytest", "-n", "2", "--dist", "worksteal", *arguments) or bool(failed)


def bench(arguments: Sequence[str]) -> int:
    """Names first; from the first option on, everything goes to each measurement."""
    options = next((at for at, word in enumerate(arguments) if word.startswith("-")), len(arguments))
    known = sorted(path.stem for path in BENCH.glob("*.py") if not path.stem.startswith("_"))
    names = list(arguments[:options]) or [name for name in known if not name.startswith("soak")]
    unknown = [name for name in names if name not in known]
    if unknown:
        raise Stop(f"no measurement {', '.join(unknown)}; there are: {', '.join(known) or 'none yet'}")
    return run_benches(names, arguments[options:])


def soak(arguments: Sequence[str]) -> int:
    return run_benches(sorted(path.stem for path in BENCH.glob("soak*.py")), arguments)


def run_benches(names: Sequence[str], options: Sequence[str]) -> int:
    if not names:
        say("there is none yet in bench/")
        return 0
    set_up("test")
    worst = 0
    for name in names:
        say(f"bench/{name}.py")
        worst = max(worst, abs(call(PYTHON, BENCH / f"{name}.py", *options)))
    return worst


def lock(arguments: Sequence[str]) -> int:
    """Pins with hashes for every platform and Python; the file of the tests keeps to the pins of the game."""
    make_venv()
    common = ["pyproject.toml", "--universal", "--generate-hashes", "--python-version", ".".join(map(str, OLDEST))]
    common += ["--custom-compile-command", "python3 dev.py lock", *arguments]
    groups = [word for group in GROUPS for word in ("--group", group)]
    say("requirements/run.txt")
    uv_pip("compile", *common, "--output-file", "requirements/run.txt")
    say("requirements/test.txt")
    more = ["--all-extras", *groups, "--constraints", "requirements/run.txt"]
    uv_pip("compile", *common, *more, "--output-file", "requirements/test.txt")
    return 0


COMMANDS: dict[str, Callable[[Sequence[str]], int]]
COMMANDS = {"play": play, "test": test, "check": check, "bench": bench, "soak": soak, "lock": lock}


def main(words: Sequence[str]) -> int:
    if sys.version_info < OLDEST:
        raise Stop(f"Python 3.11 or newer is needed; this one is {sys.version.split()[0]}")
    if not words or words[0] not in COMMANDS:
        print(__doc__)
        return 0 if words and words[0] in ("-h", "--help", "help") else 2
    return COMMANDS[words[0]](words[1:])


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except Stop as stop:
        say(str(stop))
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)
