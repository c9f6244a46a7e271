"""One player's sitting at a table: bets, decisions, bonus, results, until he leaves."""

from __future__ import annotations

from functools import partial

from rich.text import Text

from ventuno.cli.terminal import betting, decisions, event_text, panels, prompt
from ventuno.cli.terminal.dealer import PLAYER
from ventuno.cli.terminal.screen import IVORY
from ventuno.cli.terminal.table_session import Desk
from ventuno.core.messages.refusals import DrawNeeded
from ventuno.core.table import legal
from ventuno.core.table.round import Box, Stage


def sit(desk: Desk) -> None:
    """Play until the player leaves; an open round is then closed by the time-out rules."""
    desk.note(desk.voice("welcome"))
    try:
        while True:
            _prepare(desk)
            if desk.reader.is_empty:
                _draw(desk)
            _take(desk, desk.reader.next())
    except (prompt.Left, KeyboardInterrupt):
        _farewell(desk)


def _prepare(desk: Desk) -> None:
    """Betting opens by itself when a round is over."""
    before = desk.table
    if changed := event_text.shoe_changed(desk.voice, before, desk.croupier.prepare()):
        desk.note(changed)


def _draw(desk: Desk) -> None:
    """The felt, what has happened since the last drawing, and the question."""
    console = desk.screen.console
    console.clear()
    console.print(desk.screen.felt(desk.table, last=desk.last))
    console.print()
    for note in desk.notes:
        console.print(note)
    desk.notes.clear()
    if desk.last:
        console.print(desk.receipt)
    for line in _question(desk):
        console.print(line)


def _question(desk: Desk) -> list[Text]:
    if desk.croupier.play is None:
        return betting.question(desk)
    box = _bonus_box(desk)
    if box is None:
        return decisions.question(desk)
    desk.screen.console.print(panels.bonus(desk.voice, desk.table, box))
    board = box.bonus.board if box.bonus else None
    text = desk.voice("board-spin", spins=board.spins) if board else desk.voice("bonus-spin")
    return [Text(text, f"bold {IVORY}")]


def _bonus_box(desk: Desk) -> Box | None:
    """The box whose bonus waits for a spin (L-21)."""
    play = desk.croupier.play
    turn = legal.turn(play) if play and play.stage is not Stage.INSURANCE else None
    return turn[0] if turn and turn[1] < 0 else None


def _take(desk: Desk, typed: list[str]) -> None:
    verb = prompt.ALWAYS.get(typed[0]) if typed else None
    if verb:
        _always(desk, verb, typed[1:])
    elif desk.croupier.play is None:
        betting.take(desk, typed)
    elif box := _bonus_box(desk):
        _spin(desk, box, " ".join(typed))
    else:
        decisions.take(desk, typed)


def _always(desk: Desk, verb: str, rest: list[str]) -> None:
    match verb:
        case "quit":
            raise prompt.Left
        case "help":
            desk.notes.append(panels.manual(desk.voice, desk.table.sheet))
        case "pays":
            desk.notes.append(panels.pays(desk.screen, desk.table.sheet))
        case "money":
            _bring(desk, rest)
        case _:
            if desk.croupier.play is None:
                betting.why(desk)
            elif box := _bonus_box(desk):
                desk.note(event_text.refusal(desk.voice, DrawNeeded(box.number)))
            else:
                decisions.why(desk)


def _bring(desk: Desk, rest: list[str]) -> None:
    amount = prompt.amount(rest[0]) if rest else max(desk.refill, 1)
    if amount is None or len(rest) > 1:
        desk.refuse(desk.voice("unclear"))
        return
    shown = desk.last
    desk.attempt(lambda: desk.croupier.bring(amount))
    desk.last = shown


def _spin(desk: Desk, box: Box, word: str) -> None:
    """Enter spins once; skip goes on to the prize (L-22)."""
    if word not in prompt.SPIN and word not in prompt.SKIP:
        desk.refuse(desk.voice("unclear"))
        return
    number, had_board = box.number, False
    while (now := _bonus_box(desk)) is not None and now.number == number:
        had_board = bool(now.bonus and now.bonus.board)
        if not desk.attempt(partial(desk.croupier.spin, now)) or word in prompt.SPIN:
            break
    done = desk.table.round.box(number) if desk.table.round else None
    if done and done.bonus and done.bonus.board and done.bonus.prize is not None and had_board:
        desk.notes.append(panels.bonus(desk.voice, desk.table, done))


def _farewell(desk: Desk) -> None:
    """Close what is open, tell it, and say goodbye with the balance."""
    console = desk.screen.console
    closed = desk.croupier.play is not None
    if closed:
        desk.note(desk.voice("closing"))
        desk.attempt(desk.croupier.close)
    console.print()
    for note in desk.notes:
        console.print(note)
    if closed:
        console.print(desk.receipt)
    net = desk.worth - desk.table.brought.get(PLAYER, 0)
    goodbye = desk.voice("goodbye", balance=desk.voice.money(desk.worth), net=desk.voice.signed(net))
    console.print(Text(goodbye, IVORY))
