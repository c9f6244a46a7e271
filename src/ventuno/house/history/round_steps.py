"""A recorded round told step by step, to one viewer (V-70, R-14, X-02).

Built up from what this viewer may know: cards in the order in which they were turned, decisions with their origin. What
others chose early, could not afford or left to follow is theirs alone (H-4, H-5).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ventuno.core.messages import events
from ventuno.core.messages.events import Event
from ventuno.core.rules.cards import line
from ventuno.core.rules.money import Cents, PlayerId
from ventuno.core.table.round import Action


class Step(NamedTuple):
    """One thing that happened. Box and hand are 0 and texts empty where there is none."""

    seq: int
    at: int
    what: str
    box: int = 0
    hand: int = 0
    player: PlayerId = ""
    cards: str = ""
    origin: str = ""
    amount: Cents = 0
    detail: str = ""


def list_steps(event: Event, seq: int, at: int, viewer: PlayerId, *, all_seeing: bool = False) -> Iterator[Step]:
    """The steps of an event; none where it says nothing to this viewer."""
    base = Step(seq, at, "")
    match event:
        case events.BettingEnded(code):
            yield base._replace(what="begun", detail=code)
        case events.HandsDealt(hands, up):
            for box, cards in hands:
                yield base._replace(what="dealt", box=box, hand=1, cards=line(cards))
            yield base._replace(what="dealer-up", cards=line((up,)))
        case events.DuelDealt(hands, community):
            for box, card in hands:
                yield base._replace(what="dealt", box=box, hand=1, cards=line((card,)))
            yield base._replace(what="community", cards=line(community))
        case events.InsuranceAnswered(player, box, amount, even, origin):
            word = Action.EVEN_MONEY if even else Action.INSURE if amount else Action.DECLINE
            yield base._replace(what=word, box=box, player=player, amount=amount, origin=origin)
        case events.Peeked(blackjack):
            yield base._replace(what="peeked", detail="blackjack" if blackjack else "none")
        case events.EarlyChosen(player, box, action) if all_seeing or player == viewer:
            yield base._replace(what="early", box=box, player=player, detail=action or "taken back")
        case events.DecisionReplaced(player, box, asked, done, missing) if all_seeing or player == viewer:
            yield base._replace(what="replaced", box=box, player=player, amount=missing, detail=f"{asked} -> {done}")
        case events.FollowSkipped(player, box, action, missing) if all_seeing or player == viewer:
            yield base._replace(what="not-followed", box=box, player=player, amount=missing, detail=action)
        case events.RoundSettled():
            yield base._replace(what="settled")
        case events.RoundVoided(by, reason):
            yield base._replace(what="voided", detail=f"{reason} ({by})" if all_seeing else reason)
        case events.TablePausedBy(_, reason):
            yield base._replace(what="paused", detail=reason)
        case events.TableResumed():
            yield base._replace(what="resumed")
        case events.TableClosingBy(_, reason):
            yield base._replace(what="closing", detail=reason)
        case _:
            yield from _list_play_steps(event, base)


def _list_play_steps(event: Event, base: Step) -> Iterator[Step]:
    """Decisions on hands, bonus draws, and the dealer's cards."""
    match event:
        case events.HandHit(box, hand, card, origin):
            yield base._replace(what=Action.HIT, box=box, hand=hand, cards=line((card,)), origin=origin)
        case events.HandStood(box, hand, origin):
            yield base._replace(what=Action.STAND, box=box, hand=hand, origin=origin)
        case events.HandDoubled(player, box, hand, card, stake, follows, origin):
            step = base._replace(what=Action.DOUBLE, box=box, hand=hand, player=player, amount=stake, origin=origin)
            yield step._replace(cards=line((card,)))
            for other, amount in follows:
                yield base._replace(what="followed", box=box, hand=hand, player=other, amount=amount)
        case events.HandSplit(player, box, hand, cards, stake, follows, origin):
            step = base._replace(what=Action.SPLIT, box=box, hand=hand, player=player, amount=stake, origin=origin)
            yield step._replace(cards=line(cards))
            for other, amount in follows:
                yield base._replace(what="followed", box=box, hand=hand, player=other, amount=amount)
        case events.HandCashedOut(box, hand, offer, origin):
            yield base._replace(what=Action.CASH_OUT, box=box, hand=hand, origin=origin, detail=f"{offer}/100")
        case events.HandSurrendered(box, hand, origin):
            yield base._replace(what=Action.SURRENDER, box=box, hand=hand, origin=origin)
        case events.HandFolded(box, origin):
            yield base._replace(what=Action.FOLD, box=box, hand=1, origin=origin)
        case events.CommunityChosen(player, box, side, stake, origin):
            word = Action.RIGHT if side else Action.LEFT
            yield base._replace(what=word, box=box, hand=1, player=player, amount=stake, origin=origin)
        case events.HiddenTurned(box, card, origin):
            yield base._replace(what=Action.HIT, box=box, hand=1, cards=line((card,)), origin=origin)
        case events.WheelSpun(player, box, segment, boxes, start):
            board = f"{' '.join(boxes)} {dict(sorted(start.items()))}" if boxes else ""
            yield base._replace(what="wheel", box=box, player=player, detail=f"{segment} {board}".strip())
        case events.BoardSpun(player, box, locks, diamonds):
            drawn = f"{dict(sorted(locks.items()))} {' '.join(diamonds)}".strip()
            yield base._replace(what="spin", box=box, player=player, detail=drawn)
        case events.HoleTurned(card):
            yield base._replace(what="hole", cards=line((card,)))
        case events.DealerDrew(card):
            yield base._replace(what="dealer-drew", cards=line((card,)))
        case events.DealerChose(card, side):
            yield base._replace(what="dealer-chose", cards=line((card,)), detail="right" if side else "left")
        case _:
            return
