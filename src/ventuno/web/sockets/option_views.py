"""Verdicts as they travel: each option of a player with its price, or with the reasons why not (X-19).

The rules give most of them. What the house refuses before the table is asked, and what a player's own limits refuse, is
said here in the words of those refusals. The same few come again and again: each is made once, and where it stays it is
the very same tree.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import msgspec

from ventuno.core.messages.refusals import Refusal
from ventuno.core.rules.money import PlayerId
from ventuno.core.table.legal import Verdict
from ventuno.core.table.state import Table
from ventuno.house.integrity import account_links
from ventuno.house.protection.limit_check import Allowance
from ventuno.web.sockets.changes import Whole

Tree = dict[str, Any]
_plain: Callable[[object], Any] = msgspec.to_builtins


@lru_cache(maxsize=4_096)
def reason(refusal: Refusal) -> Tree:
    """Why not: a `Reason`. The same few are said again and again, so they are made once."""
    return {"code": refusal.code, "numbers": _plain(refusal)}


@lru_cache(maxsize=4_096)
def decision(box: int, action: str, verdict: Verdict) -> Tree:
    return Whole({"box": box, "action": action, **option(verdict)})


@lru_cache(maxsize=16_384)
def spot(box: int, bet: str, verdict: Verdict) -> Tree:
    return Whole({"box": box, "bet": bet, **option(verdict)})


@lru_cache(maxsize=4_096)
def option(verdict: Verdict) -> Tree:
    if isinstance(verdict, tuple):
        return Whole(price=None, reasons=[reason(one) for one in verdict])
    return Whole(price=verdict, reasons=[])


def barred(options: Tree, table: Table, player: PlayerId, boxes: tuple[int, ...]) -> Tree:
    """The options with what the house refuses before the table is asked."""
    shut = {word: option((said,)) for word, said in account_links.find_closed_options(table, player, boxes).items()}
    spots = [
        spot(one["box"], one["bet"], (account_links.LinkedAccounts(one["box"]),))
        if one["bet"] == account_links.BEHIND and one["box"] in boxes
        else one
        for one in options["spots"]
    ]
    return options | {"betting": options["betting"] | shut, "spots": spots}


def allowed(options: Tree, table: Table, allowance: Allowance) -> Tree:
    """The options with what a player's own limits refuse, in the words of the refusal."""
    unit, live = table.sheet.stakes.unit, allowance.room
    no_bet = allowance.refuses(unit, raises=False)

    def raised(one: Tree) -> Tree:
        no = allowance.refuses(one["price"], raises=True) if one["price"] else None
        return decision(one["box"], one["action"], (no,)) if no else one

    def worded(one: Tree) -> Tree:
        no = allowance.refuses(one["price"], raises=False) if one["price"] else None
        return option((no,)) if no else one

    def placed(one: Tree) -> Tree:
        price = one["price"]
        if price and no_bet:
            return spot(one["box"], one["bet"], (no_bet,))
        return one if not price or live is None or price <= live else spot(one["box"], one["bet"], live - live % unit)

    return {
        "decisions": [raised(one) for one in options["decisions"]],
        "early": [raised(one) for one in options["early"]],
        "betting": {name: worded(one) for name, one in options["betting"].items()},
        "spots": [placed(one) for one in options["spots"]],
    }
