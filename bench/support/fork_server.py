"""Tests that have been collected once and wait: each mutant is tried in a fork, with its one function changed in place.

What a fork changes nobody else sees, so the house and its tests are read once and not once for each mutant. Only the
body of a function can be changed so; what runs at import, and what was computed while the tests were collected, needs
a fresh process.
"""

from __future__ import annotations

import ast
import contextlib
import functools
import gc
import os
import signal
import time
from collections.abc import Iterator, Sequence
from inspect import CO_NEWLOCALS
from multiprocessing.connection import Connection
from pathlib import Path
from types import CodeType, FunctionType
from typing import NamedTuple

import pytest

PASSED, FAILED, UNFIT, CUT = 0, 1, 99, -99


class Ask(NamedTuple):
    """One mutant: its file, the whole changed text, a line of the original that is changed, and what to run with the
    seconds that each test may take.
    """

    path: str
    text: str
    line: int
    tests: dict[str, float]


class Answer(NamedTuple):
    code: int
    failed: str = ""


class ForkServer:
    """A plugin of pytest in whose place of running tests questions are answered."""

    def __init__(self, folder: Path, asks: Connection) -> None:
        self._folder, self._asks = folder, asks
        self._functions: dict[tuple[str, int], list[FunctionType]] = {}

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        prefix = f"{self._folder / 'src'}{os.sep}"
        for value in gc.get_objects():
            if isinstance(value, FunctionType) and value.__code__.co_filename.startswith(prefix):
                place = value.__code__.co_filename, value.__code__.co_firstlineno
                self._functions.setdefault(place, []).append(value)
        items = {item.nodeid: item for item in session.items}
        gc.freeze()
        self._asks.send(len(items))
        with contextlib.suppress(EOFError):
            while True:
                self._asks.send(self._answer(session, items, self._asks.recv()))
        return True

    def _answer(self, session: pytest.Session, items: dict[str, pytest.Item], ask: Ask) -> Answer:
        told, tell = os.pipe()
        child = os.fork()
        if not child:
            os.close(told)
            self._try(session, [items[name] for name in ask.tests if name in items], ask, tell)
        os.close(tell)
        code = wait_for(child, sum(ask.tests.values()))
        with open(told, encoding="utf-8", errors="replace") as file:
            return Answer(code, file.read())

    def _try(self, session: pytest.Session, items: Sequence[pytest.Item], ask: Ask, tell: int) -> None:
        code = UNFIT
        try:
            os.setsid()
            if not self._change(ask):
                return
            code = FAILED
            for item, following in zip(items, [*items[1:], None], strict=True):
                item.add_marker(pytest.mark.timeout(ask.tests[item.nodeid]))
                item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
                if session.testsfailed:
                    os.write(tell, item.nodeid.encode())
                    os._exit(FAILED)
            code = PASSED
        finally:
            os._exit(code)

    def _change(self, ask: Ask) -> bool:
        """Give the outermost function around the line its changed body, wherever it is held."""
        path = self._folder / ask.path
        original, changed = path.read_text(encoding="utf-8"), ask.text
        place = find_function(original, ask.line)
        if place is None:
            return False
        number, first = place
        functions, code = self._functions.get((str(path), first), []), list_codes(changed, str(path))[number]
        fitting = [function for function in functions if function.__code__.co_freevars == code.co_freevars]
        if not fitting or len(fitting) < len(functions):
            return False
        for function in fitting:
            function.__code__ = code
        for value in gc.get_objects():
            if isinstance(value, functools._lru_cache_wrapper):
                value.cache_clear()
        return True


def wait_for(child: int, limit: float) -> int:
    """The exit code of a child that leads its own group; all of it is ended, after the limit by force."""
    code, ends = None, time.monotonic() + limit
    while code is None and time.monotonic() < ends:
        done, status = os.waitpid(child, os.WNOHANG)
        code = os.waitstatus_to_exitcode(status) if done else None
        if code is None:
            time.sleep(0.02)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child, signal.SIGKILL)
    if code is None:
        os.waitpid(child, 0)
    return CUT if code is None else code


def find_function(source: str, line: int) -> tuple[int, int] | None:
    """Which of the outermost functions holds the line in its body: its number, and the first line of its code."""
    for number, node in enumerate(_iterate_functions(ast.parse(source))):
        if node.body[0].lineno <= line <= (node.end_lineno or 0):
            return number, _get_first_line(node)
    return None


def _iterate_functions(node: ast.Module | ast.ClassDef) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Functions of the module and of its classes, in the order of the source; none inside another or under a branch."""
    for child in node.body:
        if isinstance(child, ast.ClassDef):
            yield from _iterate_functions(child)
        elif isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            yield child


def list_codes(source: str, path: str) -> list[CodeType]:
    """The compiled bodies of the same functions, in the same order."""
    tree = ast.parse(source)
    firsts = [_get_first_line(node) for node in _iterate_functions(tree)]
    codes: dict[int, CodeType] = {}

    def collect(code: CodeType) -> None:
        for constant in code.co_consts:
            if isinstance(constant, CodeType) and not constant.co_name.startswith("<"):
                if constant.co_flags & CO_NEWLOCALS:
                    codes[constant.co_firstlineno] = constant
                else:
                    collect(constant)

    collect(compile(tree, path, "exec", dont_inherit=True))
    return [codes[first] for first in firsts]


def _get_first_line(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    return min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
