"""What a viewer sees does not depend on what he may not know (H-1…H-6, H-9, X-06).

Every state of random play is compared with its twins: the same state with other hidden cards, or with other private
facts of other people. A view that differs between twins is a leak.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given

from tests.support.changed_secrets import (
    change_hidden_cards,
    change_secrets,
    list_viewers,
)
from tests.support.random_table import GAMES, SPECTATOR, Step, often, seeds, sheet_of, walk
from tests.support.views import build_views
from ventuno.core.messages.commands import LoadShoe, ScanCard
from ventuno.core.messages.events import (
    DealerChose,
    DealerDrew,
    DuelDealt,
    Event,
    HandDoubled,
    HandHit,
    HandsDealt,
    HandSplit,
    HiddenTurned,
    HoleTurned,
    Peeked,
    ShoeLoaded,
)
from ventuno.core.messages.refusals import Refusal
from ventuno.core.rules import hand
from ventuno.core.table.fold import advance
from ventuno.core.table.state import Phase, Table
from ventuno.core.views.private_view import PrivateView, build_empty_view
from ventuno.core.views.public_view import PublicView, build_public_view

SHOWN = (
    *(HandHit, HandDoubled, HandSplit, HoleTurned, DealerDrew, DealerChose, HiddenTurned),
    *(HandsDealt, DuelDealt, ShoeLoaded),
)
"""Events that turn a card which lay hidden before, or bring new ones."""


def views(table: Table) -> dict[str, tuple[PublicView, PrivateView]]:
    return {viewer: build_views(table, viewer) for viewer in list_viewers(table)}


@pytest.mark.parametrize("game", GAMES)
@given(seed=seeds)
@often(7)
def test_a_view_is_the_same_whatever_the_hidden_cards_are(game: str, seed: int) -> None:
    """H-1, H-9: totals, offers, options, side bets and counts of all viewers, at every step."""
    rng = Random(seed)
    for step in walk(sheet_of(game), seed, 160):
        if step.after.phase is not Phase.ROUND and rng.random() < 0.8:
            continue
        assert views(step.after) == views(change_hidden_cards(step.after, rng, same_peek=False)), step.command


@pytest.mark.parametrize("game", GAMES)
@given(seed=seeds)
@often(10)
def test_hidden_cards_change_nothing_until_they_are_turned(game: str, seed: int) -> None:
    """H-1, H-2: the same command at twin tables has the same outcome, unless that outcome turns a hidden card."""
    rng = Random(seed)
    for step in walk(sheet_of(game), seed, 200, wild=0.1):
        if isinstance(step.command, LoadShoe):
            continue
        other = change_hidden_cards(step.before, rng, same_peek=True)
        answer = advance(other, step.command)
        if isinstance(step.outcome, Refusal) or isinstance(answer, Refusal):
            # a dealer had the face-down card in his hand: a reading that cannot be is refused for it too
            assert answer == step.outcome or isinstance(step.command, ScanCard)
            continue
        mine, theirs = until_shown(step.outcome), until_shown(answer[0])
        assert mine == theirs, step.command
        if len(mine) == len(step.outcome) and step.after.phase is Phase.ROUND:
            assert views(step.after) == views(answer[1])


def until_shown(events: list[Event]) -> list[Event]:
    """The events before the first card is turned."""
    shown = (i for i, event in enumerate(events) if isinstance(event, SHOWN) or event == Peeked(blackjack=True))
    return events[: next(shown, len(events))]


@pytest.mark.parametrize("game", GAMES)
@given(seed=seeds)
@often(9)
def test_nobody_sees_what_others_keep_to_themselves(game: str, seed: int) -> None:
    """Early decisions, unfinished bets, purses, insurance answers in the window, pre-decisions (H-4, H-5, V-37)."""
    rng = Random(seed)
    for step in walk(sheet_of(game), seed, 180, wild=0.1):
        if isinstance(step.outcome, Refusal) or (step.after.phase is Phase.SHUFFLING and rng.random() < 0.8):
            continue
        for viewer in list_viewers(step.after):
            changed = change_secrets(step.after, viewer, rng)
            assert build_views(step.after, viewer) == build_views(changed, viewer), (viewer, step.command)


@pytest.mark.parametrize("game", GAMES)
@given(seed=seeds)
@often(6)
def test_a_spectator_sees_what_everybody_sees(game: str, seed: int) -> None:
    """X-06, H-6: what a spectator is shown on the felt is shown to all, whoever has come when."""
    for step in walk(sheet_of(game), seed, 160):
        table = step.after
        public, private = build_views(table, SPECTATOR)
        assert private == build_empty_view(SPECTATOR)
        for player in list_viewers(table)[:-1]:
            assert build_views(table, player)[0] == public
        final = {player for player, slip in table.slips.items() if slip.final}
        at_no_box = {player for player, _, _ in table.round.table_bets} if table.round else set()
        assert {chips.player for chips in public.bets} <= (at_no_box if table.phase is Phase.ROUND else final)


def shown_cards(seen: PublicView) -> Counter[str]:
    """Every card that a view shows face up."""
    found = Counter(seen.dealer.cards) if not seen.dealer.community else Counter[str](seen.dealer.community)
    if seen.dealer.community:
        found += Counter(seen.dealer.cards) - Counter(seen.dealer.community)
    for box in seen.boxes:
        for one in box.hands:
            found += Counter(one.cards) - (Counter(seen.dealer.community) if seen.dealer.community else Counter())
    return found


@pytest.mark.parametrize("game", GAMES)
@given(seed=seeds)
@often(6)
def test_no_text_of_a_view_names_a_card_still_in_the_shoe(game: str, seed: int) -> None:
    """All that is printed of a view in play holds no more card names than lie face up (mistake 1)."""
    for step in walk(sheet_of(game), seed, 120, wild=0.05):
        if step.after.phase is not Phase.ROUND:
            continue
        seen = build_public_view(step.after)
        printed = repr(seen)
        dealt = {name for box in seen.boxes for one in box.hands for name in one.cards}
        dealt |= {*seen.dealer.cards, *seen.dealer.community}
        play = step.after.round
        assert play is not None
        for number in play.hidden:
            name = "23456789TJQKA"[number >> 2] + "SHDC"[number & 3]
            assert name in dealt or f"'{name}'" not in printed
        assert len(shown_cards(seen)) <= 52


def leaking(step: Step) -> PublicView:
    """A planted fault: the dealer's total with the hole card counted in."""
    seen = build_public_view(step.after)
    play = step.after.round
    assert play is not None
    total = str(hand.total(play.dealer + play.hidden))
    return replace(seen, dealer=replace(seen.dealer, total=total))


def test_a_leak_is_found() -> None:
    rng = Random(5)
    leaks = 0
    for step in walk(sheet_of("ventuno"), 5, 600):
        if step.after.phase is Phase.ROUND and step.after.round and step.after.round.hidden:
            other = step._replace(after=change_hidden_cards(step.after, rng, same_peek=False))
            leaks += leaking(step) != leaking(other)
    assert leaks > 0
