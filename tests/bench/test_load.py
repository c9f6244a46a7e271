"""The load generator, small: that it runs to its end, and that what it counts is what the house counts."""

from __future__ import annotations

import pytest

from bench.load import arguments, run
from bench.support.report import Report


@pytest.mark.timeout(300)
def test_a_small_load_runs_and_its_counters_add_up(capsys: pytest.CaptureFixture[str]) -> None:
    bench = run(arguments(["--quick"]))
    hall, numbers = bench.crowd, bench.report.numbers
    assert hall.asked == {}
    assert hall.sent == len(hall.acknowledged) + sum(hall.refused.values())
    assert len(set(hall.acknowledged)) == len(hall.acknowledged)
    assert numbers["sockets held"] == numbers["sockets still open"] == 40
    assert next(number for name, number in numbers.items() if name.startswith("lost of")) == 0
    assert numbers["full load: action to last watcher, p50"] > 0, "something that everybody sees must have been done"
    assert numbers["the house's CPU per delivery over the bare one's"] > 0
    sent, came, sent_later = bench.counted
    assert 0 < sent <= came <= sent_later
    assert "| memory per idle connection (G-19) |" in bench.report.table()
    assert "all answered" in capsys.readouterr().out


def test_a_missed_goal_is_said() -> None:
    report = Report()
    report.line("quick enough", 9.0, 10, "ms")
    report.line("too slow", 11.0, 10, "ms")
    report.line("enough", 10.0, 10, "/s", most=False)
    report.line("too few", 9.0, 10, "/s", most=False)
    assert report.missed == ["too slow", "too few"]
    assert "| too slow | 11 ms | <= 10 ms |" in report.table()
