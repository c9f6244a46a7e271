"""What a decision of 21 Duello does (D-07…D-09), event by event."""

from __future__ import annotations

from ventuno.core.games import duel
from ventuno.core.messages.events import CommunityChosen, HandFolded, HandStood, HiddenTurned
from ventuno.core.messages.refusals import ActionNotAllowed
from ventuno.core.rules.cards import card, cards
from ventuno.core.table.fold import open_table
from ventuno.core.table.round import Action, Box, Hand, Origin, Status
from ventuno.sheets import load


def test_d07_each_decision_names_its_box_and_its_only_hand() -> None:
    table = open_table("T1", load("duello"), "ada", {"ada": 100_000})
    box = Box(2, "ada", 1_000, (), (Hand(cards("9S 5D"), 1_000, Status.PLAYING),), hidden=card("KD"))
    outcomes = {
        Action.FOLD: [HandFolded(2, Origin.PLAYER)],
        Action.LEFT: [CommunityChosen("ada", 2, 0, 1_000, Origin.PLAYER)],
        Action.RIGHT: [CommunityChosen("ada", 2, 1, 1_000, Origin.PLAYER)],
        Action.HIT: [HiddenTurned(2, card("KD"), Origin.PLAYER)],
        Action.STAND: [HandStood(2, 1, Origin.PLAYER)],
        Action.SPLIT: ActionNotAllowed(Action.SPLIT, "not-asked"),
    }
    assert {action: duel.act(table, box, 0, action, Origin.PLAYER) for action in outcomes} == outcomes
