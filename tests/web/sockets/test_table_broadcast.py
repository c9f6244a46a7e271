"""What travels of a table: in the published form, equal for all, no secret in it, and a late joiner misses nothing.

Random play of every game is shown on a stage, as the house would: H-1, H-4, H-5, H-6, H-9, X-06.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from random import Random
from typing import Any

import msgspec
import pytest
from hypothesis import given
from pydantic import TypeAdapter

from tests.support.changed_secrets import change_hidden_cards, change_secrets
from tests.support.live_table import apply_commands
from tests.support.random_table import GAMES, PLAYERS, SPECTATOR, STRANGER, often, seeds, sheet_of, walk
from tests.support.raw_client import split_frames
from ventuno.core.messages.commands import Act, ActEarly, DealNow, LoadShoe, PlaceBet, Spot
from ventuno.core.messages.refusals import Refusal
from ventuno.core.rules.cards import cards
from ventuno.core.rules.money import PlayerId
from ventuno.core.table import legal
from ventuno.core.table.fold import advance, open_table
from ventuno.core.table.round import Action, Stage
from ventuno.core.table.state import Phase, Table
from ventuno.core.views.private_view import PrivateView, build_empty_view, build_private_view
from ventuno.core.views.public_view import Person, PublicView, Turn, build_public_view
from ventuno.house.protection.limit_check import Allowance
from ventuno.house.store.records import Head
from ventuno.house.tables.authority import LiveTable
from ventuno.house.tables.concession import Admission
from ventuno.house.tables.table_host import TableCommitted
from ventuno.web.messages import server_messages
from ventuno.web.sockets import table_broadcast
from ventuno.web.sockets.changes import Change, apply_changes, diff
from ventuno.web.sockets.table_broadcast import RING
from ventuno.web.sockets.table_broadcast import TableBroadcast as Show

PUBLIC, PRIVATE = TypeAdapter(PublicView), TypeAdapter(PrivateView)
WATCHING = (*PLAYERS, STRANGER)


class Clerk:
    """The house as far as a stage asks it: everybody is called by his number."""

    def __init__(self) -> None:
        self.deliveries = 0
        self.time = 1_790_000_000_000
        self.links: dict[PlayerId, tuple[int, ...]] = {}
        self.allowances: dict[PlayerId, Allowance] = {}

    def now(self) -> int:
        self.time += 1
        return self.time

    def find_person(self, player: PlayerId) -> Person:
        return Person(player, player.title(), bot=False)

    def find_admission(self, player: PlayerId, table: str) -> Admission | None:
        return Admission(f"S {table}", f"P {player}", "LOCAL") if player != "dino" else None

    def find_barred_boxes(self, player: PlayerId, room: LiveTable) -> tuple[int, ...]:
        return self.links.get(player, ()) if not room.practice else ()

    def find_allowance(self, player: PlayerId, _room: LiveTable) -> Allowance | None:
        return self.allowances.get(player)


class Eye:
    """A watcher who folds what he is told; a step that does not follow is a failure."""

    def __init__(self) -> None:
        self.version = -1
        self.public: Any = None
        self.mine: Any = None
        self.raw: list[bytes] = []

    def send_frame(self, frame: bytes) -> None:
        self.raw.append(frame)
        for payload in split_frames(frame):
            server_messages.server_message.validate_json(payload, strict=True)
            message = msgspec.json.decode(payload)
            if message["type"] == "table":
                self.version, self.public, self.mine = message["version"], message["public"], message["mine"]
            else:
                assert message["after"] == self.version, (message["after"], self.version)
                self.version = message["version"]
                self.public = apply_changes(self.public, message["public"])
                self.mine = apply_changes(self.mine, message.get("mine", []))

    def seen(self) -> tuple[int, Any, Any]:
        return self.version, self.public, self.mine


def tables(game: str, seed: int, steps: int, wild: float = 0.05) -> Iterator[Table]:
    """The states of random play that a house would publish, one after the other."""
    for step in walk(sheet_of(game), seed, steps, wild=wild):
        if not isinstance(step.outcome, Refusal) and step.after is not step.before:
            yield step.after


def room_of(table: Table, seq: int) -> LiveTable:
    return LiveTable(f"table:{table.id}", table, Head(seq))


def plain(tree: Any) -> Any:
    return msgspec.json.decode(msgspec.json.encode(tree))


@pytest.mark.parametrize("game", GAMES)
@given(seed=seeds)
@often(4)
def test_what_travels_has_the_published_form(game: str, seed: int) -> None:
    """Every field of the vocabulary, no other, and of its type."""
    clerk = Clerk()
    for table in tables(game, seed, 120):
        public = build_public_view(table, clerk.find_person)
        PUBLIC.validate_json(msgspec.json.encode(public), strict=True)
        assert set(plain(public)) == set(PublicView.__match_args__)
        for player in WATCHING:
            for own in (build_private_view(table, player, "S", "P"), build_empty_view(player)):
                PRIVATE.validate_json(msgspec.json.encode(own), strict=True)
                assert set(plain(own)) == set(PrivateView.__match_args__)


@pytest.mark.parametrize("game", GAMES)
@given(seed=seeds)
@often(4)
def test_h1_what_travels_is_the_same_whatever_the_hidden_cards_are(game: str, seed: int) -> None:
    """H-1, H-9: the public part and every player's own, offers and options too."""
    rng, clerk = Random(seed), Clerk()
    for table in tables(game, seed, 120):
        if table.phase is Phase.ROUND:
            other = change_hidden_cards(table, rng, same_peek=False)
            assert shown_to_all(table, clerk) == shown_to_all(other, clerk)


def shown_to_all(table: Table, clerk: Clerk) -> list[bytes]:
    views = [build_private_view(table, player) for player in WATCHING]
    return [msgspec.json.encode(view) for view in (build_public_view(table, clerk.find_person), *views)]


@pytest.mark.parametrize("game", GAMES)
@given(seed=seeds)
@often(4)
def test_h4_nothing_of_others_is_in_what_travels(game: str, seed: int) -> None:
    """H-4, H-5, X-06: purses, unfinished bets, early decisions, answers on insurance, pre-decisions."""
    rng, clerk = Random(seed), Clerk()
    for table in tables(game, seed, 100):
        if table.phase is Phase.SHUFFLING:
            continue
        spied = change_secrets(table, SPECTATOR, rng)
        assert build_public_view(table, clerk.find_person) == build_public_view(spied, clerk.find_person)
        for player in PLAYERS:
            spied = change_secrets(table, player, rng)
            assert build_private_view(table, player) == build_private_view(spied, player)


def unconcerned(game: str, seed: int, steps: int) -> Iterator[bool]:
    """Each time that a player's own view was left alone, whether that was wrong."""
    before: Table | None = None
    for table in tables(game, seed, steps):
        concerned = table_broadcast.find_viewers_concerned(before, table) if before else None
        if before is not None and concerned is not None:
            for player in before.purses.keys() - concerned:
                yield build_private_view(before, player) != build_private_view(table, player)
        before = table


@pytest.mark.parametrize("game", GAMES)
@given(seed=seeds)
@often(6)
def test_where_nothing_concerns_a_player_his_view_is_the_same(game: str, seed: int) -> None:
    assert not any(unconcerned(game, seed, 200))


def test_most_of_what_happens_concerns_few() -> None:
    assert len(list(islice(unconcerned("ventuno", 3, 1500), 501))) > 500


@pytest.mark.parametrize("part", ["phase", "pause", "closing", "limits", "seats", "forbids", "purses", "slips"])
def test_a_forgotten_part_is_found(part: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The check itself: leave out any one part of the table and it finds a view that was wrong.

    Two never change alone: a VIP level comes with money, the bets of the last round with a new phase. The first seeds
    are those that meet what is rare.
    """
    for name in ("SHARED", "OF_PLAYERS"):
        kept = tuple(one for one in getattr(table_broadcast, name) if one != part)
        monkeypatch.setattr(table_broadcast, name, kept)
    games = ("sixth", "ventuno")
    assert any(any(unconcerned(game, seed, 1500)) for seed in (8, 6, *range(6)) for game in games)


def shows(game: str, seed: int, steps: int) -> Iterator[tuple[Show, Table]]:
    """A stage fed with random play, version by version."""
    show: Show | None = None
    for seq, table in enumerate(tables(game, seed, steps), start=1):
        room = room_of(table, 3 * seq)
        if show is None:
            show = Show(room, Clerk())
        else:
            show.publish(TableCommitted(table.id, room.version, (), room))
        yield show, table


@pytest.mark.parametrize("game", GAMES)
@given(seed=seeds)
@often(4)
def test_h6_a_late_joiner_has_what_the_others_have_at_every_step(game: str, seed: int) -> None:
    """A snapshot, and the steps since any version he has, are the fold of what was sent to who never left."""
    rng, stayed, versions = Random(seed), dict[PlayerId, Eye](), dict[PlayerId, list[tuple[int, Any, Any]]]()
    for show, _ in shows(game, seed, 150):
        if not stayed:
            for player in WATCHING:
                stayed[player], versions[player] = Eye(), []
                show.add(player, stayed[player], None)
        for player, eye in stayed.items():
            fresh = Eye()
            show.add(player, fresh, None)
            assert fresh.seen() == eye.seen()
            versions[player].append(eye.seen())
            back = Eye()
            back.version, back.public, back.mine = rng.choice(versions[player])
            show.add(player, back, back.version)
            assert back.seen() == eye.seen()
            show.add(player, eye, eye.version)
            assert eye.seen() == fresh.seen()


class Deaf(Eye):
    """Misses one frame."""

    def send_frame(self, frame: bytes) -> None:
        if len(self.raw) == 6:
            self.raw.append(frame)
        else:
            super().send_frame(frame)


def test_a_step_that_is_lost_is_found() -> None:
    """The check itself: the next step does not follow what a watcher has who missed one."""
    with pytest.raises(AssertionError):
        watch("ventuno", 11, 300, Deaf())


def watch(game: str, seed: int, steps: int, eye: Eye) -> None:
    for show, _ in shows(game, seed, steps):
        if not show.watchers:
            show.add(STRANGER, eye, None)


def test_no_step_is_lost() -> None:
    watch("ventuno", 11, 300, eye := Eye())
    assert len(eye.raw) > 7


def truth(table: Table, player: PlayerId) -> tuple[Any, Any]:
    """What a viewer would see if everything were made anew for him."""
    clerk = Clerk()
    admission = clerk.find_admission(player, table.id)
    own = build_private_view(table, player, *(admission[:2] if admission else ()))
    return plain(build_public_view(table, clerk.find_person)), plain(own)


def strayed(game: str, seed: int, steps: int) -> bool:
    """Whether anybody who watched all along came to see anything but the table as it is."""
    eyes = {player: Eye() for player in WATCHING}
    for show, table in shows(game, seed, steps):
        for player, eye in eyes.items():
            if eye.version < 0:
                show.add(player, eye, None)
            if (eye.public, eye.mine) != truth(table, player):
                return True
    return False


@pytest.mark.parametrize("game", GAMES)
@given(seed=seeds)
@often(3)
def test_who_watches_sees_the_table_as_it_is(game: str, seed: int) -> None:
    assert not strayed(game, seed, 120)


def test_a_stage_that_strays_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The check itself: a difference that forgets what is gone, and a part that is never looked at again."""

    def forgets(old: Any, new: Any) -> list[Change]:
        return [one for one in diff(old, new) if len(one) > 1]

    monkeypatch.setattr(table_broadcast, "diff", forgets)
    assert any(strayed("ventuno", seed, 200) for seed in range(8))
    monkeypatch.setattr(table_broadcast, "diff", diff)
    assert not strayed("ventuno", 1, 200)
    monkeypatch.setattr(table_broadcast, "find_viewers_concerned", lambda _before, _table: set())
    assert strayed("ventuno", 1, 200)


@pytest.mark.parametrize("forgets", ["chips", "boxes", "turn"])
def test_somebody_concerned_who_is_passed_over_is_found(monkeypatch: pytest.MonkeyPatch, forgets: str) -> None:
    """The check itself: whose chips were moved, whose box was played, whose turn has come."""
    find = table_broadcast.find_viewers_concerned

    def careless(before: Table, table: Table) -> set[PlayerId] | None:
        found, play = find(before, table), table.round
        if found is None:
            return None
        turn = legal.turn(play) if play else None
        if forgets == "turn":
            return found - {turn[0].player} if turn else found
        is_play = play is not before.round
        return found if is_play == (forgets == "chips") else found & ({turn[0].player} if turn else set())

    monkeypatch.setattr(table_broadcast, "find_viewers_concerned", careless)
    assert any(strayed("ventuno", seed, 200) for seed in range(8))


def long_show() -> tuple[Show, Eye, int]:
    """A stage after more steps than it keeps, one who saw them all, and the version he began with."""
    for seed in range(20):
        keeper, first = Eye(), 0
        for show, _ in shows("ventuno", seed, 2500):
            if keeper.version < 0:
                show.add("ada", keeper, None)
                first = keeper.version
            if show.version - first > RING + 10:
                return show, keeper, first
    raise AssertionError("every table closed too soon")


def test_who_was_away_for_long_gets_the_whole_table() -> None:
    """The ring holds so many steps; beyond it, and for a version that never was, the table comes whole."""
    show, keeper, first = long_show()
    for version in (first, -5, 0, show.version + 1, 10**9):
        eye = Eye()
        show.add(STRANGER, eye, version)
        assert [msgspec.json.decode(one)["type"] for frame in eye.raw for one in split_frames(frame)] == ["table"]
    back = Eye()
    back.version, back.public = show.version, keeper.public
    show.add("ada", back, show.version)
    (only,) = [msgspec.json.decode(one) for frame in back.raw for one in split_frames(frame)]
    assert (only["type"], only["after"], only["version"], only["public"]) == ("step", show.version, show.version, [])
    assert only["mine"] == [[[], keeper.mine]]


def test_everybody_without_a_part_of_his_own_gets_the_very_same_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Encoded and framed once for all; no view is computed for who only sees what everybody sees."""
    computed: list[PlayerId] = []

    def counted(table: Table, player: PlayerId, *more: Any, **options: Any) -> Any:
        computed.append(player)
        return build_private_view(table, player, *more, **options)

    monkeypatch.setattr(table_broadcast, "build_private_view", counted)
    eyes = [Eye() for _ in range(20)]
    frames = 0
    for show, _ in shows("ventuno", 9, 300):
        if not show.watchers:
            for number, eye in enumerate(eyes):
                show.add(f"spectator {number}", eye, None)
            show.add("ada", Eye(), None)
        frames = len(eyes[0].raw)
        assert all(eye.raw[-1] is eyes[0].raw[-1] for eye in eyes) or frames == 1
    assert frames > 50
    assert {"ada"} == set(computed)
    assert len({len(eye.raw) for eye in eyes}) == 1


def count_work(monkeypatch: pytest.MonkeyPatch, spectators: int) -> int:
    """How often anything is computed or framed for the steps of a table with so many spectators."""
    work = list[str]()
    with monkeypatch.context() as counted:
        for name in ("encode_frame", "build_private_view", "build_public_view", "encode_with_own", "diff"):
            work_done = getattr(table_broadcast, name)

            def count(*given: Any, called: Any = work_done, **options: Any) -> Any:
                work.append(called.__name__)
                return called(*given, **options)

            counted.setattr(table_broadcast, name, count)
        for show, _ in shows("ventuno", 9, 60):
            if not show.watchers:
                for number in range(spectators):
                    show.add(f"spectator {number}", Eye(), None)
                work.clear()
    return len(work)


def test_g20_the_work_for_a_step_does_not_grow_with_who_watches(monkeypatch: pytest.MonkeyPatch) -> None:
    """G-20: counted, not timed: forty spectators cost what one does. Planted: a part is encoded for each of them."""

    def encode_for_all(_show: Show, _player: PlayerId) -> list[Change]:
        table_broadcast.encode_with_own(b"", [])
        return []

    assert count_work(monkeypatch, 40) == count_work(monkeypatch, 1) > 50
    monkeypatch.setattr(table_broadcast, "find_viewers_concerned", lambda _before, _table: None)
    monkeypatch.setattr(Show, "_update_own", encode_for_all)
    assert count_work(monkeypatch, 40) > 2 * count_work(monkeypatch, 1)


def early_chosen() -> tuple[Table, Table]:
    """A round in play, and the same after a player chose early."""
    for seed in range(40):
        for table in tables("ventuno", seed, 600, wild=0.0):
            play = table.round
            if table.phase is not Phase.ROUND or play is None or play.stage is not Stage.PLAY or table.pause:
                continue
            for box in play.boxes:
                outcome = advance(table, ActEarly(box.player, box.number, Action.STAND, (table.deadline or 1) - 1))
                if not isinstance(outcome, Refusal):
                    return table, outcome[1]
    raise AssertionError("nobody could choose early")


def test_h4_nobody_learns_that_somebody_chose_early() -> None:
    """Not from a frame, not from a version, not from its size: only who chose is told."""
    before, after = early_chosen()
    chooser = next(box.player for box in after.round.boxes if box.early is not None) if after.round else ""
    show, mine, other = Show(room_of(before, 10), Clerk()), Eye(), Eye()
    show.add(chooser, mine, None)
    show.add(STRANGER, other, None)
    version = show.version
    show.publish(TableCommitted(after.id, 11, (), room_of(after, 11)))
    assert len(other.raw) == 1
    assert len(mine.raw) == 2
    assert show.version == version == mine.version
    assert [one["early"] for one in mine.mine["boxes"] if one["early"]] == ["stand"]
    late = Eye()
    show.add("zelda", late, None)
    assert late.seen()[:2] == other.seen()[:2]


def test_a_shoe_in_the_log_is_nowhere_in_what_travels() -> None:
    """No text of a frame names the cards of a shoe that was just loaded."""
    for step in walk(sheet_of("ventuno"), 2, 200):
        if isinstance(step.command, LoadShoe) and not isinstance(step.outcome, Refusal) and not step.after.round:
            shown = msgspec.json.encode(build_public_view(step.after, Clerk().find_person))
            assert b'"cards":[]' in shown.replace(b" ", b"")
            assert not any(f'"{card}"'.encode() in shown for card in ("AS", "KD", "TH", "2C"))
            return
    pytest.fail("no shoe was loaded")


def test_while_insurance_is_asked_it_is_nobodys_turn() -> None:
    """A bonus that waits comes after the answers (L-07, L-21): who is told of its turn before would be refused."""
    table = apply_commands(
        open_table("T", sheet_of("link"), "ada", {"ada": 10_000}),
        LoadShoe(cards("AS AD KS TH"), 0, 0, stacked=True),
        PlaceBet("ada", (Spot(1, "main"),), 1_000, 0),
        PlaceBet("ada", (Spot(1, "link"),), 200, 0),
        DealNow("ada", 0),
    )
    assert table.round is not None
    assert table.round.stage is Stage.INSURANCE
    assert table.round.boxes[0].bonus is not None
    assert build_public_view(table).turn is None
    assert build_public_view(apply_commands(table, Act("ada", 1, Action.DECLINE, 1))).turn == Turn(1, 0)
