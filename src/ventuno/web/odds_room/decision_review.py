"""Decisions of finished rounds against best play, from their own records: anybody recomputes them (X-17).

Each decision is valued by what its player saw when he took it; what came afterwards changes nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ventuno.core.rules.money import PlayerId
from ventuno.core.table.evolve import evolve
from ventuno.core.table.round import Action, Origin
from ventuno.core.views.private_view import build_private_view
from ventuno.core.views.public_view import build_public_view
from ventuno.house.history.round_detail import RecordedRound
from ventuno.house.history.round_steps import list_steps
from ventuno.web.messages.odds import ReviewedDecision
from ventuno.web.odds_room.training import HandQuestion, advise, find_questions

OWN = (Origin.PLAYER, Origin.EARLY)
"""Who decided: what a clock or a rule did in his place is not his."""
_ACTIONS = frozenset(map(str, Action))
ALIKE = 1e-9


class TakenDecision(NamedTuple):
    """One decision, with the question that says what it was worth."""

    seq: int
    action: str
    asked: HandQuestion


def find_decisions(played: RecordedRound, viewer: PlayerId) -> tuple[TakenDecision, ...]:
    """What this player decided in the round, in order."""
    table, taken = played.opening, []
    for record, event in zip(played.records, played.events, strict=True):
        for step in list_steps(event, record.seq, record.at, viewer):
            if step.what in _ACTIONS and step.origin in OWN and table.round is not None:
                views = build_public_view(table), build_private_view(table, viewer)
                open_now = {question.box: question for question in find_questions(table.sheet, *views)}
                if step.box in open_now and step.what in open_now[step.box].actions:
                    taken.append(TakenDecision(step.seq, str(step.what), open_now[step.box]))
        table = evolve(table, event)
    return tuple(taken)


def review(
    code: str, game: str, taken: Sequence[TakenDecision], values: Sequence[Mapping[str, float] | None]
) -> tuple[ReviewedDecision, ...]:
    """Each decision beside the best one; what cannot be valued is left out."""
    reviewed = []
    for decision, action_values in zip(taken, values, strict=True):
        advice = advise(decision.asked, action_values)
        if not advice.best or action_values is None or decision.action not in action_values:
            continue
        cost = action_values[advice.best] - action_values[decision.action]
        hand = decision.asked
        reviewed.append(
            ReviewedDecision(
                code,
                game,
                decision.seq,
                hand.box,
                hand.hand,
                decision.action,
                advice.best if cost > ALIKE else decision.action,
                max(cost, 0.0) if cost > ALIKE else 0.0,
                hand.stake,
            )
        )
    return tuple(reviewed)
