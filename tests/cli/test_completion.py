"""What is made from the parsers: completion for three shells, and the manual pages."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from ventuno.cli.main import COMMANDS, main
from ventuno.cli.parser_tree import Node, read_tree
from ventuno.sheets import GAMES

Captured = pytest.CaptureFixture[str]


@pytest.fixture(scope="module")
def tree() -> Node:
    return read_tree()


def list_typed(tree: Node) -> set[str]:
    """Every word and long option that there is."""
    nodes = list(tree.walk())
    flags = {flag for node in nodes for option in node.options for flag in option.flags if flag.startswith("--")}
    return flags | {word for node in nodes for word in node.path}


def test_the_tree_is_that_of_the_parsers(tree: Node) -> None:
    assert [child.path for child in tree.children] == [(name,) for name in COMMANDS]
    assert {"--json", "--replace", "--set", "find", "reset-password", "--role"} <= list_typed(tree)


@pytest.mark.parametrize(
    ("typed", "completed"),
    [
        ("", set(COMMANDS) | {"--help", "--version", "-h"}),
        ("se", {"settle", "serve"}),
        ("play ", {*GAMES, "--sheets", "--balance", "--seed", "--lang", "-h", "--help"}),
        ("play --lang ", {"it", "en"}),
        ("admin player re", {"reset-password"}),
        ("admin staff add Bea --role ", {"support", "pit", "auditor", "dealer"}),
        ("restore house.tar --re", {"--replace"}),
        ("export --first ", set()),
    ],
)
def test_bash_completes_what_there_is(typed: str, completed: set[str], capsys: Captured, tmp_path: Path) -> None:
    """The script in a real bash, asked as the shell asks it."""
    assert main(["completion", "bash"]) == 0
    script = tmp_path / "ventuno.bash"
    script.write_text(capsys.readouterr().out)
    words = ["ventuno", *typed.split(" ")]
    asked = (
        f"source {script}; COMP_WORDS=({' '.join(map(shlex.quote, words))}); COMP_CWORD={len(words) - 1}; "
        'LC_ALL=C _ventuno; printf "%s\\n" "${COMPREPLY[@]}"'
    )
    done = subprocess.run(["bash", "--norc", "-uc", asked], capture_output=True, text=True, check=True)
    assert done.stderr == ""
    assert set(done.stdout.split()) == completed


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_the_scripts_of_other_shells_hold_every_word(shell: str, tree: Node, capsys: Captured, tmp_path: Path) -> None:
    assert main(["completion", shell]) == 0
    script = capsys.readouterr().out
    if program := shutil.which(shell):
        file = tmp_path / "script"
        file.write_text(script)
        subprocess.run([program, "-n", str(file)], check=True)
    words = set(shlex.split(script.replace("`", ""), comments=True))
    held = {part for word in words for part in re.split(r"[\s)]+", word)}
    prefix = {flag.removeprefix("--") for flag in list_typed(tree)} if shell == "fish" else list_typed(tree)
    assert prefix - held == set()


@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_a_manual_page_is_roff_without_a_warning(command: str, tree: Node, capsys: Captured) -> None:
    assert main(["man", *filter(None, [command])]) == 0
    page = capsys.readouterr().out
    node = next(child for child in tree.children if child.path == (command,)) if command else tree
    assert page.isascii()
    for leaf in node.walk() if command else [node]:
        for option in leaf.options:
            assert f"\\fB{option.flags[-1]}\\fR".replace("-", "\\-") in page
    if (groff := shutil.which("groff")) is None:
        assert all(re.match(r"\.(TH|SH|TP|B|br)\b|[^.']", line) for line in page.splitlines())
        return
    done = subprocess.run(
        [groff, "-man", "-Tascii", "-ww", "-z"], input=page, capture_output=True, text=True, check=True
    )
    assert done.stderr == ""


def test_a_page_with_a_fault_is_noticed() -> None:
    """Planted fault: a request that roff has not."""
    groff = shutil.which("groff")
    if groff is not None:
        done = subprocess.run(
            [groff, "-man", "-Tascii", "-ww", "-z"],
            input=".TH X 1\n.NOSUCH\n",
            capture_output=True,
            text=True,
            check=False,
        )
        assert "NOSUCH" in done.stderr


def test_the_pages_of_all_commands_are_written(capsys: Captured, tmp_path: Path) -> None:
    assert main(["man", "--out", str(tmp_path / "man")]) == 0
    capsys.readouterr()
    expected = {"ventuno.1", *(f"ventuno-{name}.1" for name in COMMANDS)}
    assert {file.name for file in (tmp_path / "man").iterdir()} == expected
    assert main(["man", "setle"]) == 2
    assert "did you mean 'settle'?" in capsys.readouterr().err
