"""The `ventuno` command: each subcommand is a module of this room, imported only when it is called."""

from __future__ import annotations

import os
import sys

from ventuno import __version__

COMMANDS = {
    "settle": "play one round from a scenario file and print the settlement",
    "sheet": "print a game's rule sheet in force: switches, legal values, criteria, hash",
    "play": "play any of the five games in the terminal",
    "certify": "compute exact returns and compare them with the published ones",
    "strategy": "print the best-play chart of a game",
    "simulate": "play many rounds with the certified strategy",
    "replay": "show a recorded round step by step",
    "verify": "check the cards and payouts of a shoe against its commitment",
    "export": "write the regulator's file: all that may leave the house, or some days or rounds of it",
    "check": "check the books of a house, or an export, from the first record, and play every round again",
    "backup": "copy a house into one file while it plays: books, key, sheets, certificates",
    "restore": "put a house back from its backup",
    "migrate": "bring the database of a house that is closed to the schema of this version",
    "nodes": "show the nodes of a house on several machines, or ask one to hand over",
    "config": "show the settings in force and name every one that is wrong",
    "admin": "find and help players, open and close tables, give roles, in a house that runs",
    "staff": "give a role of the staff with its second factor, or take it away, while the house is closed",
    "deck": "write a printable deck of cards with codes that scanners and cameras read",
    "completion": "print a script that completes commands and options in a shell",
    "man": "print the manual page of a command",
    "serve": "open the house: lobby, live tables and solo games over the network",
}


def main(arguments: list[str] | None = None) -> int:
    """Run one command; the exit code is 0 done, 1 the answer is no, 2 wrong usage, 3 refused by the rules."""
    if arguments is None and sys.argv[1:] == ["--version"] and _tell_version():
        return 0
    from ventuno.cli import command_line  # scripts ask for the version often, and it is known without a parser

    return command_line.run_process(sys.argv[1:]) if arguments is None else command_line.answer(arguments)


def _tell_version() -> bool:
    """Whether it was told; an output that takes nothing is for the parser to report."""
    try:
        os.write(1, f"ventuno {__version__}\n".encode())
    except OSError:
        return False
    return True


if __name__ == "__main__":
    sys.exit(main())
