"""The decisions of a round: hit, stand, double, split, insurance, fold, left or right; early ones too (V-54…V-60)."""

from __future__ import annotations

from rich.text import Text

from ventuno.cli.terminal import prompt
from ventuno.cli.terminal.dealer import PLAYER
from ventuno.cli.terminal.screen import BRASS, IVORY, QUIET, find_side_win
from ventuno.cli.terminal.table_session import Session
from ventuno.core.games import settlement
from ventuno.core.games.blackjack import offer
from ventuno.core.messages.commands import Act, ActAll, ActEarly
from ventuno.core.rules import hand
from ventuno.core.rules.sheet import DUEL, Sheet
from ventuno.core.table import legal
from ventuno.core.table.round import Action, Box, Round, Stage, Status
from ventuno.core.table.state import Table


def list_actions(sheet: Sheet, play: Round, box: Box) -> tuple[Action, ...]:
    """The decisions that belong to this moment in a game of this sheet, open or not."""
    if play.stage is Stage.INSURANCE:
        even = sheet.insurance.even_money and box.is_natural
        return (Action.EVEN_MONEY if even else Action.INSURE, Action.DECLINE)
    if sheet.game.family == DUEL:
        choosing = any(player_hand.status is Status.CHOOSING for player_hand in box.hands)
        return (Action.LEFT, Action.RIGHT, Action.FOLD) if choosing else (Action.HIT, Action.STAND)
    extra = {Action.CASH_OUT: sheet.cash_out.offered, Action.SURRENDER: sheet.surrender == "late"}
    return tuple(action for action in legal.PLAYED if extra.get(action, True))


def question(session: Session) -> list[Text]:
    """Whose turn it is, the open decisions with their prices, and which are closed."""
    play, box = session.dealer.play, session.dealer.waiting()
    if play is None or box is None:
        return []
    say, sheet = session.voice, session.table.sheet
    verdicts = legal.legal(session.table, PLAYER, session.dealer.now()).decisions
    line, closed = Text(_question_text(session, play, box), f"bold {IVORY}"), []
    for action in list_actions(sheet, play, box):
        verdict = verdicts[box.number, action]
        if isinstance(verdict, tuple):
            closed.append(say.name("act", action))
            continue
        line.append("  [", QUIET).append(say(f"key.{action}"), f"bold {BRASS}").append("] ", QUIET)
        line.append(say.name("act", action), IVORY)
        if price := verdict or _offer(session.table, play, box, action):
            line.append(f" {say.money(price)}", BRASS)
    lines = [line]
    if closed:
        lines.append(Text(say("not-now", names=", ".join(closed)), QUIET))
    if play.stage is Stage.INSURANCE and len(play.boxes) > 1:
        lines.append(Text(say("for-all"), QUIET))
    return lines + _forfeits(session, play, box)


def _question_text(session: Session, play: Round, box: Box) -> str:
    say = session.voice
    if play.stage is Stage.INSURANCE:
        even = session.table.sheet.insurance.even_money and box.is_natural
        return say("ask-even-money" if even else "ask-insurance", box=box.number)
    turn = legal.turn(play)
    index = turn[1] if turn else 0
    total = hand.format_total(box.hands[index].cards)
    if len(box.hands) > 1:
        return say("your-hand", box=box.number, hand=index + 1, total=total)
    return say("your-turn", box=box.number, total=total)


def _offer(table: Table, play: Round, box: Box, action: Action) -> int:
    """What a cash-out brings: printed on the button (F-09)."""
    turn = legal.turn(play)
    if action is not Action.CASH_OUT or turn is None:
        return 0
    player_hand = box.hands[turn[1]]
    return player_hand.stake * offer(table.sheet, player_hand, play) // 100


def _forfeits(session: Session, play: Round, box: Box) -> list[Text]:
    """Before a won pair is given up the player sees it (S-27, reading 22)."""
    sheet, say = session.table.sheet, session.voice
    if play.stage is not Stage.PLAY or not sheet.pair_requires_stand or not settlement.has_stood_pat(box):
        return []
    lines = []
    for bet, stake in box.sides:
        won = find_side_win(sheet, play, box, bet) if sheet.sides[bet].kind == "pair" else None
        if won:
            lines.append(Text(say("forfeit", name=sheet.looks.name(bet), amount=won[1].pay(stake)), BRASS))
    return lines


def why(session: Session) -> None:
    """Every closed decision with all its reasons."""
    play, box = session.dealer.play, session.dealer.waiting()
    if play is None or box is None:
        return
    open_or_not = legal.legal(session.table, PLAYER, session.dealer.now()).decisions
    verdicts = [open_or_not[box.number, action] for action in list_actions(session.table.sheet, play, box)]
    refusals = [refusal for verdict in verdicts if isinstance(verdict, tuple) for refusal in verdict]
    for refusal in refusals:
        session.note(session.voice.refusal(refusal))
    if not refusals:
        session.note(session.voice("open-all"))


def take(session: Session, typed: list[str]) -> None:
    """One decision; `3 s` speaks for box 3, `tutti no` for all."""
    play, box = session.dealer.play, session.dealer.waiting()
    if play is None or box is None:
        return
    if not typed:
        session.note(session.voice("unclear"))
        return
    for_all = [word for word in typed if word not in prompt.ALL]
    if for_all and len(for_all) < len(typed) and play.stage is Stage.INSURANCE:
        answer = prompt.action(for_all, (Action.INSURE, Action.DECLINE))
        if answer in (Action.INSURE, Action.DECLINE):
            session.send(ActAll(PLAYER, answer, session.dealer.now()))
            return
    named = prompt.number(typed[0]) if len(typed) > 1 else None
    if named is not None and named != box.number:
        _early(session, named, typed[1:])
        return
    action = prompt.action(typed if named is None else typed[1:], list_actions(session.table.sheet, play, box))
    if action is None:
        session.refuse(session.voice("unclear"))
        return
    session.send(Act(PLAYER, box.number, action, session.dealer.now()))


def _early(session: Session, box: int, typed: list[str]) -> None:
    """The first decision of a box whose turn has not come (V-54); a dash takes it back."""
    action = prompt.action(typed, legal.PLAYED)
    if action is None and typed != ["-"]:
        session.refuse(session.voice("unclear"))
        return
    session.send(ActEarly(PLAYER, box, action, session.dealer.now()))
