"""The words of the command line: the parsers of all commands, and how a command is run and its faults are told."""

from __future__ import annotations

import argparse
import sys
from importlib import import_module
from types import ModuleType
from typing import Any, NoReturn

from ventuno import __version__
from ventuno.cli import output
from ventuno.cli.errors import ANSWER_IS_NO, WRONG_USAGE, Fault
from ventuno.cli.extras import name_missing_extras
from ventuno.cli.main import COMMANDS
from ventuno.core.rules import spelling
from ventuno.core.rules.switches import SheetError

SET = "--set"
"""What-if changes: as many KEY=VALUE after one flag as one likes."""


class OneLineParser(argparse.ArgumentParser):
    """Reports wrong usage in one line, with what was probably meant."""

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is not None and value not in action.choices:
            choices = [str(choice) for choice in action.choices]
            proposal = spelling.propose(str(value), choices)
            raise argparse.ArgumentError(action, f"no {value!r} here; {proposal}there is: {', '.join(choices)}")

    def error(self, message: str) -> NoReturn:
        raise Fault(f"{self.prog}: {message}")


def run_process(words: list[str]) -> int:
    """The command as a process of its own: what it prints must reach somebody, or the answer is no."""
    printed = output.replace_stream("stdout")
    output.replace_stream("stderr")
    try:
        code = answer(words)
    except SystemExit as ended:  # help was asked for
        code = int(ended.code or 0)
    if printed is not None:
        sys.stdout.flush()
    if printed is None or printed.fault is None or printed.has_left:
        return code
    print(f"standard output: {printed.fault.strerror or printed.fault}", file=sys.stderr)
    return code or ANSWER_IS_NO


def answer(words: list[str]) -> int:
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
    wanted = next((word for word in words if not word.startswith("-")), "")
    parser = make_parser(wanted)
    if not words:
        parser.print_help()
        return 0
    given = parser.parse_args(spread_flags(words))
    code: int = import_command(given.command).run(given)
    return code


def make_parser(*wanted: str) -> OneLineParser:
    """The parser of all commands; those that are wanted have their arguments too."""
    parser = OneLineParser(prog="ventuno", description="Ventuno, a blackjack house.")
    parser.add_argument("--version", action="version", version=f"ventuno {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True, parser_class=OneLineParser)
    for name, purpose in COMMANDS.items():
        command = commands.add_parser(name, help=purpose, description=purpose)
        if name in wanted:
            import_command(name).arguments(command)
    return parser


def import_command(name: str) -> ModuleType:
    return import_module(f"ventuno.cli.{name}")


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
