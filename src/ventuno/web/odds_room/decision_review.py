"""Decisions of finished rounds against best play, from their own records: anybody recomputes them (X-17).

Each decision is valued by what its player saw when he took it; what came afterwards changes nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ventuno.core.rules.money import PlayerId
from ventuno.core.table.evolve import evolve
from ventuno.core.table.round import Action, Origin
from ventuno.core.views.view import view
from ventuno.house.history.round_detail import Played
from ventuno.house.history.round_steps import told
from ventuno.web.messages.odds import Decided
from ventuno.web.odds_room.training import Asked, advised, asked

OWN = (Origin.PLAYER, Origin.EARLY)
"""Who decided: what a clock or a rule did in his place is not his."""
_ACTIONS = frozenset(map(str, Action))
ALIKE = 1e-9


class Taken(NamedTuple):
    """One decision, with the question that says what it was worth."""

    seq: int
    action: str
    asked: Asked


def decisions(played: Played, viewer: PlayerId) -> tuple[Taken, ...]:
    """What this player decided in the round, in order."""
    table, found = played.opening, []
    for record, event in zip(played.records, played.events, strict=True):
        for step in told(event, record.seq, record.at, viewer):
            if step.what in _ACTIONS and step.origin in OWN and table.round is not None:
                open_now = {one.box: one for one in asked(table.sheet, view(table, viewer, record.at))}
                if step.box in open_now and step.what in open_now[step.box].actions:
                    found.append(Taken(step.seq, str(step.what), open_now[step.box]))
        table = evolve(table, event)
    return tuple(found)


def judged(
    code: str, game: str, taken: Sequence[Taken], values: Sequence[Mapping[str, float] | None]
) -> tuple[Decided, ...]:
    """Each decision beside the best one; what cannot be valued is left out."""
    found = []
    for one, worths in zip(taken, values, strict=True):
        advice = advised(one.asked, worths)
        if not advice.best or worths is None or one.action not in worths:
            continue
        cost = worths[advice.best] - worths[one.action]
        hand = one.asked
        found.append(
            Decided(
                code,
                game,
                one.seq,
                hand.box,
                hand.hand,
                one.action,
                advice.best if cost > ALIKE else one.action,
                max(cost, 0.0) if cost > ALIKE else 0.0,
                hand.stake,
            )
        )
    return tuple(found)
