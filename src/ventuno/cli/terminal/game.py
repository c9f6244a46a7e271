"""One player's sitting at a table: bets, decisions, bonus, results, until he leaves."""

from __future__ import annotations

from functools import partial

from rich.text import Text

from ventuno.cli.terminal import betting, decisions, event_text, prompt, screen
from ventuno.cli.terminal.dealer import PLAYER
from ventuno.cli.terminal.table_session import Session
from ventuno.core.messages.refusals import DrawNeeded
from ventuno.core.table import legal
from ventuno.core.table.round import Box, Stage


def play_session(session: Session) -> None:
    """Play until the player leaves; an open round is then closed by the time-out rules."""
    session.note(session.voice("welcome"))
    try:
        while True:
            _prepare(session)
            if session.reader.is_empty:
                _draw(session)
            _take(session, session.reader.next())
    except (prompt.PlayerLeft, KeyboardInterrupt):
        _say_goodbye(session)


def _prepare(session: Session) -> None:
    """Betting opens by itself when a round is over."""
    before = session.table
    if changed := event_text.describe_shoe_change(session.voice, before, session.dealer.prepare()):
        session.note(changed)


def _draw(session: Session) -> None:
    """The felt, what has happened since the last drawing, and the question."""
    console = session.screen.console
    console.clear()
    console.print(session.screen.felt(session.table, last=session.last))
    console.print()
    for note in session.notes:
        console.print(note)
    session.notes.clear()
    if session.last:
        console.print(session.receipt)
    for line in _question(session):
        console.print(line)


def _question(session: Session) -> list[Text]:
    if session.dealer.play is None:
        return betting.question(session)
    box = _bonus_box(session)
    if box is None:
        return decisions.question(session)
    session.screen.console.print(screen.bonus(session.voice, session.table, box))
    board = box.bonus.board if box.bonus else None
    text = session.voice("board-spin", spins=board.spins) if board else session.voice("bonus-spin")
    return [Text(text, f"bold {screen.IVORY}")]


def _bonus_box(session: Session) -> Box | None:
    """The box whose bonus waits for a spin (L-21)."""
    play = session.dealer.play
    turn = legal.turn(play) if play and play.stage is not Stage.INSURANCE else None
    return turn[0] if turn and turn[1] < 0 else None


def _take(session: Session, typed: list[str]) -> None:
    verb = prompt.ALWAYS.get(typed[0]) if typed else None
    if verb:
        _always(session, verb, typed[1:])
    elif session.dealer.play is None:
        betting.take(session, typed)
    elif box := _bonus_box(session):
        _spin(session, box, " ".join(typed))
    else:
        decisions.take(session, typed)


def _always(session: Session, verb: str, rest: list[str]) -> None:
    match verb:
        case "quit":
            raise prompt.PlayerLeft
        case "help":
            session.notes.append(screen.manual(session.voice, session.table.sheet))
        case "pays":
            session.notes.append(screen.pays(session.screen, session.table.sheet))
        case "money":
            _bring(session, rest)
        case _:
            if session.dealer.play is None:
                betting.why(session)
            elif box := _bonus_box(session):
                session.note(session.voice.refusal(DrawNeeded(box.number)))
            else:
                decisions.why(session)


def _bring(session: Session, rest: list[str]) -> None:
    amount = prompt.amount(rest[0], session.voice.language) if rest else max(session.refill, 1)
    if amount is None or len(rest) > 1:
        session.refuse(session.voice("unclear"))
        return
    shown = session.last
    session.attempt(lambda: session.dealer.bring(amount))
    session.last = shown


def _spin(session: Session, box: Box, word: str) -> None:
    """Enter spins once; skip goes on to the prize (L-22)."""
    if word not in prompt.SPIN and word not in prompt.SKIP:
        session.refuse(session.voice("unclear"))
        return
    number, had_board = box.number, False
    while (now := _bonus_box(session)) is not None and now.number == number:
        had_board = bool(now.bonus and now.bonus.board)
        if not session.attempt(partial(session.dealer.spin, now)) or word in prompt.SPIN:
            break
    done = session.table.round.box(number) if session.table.round else None
    if done and done.bonus and done.bonus.board and done.bonus.prize is not None and had_board:
        session.notes.append(screen.bonus(session.voice, session.table, done))


def _say_goodbye(session: Session) -> None:
    """Close what is open, tell it, and say goodbye with the balance."""
    console = session.screen.console
    closed = session.dealer.play is not None
    if closed:
        session.note(session.voice("closing"))
        session.attempt(session.dealer.close)
    console.print()
    for note in session.notes:
        console.print(note)
    if closed:
        console.print(session.receipt)
    net = session.worth - session.table.brought.get(PLAYER, 0)
    goodbye = session.voice("goodbye", balance=session.worth, net=net)
    console.print(Text(goodbye, screen.IVORY))
