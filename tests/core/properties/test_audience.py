"""A view is told in two parts: one for all that holds nobody's secret, one for its owner (H-1, H-4, H-5, X-06)."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given

from tests.core.properties.test_views import secrets_changed, twin, viewers
from tests.support.random_table import GAMES, SPECTATOR, STRANGER, Step, often, seeds, sheet_of, walk
from ventuno.core.table import legal
from ventuno.core.table.state import Phase, Table
from ventuno.core.views import audience
from ventuno.core.views.audience import Kept, Public, Told, merged, private, public
from ventuno.core.views.view import view


def moments(step: Step) -> tuple[int, ...]:
    """When the command came, and the last moment before the deadline and the first after."""
    deadline = step.after.deadline
    return (step.command.at,) if deadline is None else (step.command.at, deadline - 1, deadline)


def is_dull(step: Step, rng: Random) -> bool:
    """Most states are outside rounds; a fifth of them is enough."""
    return step.after.phase is not Phase.ROUND and rng.random() < 0.8


@pytest.mark.parametrize("game", GAMES)
@given(seed=seeds)
@often(9)
def test_both_parts_together_are_the_view(game: str, seed: int) -> None:
    """X-06: for everybody around the table, before and after the deadline, at every step of random play."""
    for step in walk(sheet_of(game), seed, 160):
        seen = public(step.after)
        for at in moments(step):
            for viewer in viewers(step.after):
                own = private(step.after, viewer, at)
                assert merged(seen, own) == view(step.after, viewer, at), (viewer, at, step.command)


def strayed(game: str, seed: int, steps: int) -> bool:
    """Whether a part that was taken over from an earlier state is ever other than the part of this one."""
    told: Told | None = None
    kept: dict[str, Kept] = {}
    for step in walk(sheet_of(game), seed, steps):
        table = step.after
        told = Told(table, public(table, told))
        if told.seen != public(table):
            return True
        at = 0 if table.deadline is None else table.deadline - 1
        for viewer in viewers(table):
            last = kept.get(viewer)
            kept[viewer] = audience.keep(table, private(table, viewer, at, last), last)
            if kept[viewer].own != private(table, viewer, at):
                return True
    return False


@pytest.mark.parametrize("game", GAMES)
@given(seed=seeds)
@often(5)
def test_what_is_taken_over_is_what_it_would_be(game: str, seed: int) -> None:
    """X-06: every part that lies as it lay, at every step of random play."""
    assert not strayed(game, seed, 160)


def test_a_part_that_is_taken_over_wrongly_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The check itself: each condition under which a part is kept, if it were always met."""
    for name in ("_is_alike", "_seats_lie", "_bets_lie", "_spots_lie", "_chips_lie", "_limits_lie"):
        with monkeypatch.context() as patched:
            patched.setattr(audience, name, lambda *_: True)
            assert any(strayed("ventuno", seed, 400) for seed in range(6)), name
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
        table, at, other = step.after, step.command.at, twin(step.after, rng, same_peek=False)
        assert public(table) == public(other), step.command
        for viewer in viewers(table):
            assert private(table, viewer, at) == private(other, viewer, at), (viewer, step.command)


@pytest.mark.parametrize("game", GAMES)
@given(seed=seeds)
@often(7)
def test_no_part_depends_on_what_others_keep_to_themselves(game: str, seed: int) -> None:
    """H-4, H-5, V-37: what all see holds nobody's secret, what one sees alone holds his own."""
    rng = Random(seed)
    for step in walk(sheet_of(game), seed, 160, wild=0.1):
        if is_dull(step, rng):
            continue
        table, at = step.after, step.command.at
        assert public(table) == public(secrets_changed(table, SPECTATOR, rng)), step.command
        for viewer in viewers(table):
            other = secrets_changed(table, viewer, rng)
            assert private(table, viewer, at) == private(other, viewer, at), (viewer, step.command)


@pytest.mark.parametrize("game", GAMES)
@given(seed=seeds)
@often(4)
def test_a_watcher_has_nothing_of_his_own(game: str, seed: int) -> None:
    """X-06: no money, no bets, no boxes, nothing to choose; one reason why."""
    for step in walk(sheet_of(game), seed, 120):
        for viewer in (STRANGER, SPECTATOR):
            own = private(step.after, viewer, step.command.at)
            assert own.balance == own.staked == 0
            assert not own.boxes
            assert not own.behind
            assert not any(own.bets.values())
            assert not any((own.options.decisions, own.options.early, own.options.betting, own.options.spots))
            assert own.closed is not None


def leaking(table: Table) -> Public:
    """A planted fault: every box as its owner sees it."""
    owners = {box.number: box.player for box in table.round.boxes} if table.round else {}
    boxes = [view(table, owners[number], 0).boxes[place] for place, number in enumerate(owners)]
    return public(table)._replace(boxes=tuple(boxes))


def test_a_leak_into_the_public_part_is_found() -> None:
    rng = Random(5)
    changed = [(step.after, secrets_changed(step.after, SPECTATOR, rng)) for step in walk(sheet_of("ventuno"), 5, 600)]
    assert all(public(table) == public(other) for table, other in changed)
    assert any(leaking(table) != leaking(other) for table, other in changed)


@pytest.mark.parametrize("field", ["boxes", "behind", "bets", "options", "closed", "limits", "chips", "balance"])
def test_a_part_that_is_forgotten_is_missed(field: str) -> None:
    """The comparison of the view with its parts can fail, for each of them."""
    stranger = private(next(walk(sheet_of("ventuno"), 1, 1)).before, SPECTATOR, 0)
    missed = 0
    for step in walk(sheet_of("ventuno"), 7, 400):
        for viewer in viewers(step.after)[:-2]:
            own = private(step.after, viewer, step.command.at)
            less = own._replace(**{field: getattr(stranger, field)})
            missed += merged(public(step.after), less) != view(step.after, viewer, step.command.at)
    assert missed > 0
