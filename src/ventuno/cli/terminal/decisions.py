"""The decisions of a round: hit, stand, double, split, insurance, fold, left or right; early ones too (V-54…V-60)."""

from __future__ import annotations

from rich.text import Text

from ventuno.cli.terminal import event_text, prompt
from ventuno.cli.terminal.dealer import PLAYER
from ventuno.cli.terminal.screen import BRASS, IVORY, QUIET, side_won
from ventuno.cli.terminal.table_session import Desk
from ventuno.core.games import settlement
from ventuno.core.games.blackjack import offer
from ventuno.core.messages.commands import Act, ActAll, ActEarly
from ventuno.core.rules import hand
from ventuno.core.rules.sheet import DUEL, Sheet
from ventuno.core.table import legal
from ventuno.core.table.round import Action, Box, Round, Stage, Status
from ventuno.core.table.state import Table


def asked(sheet: Sheet, play: Round, box: Box) -> tuple[Action, ...]:
    """The decisions that belong to this moment in a game of this sheet, open or not."""
    if play.stage is Stage.INSURANCE:
        even = sheet.insurance.even_money and box.is_natural
        return (Action.EVEN_MONEY if even else Action.INSURE, Action.DECLINE)
    if sheet.game.family == DUEL:
        choosing = any(one.status is Status.CHOOSING for one in box.hands)
        return (Action.LEFT, Action.RIGHT, Action.FOLD) if choosing else (Action.HIT, Action.STAND)
    extra = {Action.CASH_OUT: sheet.cash_out.offered, Action.SURRENDER: sheet.surrender == "late"}
    return tuple(action for action in legal.PLAYED if extra.get(action, True))


def question(desk: Desk) -> list[Text]:
    """Whose turn it is, the open decisions with their prices, and which are closed."""
    play, box = desk.croupier.play, desk.croupier.waiting()
    if play is None or box is None:
        return []
    say, sheet = desk.voice, desk.table.sheet
    verdicts = legal.legal(desk.table, PLAYER, desk.croupier.now()).decisions
    line, closed = Text(_asks(desk, play, box), f"bold {IVORY}"), []
    for action in asked(sheet, play, box):
        verdict = verdicts[box.number, action]
        if isinstance(verdict, tuple):
            closed.append(say(f"act.{action}"))
            continue
        line.append("  [", QUIET).append(say(f"key.{action}"), f"bold {BRASS}").append("] ", QUIET)
        line.append(say(f"act.{action}"), IVORY)
        if price := verdict or _offer(desk.table, play, box, action):
            line.append(f" {say.money(price)}", BRASS)
    lines = [line]
    if closed:
        lines.append(Text(say("not-now", names=", ".join(closed)), QUIET))
    if play.stage is Stage.INSURANCE and len(play.boxes) > 1:
        lines.append(Text(say("for-all"), QUIET))
    return lines + _forfeits(desk, play, box)


def _asks(desk: Desk, play: Round, box: Box) -> str:
    say = desk.voice
    if play.stage is Stage.INSURANCE:
        even = desk.table.sheet.insurance.even_money and box.is_natural
        return say("ask-even-money" if even else "ask-insurance", box=box.number)
    turn = legal.turn(play)
    index = turn[1] if turn else 0
    total = hand.shown(box.hands[index].cards)
    if len(box.hands) > 1:
        return say("your-hand", box=box.number, hand=index + 1, total=total)
    return say("your-turn", box=box.number, total=total)


def _offer(table: Table, play: Round, box: Box, action: Action) -> int:
    """What a cash-out brings: printed on the button (F-09)."""
    turn = legal.turn(play)
    if action is not Action.CASH_OUT or turn is None:
        return 0
    one = box.hands[turn[1]]
    return one.stake * offer(table.sheet, one, play) // 100


def _forfeits(desk: Desk, play: Round, box: Box) -> list[Text]:
    """Before a won pair is given up the player sees it (S-27, reading 22)."""
    sheet, say = desk.table.sheet, desk.voice
    if play.stage is not Stage.PLAY or not sheet.pair_requires_stand or not settlement.stood_pat(box):
        return []
    lines = []
    for bet, stake in box.sides:
        won = side_won(sheet, play, box, bet) if sheet.sides[bet].kind == "pair" else None
        if won:
            amount = say.money(won[1].returned(stake))
            lines.append(Text(say("forfeit", name=say(f"bet.{bet}"), amount=amount), BRASS))
    return lines


def why(desk: Desk) -> None:
    """Every closed decision with all its reasons."""
    play, box = desk.croupier.play, desk.croupier.waiting()
    if play is None or box is None:
        return
    open_or_not = legal.legal(desk.table, PLAYER, desk.croupier.now()).decisions
    verdicts = [open_or_not[box.number, action] for action in asked(desk.table.sheet, play, box)]
    found = [no for verdict in verdicts if isinstance(verdict, tuple) for no in verdict]
    for no in found:
        desk.note(event_text.refusal(desk.voice, no))
    if not found:
        desk.note(desk.voice("open-all"))


def take(desk: Desk, typed: list[str]) -> None:
    """One decision; `3 s` speaks for box 3, `tutti no` for all."""
    play, box = desk.croupier.play, desk.croupier.waiting()
    if play is None or box is None:
        return
    if not typed:
        desk.note(desk.voice("unclear"))
        return
    for_all = [word for word in typed if word not in prompt.ALL]
    if for_all and len(for_all) < len(typed) and play.stage is Stage.INSURANCE:
        answer = prompt.action(for_all, (Action.INSURE, Action.DECLINE))
        if answer in (Action.INSURE, Action.DECLINE):
            desk.send(ActAll(PLAYER, answer, desk.croupier.now()))
            return
    named = prompt.number(typed[0]) if len(typed) > 1 else None
    if named is not None and named != box.number:
        _early(desk, named, typed[1:])
        return
    action = prompt.action(typed if named is None else typed[1:], asked(desk.table.sheet, play, box))
    if action is None:
        desk.refuse(desk.voice("unclear"))
        return
    desk.send(Act(PLAYER, box.number, action, desk.croupier.now()))


def _early(desk: Desk, box: int, typed: list[str]) -> None:
    """The first decision of a box whose turn has not come (V-54); a dash takes it back."""
    action = prompt.action(typed, legal.PLAYED)
    if action is None and typed != ["-"]:
        desk.refuse(desk.voice("unclear"))
        return
    desk.send(ActEarly(PLAYER, box, action, desk.croupier.now()))
