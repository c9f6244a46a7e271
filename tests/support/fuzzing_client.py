"""One of those who send whatever they like: his channel, what it was told, and what he might sensibly ask.

Among hostile frames some have to be sensible, or no round would come to its end.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random
from typing import Any

import msgspec

from tests.support.frame_grammar import Speaker
from tests.support.raw_client import split_frames
from ventuno.core.rules.money import PlayerId
from ventuno.core.table import legal
from ventuno.core.table.state import Phase, Table
from ventuno.web.messages import server_messages
from ventuno.web.sockets.channel import Connection

EVERY = 20
"""Of the tables that he is shown, every so many is held against the published form: reading all takes longer than
playing."""


@dataclass
class Client:
    """One of the hostile: his channel, what it was told, and how he speaks."""

    name: str
    player: PlayerId
    speaker: Speaker
    told: list[bytes] = field(default_factory=list)
    channel: Connection | None = None
    _shown: int = 0
    """How often a table was shown to him, whole or by a step."""

    def heard(self) -> list[dict[str, Any]]:
        """What was told to him alone since this was last asked, in the published form; of the tables a part is read."""
        found = []
        for payload in split_frames(b"".join(self.told)):
            message = msgspec.json.decode(payload)
            is_own = message["type"] in ("answer", "fault", "notice")
            self._shown += not is_own
            if is_own or self._shown % EVERY == 0:
                server_messages.server_message.validate_json(payload, strict=True)
            found += [message] if is_own else []
        self.told.clear()
        return found


def sensible(table: Table, player: PlayerId, rng: Random) -> dict[str, Any]:
    """Something that is open to a player now, as he would ask it; nothing where he has to wait."""
    found, made = legal.legal(table, player, 0), list[dict[str, Any]]()
    now = legal.turn(table.round) if table.round and table.phase is Phase.ROUND else None
    if now and now[1] < 0 and now[0].player == player:
        spun = now[0].bonus is not None and now[0].bonus.segment
        return {"do": "spin-board" if spun else "spin-wheel", "box": now[0].number}
    for (box, action), verdict in found.decisions.items():
        if isinstance(verdict, int):
            name = str(action.value)
            made += [{"do": "decide", "box": box, "action": name}, {"do": "decide-all", "action": name}]
    for (box, action), verdict in found.early.items():
        made += [{"do": "decide-early", "box": box, "action": str(action.value)}] if isinstance(verdict, int) else []
    for word, verdict in found.betting.items():
        if isinstance(verdict, int):
            often = 6 if word == "deal" else 1
            made += [{"do": "repeat", "times": 2} if word == "repeat-double" else {"do": word}] * often
    for (box, bet), verdict in found.spots.items():
        if isinstance(verdict, int) and box in (0, 1, 7):
            often = 8 if bet in table.sheet.sides and table.sheet.sides[bet].kind == "bonus" else 1
            made += [{"do": "bet", "spots": [{"box": box, "bet": bet}], "amount": 100}] * often
    for (box, bet), amount in table.slips[player].totals().items() if player in table.slips else ():
        made += [{"do": "remove", "spot": {"box": box, "bet": bet}, "amount": rng.choice((0, amount))}]
    return rng.choice(made) if made else {}
