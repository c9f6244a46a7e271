"""Figures of an idle machine are measured by benches: what each of them calls missed (G-5, G-19 to G-22)."""

from __future__ import annotations

from typing import Any

import pytest

from bench import durable_bets, host_actions, load, relay, soak_pits, soak_simulation
from bench.load import LoadFigures
from bench.support.report import Report

GOOD = LoadFigures(memory=40, sockets=5_000, deliveries=20_000, middle=5, slowest=50)


def find_missed(figures: LoadFigures) -> list[str]:
    report = Report()
    load.judge(report, figures, sockets=5_000, rate=1_000)
    return report.missed


def test_g19_g20_g21_figures_at_their_goals_are_reached() -> None:
    """G-19, G-20, G-21: connections, fan-out, latency."""
    assert find_missed(GOOD) == []


@pytest.mark.parametrize(
    ("planted", "criterion"),
    [
        ({"memory": 40.1}, "G-19"),
        ({"sockets": 4_999}, "G-19"),
        ({"deliveries": 19_999}, "G-20"),
        ({"middle": 5.1}, "G-21"),
        ({"slowest": 50.1}, "G-21"),
    ],
)
def test_g19_g20_g21_a_planted_slow_figure_is_missed_and_named(planted: dict[str, float], criterion: str) -> None:
    (missed,) = find_missed(GOOD._replace(**planted))
    assert missed.endswith(f"({criterion})")


@pytest.mark.parametrize(
    ("name", "rate", "bell", "is_reached"),
    [
        ("SQLite", 5_000, 1.0, True),
        ("SQLite", 4_999, 0.3, False),
        ("PostgreSQL", 2_000, 1.0, True),
        ("PostgreSQL", 1_999, 0.3, False),
        ("SQLite", 9_000, 1.01, False),
    ],
)
def test_g22_a_planted_slow_commit_or_bell_is_missed(
    capsys: pytest.CaptureFixture[str], name: str, rate: float, bell: float, *, is_reached: bool
) -> None:
    """G-22: durable bets a second, and the closing bell."""
    assert durable_bets.judge(name, rate, bell) is is_reached
    assert f"G-22 {'reached' if is_reached else 'MISSED'}" in capsys.readouterr().out


def test_g5_a_planted_slow_simulation_is_missed() -> None:
    """G-5: worlds a second on one core."""
    assert soak_simulation.COUNT.judge(500).startswith("G-5 reached")
    assert soak_simulation.COUNT.judge(499).startswith("G-5 MISSED: 499 worlds a second, goal 500")
    assert soak_pits.COUNT.judge(150).startswith("goal reached")
    assert soak_pits.COUNT.judge(149).startswith("goal MISSED: 149 worlds a second, goal 150")


def test_a_planted_slow_host_is_missed() -> None:
    """An action may cost the host so much CPU and no more."""
    assert host_actions.judge(400)
    assert not host_actions.judge(400.1)


@pytest.mark.parametrize(
    ("files", "part"),
    [
        (["core/table/legal.py", "core/views/private_view.py", "web/sockets/table_broadcast.py"], "view"),
        (["core/table/legal.py", "core/table/fold.py", "house/tables/authority.py"], "decide"),
        (["house/store/records.py", "house/tables/authority.py"], "records"),
        (["house/store/sqlite.py", "house/store/committer.py"], "commit"),
        (["web/sockets/changes.py", "web/sockets/table_broadcast.py"], "compare"),
        (["web/sockets/hub.py", "web/doors/host.py"], "connection"),
        (["web/doors/bus.py", "web/doors/host.py", "web/sockets/channel.py"], "bus"),
    ],
)
def test_a_sample_counts_for_the_part_that_its_innermost_file_belongs_to(files: list[str], part: str) -> None:
    assert host_actions.find_part([host_actions.SOURCE + file for file in files]) == part


def test_a_sample_in_the_load_itself_counts_for_no_part_of_the_house() -> None:
    assert (
        host_actions.find_part([host_actions.__file__, host_actions.SOURCE + "core/table/fold.py"]) == "the load itself"
    )
    assert host_actions.find_part(["asyncio/events.py"]) == "loop"


RELAYED = relay.Figures(relay=15.0, bare=7.0, memory=512.0, viewers=200, received=0.99)


@pytest.mark.parametrize(
    ("planted", "named"),
    [
        ({}, ""),
        ({"relay": 15.1}, "us a frame"),
        ({"memory": 512.5}, "KiB a viewer"),
        ({"viewers": 199}, "viewers had"),
        ({"received": 0.9}, "viewers had"),
    ],
)
def test_v72_a_planted_slow_relay_is_missed_and_named(planted: dict[str, Any], named: str) -> None:
    missed = relay.judge(RELAYED._replace(**planted))
    assert len(missed) == bool(named)
    assert all(named in goal for goal in missed)
