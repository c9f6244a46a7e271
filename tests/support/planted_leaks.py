"""Deliberate leaks, one for each way in which a secret could get out; a paired run must find every one of them."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import Any, NamedTuple

import pytest

from ventuno.core.games import blackjack
from ventuno.core.rules import hand
from ventuno.core.rules.cards import is_ace, is_ten
from ventuno.core.table.round import Round, Stage
from ventuno.core.table.state import Table
from ventuno.core.views import private_view, public_view
from ventuno.core.views.public_view import FindPerson, PublicView, build_public_view
from ventuno.house.application import Application
from ventuno.house.tables import lobby as tables_lobby
from ventuno.house.tables.authority import Answer, Decision, LiveTable, Request
from ventuno.house.tables.pipeline import Pipeline
from ventuno.house.tables.table_host import TableCommitted
from ventuno.house.tables.table_service import TableService
from ventuno.web.http import me, supervision
from ventuno.web.sockets import table_broadcast
from ventuno.web.sockets.table_broadcast import TableBroadcast
from ventuno.web.sockets.table_broadcast import TableBroadcast as Show

Plant = Callable[[pytest.MonkeyPatch], None]


class Planted(NamedTuple):
    """A leak, the game in which it shows, and what differs between the houses."""

    game: str
    mode: str
    plant: Plant


def holed(table: Table) -> int:
    """A dealer's card that lies face down, or -1."""
    return table.round.hidden[-1] if table.round and table.round.hidden else -1


def is_blackjack(table: Table) -> bool:
    play = table.round
    return bool(play and play.hidden and play.dealer and hand.is_natural(play.dealer + play.hidden))


class Leaking(PublicView):
    """A public view with one field more."""

    leaked: object


def leak(seen: PublicView, what: object) -> Leaking:
    return Leaking(**{name: getattr(seen, name) for name in PublicView.__match_args__}, leaked=what)


def on_public(change: Callable[[PublicView, Table, FindPerson], PublicView]) -> Plant:
    """A public view with something in it that is nobody's business."""

    def leaky(table: Table, find_person: FindPerson, *, practice: bool, shared: object = None) -> PublicView:
        del shared
        return change(build_public_view(table, find_person, practice=practice), table, find_person)

    return lambda patched: patched.setattr(table_broadcast, "build_public_view", leaky)


def on_news(act: Callable[[Show], None]) -> Plant:
    """Something that is done whenever a table has changed."""
    real = Show.publish

    def leaky(self: Show, news: TableCommitted) -> None:
        real(self, news)
        act(self)

    return lambda patched: patched.setattr(Show, "publish", leaky)


def total_with_the_hole_card(patched: pytest.MonkeyPatch) -> None:
    real = public_view._show_dealer

    def leaky(play: Round) -> public_view.Dealer:
        seen = real(play)
        return replace(seen, total=str(hand.total(play.dealer + play.hidden))) if play.dealer else seen

    patched.setattr(public_view, "_show_dealer", leaky)


def offer_by_the_hole_card(patched: pytest.MonkeyPatch) -> None:
    real = private_view.find_offer

    def leaky(table: Table, play: Round, box: Any) -> int | None:
        offer = real(table, play, box)
        return offer and offer + (10 if is_ten(play.hidden[0]) else 0)

    patched.setattr(private_view, "find_offer", leaky)


def options_by_the_hole_card(patched: pytest.MonkeyPatch) -> None:
    def leaky(table: Table, player: str, *ids: str, **more: Any) -> private_view.PrivateView:
        view = private_view.build_private_view(table, player, *ids, **more)
        if not is_blackjack(table):
            return view
        fewer = tuple(option for option in view.options.decisions if option.action != "double")
        return replace(view, options=replace(view.options, decisions=fewer))

    patched.setattr(table_broadcast, "build_private_view", leaky)


def longer_frames(patched: pytest.MonkeyPatch) -> None:
    real = Show._encode_step

    def leaky(self: Show, after: int, made: list[Any]) -> bytes:
        return real(self, after, made) + b" " * is_blackjack(self.live.table)

    patched.setattr(Show, "_encode_step", leaky)


def richer_snapshot(patched: pytest.MonkeyPatch) -> None:
    real = Show._encode_table
    patched.setattr(Show, "_encode_table", lambda self: real(self) + b',"next":%d' % holed(self.live.table))


def later_answer(patched: pytest.MonkeyPatch) -> None:
    real = TableService.ask

    async def leaky(self: TableService, player: str, table: str, command: Any, key: str) -> Any:
        answer = await real(self, player, table, command, key)
        if is_blackjack(self.get_all()[table].table):
            self._host.commits.clock._clock.move(1)  # type: ignore[attr-defined]
        return answer

    patched.setattr(TableService, "ask", leaky)


def refusal_that_knows(patched: pytest.MonkeyPatch) -> None:
    real = Pipeline.handle

    def leaky(self: Pipeline, request: Request) -> Decision:
        made = real(self, request)
        card = holed(self.authority.tables[request.table].table)
        if made.answer.refused and card >= 0:
            no = made.answer
            return Decision(Answer(no.table, no.version, no.refused, {**no.numbers, "card": card}))
        return made

    patched.setattr(Pipeline, "handle", leaky)


def look_under_a_ten(patched: pytest.MonkeyPatch) -> None:
    real = blackjack._after_insurance
    patched.setattr(blackjack, "_after_insurance", lambda sheet, up: real(sheet, up) if is_ace(up) else Stage.PEEK)


def _early(seen: PublicView, table: Table, _find_person: Any) -> PublicView:
    return leak(seen, [box.early for box in table.round.boxes] if table.round else [])


def _insured(seen: PublicView, table: Table, _find_person: Any) -> PublicView:
    boxes = zip(seen.boxes, table.round.boxes if table.round else (), strict=True)
    return replace(seen, boxes=tuple(replace(shown, insurance=box.insurance) for shown, box in boxes))


def _own_card(seen: PublicView, table: Table, _find_person: Any) -> PublicView:
    boxes = zip(seen.boxes, table.round.boxes if table.round else (), strict=True)
    return replace(
        seen, boxes=tuple(replace(shown, face_down=shown.face_down + (box.hidden or 0)) for shown, box in boxes)
    )


def _next_card(seen: PublicView, table: Table, _find_person: Any) -> PublicView:
    shoe = table.shoe
    return replace(seen, cards_left=seen.cards_left + bool(shoe and is_ten(shoe.cards[shoe.position])))


def _slips(seen: PublicView, table: Table, _find_person: Any) -> PublicView:
    return leak(seen, {player: slip.total for player, slip in table.slips.items()})


def _follows(seen: PublicView, table: Table, _find_person: Any) -> PublicView:
    behind = [bettor for box in table.round.boxes for bettor in box.behind] if table.round else []
    return leak(seen, [*table.follows.values(), *[(bettor.follow_double, bettor.follow_split) for bettor in behind]])


def _purses(seen: PublicView, table: Table, _find_person: Any) -> PublicView:
    return leak(seen, dict(table.purses))


def _drawn_before(seen: PublicView, _table: Table, find_person: Any) -> PublicView:
    """The wheel would stop there: drawn when the cards are dealt, not when the player spins."""
    chance: Random = find_person.__self__.app.pipeline.authority._chance._below.__self__
    ahead = Random()
    ahead.setstate(chance.getstate())
    boxes = [
        replace(box, bonus=replace(box.bonus, spins=ahead.randrange(100)))
        if box.bonus and not box.bonus.segment
        else box
        for box in seen.boxes
    ]
    return replace(seen, boxes=tuple(boxes))


def _extra_frame(show: Show) -> None:
    if is_blackjack(show.live.table):
        show.send_to_all(b'{"type":"ping","nonce":"0","now":0}')


def _logged(show: Show) -> None:
    logging.getLogger("ventuno.web.sockets.table_broadcast").debug("the table now: %s", show.live.table.round)


def _counted(show: Show) -> None:
    show._house.faults += is_blackjack(show.live.table)  # type: ignore[attr-defined]


def lobby_that_knows(patched: pytest.MonkeyPatch) -> None:
    real = tables_lobby._summarize

    def leaky(room: LiveTable, vip: int) -> Any:
        return replace(real(room, vip), rounds=room.table.rounds + max(holed(room.table), 0))

    patched.setattr(tables_lobby, "_summarize", leaky)


def stakes_with_insurance(patched: pytest.MonkeyPatch) -> None:
    patched.setattr(supervision, "public_stakes", lambda play, player: play.total_stake_of(player))


def means_that_know(patched: pytest.MonkeyPatch) -> None:
    real = me.list_own_tables

    def leaky(application: Application, player: str) -> Any:
        held = application.host.committed
        return (
            replace(one, purse=one.purse + max(holed(held[one.table].table), 0)) for one in real(application, player)
        )

    patched.setattr(me, "list_own_tables", leaky)


LEAKS: dict[str, Planted] = {
    "the hole card counts in the dealer's total": Planted("ventuno", "hole", total_with_the_hole_card),
    "what can be decided depends on the hole card": Planted("ventuno", "hole", options_by_the_hole_card),
    "one more frame when the dealer has Blackjack": Planted("ventuno", "hole", on_news(_extra_frame)),
    "a frame is longer when the dealer has Blackjack": Planted("ventuno", "hole", longer_frames),
    "who comes late is told more": Planted("ventuno", "hole", richer_snapshot),
    "the log has the round as it is": Planted("ventuno", "hole", on_news(_logged)),
    "a counter counts Blackjacks before they are shown": Planted("ventuno", "hole", on_news(_counted)),
    "a refusal names the hole card": Planted("ventuno", "hole", refusal_that_knows),
    "the answer comes later when the dealer has Blackjack": Planted("ventuno", "hole", later_answer),
    "the dealer looks under a ten": Planted("ventuno", "hole", look_under_a_ten),
    "the next card changes what is left": Planted("ventuno", "rest", on_public(_next_card)),
    "an early decision is shown to others": Planted("ventuno", "early", on_public(_early)),
    "an answer on insurance is shown to others": Planted("ventuno", "insurance", on_public(_insured)),
    "chips that are not final are shown to others": Planted("ventuno", "chips", on_public(_slips)),
    "what a bettor behind will follow is shown": Planted("ventuno", "follow", on_public(_follows)),
    "a purse is shown to others": Planted("ventuno", "balance", on_public(_purses)),
    "the lobby counts the hole card": Planted("ventuno", "hole", lobby_that_knows),
    "the console counts stakes on insurance": Planted("ventuno", "insurance", stakes_with_insurance),
    "one's own page knows the hole card": Planted("link", "hole", means_that_know),
    "an offer depends on the hole card": Planted("first-person", "hole", offer_by_the_hole_card),
    "the log has the round of a table for one": Planted("sisal", "both", on_news(_logged)),
    "one's own face-down card is shown": Planted("duello", "own", on_public(_own_card)),
    "the bonus is drawn before it is spun": Planted("link", "draws", on_public(_drawn_before)),
}


LONGER = 200_000


def plant_delay(patched: pytest.MonkeyPatch) -> None:
    """A house that thinks for 200 µs longer when there is Blackjack under the up-card."""

    def lingers(show: TableBroadcast) -> None:
        until = time.thread_time_ns() + LONGER
        while is_blackjack(show.live.table) and time.thread_time_ns() < until:
            pass

    on_news(lingers)(patched)
