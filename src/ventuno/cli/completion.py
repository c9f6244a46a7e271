"""`ventuno completion bash|zsh|fish`: a script for the shell, made from the parsers; it asks nothing of the program.

bash: `ventuno completion bash > ~/.local/share/bash-completion/completions/ventuno`
zsh: `ventuno completion zsh > ~/.zfunc/_ventuno`, with that folder in `fpath`
fish: `ventuno completion fish > ~/.config/fish/completions/ventuno.fish`
"""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Iterable

from ventuno import sheets
from ventuno.cli.parser_tree import Argument, Node, read_tree

SHELLS = ("bash", "zsh", "fish")


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("shell", choices=SHELLS, help="the shell that will read it")


def run(given: argparse.Namespace) -> int:
    print({"bash": _write_bash, "zsh": _write_zsh, "fish": _write_fish}[given.shell](read_tree()))
    return 0


def _list_words(node: Node) -> list[str]:
    """What may be typed at a command: its commands, the values of its words, its options."""
    words = [child.path[-1] for child in node.children]
    for argument in node.words:
        words += _list_values(argument)
    return [*words, *(flag for option in node.options for flag in option.flags)]


def _list_values(argument: Argument) -> tuple[str, ...]:
    return sheets.GAMES if argument.name in ("game", "games") else argument.choices


def _quote(words: Iterable[str]) -> str:
    return shlex.quote(" ".join(words))


def _write_path(tree: Node) -> str:
    """The cases by which words that were typed lead to a command."""
    places = [" ".join(node.path) for node in tree.walk() if node.path]
    return "|".join(f'"{place}"' for place in places)


def _write_cases(tree: Node, indent: str) -> list[str]:
    """After an option with values: these; else what the command takes."""
    lines = []
    for node in tree.walk():
        place = " ".join(node.path)
        for option in node.options:
            if values := _list_values(option):
                lines += [f'{indent}"{place} {flag}") words={_quote(values)} ;;' for flag in option.flags]
            elif option.shown:
                lines += [f'{indent}"{place} {flag}") words="" ;;' for flag in option.flags]
    return lines


def _write_bash(tree: Node) -> str:
    commands = [f'    "{" ".join(node.path)}") words={_quote(_list_words(node))} ;;' for node in tree.walk()]
    return "\n".join(
        [
            "# bash completion for ventuno; made by `ventuno completion bash`",
            "_ventuno() {",
            '  local current="${COMP_WORDS[COMP_CWORD]}" before="${COMP_WORDS[COMP_CWORD-1]}" place="" words="" index',
            "  for ((index = 1; index < COMP_CWORD; index++)); do",
            '    case "${place:+$place }${COMP_WORDS[index]}" in',
            f'      {_write_path(tree)}) place="${{place:+$place }}${{COMP_WORDS[index]}}" ;;',
            "    esac",
            "  done",
            '  case "$place" in',
            *commands,
            "  esac",
            '  case "$place $before" in',
            *_write_cases(tree, "    "),
            "  esac",
            '  COMPREPLY=($(compgen -W "$words" -- "$current"))',
            "}",
            "complete -o default -F _ventuno ventuno",
        ]
    )


def _write_zsh(tree: Node) -> str:
    commands = [f'    "{" ".join(node.path)}") choices={_quote(_list_words(node))} ;;' for node in tree.walk()]
    cases = [line.replace(") words=", ") choices=") for line in _write_cases(tree, "    ")]
    return "\n".join(
        [
            "#compdef ventuno",
            "# made by `ventuno completion zsh`",
            "_ventuno() {",
            '  local place="" choices="" index',
            "  for ((index = 2; index < CURRENT; index++)); do",
            '    case "${place:+$place }${words[index]}" in',
            f'      {_write_path(tree)}) place="${{place:+$place }}${{words[index]}}" ;;',
            "    esac",
            "  done",
            '  case "$place" in',
            *commands,
            "  esac",
            '  case "$place ${words[CURRENT-1]}" in',
            *cases,
            "  esac",
            "  compadd -- ${=choices}",
            "  _files",
            "}",
            '_ventuno "$@"',
        ]
    )


def _write_fish(tree: Node) -> str:
    places = " ".join(f'"{" ".join(node.path)}"' for node in tree.walk() if node.path)
    lines = [
        "# fish completion for ventuno; made by `ventuno completion fish`",
        "function __ventuno_place",
        "  set -l place",
        "  for word in (commandline -opc)[2..-1]",
        f'    if contains -- "$(string join " " -- $place $word)" {places}',
        "      set place $place $word",
        "    end",
        "  end",
        '  string join " " -- $place',
        "end",
    ]
    for node in tree.walk():
        place = " ".join(node.path)
        at = f'complete -c ventuno -n \'test "$(__ventuno_place)" = "{place}"\''
        for child in node.children:
            lines.append(f"{at} -f -a {child.path[-1]} -d {shlex.quote(child.help)}")
        for argument in node.words:
            if values := _list_values(argument):
                lines.append(f"{at} -f -a {_quote(values)}")
        for option in node.options:
            flags = [f"-l {flag[2:]}" if flag.startswith("--") else f"-s {flag[1:]}" for flag in option.flags]
            values = _list_values(option)
            takes = f" -x -a {_quote(values)}" if values else " -r" if option.shown else ""
            lines.append(f"{at} {' '.join(flags)}{takes} -d {shlex.quote(option.help)}")
    return "\n".join(lines)
