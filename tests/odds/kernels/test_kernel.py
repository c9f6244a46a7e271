"""Kernels are compiled once, kept, and called without numba; what is kept is used only where it belongs."""

from __future__ import annotations

import ast
import math
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np
import pytest
from numba import TypingError

from ventuno.odds.kernels import kernel, kernel_cache, registry
from ventuno.odds.kernels.kernel import Kernel, Kind
from ventuno.odds.kernels.loops import codes, compiler, solver

ODDS = Path(kernel_cache.__file__).parent
WARM = """
import sys
from ventuno.cli.main import main
status = main({words!r})
sys.exit(9 if "numba" in sys.modules else status)
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty shelf of its own."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    return tmp_path


@pytest.fixture
def compilations(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The kernels that had to be compiled."""
    made: list[str] = []
    real = compiler.compile_loop

    def compile_loop(module: str, name: str, kinds: tuple[Kind, ...]) -> bytes:
        made.append(f"{module}.{name}")
        return real(module, name, kinds)

    monkeypatch.setattr(compiler, "compile_loop", compile_loop)
    return made


def chances() -> list[float]:
    """A fresh kernel, as a new process has it, on a small problem: two aces, then a ten, out of a single deck."""
    weight = np.zeros(2)
    shoe = np.array([4.0] * 9 + [16.0])
    keys = np.array([2, 1 << 54])
    Kernel("solver", "chances")(keys, shoe, np.zeros(64), np.zeros((2, 10)), weight)
    return [float(one) for one in weight]


RIGHT = [pytest.approx(4 / 52 * 3 / 51), pytest.approx(16 / 52)]


def entries(folder: Path) -> list[Path]:
    return sorted(folder.iterdir())


def test_a_kernel_is_compiled_once(folder: Path, compilations: list[str]) -> None:
    assert [chances() for _ in range(3)] == [RIGHT] * 3
    assert compilations == ["solver.chances"]
    assert len(entries(folder)) == 1


def damaged(code: bytes) -> Iterator[bytes]:
    """Every way to be wrong: cut short anywhere, one bit turned anywhere, something appended, all of it another."""
    for at in range(len(code)):
        yield code[:at]
        yield code[:at] + bytes([code[at] ^ 1]) + code[at + 1 :]
    yield code + b"\0"
    yield b"\xff" * len(code)


def test_damaged_entries_are_not_found(folder: Path) -> None:
    kernel_cache.keep("a.loop", "its key", b"its code")
    (entry,) = entries(folder)
    whole = entry.read_bytes()
    for bad in damaged(whole):
        entry.write_bytes(bad)
        assert kernel_cache.find("a.loop", "its key") is None
    entry.write_bytes(whole)
    assert kernel_cache.find("a.loop", "its key") == b"its code"


def test_a_damaged_kernel_is_made_anew(folder: Path, compilations: list[str]) -> None:
    chances()
    (entry,) = entries(folder)
    entry.write_bytes(entry.read_bytes()[:-1])
    assert [chances(), chances()] == [RIGHT] * 2
    assert len(compilations) == 2
    assert entries(folder) == [entry]


def test_a_whole_entry_that_no_linker_takes_is_made_anew(folder: Path, compilations: list[str]) -> None:
    chances()
    (entry,) = entries(folder)
    key = kernel_cache.make_key("solver.chances", *map(repr, kinds_of_chances()))
    kernel_cache.keep("solver.chances", key, b"no object file")
    assert entries(folder) == [entry]
    assert kernel_cache.find("solver.chances", key) == b"no object file"
    assert chances() == RIGHT
    assert len(compilations) == 2


def kinds_of_chances() -> list[Kind]:
    whole, real = "int64", "float64"
    return [Kind(whole, 1), Kind(real, 1), Kind(real, 1), Kind(real, 2), Kind(real, 1)]


def test_the_entry_of_another_kernel_under_this_name_is_refused(folder: Path, compilations: list[str]) -> None:
    chances()
    (entry,) = entries(folder)
    whole = entry.read_bytes()
    other = kernel_cache.make_key("solving.flow")
    kernel_cache.keep("solver.chances", other, whole[32:])
    (foreign,) = {*entries(folder)} - {entry}
    foreign.replace(entry)
    assert chances() == RIGHT
    assert len(compilations) == 2


@pytest.mark.parametrize(
    ("what", "other"),
    [
        ("hash_source", "another source"),
        ("compiler_versions", ("0.1", "0.1")),
        ("numba_options", ["NUMBA_OPT=0"]),
        ("processor", ("x86_64", "another processor", "+sse2")),
        ("processor", (*kernel_cache.processor()[:2], kernel_cache.processor()[2] + ",+more")),
    ],
)
def test_a_kernel_belongs_to_its_source_compiler_and_processor(
    what: str, other: object, folder: Path, compilations: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    chances()
    (entry,) = entries(folder)
    whole = entry.read_bytes()
    monkeypatch.setattr(kernel_cache, what, lambda: other)
    assert chances() == RIGHT
    assert len(compilations) == 2
    assert len(entries(folder)) == 2
    assert entry.read_bytes() == whole


def test_settings_are_those_that_change_code(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", "/told")
    before = kernel_cache.numba_options()
    monkeypatch.setenv("NUMBA_CACHE_DIR", "/told otherwise")
    assert kernel_cache.numba_options() == before
    monkeypatch.setenv("NUMBA_BOUNDSCHECK", "1")
    assert kernel_cache.numba_options() == sorted([*before, "NUMBA_BOUNDSCHECK=1"])


def test_other_kinds_of_arguments_are_another_kernel(folder: Path) -> None:
    shoe, each, weight = np.full(10, 4.0), np.zeros(64), np.zeros(1)
    one = Kernel("solver", "chances")
    for dtype in (np.int64, np.int32):
        one(np.array([1], dtype=dtype), shoe, each, np.zeros((1, 10)), weight)
        assert weight[0] == pytest.approx(0.1)
    assert len(entries(folder)) == 2


def test_a_shelf_that_cannot_be_written_costs_no_result(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    occupied = tmp_path / "file"
    occupied.write_text("no folder")
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(occupied / "below"))
    assert chances() == RIGHT
    assert entries(tmp_path) == [occupied]


def test_the_next_folder_is_taken_where_the_first_cannot_be_written(
    tmp_path: Path, compilations: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    occupied = tmp_path / "file"
    occupied.write_text("no folder")
    monkeypatch.setattr(kernel_cache, "list_folders", lambda: (occupied, tmp_path / "second"))
    assert [chances(), chances()] == [RIGHT] * 2
    assert len(entries(tmp_path / "second")) == len(compilations) == 1


def test_folders_follow_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", "/told")
    assert kernel_cache.list_folders() == (Path("/told"),)
    monkeypatch.delenv("NUMBA_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", "/own")
    assert kernel_cache.list_folders() == (ODDS / "__pycache__", Path("/own/ventuno"))


@pytest.mark.parametrize(
    "bad",
    [
        np.array([[1, 2], [3, 4]])[:, 0],
        np.frombuffer(b"12345678", dtype=np.int64),
        np.frombuffer(bytearray(9), dtype=np.int64, offset=1),
        np.array(1),
        np.int16(1),
        "text",
    ],
)
def test_what_no_kernel_can_take_is_refused(bad: object) -> None:
    """Strides, read-only or unaligned memory, no dimension, unknown numbers: a fault, never a wild pointer."""
    with pytest.raises(TypeError):
        Kernel("solver", "chances")(bad, np.zeros(10), np.zeros(64), np.zeros((1, 10)), np.zeros(1))  # type: ignore[arg-type]


def other_loop(monkeypatch: pytest.MonkeyPatch, body: Callable[..., None]) -> Kernel:
    """A kernel of another loop than ours."""
    monkeypatch.setattr(solver, "chances", compiler.loop(body))
    return Kernel("solver", "chances")


def test_a_loop_that_allocates_is_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def allocating(out: Any) -> None:
        out[0] = np.zeros(out.shape[0]).sum()

    with pytest.raises(TypingError, match="zeros"):
        other_loop(monkeypatch, allocating)(np.zeros(1))
    assert entries(folder) == []


def test_a_loop_that_needs_others_is_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its code might not link in another process."""

    def asking(out: Any) -> None:
        out[0] = math.gamma(out[0])

    with pytest.raises(compiler.NotAlone, match=r"solver.chances: \w*gamma"):
        other_loop(monkeypatch, asking)(np.zeros(1))
    assert entries(folder) == []


def test_a_loop_that_raises_is_heard(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def raising(out: Any) -> None:
        if out[0] > 1.0:
            raise ValueError("too much")

    one = other_loop(monkeypatch, raising)
    one(np.array([1.0]))
    with pytest.raises(RuntimeError, match="did not end"):
        one(np.array([2.0]))
    assert len(entries(folder)) == 1


def test_a_bound_call_keeps_its_arrays() -> None:
    """The arrays may be forgotten by everybody else; the call sees what is in them when it is made."""
    keys, weight = np.array([1, 1]), np.zeros(2)
    call = registry.chances.bind(keys, np.full(10, 4.0), np.zeros(64), np.zeros((2, 10)), weight)
    call()
    assert weight.tolist() == [0.1, 0.1]
    keys[1] = 2
    call()
    assert weight.tolist() == [0.1, pytest.approx(0.1 * 3 / 39)]


def test_threads_that_meet_a_new_kernel_compile_it_once(folder: Path, compilations: list[str]) -> None:
    one = Kernel("solver", "chances")

    def work(_: int) -> float:
        weight = np.zeros(1)
        one(np.array([1]), np.full(10, 4.0), np.zeros(64), np.zeros((1, 10)), weight)
        return float(weight[0])

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(work, range(8))) == [0.1] * 8
    assert len(compilations) == len(entries(folder)) == 1


def test_a_kernel_leaves_the_interpreter_to_others() -> None:
    """While one thread is in a kernel another one counts; a call that held the interpreter would not let it."""
    shoes = np.tile(np.array([32.0] * 9 + [128.0]), (60_000, 1))
    from ventuno.odds.exact.dealer import find_ends

    find_ends(shoes[:1], 6, False)
    spans = list[tuple[float, float]]()

    def work() -> None:
        begun = time.perf_counter()
        find_ends(shoes, 6, False)
        spans.append((begun, time.perf_counter()))

    ticks = list[float]()
    thread = Thread(target=work)
    thread.start()
    while thread.is_alive():
        ticks.append(time.perf_counter())
        time.sleep(0.0002)
    ((begun, ended),) = spans
    inside = [one for one in ticks if begun + 0.2 * (ended - begun) < one < begun + 0.8 * (ended - begun)]
    assert len(inside) >= 5


def test_commands_leave_numba_alone_when_kernels_are_ready(tmp_path: Path) -> None:
    """A first run may have to compile, the one after it never brings numba in. On an empty shelf it must."""

    def run(*words: str, **where: str) -> int:
        command = [sys.executable, "-c", WARM.format(words=words)]
        return subprocess.run(command, env={**os.environ, **where}, stdout=subprocess.DEVNULL, check=False).returncode

    simulate = "--rounds", "1000", "--cores", "1", "--json"
    assert run("simulate", "duello", *simulate, NUMBA_CACHE_DIR=str(tmp_path)) == 9
    assert run("simulate", "duello", *simulate, NUMBA_CACHE_DIR=str(tmp_path)) == 0
    for words in (("simulate", "link", *simulate), ("strategy", "ventuno", "--json")):
        assert run(*words) == 0 or run(*words) == 0


def numba_importers(sources: dict[str, str]) -> set[str]:
    """The files that import numba, or a loop that does."""
    found = set()
    for name, source in sources.items():
        for node in ast.walk(ast.parse(source)):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom):
                names += [f"{node.module}.{alias.name}" for alias in node.names]
            heavy = [
                one for one in names if one.split(".")[0] == "numba" or one.startswith("ventuno.odds.kernels.loops.")
            ]
            if any(not one.startswith("ventuno.odds.kernels.loops.codes") for one in heavy):
                found.add(name)
    return found


def test_nothing_but_the_loops_imports_numba() -> None:
    """`kernel` alone knows the compiler, and only when it must compile."""
    sources = {
        file.relative_to(ODDS).as_posix(): file.read_text(encoding="utf-8")
        for file in ODDS.rglob("*.py")
        if file.parent.name != "loops"
    }
    assert numba_importers(sources) == {"kernel.py"}
    assert numba_importers({"codes.py": Path(codes.__file__).read_text(encoding="utf-8")}) == set()
    planted = {
        "a": "from numba import njit",
        "b": "from ventuno.odds.kernels.loops.solver import plan",
        "c": "import numpy",
    }
    assert numba_importers(planted) == {"a", "b"}


def test_every_kernel_is_a_loop() -> None:
    from importlib import import_module

    named = {name: one for name, one in vars(registry).items() if isinstance(one, kernel.Kernel)}
    assert len(named) == 15
    for one in named.values():
        assert hasattr(import_module(f"ventuno.odds.kernels.loops.{one.module}"), one.name)
