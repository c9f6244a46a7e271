"""CPU time of an answer of the odds room, for every switch of every game: at most a second (X-16).

One switch is changed at a time, to each value that it may have: of a number the least, the most and those beside its
own; of odds a few others. Counted is all that `POST /api/odds/{game}` computes once the house knows its own sheets:
the rules read, the certificate of the changed sheet in the process that computes, the comparison, the answer written.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from ventuno.core.messages.refusals import Refusal
from ventuno.core.rules.sheet import Sheet
from ventuno.core.rules.sheet_reader import plain
from ventuno.odds.worker import answer, warm
from ventuno.sheets import GAMES, load
from ventuno.web.messages.odds import OddsSwitch
from ventuno.web.odds_room import what_if

GOAL = 1.0
ODDS = {"odds": ("1:1", "6:5", "3:1", "40:1")}


def values(lever: OddsSwitch) -> Iterator[str]:
    """Other values of a switch, as the page of the odds room offers them."""
    if lever.kind == "whole" and lever.low is not None and lever.high is not None:
        own = int(lever.value)
        near = {lever.low, own - 1, own + 1, lever.high}
        yield from (str(one) for one in sorted(near) if lever.low <= one <= lever.high and one != own)
    else:
        yield from (one for one in (*lever.values, *ODDS.get(lever.kind, ())) if one != lever.value)


def asked(own: Sheet, before: Mapping[str, Any], switches: Mapping[str, str]) -> float | None:
    """CPU seconds of one answer; None where there is none, because the rules do not go together."""
    start = time.process_time()
    sheet = what_if.change_switches(own, switches)
    if isinstance(sheet, Refusal):
        return None
    told = answer(json.dumps({"ask": "figures", "rules": plain(sheet), "compare": False})).get("told")
    if told is None:
        return None
    msgspec.json.encode(what_if.compare(own, sheet, before, json.loads(json.dumps(told))))
    return time.process_time() - start


def main() -> int:
    print("an answer of the odds room, CPU time on one core")
    warm()
    worst = 0.0
    for game in GAMES:
        own = load(game)
        before = answer(json.dumps({"ask": "figures", "rules": plain(own), "compare": True}))["told"]
        spent, silent = dict[tuple[str, str], float](), 0
        for lever in what_if.describe_switches(own).levers:
            for value in values(lever):
                if (found := asked(own, before, {lever.path: value})) is None:
                    silent += 1
                else:
                    spent[lever.path, value] = found
        (path, value), most = max(spent.items(), key=lambda one: one[1])
        middle = sorted(spent.values())[len(spent) // 2]
        print(
            f"  {game:<14}{len(spent):5} answers  middle {middle:.3f} s  most {most:.3f} s  ({path} = {value})", end=""
        )
        print(f"  {silent} have none" if silent else "")
        worst = max(worst, most)
    print(f"  the slowest   {worst:.3f} s  (goal {GOAL:g} s)")
    return 0 if worst <= GOAL else 1


if __name__ == "__main__":
    sys.exit(main())
