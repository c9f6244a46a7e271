"""`--set KEY=VALUE`: what-if changes on a copy of a sheet."""

from __future__ import annotations

import argparse

from ventuno.cli.fault import Fault


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--set", action="append", default=[], metavar="KEY=VALUE", dest="changes", help="change a switch of a copy"
    )


def read(words: list[str]) -> dict[str, str]:
    """The changes by switch; a key may be given once."""
    found: dict[str, str] = {}
    for word in words:
        key, sign, value = word.partition("=")
        if not sign or not key.strip():
            raise Fault(f"--set {word!r}: write KEY=VALUE, as in split.aces=free")
        if key.strip() in found:
            raise Fault(f"--set {key.strip()}: given twice")
        found[key.strip()] = value.strip()
    return found
