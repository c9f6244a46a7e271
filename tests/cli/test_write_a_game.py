"""docs/write-a-game.md by doing what it says: every command in its order, with the exit code it promises."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.house import certify
from tests.support.patience import PATIENCE
from tests.support.server_process import ForkedServer
from ventuno import sheets
from ventuno.cli.main import main

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "write-a-game.md").read_text(encoding="utf-8")
LINES = [line for block in re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL) for line in block.splitlines()]
SCENARIO = re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)[0]


def follow(line: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One line of the page: `mkdir`, or a command of ours, its output put where `>` says."""
    command, _, comment = line.removeprefix("$ ").partition("   # ")
    words = shlex.split(command)
    target = folder / words.pop() if ">" in words else None
    if target:
        words.remove(">")
    if words[0] == "mkdir":
        (folder / words[1]).mkdir()
        return
    promised = int(comment.removeprefix("exit ")) if comment else 0
    if words[1] == "play":
        command_line = [sys.executable, "-m", "ventuno.cli.main", *words[1:]]
        played = subprocess.run(command_line, input="", capture_output=True, text=True, check=False, timeout=PATIENCE)
        assert (played.returncode, "Blackjack Vienna" in played.stdout) == (promised, True), played.stderr
        return
    code = main(words[1:])
    out, err = capsys.readouterr()
    assert code == promised, f"{line}: {err}"
    assert not promised or (err.count("\n") == 1 and words[2] in err)
    if target:
        target.write_text(out, encoding="utf-8")


def test_the_page_is_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "round.json").write_text(SCENARIO)
    *lines, last = LINES
    for line in lines:
        follow(line, tmp_path, capsys)
    assert last == "$ ventuno serve --sheets my-sheets"
    written = sheets.read_file(tmp_path / "my-sheets" / "vienna.toml").sheet
    known = (*sheets.load_games().values(), written)
    house = ForkedServer(certify(tmp_path / "data", *known), "--sheets", str(tmp_path / "my-sheets"))
    try:
        games = [line["game"] for line in house.get("/api/games").json()["games"]]
        assert games == [*sheets.GAMES, "vienna"]
    finally:
        house.process.kill()
        house.process.wait()


def test_the_page_is_linked() -> None:
    assert "(docs/write-a-game.md)" in (ROOT / "README.md").read_text(encoding="utf-8")


def test_a_command_that_is_not_there_is_noticed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(AssertionError, match="no_such"):
        follow("$ ventuno no_such first-person", tmp_path, capsys)
