"""The page on scale says what its figures give, and no more."""

from __future__ import annotations

import re
from copy import deepcopy
from fractions import Fraction
from typing import Any

from bench import scale
from tests.support.project_files import ROOT

PAGE = ROOT / "docs" / "scale.md"


def read_page() -> str:
    found = re.search(r"<!-- python3 dev\.py bench scale -->\n(.*?)\n<!-- end -->", PAGE.read_text("utf-8"), re.DOTALL)
    assert found, "the page has lost its table"
    return found[1]


def test_the_table_of_the_page_is_reckoned_from_the_measured_figures() -> None:
    assert read_page() == scale.write_table(scale.PLAYERS, scale.read_figures())


def test_a_dearer_action_changes_the_table() -> None:
    figures: Any = deepcopy(scale.read_figures())
    figures["host"]["action_us"] *= 2
    assert read_page() != scale.write_table(scale.PLAYERS, figures)


def test_what_is_needed_is_rounded_up_and_grows_with_the_players() -> None:
    """Reckoned by hand: 1,000 actions of 700 us and 10,000 deliveries of 70 us fill 70 % of a core each."""
    figures = {
        "load": {"sockets": 100, "actions": 1_000, "deliveries": 10_000},
        "host": {"action_us": 700, "several_percent": 50},
        "door": {"delivery_us": 70, "connection_kib": 1_024},
        "bytes": {"action": 1_000, "delivery": 125},
        "database": {"postgres_bets": 1_000, "fence_percent": 0},
        "choice": {"busy_percent": 70, "cores": 2},
    }
    need = scale.reckon(100, figures)
    assert (need.host_cores, need.door_cores, need.machines, need.databases) == (1, 1, 1, 2)
    assert (need.memory, need.network, need.stored) == (1, Fraction(1, 100), Fraction(864, 10_000))
    more = scale.reckon(101, figures)
    assert (more.host_cores, more.door_cores, more.machines) == (2, 2, 2)
    assert scale.reckon(200, figures).host_cores == 3, "two hosts, each half as dear again"
