"""The commands and their options as plain data, read from their parsers, for completion and manual pages."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import suppress
from typing import NamedTuple

from ventuno.cli.command_line import import_command, make_parser
from ventuno.cli.main import COMMANDS

FILES = ("file", "sheets", "data", "config", "out", "svg", "html")
"""Where a file or folder is typed, by the name of the argument."""


class Argument(NamedTuple):
    """An option with its flags, or a word without any; `shown` is how its value is written, empty where it has none."""

    flags: tuple[str, ...]
    name: str
    shown: str
    help: str
    choices: tuple[str, ...]
    required: bool
    repeated: bool

    @property
    def is_file(self) -> bool:
        return self.name in FILES or "FILE" in self.shown or "FOLDER" in self.shown


class Node(NamedTuple):
    """A command: `path` are the words that call it."""

    path: tuple[str, ...]
    help: str
    options: tuple[Argument, ...]
    words: tuple[Argument, ...]
    children: tuple[Node, ...]

    def walk(self) -> Iterator[Node]:
        yield self
        for child in self.children:
            yield from child.walk()


def read_tree() -> Node:
    """All commands; of one whose libraries are not installed only the name."""
    importable = []
    for name in COMMANDS:
        with suppress(ImportError):
            import_command(name)
            importable.append(name)
    return _read(make_parser(*importable), ())


def read_command(name: str) -> Node:
    """One of them, or all where none is named."""
    tree = read_tree()
    return next((child for child in tree.children if child.path == (name,)), tree)


def _read(parser: argparse.ArgumentParser, path: tuple[str, ...], purpose: str = "") -> Node:
    options: list[Argument] = []
    words: list[Argument] = []
    children: list[Node] = []
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            helps = {choice.dest: choice.help or "" for choice in action._choices_actions}
            children += [_read(child, (*path, name), helps[name]) for name, child in action.choices.items()]
        elif action.help != argparse.SUPPRESS:
            (options if action.option_strings else words).append(_describe(action, parser))
    return Node(path, purpose or parser.description or "", tuple(options), tuple(words), tuple(children))


def _describe(action: argparse.Action, parser: argparse.ArgumentParser) -> Argument:
    choices = tuple(map(str, action.choices or ()))
    takes_value = action.nargs != 0
    written = action.metavar if isinstance(action.metavar, str) else "|".join(choices) or action.dest.upper()
    return Argument(
        flags=tuple(action.option_strings),
        name=action.dest,
        shown=written if takes_value else "",
        help=(action.help or "") % {**vars(action), "prog": parser.prog},
        choices=choices,
        required=action.required,
        repeated=action.nargs in ("+", "*") or isinstance(action, argparse._AppendAction),
    )
