"""`--set KEY=VALUE…`: what-if changes on a copy of a sheet, as many after one flag as one likes."""

from __future__ import annotations

import argparse

from ventuno.cli.errors import Fault

FLAG = "--set"


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        FLAG,
        action="append",
        default=[],
        metavar="KEY=VALUE…",
        dest="changes",
        help="change switches of a copy; as many as you like, each KEY=VALUE",
    )


def spread_flags(words: list[str]) -> list[str]:
    """Each pair with a flag of its own: `--set A=B C=D GAME` is `--set A=B --set C=D GAME`. No game's name has a sign.

    >>> spread(["--set", "a=1", "b=2", "ventuno", "x=y"])
    ['--set', 'a=1', '--set', 'b=2', 'ventuno', 'x=y']
    """
    separated: list[str] = []
    follows = False
    for word in words:
        pair = follows and "=" in word and not word.startswith("-")
        separated += [FLAG, word] if pair and separated[-1] != FLAG else [word]
        follows = pair or word == FLAG or word.startswith(f"{FLAG}=")
    return separated


def read(words: list[str]) -> dict[str, str]:
    """The changes by switch; a key may be given once."""
    values: dict[str, str] = {}
    for word in words:
        key, sign, value = word.partition("=")
        if not sign or not key.strip():
            raise Fault(f"--set {word!r}: write KEY=VALUE, as in split.aces=free")
        if key.strip() in values:
            raise Fault(f"--set {key.strip()}: given twice")
        values[key.strip()] = value.strip()
    return values
