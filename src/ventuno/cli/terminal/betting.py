"""The betting time: chips on spots, undo, repeat, deal, seats (V-36…V-52, S-12…S-16, D-17, L-16)."""

from __future__ import annotations

from rich.text import Text

from ventuno.cli.terminal import prompt
from ventuno.cli.terminal.dealer import PLAYER
from ventuno.cli.terminal.screen import BRASS, IVORY, QUIET
from ventuno.cli.terminal.table_session import Session
from ventuno.core.messages.commands import (
    ClearBets,
    DoubleBets,
    LeaveSeat,
    PlaceBet,
    RemoveBet,
    RepeatBets,
    Spot,
    TakeSeat,
    UndoBet,
)
from ventuno.core.messages.refusals import NotSeated
from ventuno.core.table import legal
from ventuno.core.table.state import NO_SLIP, Table

_SHOWN = ("deal", "repeat", "repeat-double", "undo", "clear", "double")


def question(session: Session) -> list[Text]:
    """What may be done now; what Enter does; where money is out, how to bring more."""
    say = session.voice
    verdicts = legal.legal(session.table, PLAYER, session.dealer.now()).betting
    is_open = [name for name in _SHOWN if not isinstance(verdicts[name], tuple)]
    line = Text(f"{say('bets-open')} ", f"bold {IVORY}")
    if is_open:
        line.append(f"{say('now')} ", QUIET).append(", ".join(say(f"do.{name}") for name in is_open), BRASS).append(
            ". "
        )
    if "deal" in is_open:
        line.append(say("enter-deal"), QUIET)
    elif "repeat" in is_open:
        line.append(say("enter-repeat"), QUIET)
    lines = [line]
    least = session.table.limit("main", PLAYER)[0] * session.table.sheet.stakes.reserve
    if session.worth < least:
        more = session.refill
        text = say("money-out", cents=more, example=more) if more > 0 else say("money-over")
        lines.append(Text(text, BRASS))
    return lines


def why(session: Session) -> None:
    """Every closed key and spot with its reason, each once (X-19)."""
    options = legal.legal(session.table, PLAYER, session.dealer.now())
    reasons: dict[str, None] = {}
    for name in _SHOWN:
        if isinstance(verdict := options.betting[name], tuple):
            reason = session.voice.refusal(verdict[0])
            reasons[session.voice("why", name=session.voice(f"do.{name}"), reason=reason)] = None
    for verdict in options.spots.values():
        if isinstance(verdict, tuple) and not isinstance(verdict[0], NotSeated):
            reasons[session.voice.refusal(verdict[0])] = None
    for sentence in reasons or {session.voice("open-all"): None}:
        session.note(sentence)


def take(session: Session, typed: list[str]) -> None:
    """One command of the betting time; an empty line repeats, then deals."""
    at = session.dealer.now()
    verb = prompt.VERBS.get(typed[0]) if typed else _on_enter(session.table)
    match verb:
        case "deal":
            session.attempt(session.dealer.deal)
        case "undo":
            session.send(UndoBet(PLAYER, at))
        case "clear":
            session.send(ClearBets(PLAYER, at))
        case "repeat":
            session.send(RepeatBets(PLAYER, at))
        case "double":
            session.send(DoubleBets(PLAYER, at))
        case "redeal":
            times = 2 if typed[1:2] in (["x2"], ["2"], ["x"]) else 1
            if session.send(RepeatBets(PLAYER, at, times)):
                session.attempt(session.dealer.deal)
        case "sit" | "leave":
            _seat(session, typed, sit=verb == "sit")
        case "remove":
            _remove(session, typed[1:])
        case _:
            _bet(session, typed)


def _on_enter(table: Table) -> str:
    if table.slips.get(PLAYER, NO_SLIP).steps:
        return "deal"
    return "repeat" if table.previous.get(PLAYER) else ""


def _seat(session: Session, typed: list[str], *, sit: bool) -> None:
    box = prompt.number(typed[1]) if len(typed) == 2 else None
    if box is None:
        session.refuse(session.voice("unclear"))
        return
    at = session.dealer.now()
    session.send(TakeSeat(PLAYER, box, at) if sit else LeaveSeat(PLAYER, box, at))


def _remove(session: Session, typed: list[str]) -> None:
    """`togli 1`, `togli 1 pp`, `togli dp`, each with an amount or without."""
    rest = list(typed)
    box = prompt.number(rest[0]) if rest else None
    if box is not None:
        rest.pop(0)
    bet = prompt.BETS[rest.pop(0)] if rest and rest[0] in prompt.BETS else "main"
    amount = prompt.amount(rest.pop(0), session.voice.language) if rest else 0
    if rest or amount is None or (box is None and bet == "main"):
        session.refuse(session.voice("unclear"))
        return
    session.send(RemoveBet(PLAYER, Spot(box or 0, bet), session.dealer.now(), amount))


def _bet(session: Session, typed: list[str]) -> None:
    """`1 500`, `1 pp 200`, `dp 200`, `tutti 500`: a box unless the bet is the table's own, then bets with amounts."""
    if not typed:
        session.note(session.voice("need-amount"))
        return
    everywhere, alone = typed[0] in prompt.ALL, typed[0] in prompt.BETS and prompt.number(typed[0]) is None
    box = None if everywhere or alone else prompt.number(typed[0])
    stakes = prompt.stakes(typed if alone else typed[1:], session.voice.language)
    if stakes is None or not (everywhere or alone or box is not None):
        has_place = box is not None or everywhere or alone
        session.refuse(session.voice("need-amount" if has_place else "unclear"))
        return
    for bet, amount in stakes:
        spots = _everywhere(session.table, bet) if everywhere else (Spot(_place(session.table, bet, box), bet),)
        if not _sit(session, spots) or not session.send(
            PlaceBet(PLAYER, spots, amount, session.dealer.now(), exact=True)
        ):
            return


def _place(table: Table, bet: str, box: int | None) -> int:
    """The box of a bet; the table's own bets lie on none."""
    side = table.sheet.sides.get(bet)
    return 0 if side and side.kind == "dealer-pair" else box or 0


def _everywhere(table: Table, bet: str) -> tuple[Spot, ...]:
    """All own boxes for a main bet, all boxes with a main bet for a side bet (V-48)."""
    totals = table.slips.get(PLAYER, NO_SLIP).totals()
    mine = [box for box in range(1, len(table.seats) + 1) if table.owner(box) == PLAYER]
    if bet != "main":
        mine = [box for box in mine if (box, "main") in totals]
    boxes = sorted({_place(table, bet, box) for box in mine}) or [_place(table, bet, 1)]
    return tuple(Spot(box, bet) for box in boxes)


def _sit(session: Session, spots: tuple[Spot, ...]) -> bool:
    """A main bet on a free box of a live table takes the seat first (V-39)."""
    if session.table.sheet.game.solo:
        return True
    for box, bet in spots:
        free = 1 <= box <= len(session.table.seats) and session.table.seats[box - 1] is None
        if bet == "main" and free and not session.send(TakeSeat(PLAYER, box, session.dealer.now())):
            return False
    return True
