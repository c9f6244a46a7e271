"""`ventuno settle FILE`: one round from a scenario, settled."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from ventuno import words
from ventuno.cli import input_file, sheet_choice
from ventuno.cli.errors import REFUSED, Fault
from ventuno.core.rules.sheet import Sheet
from ventuno.core.scenario import runner, scenario
from ventuno.library.settlement import describe
from ventuno.sheets import read_file


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="a scenario in JSON; - reads standard input")
    parser.add_argument("--sheet", metavar="FILE.toml", help="the sheet of the scenario's game")
    sheet_choice.add_folders(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON document")


def run(given: argparse.Namespace) -> int:
    try:
        games = _list_games(given)
        read = scenario.parse(_decode(_text(given.file)), tuple(games))
    except scenario.Malformed as fault:
        raise Fault(f"{given.file}: {fault}") from None
    try:
        played = runner.play_scenario(games[read.game], read)
    except runner.Refused as refused:
        code, detail = refused.refusal.code, words.describe_refusal(refused.refusal)
        if given.json:
            print(json.dumps({"refused": {"code": code, "at": refused.at, "detail": detail}}, ensure_ascii=False))
            return REFUSED
        raise Fault(f"refused at {refused.at}: {code}: {detail}", REFUSED) from None
    settlement = describe(played)
    print(json.dumps(settlement.to_dict(), indent=2, ensure_ascii=False) if given.json else settlement)
    return 0


def _list_games(given: argparse.Namespace) -> dict[str, Sheet]:
    """The games a scenario may name: that of `--sheet` alone, else all."""
    if given.sheet:
        sheet = read_file(Path(given.sheet)).sheet
        return {sheet.game.id: sheet}
    return sheet_choice.load_games(given)


def _text(name: str) -> str:
    try:
        return input_file.read_document(name).decode("utf-8-sig")
    except UnicodeDecodeError as fault:
        raise Fault(f"{name}: cannot be read: {fault}") from None


def _decode(text: str) -> object:
    try:
        return json.loads(text, object_pairs_hook=_refuse_duplicates, parse_constant=_no_constant)
    except RecursionError:
        raise scenario.Malformed("nested too deeply to be a scenario") from None
    except json.JSONDecodeError as fault:
        raise scenario.Malformed(f"no JSON: {fault}") from None
    except ValueError as fault:
        raise scenario.Malformed(str(fault)) from None


def _refuse_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    content = dict(pairs)
    if len(content) < len(pairs):
        raise scenario.Malformed("a key stands twice in one object")
    return content


def _no_constant(word: str) -> object:
    raise scenario.Malformed(f"{word} is no number here")
