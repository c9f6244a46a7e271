"""A table is seen in two parts: one for all that holds nobody's secret, one for its owner (H-1, H-4, H-5, X-06)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace
from random import Random
from typing import Any

import pytest
from hypothesis import given

from tests.support.changed_secrets import change_hidden_cards, change_secrets, list_viewers
from tests.support.random_table import GAMES, SPECTATOR, STRANGER, Step, often, seeds, sheet_of, walk
from ventuno.core.table import legal
from ventuno.core.table.state import Phase, Table
from ventuno.core.views.private_view import (
    Option,
    Options,
    build_empty_view,
    build_private_view,
    find_offer,
    make_reason,
)
from ventuno.core.views.public_view import PublicView, build_public_view
from ventuno.core.views.shared_parts import SharedParts


def is_dull(step: Step, rng: Random) -> bool:
    """Most states are outside rounds; a fifth of them is enough."""
    return step.after.phase is not Phase.ROUND and rng.random() < 0.8


def is_as_ruled(option: Option, verdict: legal.Verdict) -> bool:
    if isinstance(verdict, int):
        return option.price == verdict and not option.reasons
    return option.price is None and option.reasons == tuple(make_reason(refusal) for refusal in verdict)


def are_as_ruled(options: Options, table: Table, player: str) -> bool:
    """Whether the options of a view are what the rules answer in the open window, one by one and in their order."""
    by_kind: Iterable[Mapping[Any, legal.Verdict]] = legal.legal(table, player, (table.deadline or 1) - 1)[:4]
    shown: list[Mapping[Any, Option]] = [
        {(option.box, option.action): option for option in options.decisions},
        {(option.box, option.action): option for option in options.early},
        options.betting,
        {(option.box, option.bet): option for option in options.spots},
    ]
    return all(
        [*view] == [*verdicts] and all(is_as_ruled(view[place], verdicts[place]) for place in view)
        for view, verdicts in zip(shown, by_kind, strict=True)
    )


@pytest.mark.parametrize("game", GAMES)
@given(seed=seeds)
@often(9)
def test_the_options_are_those_of_the_rules(game: str, seed: int) -> None:
    """X-19: for everybody with money at the table, at every step of random play."""
    for step in walk(sheet_of(game), seed, 160):
        for player in step.after.purses:
            assert are_as_ruled(build_private_view(step.after, player).options, step.after, player), step.command


@pytest.mark.parametrize("field", ["decisions", "early", "betting", "spots"])
def test_options_that_are_forgotten_are_missed(field: str) -> None:
    """The check itself can fail, for each kind of option."""
    less: dict[str, Any] = {field: {} if field == "betting" else ()}
    assert any(
        not are_as_ruled(replace(build_private_view(step.after, player).options, **less), step.after, player)
        for step in walk(sheet_of("ventuno"), 7, 400)
        for player in step.after.purses
    )


def strayed(game: str, seed: int, steps: int) -> bool:
    """Whether a part that was taken over from an earlier state is ever other than the part of this one."""
    shared: defaultdict[str, SharedParts] = defaultdict(SharedParts)
    for step in walk(sheet_of(game), seed, steps):
        table = step.after
        if build_public_view(table, shared=shared[SPECTATOR]) != build_public_view(table):
            return True
        for player in table.purses:
            if build_private_view(table, player, shared=shared[player]) != build_private_view(table, player):
                return True
    return False


@pytest.mark.parametrize("game", GAMES)
@given(seed=seeds)
@often(5)
def test_what_is_taken_over_is_what_it_would_be(game: str, seed: int) -> None:
    """X-06: every part that lies as it lay, at every step of random play."""
    assert not strayed(game, seed, 160)


def test_a_part_that_is_taken_over_wrongly_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The check itself: each part that is shared, if it were kept for ever."""
    take = SharedParts.take
    for kept in ("rest", "seats", "bets", 1, "lines", "dealer", "people", "limits"):

        def keep(self: SharedParts, place: object, source: object, *build: Any, kept: object = kept) -> Any:
            return take(self, place, None if place == kept else source, *build)

        with monkeypatch.context() as patched:
            patched.setattr(SharedParts, "take", keep)
            assert any(strayed("ventuno", seed, 400) for seed in range(6)), kept

    def keep_each(self: SharedParts, place: object, sources: Mapping[Any, Any], build: Any) -> Any:
        return take(self, place, [*sources], lambda: tuple([build(source, key) for key, source in sources.items()]))

    with monkeypatch.context() as patched:
        patched.setattr(SharedParts, "take_each", keep_each)
        assert any(strayed("ventuno", seed, 400) for seed in range(6))
    monkeypatch.setattr(legal, "_update_spots", lambda _table, _player, _before, spots: spots)
    assert any(strayed("ventuno", seed, 400) for seed in range(6))


@pytest.mark.parametrize("game", GAMES)
@given(seed=seeds)
@often(7)
def test_no_part_depends_on_hidden_cards(game: str, seed: int) -> None:
    """H-1, H-9: neither what all see nor what anybody sees alone."""
    rng = Random(seed)
    for step in walk(sheet_of(game), seed, 160):
        if is_dull(step, rng):
            continue
        table, other = step.after, change_hidden_cards(step.after, rng, same_peek=False)
        assert build_public_view(table) == build_public_view(other), step.command
        for viewer in list_viewers(table):
            assert build_private_view(table, viewer) == build_private_view(other, viewer), (viewer, step.command)


@pytest.mark.parametrize("game", GAMES)
@given(seed=seeds)
@often(7)
def test_no_part_depends_on_what_others_keep_to_themselves(game: str, seed: int) -> None:
    """H-4, H-5, V-37: what all see holds nobody's secret, what one sees alone holds his own."""
    rng = Random(seed)
    for step in walk(sheet_of(game), seed, 160, wild=0.1):
        if is_dull(step, rng):
            continue
        table = step.after
        assert build_public_view(table) == build_public_view(change_secrets(table, SPECTATOR, rng)), step.command
        for viewer in list_viewers(table):
            other = change_secrets(table, viewer, rng)
            assert build_private_view(table, viewer) == build_private_view(other, viewer), (viewer, step.command)


@pytest.mark.parametrize("game", GAMES)
@given(seed=seeds)
@often(4)
def test_a_watcher_has_nothing_of_his_own(game: str, seed: int) -> None:
    """X-06: no money, no bets, no boxes, nothing to choose."""
    for step in walk(sheet_of(game), seed, 120):
        for viewer in (STRANGER, SPECTATOR):
            assert viewer not in step.after.purses
            own = build_private_view(step.after, viewer)
            assert own == build_empty_view(viewer)
            assert not any(getattr(own, name) for name in own.__match_args__ if name not in ("player", "options"))
            assert not any(getattr(own.options, name) for name in own.options.__match_args__)


class Leaking(PublicView):
    """A planted fault: every box as its owner sees it."""

    owned: tuple[object, ...]


def build_leaking_view(table: Table) -> Leaking:
    play, seen = table.round, build_public_view(table)
    boxes = [(box.early, box.insurance, find_offer(table, play, box)) for box in play.boxes] if play else []
    return Leaking(**{name: getattr(seen, name) for name in PublicView.__match_args__}, owned=tuple(boxes))


def test_a_leak_into_the_public_part_is_found() -> None:
    rng = Random(5)
    changed = [(step.after, change_secrets(step.after, SPECTATOR, rng)) for step in walk(sheet_of("ventuno"), 5, 600)]
    assert all(build_public_view(table) == build_public_view(other) for table, other in changed)
    assert any(build_leaking_view(table) != build_leaking_view(other) for table, other in changed)
