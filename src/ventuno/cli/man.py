"""`ventuno man [COMMAND]`: the manual page of a command in roff, made from its parser.

`ventuno man settle | man -l -` shows it; `ventuno man --out FOLDER` writes all of them, for a package.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from pathlib import Path

from ventuno import __version__
from ventuno.cli import output
from ventuno.cli.errors import Fault
from ventuno.cli.main import COMMANDS
from ventuno.cli.parser_tree import Argument, Node, read_tree
from ventuno.core.rules import spelling

EXIT_CODES = {
    "0": "done",
    "1": "the answer is no: a figure does not match, a proof fails, books do not hold",
    "2": "wrong usage, or input that cannot be read",
    "3": "refused by the rules of a game or of the house",
}


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("of", metavar="COMMAND", nargs="?", help="a command; the page of ventuno where it is left out")
    parser.add_argument("--out", metavar="FOLDER", type=Path, help="write the pages of all commands there")


def run(given: argparse.Namespace) -> int:
    tree = read_tree()
    pages = {name_page(node): node for node in (tree, *tree.children)}
    if given.out:
        output.make_folder(given.out)
        for name, node in pages.items():
            output.write_file(given.out / f"{name}.1", write_page(node))
        return 0
    name = "-".join(filter(None, ("ventuno", given.of)))
    if name not in pages:
        proposal = spelling.propose(given.of, COMMANDS)
        raise Fault(f"man: {given.of!r} is no command; {proposal}there is: {', '.join(COMMANDS)}")
    print(write_page(pages[name]), end="")
    return 0


def name_page(node: Node) -> str:
    return "-".join(("ventuno", *node.path))


def write_page(node: Node) -> str:
    return "\n".join([*_write_lines(node), ""])


def _write_lines(node: Node) -> Iterator[str]:
    name = name_page(node)
    yield f'.TH {escape(name.upper())} 1 "" "ventuno {__version__}" "Ventuno"'
    yield ".SH NAME"
    yield f"{escape(name)} \\- {escape(node.help.rstrip('.'))}"
    yield ".SH SYNOPSIS"
    leaves = [leaf for leaf in node.walk() if not leaf.children] if node.path else [node]
    for number, leaf in enumerate(leaves):
        yield from [".br"] * bool(number)
        yield from _write_synopsis(leaf)
    if node.children:
        yield ".SH COMMANDS"
        for child in node.walk() if node.path else node.children:
            if child is not node and not (node.path and child.children):
                yield ".TP"
                yield f".B {escape(' '.join(child.path[len(node.path) :]))}"
                yield escape(child.help)
    arguments = _list_arguments(node)
    if arguments:
        yield ".SH OPTIONS"
        for argument in arguments:
            yield ".TP"
            yield _write_head(argument)
            yield escape(argument.help)
    yield ".SH EXIT STATUS"
    for code, meaning in EXIT_CODES.items():
        yield from (".TP", f".B {code}", escape(meaning))
    yield ".SH SEE ALSO"
    others = [f"ventuno-{command}" for command in COMMANDS] if not node.path else ["ventuno"]
    yield ",\n".join(f"\\fB{escape(other)}\\fR(1)" for other in others)


def _list_arguments(node: Node) -> list[Argument]:
    """Those of the command and of all under it, each once."""
    nodes = node.walk() if node.path else (node,)
    listed = {(entry.flags, entry.name): entry for part in nodes for entry in (*part.words, *part.options)}
    return list(listed.values())


def _write_synopsis(node: Node) -> Iterator[str]:
    yield f".B {escape(' '.join(('ventuno', *node.path)))}"
    for argument in (*node.words, *node.options):
        if argument.name != "help":
            yield _write_usage(argument)
    if node.children:
        yield "\\fICOMMAND\\fR ..."


def _write_usage(argument: Argument) -> str:
    value = f"\\fI{escape(argument.shown)}\\fR" if argument.shown else ""
    flag = f"\\fB{escape(argument.flags[-1])}\\fR" if argument.flags else ""
    text = " ".join(part for part in (flag, value) if part) + (" ..." if argument.repeated else "")
    return text if argument.required else f"[{text}]"


def _write_head(argument: Argument) -> str:
    value = f" \\fI{escape(argument.shown)}\\fR" if argument.shown else ""
    flags = ", ".join(f"\\fB{escape(flag)}\\fR" for flag in argument.flags)
    return f"{flags}{value}".strip()


def escape(text: str) -> str:
    r"""Text as roff reads it back: signs of its own escaped, no line that begins with one.

    >>> escape(".x -a\\b")
    '\\&.x \\-a\\eb'
    """
    line = " ".join(text.split()).replace("\\", "\\e").replace("-", "\\-")
    signs = {"…": "...", "·": "\\(md", "–": "\\(en", "’": "\\(cq", "‘": "\\(oq", "€": "EUR "}
    for sign, written in signs.items():
        line = line.replace(sign, written)
    return re.sub(r"^([.'])", r"\\&\1", line)
