#!/usr/bin/env python3
"""The whole interface of the project, for people and for CI. Standard library only.

    python3 dev.py play [ARGS...]          the house at http://127.0.0.1:2121, with three bots; ARGS as `ventuno serve`
    python3 dev.py play --terminal [GAME]  a game in this terminal; a picker when no game is named
    python3 dev.py test [PYTEST ARGS...]   the tests, beside them ruff, mypy, svelte-check, ESLint, Prettier and vitest
    python3 dev.py test --whole            with all the browser tests, not only those of the room and the live table
    python3 dev.py try PYTEST ARGS...      some tests at once and nothing else: a path, `-k WORD`
    python3 dev.py check                   the checkers without pytest
    python3 dev.py bench [NAME...]         measurements of bench/, all of them when none is named
    python3 dev.py soak [NAME...]          the long runs of bench/ (soak_NAME.py), all of them when none is named
    python3 dev.py docs [--serve]          the documentation site, in build/site; --serve shows it while you write
    python3 dev.py lock [--upgrade]        write requirements/ and the client's lock file anew

Each command first sets up what it needs in .venv and client/node_modules, and remembers it: the second time is instant.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from threading import Thread
from typing import IO, Any, NamedTuple

ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
BIN = VENV / ("Scripts" if os.name == "nt" else "bin")
PYTHON = BIN / ("python.exe" if os.name == "nt" else "python")
STAMP = VENV / "ventuno.stamp"
REQUIREMENTS = ROOT / "requirements"
BENCH = ROOT / "bench"
CLIENT = ROOT / "client"
STATIC = ROOT / "src" / "ventuno" / "web" / "static"
MODULES = CLIENT / "node_modules"
UNPACKED = VENV / "debian"
BUILT = MODULES / "ventuno.stamp"
OLDEST_NODE = (20, 19)
BROWSER = "tests/browser"
"""Workers of their own: Playwright keeps an event loop, beside which no other may run in a process."""
ALWAYS = ("test_room.py", "test_ventuno_*.py")
"""What of it every run does: the room and the live table. The other games, pictures and measures are `--whole`."""
ALONE = (
    "test_duello.py::test_d20_tab_goes_to_the_next_button_and_enter_presses_it",
    "test_duello.py::test_d21_space_clears_for_a_new_game_and_again_bets_as_before",
    "test_duello.py::test_d22_a_number_adds_its_chip_and_no_more_numbers_than_chips",
    "test_first_person.py::test_f12_a_setting_hides_cash_out",
    "test_link.py::test_l33_history_is_in_the_tools_of_a_desk_and_the_menu_of_a_phone",
    "test_rhythm.py::test_v04_x25_a_live_deal_shows_nothing_before_its_cause",
    "test_sisal.py::test_s04_each_circle_in_cents_and_each_seat_in_euro",
    "test_sisal.py::test_s05_credits_at_the_bottom_right_in_italian_figures",
    "test_sisal_rounds.py::test_s33_the_past_of_the_game_is_told_in_cents",
    "test_studio.py::test_x27_a_round_by_keyboard_and_scanner_alone_shows_nothing_early",
)
"""And the only tests of their criteria."""
SOCKETS = "tests/web/sockets"
BEHIND_DOORS = (
    *(f"{SOCKETS}/test_{name}.py" for name in ("sockets", "notifications", "limits", "lag", "access", "hostile")),
    f"{SOCKETS}/test_paired.py::test_every_planted_leak_is_found",
    f"{SOCKETS}/test_paired.py::test_h1_nothing_is_told_of_what_is_hidden[ventuno]",
)
BROWSER_BEHIND_DOORS = (f"{BROWSER}/test_ventuno_line.py",)
"""What every run does once more, beside the rest, against a house with two doors; `--whole` does so with all that knows
houses by their sockets, calls and pages.
"""
WEB = (
    "tests/web",
    "tests/client",
    "tests/cli/test_admin.py",
    "tests/cli/test_serve.py",
    "tests/project/test_served_examples.py",
    "tests/test_sixth_game.py",
)
PROGRAMS = {"nginx": "nginx", "caddy": "caddy", "promtool": "prometheus"}
"""What reads the files of packaging/ in its tests, and the package of Debian that has it."""
LOAD = "tests/bench/test_load.py"
"""Counts on a machine with nothing else to do, which the run beside it is not."""
PYTEST = ("--dist", "worksteal", "--durations", "30")
"""At the end the thirty slowest."""
NONE_FOUND = 5
"""What pytest says where no test matches."""
UV = "uv>=0.9,<1"
NPM_THAT_LOCKS = "npm@11.12.0"
"""npm 11.19 leaves the native parts of other systems out of a lock, and then refuses to install from it."""
OLDEST = (3, 11)
GROUPS = ("test", "lint", "docs")


class Stop(Exception):
    """What went wrong, in one line for the person at the keyboard."""


def say(text: str) -> None:
    print(f"ventuno: {text}", file=sys.stderr, flush=True)


def environment() -> dict[str, str]:
    """The environment of every program started here: no stray interpreter, and a home even where there is none."""
    env = {**os.environ, "UV_PYTHON_DOWNLOADS": "never", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    for name in ("VIRTUAL_ENV", "PYTHONHOME", "PYTHONPATH", "UV_PYTHON", "PYTHONDONTWRITEBYTECODE"):
        env.pop(name, None)
    # Compiled once and kept beside the environment: a server starts in half the time, and the checkout stays clean.
    env["PYTHONPYCACHEPREFIX"] = str(VENV / "pycache")
    home = env.get("HOME", "")
    if os.name != "nt" and not (os.path.isdir(home) and os.access(home, os.W_OK)):
        env["HOME"] = str(VENV / "home")
        Path(env["HOME"]).mkdir(parents=True, exist_ok=True)
    return env


def call(*command: str | Path, folder: Path = ROOT, told: IO[bytes] | None = None, doors: int = 0) -> int:
    """The exit code of a command; what it prints is seen, or kept in `told`. Its houses have so many doors."""
    sys.stdout.flush()
    words = [str(part) for part in command]
    env = environment() | ({"DOORS_IN_TESTS": str(doors)} if doors else {})
    return subprocess.run(words, cwd=folder, env=env, check=False, stdout=told, stderr=told).returncode


def must(*command: str | Path, folder: Path = ROOT) -> None:
    if call(*command, folder=folder):
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


def npm() -> Path:
    """npm beside a Node that is new enough; else the one line to type."""
    found, node = shutil.which("npm"), shutil.which("node")
    if not (found and node):
        raise Stop("the client needs Node 20.19 or newer with npm; install nodejs and npm, then try again")
    said = subprocess.run([node, "--version"], capture_output=True, text=True, check=False).stdout.strip()
    version = tuple(int(part) for part in said.removeprefix("v").split(".")[:2] if part.isdigit())
    if version < OLDEST_NODE:
        raise Stop(f"the client needs Node 20.19 or newer; this one is {said or 'unknown'}")
    return Path(found)


def client_digest(*names: str) -> str:
    """Of the named files and folders of the client: changes when they do."""
    total = hashlib.sha256()
    for name in names:
        top = CLIENT / name
        for path in sorted(top.rglob("*")) if top.is_dir() else [top]:
            if path.is_file():
                total.update(path.relative_to(CLIENT).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return total.hexdigest()


def client_stamps() -> tuple[str, str]:
    """Of the packages the client wants, and of those with everything it is built from."""
    packages = client_digest("package.json", "package-lock.json", ".npmrc")
    sources = ("src", "public", "scripts", "index.html", "vite.config.ts", "svelte.config.js", "../src/ventuno/words")
    return packages, packages + client_digest(*sources)


def set_up_all(begin: Callable[[Path], None] = lambda _folder: None) -> None:
    """What the tests need: the environment and the client beside each other, as both mostly wait for the network.

    `begin` is told each folder as soon as it is ready.
    """
    faults = list[Exception]()

    def provide_client() -> None:
        try:
            set_up_client()
            begin(CLIENT)
        except Exception as fault:
            faults.append(fault)

    client = Thread(target=provide_client)
    client.start()
    try:
        set_up("test")
        begin(ROOT)
    finally:
        client.join()
    for fault in faults:
        raise fault


def set_up_client() -> None:
    """node_modules as the lock file says, and the client built into the package; both only when something changed."""
    tool = npm()
    packages, whole = client_stamps()
    stamp = BUILT.read_text() if BUILT.exists() else ""
    if not stamp.startswith(packages):
        say("installing the client's packages")
        must(tool, "ci", "--silent", folder=CLIENT)
    if stamp != whole or not (STATIC / "index.html").exists():
        say("building the client")
        must(tool, "run", "--silent", "build", "--", "--logLevel", "warn", folder=CLIENT)
        BUILT.write_text(whole)


def find_chromium() -> str:
    """A browser for the tests: the one that is named, one that is there, or Debian's where we may install it."""
    names = ("chromium", "chromium-browser", "google-chrome")
    found = os.environ.get("VENTUNO_CHROMIUM") or next(filter(None, map(shutil.which, names)), None)
    if not found and os.name == "posix" and os.geteuid() == 0 and shutil.which("apt-get"):
        say("installing chromium")
        if call("apt-get", "install", "-y", "-qq", "chromium"):
            must("apt-get", "update", "-qq")
            must("apt-get", "install", "-y", "-qq", "chromium")
        found = shutil.which("chromium")
    if not found:
        raise Stop("the browser tests need Chromium; type: sudo apt-get install chromium, or set VENTUNO_CHROMIUM")
    return found


def provide_programs() -> None:
    """Programs that only tests run come from Debian where it is there: unpacked, not installed, so that no service
    starts. Where one is missing its tests are left out and say so.
    """
    folders = [str(UNPACKED / "usr" / name) for name in ("bin", "sbin")]
    os.environ["PATH"] = os.pathsep.join([*folders, os.environ.get("PATH", os.defpath)])
    missing = [package for program, package in PROGRAMS.items() if not shutil.which(program)]
    if not missing or not (shutil.which("apt-get") and shutil.which("dpkg-deb")):
        return
    say(f"fetching {', '.join(missing)}")
    with tempfile.TemporaryDirectory() as folder:
        download = ("apt-get", "download", "-qq", "-o", "APT::Sandbox::User=", *missing)
        if call(*download, folder=Path(folder)) and os.geteuid() == 0:
            call("apt-get", "update", "-qq")
            call(*download, folder=Path(folder))
        for package in Path(folder).glob("*.deb"):
            call("dpkg-deb", "-x", package, UNPACKED)


# Commands


def play(arguments: Sequence[str]) -> int:
    """The house, quiet but for its address; what comes later among the arguments wins."""
    set_up("run")
    if "--terminal" in arguments:
        return hand_over(BIN / "ventuno", "play", *(word for word in arguments if word != "--terminal"))
    set_up_client()
    quiet = ("--bots", "3", "--log-level", "warning", "--accept", "a checkout, changed between two starts")
    return hand_over(BIN / "ventuno", "serve", *quiet, *arguments)


def list_checks() -> dict[str, tuple[list[str | Path], Path]]:
    """Every checker on everything: its command and the folder it runs in."""
    import tomllib  # not before the version of Python is known to be good

    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    typed = [name for name in settings["tool"]["mypy"]["files"] if (ROOT / name).exists()]
    modules = {
        "ruff check": ["ruff", "check", "."],
        "ruff format": ["ruff", "format", "--check", "."],
        "mypy": ["mypy", *typed],
    }
    tool = npm()
    scripts = {"svelte-check": "check", "eslint": "lint", "prettier": "format:check", "vitest": "test"}
    return {
        **{name: ([PYTHON, "-m", *words], ROOT) for name, words in modules.items()},
        **{name: ([tool, "run", "--silent", script], CLIENT) for name, script in scripts.items()},
    }


class ChecksBeside:
    """The checks while the tests run, those of each folder in a thread; what they print waits until it is asked for."""

    def __init__(self) -> None:
        self._checks = list_checks()
        self._done: dict[str, subprocess.CompletedProcess[str]] = {}
        self._threads = list[Thread]()

    def begin(self, folder: Path) -> None:
        """Those of a folder that is set up."""
        self._threads.append(Thread(target=self._run, args=[folder], daemon=True))
        self._threads[-1].start()

    def _run(self, chosen: Path) -> None:
        told: dict[str, Any] = {"text": True, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
        for name, (command, folder) in self._checks.items():
            if folder == chosen:
                words = [str(part) for part in command]
                self._done[name] = subprocess.run(words, cwd=folder, env=environment(), check=False, **told)

    def finish(self) -> list[str]:
        """Wait for all, print what each has said, and name those that complain."""
        for thread in self._threads:
            thread.join()
        for name in self._checks:
            say(name)
            print(self._done[name].stdout, end="", flush=True)
        return [name for name in self._checks if self._done[name].returncode]


def check(arguments: Sequence[str]) -> int:
    if arguments:
        raise Stop(f"check takes nothing more: {shlex.join(arguments)}")
    set_up_all()
    failed = []
    for name, (command, folder) in list_checks().items():
        say(name)
        if call(*command, folder=folder):
            failed.append(name)
    say(f"complaints from {', '.join(failed)}" if failed else "all clean")
    return bool(failed)


def test(arguments: Sequence[str]) -> int:
    """pytest, and beside it the browser and the checks, told after it; the exit code speaks for all."""
    checks = ChecksBeside()
    set_up_all(checks.begin)
    os.environ["VENTUNO_CHROMIUM"] = find_chromium()
    provide_programs()
    say("pytest, and the checks beside it")
    given = [word for word in arguments if word != "--whole"]
    runs = [Run(given)]
    if not any((ROOT / word.split("::")[0]).exists() for word in given):
        some = sorted(str(path) for name in ALWAYS for path in (ROOT / BROWSER).glob(name))
        some += [f"{BROWSER}/{test}" for test in ALONE]
        whole = "--whole" in arguments
        runs = [
            Run([*given, f"--ignore={BROWSER}", *([] if whole else [f"--ignore={LOAD}"])]),
            Run([*given, *([BROWSER] if whole else some)]),
            Run([*given, *(WEB if whole else BEHIND_DOORS)], doors=2),
            Run([*given, *((BROWSER,) if whole else BROWSER_BEHIND_DOORS)], doors=2),
        ]
    codes = run_together(runs)
    failed = checks.finish()
    say(f"complaints from {', '.join(failed)} above" if failed else "the checks are clean")
    worst = max(codes - {NONE_FOUND}, default=NONE_FOUND)
    return worst or bool(failed)


def try_some(arguments: Sequence[str]) -> int:
    """Those tests alone, in this process's place; the browser is found if they want one."""
    if not arguments:
        raise Stop("try what? a path of tests, or -k WORD; `dev.py test` runs them all")
    set_up_all()
    os.environ["VENTUNO_CHROMIUM"] = find_chromium()
    provide_programs()
    return hand_over(PYTHON, "-m", "pytest", "-q", *arguments)


class Run(NamedTuple):
    """A call of pytest: its words, how many tests it does at once, and how many doors the houses in it have."""

    words: Sequence[str]
    workers: int = 2
    doors: int = 0

    @property
    def command(self) -> list[str | Path]:
        return [PYTHON, "-m", "pytest", "-n", str(self.workers), *PYTEST, *self.words]


def run_together(runs: Sequence[Run]) -> set[int]:
    """All at once: the first is seen as it goes, what the others print waits for its end."""
    with ThreadPoolExecutor(len(runs)) as pool, ExitStack() as files:
        told = [None, *(files.enter_context(tempfile.TemporaryFile()) for _ in runs[1:])]
        ends = [
            pool.submit(call, *run.command, told=file, doors=run.doors) for run, file in zip(runs, told, strict=True)
        ]
        codes = set[int]()
        for run, end, file in zip(runs, ends, told, strict=True):
            codes.add(end.result())
            if file is not None:
                say(f"pytest {shlex.join(run.words)}{', behind doors' if run.doors else ''}")
                file.seek(0)
                print(file.read().decode(errors="replace"), end="", flush=True)
    return codes


def bench(arguments: Sequence[str]) -> int:
    """Names first; from the first option on, everything goes to each measurement."""
    known = sorted(path.stem for path in BENCH.glob("*.py") if not path.stem.startswith("_"))
    return run_named(known, [name for name in known if not name.startswith("soak")], arguments)


def soak(arguments: Sequence[str]) -> int:
    known = sorted(path.stem.removeprefix("soak_") for path in BENCH.glob("soak_*.py"))
    return run_named(known, known, arguments, "soak_")


def run_named(known: Sequence[str], usual: Sequence[str], arguments: Sequence[str], start: str = "") -> int:
    options = next((at for at, word in enumerate(arguments) if word.startswith("-")), len(arguments))
    names = list(arguments[:options]) or usual
    if unknown := [name for name in names if name not in known]:
        raise Stop(f"no measurement {', '.join(unknown)}; there are: {', '.join(known) or 'none yet'}")
    return run_benches([f"{start}{name}" for name in names], arguments[options:])


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


def docs(arguments: Sequence[str]) -> int:
    """The site, from the pages where they stand; no network. `--serve` builds again whenever a page is saved."""
    set_up("test")
    os.environ["NO_MKDOCS_2_WARNING"] = "1"  # the end of its theme's life, told at every build
    if "--serve" in arguments:
        return hand_over(PYTHON, "-m", "mkdocs", "serve", *(word for word in arguments if word != "--serve"))
    return call(PYTHON, "-m", "mkdocs", "build", *arguments)


def lock(arguments: Sequence[str]) -> int:
    """Pins with hashes for every platform and Python; the file of the tests keeps to the pins of the game."""
    make_venv()
    common = ["pyproject.toml", "--universal", "--generate-hashes", "--python-version", ".".join(map(str, OLDEST))]
    common += ["--custom-compile-command", "python3 dev.py lock", *arguments]
    groups = [word for group in GROUPS for word in ("--group", group)]
    say("requirements/run.txt")
    uv_pip("compile", *common, "--extra", "cluster", "--output-file", "requirements/run.txt")
    say("requirements/test.txt")
    more = ["--extra", "all", *groups, "--constraints", "requirements/run.txt"]
    uv_pip("compile", *common, *more, "--output-file", "requirements/test.txt")
    say("client/package-lock.json")
    npx = npm().with_name("npx.cmd" if os.name == "nt" else "npx")
    must(npx, "--yes", NPM_THAT_LOCKS, "install", "--package-lock-only", folder=CLIENT)
    return 0


COMMANDS: dict[str, Callable[[Sequence[str]], int]]
COMMANDS = {"play": play, "test": test, "try": try_some, "check": check, "bench": bench, "soak": soak}
COMMANDS |= {"docs": docs, "lock": lock}


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
