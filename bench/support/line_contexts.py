"""A plugin of pytest: which lines of the measured files each test runs, how long it takes, and whether it passes.

Asked for by `bench/mutation.py`, which names the files to measure and where to write in the environment. What a test's
fixtures run counts as run by the test that set them up.
"""

from __future__ import annotations

import json
import os
import warnings
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import coverage
import pytest
from coverage.exceptions import CoverageWarning

MEASURED = "VENTUNO_MUTATION_MEASURED"
WRITTEN = "VENTUNO_MUTATION_WRITTEN"
LEFT_OUT = ("postgresql", "test_g12_statistics", "test_g12_a_sample", "test_r25_raw")
"""Tests on a database server of their own, which a killed run would leave behind, and statistics of many shoes."""


class Contexts:
    def __init__(self, measured: list[str], written: Path) -> None:
        self._written = written
        self._coverage = coverage.Coverage(data_file=None, include=measured, config_file=False)
        self._seconds: dict[str, float] = defaultdict(float)
        self._failed: set[str] = set()
        self._coverage.start()

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items[:] = [
            item
            for item in items
            if not any(name in item.nodeid for name in LEFT_OUT) and "postgres" not in getattr(item, "fixturenames", ())
        ]

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        self._coverage.switch_context(item.nodeid)
        result = yield
        self._coverage.switch_context("")
        return result

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._seconds[report.nodeid] += report.duration
        if report.failed:
            self._failed.add(report.nodeid)

    def pytest_sessionfinish(self) -> None:
        self._coverage.stop()
        with warnings.catch_warnings(action="ignore", category=CoverageWarning):
            data = self._coverage.get_data()  # some files run nothing of what is measured
        names = list(self._seconds)
        numbers = {name: number for number, name in enumerate(names)}
        lines = {
            path: {
                line: [numbers[context] for context in contexts if context in numbers]
                for line, contexts in data.contexts_by_lineno(path).items()
            }
            for path in data.measured_files()
        }
        found = {"seconds": self._seconds, "failed": sorted(self._failed), "lines": lines}
        self._written.write_text(json.dumps(found), encoding="utf-8")


def pytest_configure(config: pytest.Config) -> None:
    if MEASURED in os.environ:
        config.pluginmanager.register(Contexts(json.loads(os.environ[MEASURED]), Path(os.environ[WRITTEN])))
