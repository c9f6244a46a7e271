"""The mathematics as a process of its own: a question a line comes in, an answer a line goes out, both JSON.

    python -m ventuno.odds.worker

The server never loads what computes; it asks here (X-03, X-16). `{"ready": true}` comes first, when everything is
loaded. Then for each question `{"rules": …, "ask": "figures" | "worths", …}` one answer: `{"told": …}`, `{"no": why}`
where the rules allow no exact one, `{"fault": kind}` where something went wrong. The process ends with its input.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, TextIO

from ventuno.core.rules.sheet import Sheet
from ventuno.core.rules.sheet_reader import read_canonical
from ventuno.core.rules.switches import SheetError
from ventuno.odds.certificate.certificate import certify
from ventuno.odds.exact.action_values import value_decisions
from ventuno.odds.exact.rules import NotSolvable


def certify_rules(sheet: Sheet, asked: Mapping[str, Any]) -> Any:
    """The certificate of these rules, number for number as `ventuno certify` writes it."""
    return json.loads(certify(sheet, compare=bool(asked.get("compare"))).text())


def value_hands(sheet: Sheet, asked: Mapping[str, Any]) -> Any:
    """What the open decisions of several hands are worth; None for a hand that has no exact answer."""
    values: list[dict[str, float] | None] = []
    for hand in asked["hands"]:
        try:
            values.append(value_decisions(sheet, hand))
        except NotSolvable:
            values.append(None)
    return values


ANSWERS = {"figures": certify_rules, "worths": value_hands}


def answer(line: str) -> dict[str, Any]:
    """One answer, whatever was asked."""
    try:
        asked = json.loads(line)
        return {"told": ANSWERS[asked["ask"]](read_canonical(asked["rules"]), asked)}
    except (NotSolvable, SheetError) as fault:
        return {"no": str(fault)}
    except Exception as fault:  # whoever asked is told that there was one; the next question is answered
        return {"fault": type(fault).__name__}


def serve(questions: TextIO, answers: TextIO) -> None:
    _write(answers, {"ready": True})
    for line in questions:
        _write(answers, answer(line))


def _write(answers: TextIO, what: object) -> None:
    answers.write(json.dumps(what, separators=(",", ":"), allow_nan=False) + "\n")
    answers.flush()


def warm() -> None:
    """Load the compiled loops before the first question: it waits for nothing then."""
    from ventuno.sheets import GAMES, load

    certify(load(GAMES[0]), compare=False)


def main() -> None:
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # whatever prints does not speak between the lines
    warm()
    with suppress(BrokenPipeError, KeyboardInterrupt):
        serve(sys.stdin, answers)


if __name__ == "__main__":
    main()
