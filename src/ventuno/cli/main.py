"""The `ventuno` command: each subcommand is a module of this room, imported only when it is called."""

from __future__ import annotations

import argparse
import sys
from importlib import import_module
from typing import NoReturn

from ventuno.cli import output
from ventuno.cli.errors import ANSWER_IS_NO, WRONG_USAGE, Fault
from ventuno.cli.extras import name_missing_extras
from ventuno.core.rules.switches import SheetError

COMMANDS = {
    "settle": "play one round from a scenario file and print the settlement",
    "sheet": "print a game's rule sheet in force: switches, legal values, criteria, hash",
    "play": "play any of the five games in the terminal",
    "certify": "compute exact returns and compare them with the published ones",
    "strategy": "print the best-play chart of a game",
    "simulate": "play many rounds with the certified strategy",
    "replay": "show a recorded round step by step",
    "verify": "check the cards and payouts of a shoe against its commitment",
    "staff": "make a supervisor with his second factor, or a player again, while the house is closed",
    "serve": "open the house: lobby, live tables and solo games over the network",
}


SET = "--set"
"""What-if changes: as many KEY=VALUE after one flag as one likes."""


class OneLineParser(argparse.ArgumentParser):
    """Reports wrong usage in one line."""

    def error(self, message: str) -> NoReturn:
        raise Fault(f"{self.prog}: {message}")


def main(arguments: list[str] | None = None) -> int:
    """Run one command; the exit code is 0 done, 1 the answer is no, 2 wrong usage, 3 refused by the rules."""
    return _process(sys.argv[1:]) if arguments is None else _answer(arguments)


def _process(words: list[str]) -> int:
    """The command as a process of its own: what it prints must reach somebody, or the answer is no."""
    printed = output.replace_stream("stdout")
    output.replace_stream("stderr")
    try:
        code = _answer(words)
    except SystemExit as ended:  # help was asked for
        code = int(ended.code or 0)
    if printed is not None:
        sys.stdout.flush()
    if printed is None or printed.fault is None or printed.has_left:
        return code
    print(f"standard output: {printed.fault.strerror or printed.fault}", file=sys.stderr)
    return code or ANSWER_IS_NO


def _answer(words: list[str]) -> int:
    try:
        with name_missing_extras(words):
            return _run(words)
    except (Fault, SheetError) as fault:
        print(fault, file=sys.stderr)
        return fault.code if isinstance(fault, Fault) else WRONG_USAGE
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
        return 130


def _run(words: list[str]) -> int:
    parser = OneLineParser(prog="ventuno", description="Ventuno, a blackjack house.")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True, parser_class=OneLineParser)
    wanted = next((word for word in words if not word.startswith("-")), "")
    for name, purpose in COMMANDS.items():
        command = commands.add_parser(name, help=purpose, description=purpose)
        if name == wanted:
            import_module(f"ventuno.cli.{name}").arguments(command)
    given = parser.parse_args(spread_flags(words))
    code: int = import_module(f"ventuno.cli.{given.command}").run(given)
    return code


def spread_flags(words: list[str]) -> list[str]:
    """Each pair with a flag of its own: `--set A=B C=D GAME` is `--set A=B --set C=D GAME`. No game's name has a sign.

    >>> spread_flags(["--set", "a=1", "b=2", "ventuno", "x=y"])
    ['--set', 'a=1', '--set', 'b=2', 'ventuno', 'x=y']
    """
    separated: list[str] = []
    follows = False
    for word in words:
        pair = follows and "=" in word and not word.startswith("-")
        separated += [SET, word] if pair and separated[-1] != SET else [word]
        follows = pair or word == SET or word.startswith(f"{SET}=")
    return separated


if __name__ == "__main__":
    sys.exit(main())
