"""`ventuno admin`: what the staff does in a running house, through its own doors (H-8, R-17).

Who calls logs in with name, password and second factor; what he may do is the house's to say, and it writes it down.
"""

from __future__ import annotations

import argparse
import json
import os
import secrets
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote, urlencode

from ventuno.cli import output
from ventuno.cli.errors import ANSWER_IS_NO, Fault
from ventuno.cli.house_client import ENVIRONMENT, HouseClient

HERE = "http://127.0.0.1:2121"
ROLES = ("support", "pit", "auditor", "dealer")
Act = Callable[[HouseClient, argparse.Namespace], Any]


def arguments(parser: argparse.ArgumentParser) -> None:
    _add_common(parser)
    areas = parser.add_subparsers(dest="area", metavar="AREA", required=True)
    _act(areas, "login", _log_in, "log in once for several commands; the session is kept for you alone")
    _act(areas, "logout", _log_out, "end the session that `login` kept")

    player = _area(areas, "player", "find, show and help players")
    _act(player, "find", _find_players, "who has this in his name, or this number", "text")
    _act(player, "show", _show_player, "one player: money, limits, sessions, rounds", "player")
    _act(player, "reset-password", _reset_password, "a code by which he chooses a new password", "player", why=True)
    export = _act(player, "export", _export_player, "all that is kept of a person, to be handed to him", "player")
    export.add_argument("file", metavar="FILE", help="a new file of JSON; - is standard output")

    _act(player, "erase", _erase_player, "forget who it was; two of the staff say so, within a day", "player", why=True)

    table = _area(areas, "table", "see, open and close tables")
    _act(table, "list", _list_tables, "every table with its phase, seats and stakes")
    _act(
        table,
        "open",
        _open_table,
        "a table for several players, on a game with a certificate",
        "table",
        "game",
        why=True,
    )
    _act(table, "close", _close_table, "no new bets; after the round money goes home", "table", why=True)
    limits = _act(table, "limits", _change_limits, "in force when betting opens next", "table", why=True)
    limits.add_argument(
        "limits", metavar="BET=LEAST-MOST", nargs="+", type=_parse_limit, help="in cents: main=1000-200000"
    )

    staff = _area(areas, "staff", "who has which role")
    _act(staff, "list", _list_staff, "everybody with a role, and whether his second factor is set up")
    add = _act(
        staff, "add", _add_staff, "give an account a role; its owner then sets up a second factor", "player", why=True
    )
    add.add_argument("--role", choices=ROLES, required=True, help="what it may do is in docs/operations.md")
    _act(staff, "remove", _remove_staff, "make one of the staff a player again", "player", why=True)

    _act(areas, "message", _announce, "a message to everybody who is here", "message")


def _add_common(parser: argparse.ArgumentParser) -> None:
    """Options that may stand before the words of a command or after them."""
    absent = argparse.SUPPRESS
    house = f"where it is open; ${ENVIRONMENT}HOUSE, else {HERE}"
    parser.add_argument("--house", metavar="URL", default=absent, help=house)
    who = f"who you are; ${ENVIRONMENT}NAME, else it is asked"
    parser.add_argument("--name", metavar="NAME", default=absent, help=who)
    parser.add_argument("--json", action="store_true", default=absent, help="print one JSON document")


def _area(areas: Any, name: str, purpose: str) -> Any:
    parser = areas.add_parser(name, help=purpose, description=purpose)
    return parser.add_subparsers(dest="what", metavar="ACT", required=True)


def _act(area: Any, name: str, act: Act, purpose: str, *words: str, why: bool = False) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = area.add_parser(name, help=purpose, description=purpose)
    for word in words:
        parser.add_argument(word, metavar=word.upper(), help=_WORDS[word])
    if why:
        parser.add_argument("--reason", metavar="WHY", required=True, help="it stands in the log with your name")
    _add_common(parser)
    parser.set_defaults(act=act)
    return parser


_WORDS = {
    "player": "an account by its number or its whole name",
    "text": "2 characters at least",
    "message": "1 to 200 characters",
    "table": "the name of the table",
    "game": "a game by its id",
}


def _parse_limit(text: str) -> tuple[str, dict[str, int]]:
    bet, _, span = text.partition("=")
    least, _, most = span.partition("-")
    if not (bet and least.isdecimal() and most.isdecimal()):
        raise argparse.ArgumentTypeError(f"{text!r}: write BET=LEAST-MOST in cents, as in main=1000-200000")
    return bet, {"least": int(least), "most": int(most)}


def run(given: argparse.Namespace) -> int:
    house = getattr(given, "house", "") or os.environ.get(f"{ENVIRONMENT}HOUSE") or HERE
    client = HouseClient(house, getattr(given, "name", None))
    with client:
        answer = given.act(client, given)
    if getattr(given, "json", False):
        print(json.dumps(answer, ensure_ascii=False))
    elif answer is not None:
        print("\n".join(_describe(answer)))
    return 0


def _log_in(client: HouseClient, _: argparse.Namespace) -> dict[str, Any]:
    client.log_in()
    client.keep()
    return {"logged in as": client.name}


def _log_out(client: HouseClient, _: argparse.Namespace) -> dict[str, Any]:
    client.forget()
    return {"logged out of": client.house}


def _find_players(client: HouseClient, given: argparse.Namespace) -> Any:
    return client.get("/players?" + urlencode({"name": given.text}))["players"]


def _find_number(client: HouseClient, player: str) -> str:
    """The number of an account that is named by it or by its name."""
    if player.isdecimal():
        return player
    listed = client.get("/players?" + urlencode({"name": player}))["players"]
    match = [entry for entry in listed if entry["name"].casefold() == player.casefold()]
    if match:
        return str(match[0]["player"])
    near = ", ".join(f"{entry['name']} ({entry['player']})" for entry in listed[:5])
    raise Fault(f"{player}: nobody has this name" + (f"; there is {near}" if near else ""), ANSWER_IS_NO)


def _show_player(client: HouseClient, given: argparse.Namespace) -> Any:
    return client.get(f"/players/{_find_number(client, given.player)}")


def _reset_password(client: HouseClient, given: argparse.Namespace) -> Any:
    return client.post(f"/players/{_find_number(client, given.player)}/reset-code", {"reason": given.reason})


def _export_player(client: HouseClient, given: argparse.Namespace) -> Any:
    data = client.get(f"/players/{_find_number(client, given.player)}/data")
    text = json.dumps(data, ensure_ascii=False, indent=2)
    if given.file == "-":
        print(text)
        return None
    with output.create_private(given.file) as file:
        file.write(text.encode())
    return {"wrote": given.file, "records": len(data["records"]), "rounds": len(data["rounds"])}


def _erase_player(client: HouseClient, given: argparse.Namespace) -> Any:
    answer = client.post(f"/players/{_find_number(client, given.player)}/erasure", {"reason": given.reason})
    if answer["erased"]:
        return {"erased": answer["player"]}
    return {"player": answer["player"], "waits for a second person until": _write("at", answer["until"])}


def _list_tables(client: HouseClient, _: argparse.Namespace) -> Any:
    names = ("table", "game", "phase", "seated", "seats", "players", "staked", "rounds", "paused", "closing")
    return [{name: line[name] for name in names} for line in client.get("/tables")["tables"] if not line["practice"]]


def _open_table(client: HouseClient, given: argparse.Namespace) -> Any:
    return client.post("/tables", {"table": given.table, "game": given.game, "reason": given.reason})


def _close_table(client: HouseClient, given: argparse.Namespace) -> Any:
    return client.post(f"/tables/{quote(given.table)}/closing", {"reason": given.reason}, key=secrets.token_hex(16))


def _change_limits(client: HouseClient, given: argparse.Namespace) -> Any:
    body = {"limits": dict(given.limits), "reason": given.reason}
    return client.put(f"/tables/{quote(given.table)}/limits", body, key=secrets.token_hex(16))


def _list_staff(client: HouseClient, _: argparse.Namespace) -> Any:
    return client.get("/staff")["staff"]


def _add_staff(client: HouseClient, given: argparse.Namespace) -> Any:
    player = _find_number(client, given.player)
    client.post("/staff", {"player": player, "role": given.role, "reason": given.reason})
    return {"player": player, "role": given.role}


def _remove_staff(client: HouseClient, given: argparse.Namespace) -> Any:
    player = _find_number(client, given.player)
    client.post(f"/staff/{player}/removal", {"reason": given.reason})
    return {"player": player, "role": "player"}


def _announce(client: HouseClient, given: argparse.Namespace) -> Any:
    client.post("/announcements", {"text": given.message})
    return {"told": given.message}


_MOMENTS = ("since", "last_login", "expires", "reset_until", "until", "now", "cooling", "muted", "at", "opened", "seen")
_MONEY = ("free", "at_tables", "in_play", "net", "staked", "returned", "purse", "least", "most")


def _describe(answer: Any, indent: str = "") -> list[str]:
    """An answer of the house for reading: tables of rows, names with their values."""
    if isinstance(answer, list):
        rows = [[_write(name, value) for name, value in row.items()] for row in answer]
        if not rows:
            return [f"{indent}nobody" if not indent else f"{indent}-"]
        rows.insert(0, [*answer[0]])
        widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
        return [
            indent + "  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip()
            for row in rows
        ]
    lines: list[str] = []
    for name, value in answer.items():
        has_rows = isinstance(value, list) and value and isinstance(value[0], Mapping)
        if has_rows or (isinstance(value, Mapping) and value):
            lines += [f"{indent}{name}:", *_describe(value, indent + "  ")]
        else:
            lines.append(f"{indent}{name}: {_write(name, value)}")
    return lines


def _write(name: str, value: Any) -> str:
    from ventuno.core.rules.money import format_euro

    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int) and name in _MOMENTS:
        return datetime.fromtimestamp(value / 1000, UTC).strftime("%Y-%m-%d %H:%M GMT") if value else "-"
    if isinstance(value, int) and name in _MONEY:
        return format_euro(value)
    if isinstance(value, Mapping | list):
        return (
            json.dumps(value, ensure_ascii=False) if isinstance(value, Mapping) else ", ".join(map(str, value)) or "-"
        )
    return str(value) if value not in ("", None) else "-"
