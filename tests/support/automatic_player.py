"""The automatic player: some legal decision of whoever a table asks, from the table or from the views of a player.

He draws below fifteen and otherwise stands; what he prefers to that is the caller's. Others choose differently on
purpose and stay apart: `random_table`, `random_rounds` and `scripted_evening` also say what the rules refuse, and
`clocked_house`, `load_players` and `paired_players` know nothing but the frames of the public protocol.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from random import Random

from ventuno.core.games import insurance
from ventuno.core.messages.commands import Act, SpinBoard, SpinWheel
from ventuno.core.rules.money import PlayerId
from ventuno.core.table.legal import legal, turn
from ventuno.core.table.round import Action, Box, Stage
from ventuno.core.table.state import Table
from ventuno.core.views.private_view import PrivateView
from ventuno.core.views.public_view import PublicView

PlayerCommand = Act | SpinWheel | SpinBoard
DRAWS_BELOW = 15
OFTEN = 0.4
"""How often a player with a random source would double or split."""
LAST = (Action.LEFT, Action.FOLD, Action.STAND, Action.DECLINE)
"""What he takes where he may neither draw nor stand."""


def choose_command(table: Table, at: int, *, prefer: Sequence[Action] = ()) -> PlayerCommand:
    """The command of whoever is asked at a table in a round."""
    return next(list_commands(table, at, prefer=prefer))


def list_commands(
    table: Table, at: int, *, prefer: Sequence[Action] = (), chance: Random | None = None
) -> Iterator[PlayerCommand]:
    """Every legal command of whoever is asked at a table in a round, the best first.

    With a random source he sometimes prefers to double or to split.
    """
    play = table.round
    assert play is not None
    if play.stage is Stage.INSURANCE:
        player, box = next(insurance.waiting(play))
        total = 0
    else:
        asked = turn(play)
        assert asked is not None
        box, index = asked
        player = box.player
        if index < 0:
            yield spin_bonus(box, at)
            return
        total = box.hands[index].total
        if chance is not None and chance.random() < OFTEN:
            prefer = (chance.choice((Action.DOUBLE, Action.SPLIT)), *prefer)
    verdicts = legal(table, player, at).decisions
    allowed = [
        action for (number, action), price in verdicts.items() if number == box.number and isinstance(price, int)
    ]
    yield from (Act(player, box.number, action, at) for action in rank_actions(allowed, total, prefer))


def choose_from_views(view: PublicView, own: PrivateView, *, prefer: Sequence[Action] = ()) -> PlayerCommand | None:
    """The command of a player by what he sees; None where others are asked."""
    player = own.player
    options = [(option.box, Action(option.action)) for option in own.options.decisions if option.price is not None]
    total = 0
    if view.stage != "insurance":
        box = next((box for box in view.boxes if view.turn and box.box == view.turn.box), None)
        if view.turn is None or box is None or box.player != player:
            return None
        if view.turn.hand == 0:
            return spin(player, box.box, is_wheel_spun=box.bonus is not None and bool(box.bonus.segment), at=0)
        options = [option for option in options if option[0] == box.box]
        total = read_total(box.hands[view.turn.hand - 1].total)
    actions = rank_actions([action for _, action in options], total, prefer)
    return next(
        (Act(player, number, best, 0) for best in actions for number, action in options if action is best), None
    )


def rank_actions(allowed: Collection[Action], total: int, prefer: Sequence[Action]) -> list[Action]:
    """The allowed actions: the preferred ones, then to draw or to stand by the hand's total, then the others."""
    drawn = Action.HIT if total < DRAWS_BELOW else Action.STAND
    return [action for action in dict.fromkeys((*prefer, drawn, *LAST, *allowed)) if action in allowed]


def read_total(text: str) -> int:
    """The total of a hand as it is shown, the higher one of a soft hand; Blackjack and its like count 21."""
    return int(text.rpartition("/")[2]) if text[-1:].isdigit() else 21


def spin_bonus(box: Box, at: int) -> PlayerCommand:
    """The next step of a bonus: the wheel, then the board."""
    return spin(box.player, box.number, is_wheel_spun=box.bonus is not None and bool(box.bonus.segment), at=at)


def spin(player: PlayerId, box: int, *, is_wheel_spun: bool, at: int) -> PlayerCommand:
    return SpinBoard(player, box, {}, at) if is_wheel_spun else SpinWheel(player, box, "", at)
