"""What a house of many players needs, reckoned from measured costs: the table of docs/scale.md.

    python3 dev.py bench scale [--players N...]

Reads the figures of `scale.toml` and prints the table; a test compares it with the page. What is needed is rounded up:
half a core is a core.
"""

from __future__ import annotations

import argparse
import sys
import tomllib
from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import ceil
from pathlib import Path
from typing import NamedTuple

FIGURES = Path(__file__).with_suffix(".toml")
PLAYERS = (1_000, 5_000, 10_000, 100_000, 1_000_000)
MICRO, DAY, GIB, TB = 1_000_000, 86_400, 1 << 30, 10**12
HEADS = (
    "players",
    "actions/s",
    "deliveries/s",
    "host cores",
    "door cores",
    "machines",
    "PostgreSQL",
    "GiB of sockets",
    "Gbit/s out",
    "TB a day",
)
Figures = Mapping[str, Mapping[str, int]]


class Need(NamedTuple):
    """Of a house with so many players and watchers; each field a column."""

    players: int
    actions: int
    deliveries: int
    host_cores: int
    door_cores: int
    machines: int
    databases: int
    memory: int
    """GiB that connections take at doors and hosts."""
    network: Fraction
    """Gbit a second to players, without what TLS and TCP add."""
    stored: Fraction
    """TB a day before anything is compressed or archived."""


def read_figures(path: Path = FIGURES) -> Figures:
    return tomllib.loads(path.read_text(encoding="utf-8"))


def reckon(players: int, figures: Figures) -> Need:
    """Costs grow with the players, and are dearer where one host is not enough: each then speaks to the others. What
    else grows faster is said in the page, not hidden in a factor here.
    """
    load, choice = figures["load"], figures["choice"]
    share, busy = Fraction(players, load["sockets"]), Fraction(choice["busy_percent"], 100)
    actions, deliveries = share * load["actions"], share * load["deliveries"]
    deciding = actions * figures["host"]["action_us"] / MICRO / busy
    several = Fraction(100 + figures["host"]["several_percent"], 100)
    host_cores = ceil(deciding * several) if deciding > 1 else 1
    door_cores = ceil(deliveries * figures["door"]["delivery_us"] / MICRO / busy)
    fenced = Fraction(figures["database"]["postgres_bets"] * 100, 100 + figures["database"]["fence_percent"])
    return Need(
        players,
        ceil(actions),
        ceil(deliveries),
        host_cores,
        door_cores,
        ceil(Fraction(host_cores + door_cores, choice["cores"])),
        ceil(actions / (fenced * busy)),
        ceil(Fraction(players * figures["door"]["connection_kib"] << 10, GIB)),
        deliveries * figures["bytes"]["delivery"] * 8 / 10**9,
        actions * figures["bytes"]["action"] * DAY / TB,
    )


def write_table(players: Sequence[int], figures: Figures) -> str:
    lines = [f"| {' | '.join(HEADS)} |", f"|{'---:|' * len(HEADS)}"]
    for number in players:
        need = reckon(number, figures)
        shown = [f"{float(one):.2f}" if isinstance(one, Fraction) else f"{one:,}" for one in need]
        lines.append(f"| {' | '.join(shown)} |")
    return "\n".join(lines)


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--players", type=int, nargs="+", default=PLAYERS)
    print(write_table(parser.parse_args(words).players, read_figures()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
