"""Account history, the round in full, replay, statistics (V-66, V-69, V-70, R-14…R-16, X-02, X-17)."""

from __future__ import annotations

import argparse
import asyncio
import json
from dataclasses import replace
from pathlib import Path

import pytest

from tests.support import reference_engine
from tests.support.account_lines import list_lines, sum_lines
from tests.support.house_in_memory import BY_HASH, SHEETS, HouseInMemory, list_shares, play_all_games, rounds_by_code
from tests.support.views import build_views
from ventuno.cli import replay
from ventuno.cli.errors import Fault
from ventuno.core.messages.commands import (
    Act,
    ActEarly,
    ChangeLimits,
    ChooseFollow,
    DealNow,
    PlaceBet,
    Spot,
    TakeMoney,
    Tick,
)
from ventuno.core.messages.events import RoundSettled
from ventuno.core.rules import cards
from ventuno.core.scenario import notation
from ventuno.core.scenario.recorder import extract_scenario
from ventuno.core.scenario.runner import Refused, play_scenario
from ventuno.core.table.legal import turn
from ventuno.core.table.round import Action, Stage
from ventuno.core.table.state import Phase
from ventuno.house.history import account_history, export
from ventuno.house.history.account_history import NotATime
from ventuno.house.history.round_detail import describe_round, extract_round, has_same_payouts, replay_views
from ventuno.house.history.statistics import compute_statistics
from ventuno.house.shoes.shoe_document import scenario_to_dict
from ventuno.house.store.durability import open_store
from ventuno.house.store.records import Batch
from ventuno.sheets import load


def test_v69_newest_first_with_totals_equal_to_the_ledger() -> None:
    foyer, ada, bea = play_all_games()
    for player, money in ((ada, 900_000), (bea, 500_000)):
        listed = list_lines(list_shares(foyer, player), rounds_by_code(foyer))
        assert [line.ended for line in listed] == sorted((line.ended for line in listed), reverse=True)
        totals = sum_lines(listed)
        held = sum(
            foyer.authority.wallet.balance(f"player:{player}{account}") for account in ("", ":table", ":in-play")
        )
        assert totals.net == held - money
        assert totals.net == totals.returned - totals.staked
    assert {line.game for line in list_lines(list_shares(foyer, ada), rounds_by_code(foyer))} == set(SHEETS)
    assert sum_lines(list_lines(list_shares(foyer, ada), rounds_by_code(foyer))).voided == 1


def test_v66_found_by_code_and_by_the_time_on_the_screen() -> None:
    foyer, _, _ = play_all_games()
    for row in foyer.disk.rounds:
        assert foyer.disk.find_round(row.code) == row
        digits = row.code.split("-")[-2]
        shown = f"{digits[:2]}:{digits[2:4]}:{digits[4:]}"
        found = account_history.select_by_time(foyer.disk.rounds, shown, row.started)
        assert isinstance(found, list)
        assert row in found
        assert account_history.select_by_time(foyer.disk.rounds, shown, row.started + account_history.DAY) == []
    for text in ("", "1:2:3", "24:00:00", "12:60:00", "12:00:00 ", "١٢:٠٠:٠٠"):
        assert isinstance(account_history.select_by_time(foyer.disk.rounds, text), NotATime)


def test_r14_r16_every_round_tells_its_story_and_pays_again_the_same() -> None:
    """V-70: cards, decisions with origin, bets, payouts with criterion and arithmetic; 100 % agree (G-10, a few)."""
    foyer, ada, _ = play_all_games()
    for row in foyer.disk.rounds:
        played = extract_round(row, foyer.disk.streams[row.stream], BY_HASH)
        told = describe_round(played, ada, foyer.concession.find_admission(ada, played.opening.id))
        assert (told.code, told.game, told.voided) == (row.code, row.game, row.voided)
        assert told.session
        assert told.participation
        share = next(one for one in foyer.disk.shares if one.code == row.code and one.player == ada)
        assert told.after - told.before == share.returned - share.staked
        if row.voided:
            assert told.agrees is None
            assert told.after == told.before
            assert "wrong card" in told.steps[-1].detail
            continue
        assert told.agrees
        assert sum(line.stake for line in told.bets if line.player == ada) == share.staked
        assert sum(line.returned for line in told.bets if line.player == ada) == share.returned
        assert all(line.criterion and line.arithmetic for line in told.bets if line.returned)
        turned = [card for step in told.steps for card in step.cards.split()]
        assert (
            sorted(turned) == sorted([card for hand in told.hands for card in hand.cards.split()] + told.dealer.split())
            or told.game == "duello"
        )
        assert all(cards.card(one) >= 0 for one in turned)
        assert {step.origin for step in told.steps} <= {"", "player", "early", "timeout", "substitution", "rule"}


def test_x10_a_round_above_the_sheets_limits_pays_again_the_same() -> None:
    """A supervisor had raised the limit: the round was taken, and so its record is whole."""
    foyer = HouseInMemory(10)
    ada = foyer.joined("Ada", 900_000)
    table = foyer.open("ventuno", "T1")
    most = SHEETS["ventuno"].stakes.limits["main"][1]
    foyer.say(table, ChangeLimits({"main": (500, 4 * most)}, "sup", foyer.now), "")
    foyer.sit(ada, table, 1, 800_000)
    foyer.round(table, {ada: (1, 500)})
    foyer.round(table, {ada: (1, 2 * most)})
    row = foyer.disk.rounds[-1]
    played = extract_round(row, foyer.disk.streams[row.stream], BY_HASH)
    paid = played.events[-1]
    assert isinstance(paid, RoundSettled)
    assert paid.lines[0].stake == 2 * most
    assert has_same_payouts(played)
    with pytest.raises(Refused, match="LimitReached"):
        play_scenario(played.opening.sheet, extract_scenario(played.opening, played.events))


def test_r12_the_cap_is_applied_and_stands_in_the_record_when_it_bites() -> None:
    """R-12, L-34: rounds that win more than the most are cut to it and say so; every other says that it was not cut."""
    most = 500
    sheet = load("link", {"stakes.max_win": str(most)})
    foyer = HouseInMemory(12)
    ada = foyer.joined("Ada", 900_000)
    foyer.keep(foyer.authority.open("L", sheet, foyer.now, ada))
    foyer.sit(ada, "L", 1, 100_000)
    for _ in range(30):
        foyer.round("L", {ada: (1, 1_000)})
    cut = 0
    for row in foyer.disk.rounds:
        told = describe_round(extract_round(row, foyer.disk.streams[row.stream], {sheet.hash: sheet}), ada)
        bare = sum(line.returned - line.stake for line in told.bets if line.bet != "max-win")
        assert told.capped is (bare > most)
        assert told.after - told.before == min(bare, most)
        assert told.agrees
        cut += told.capped
    assert 0 < cut < 30


def test_r16_planted_fault_a_payout_that_was_changed_is_found() -> None:
    foyer, _, _ = play_all_games()
    row = next(row for row in foyer.disk.rounds if not row.voided)
    played = extract_round(row, foyer.disk.streams[row.stream], BY_HASH)
    paid = played.events[-1]
    assert isinstance(paid, RoundSettled)
    line = paid.lines[0]
    forged = replace(paid, lines=(line._replace(returned=line.returned + 10), *paid.lines[1:]))
    assert has_same_payouts(played)
    assert not has_same_payouts(played._replace(events=(*played.events[:-1], forged)))


def test_r16_g10_every_stored_round_pays_what_an_engine_that_is_not_ours_pays() -> None:
    """Cards, bets and decisions as they were stored; a line that was changed afterwards is found."""
    foyer, _, _ = play_all_games()
    offers = SHEETS["first-person"].cash_out
    games = set()
    for row in foyer.disk.rounds:
        if row.voided:
            continue
        played = extract_round(row, foyer.disk.streams[row.stream], BY_HASH)
        paid = played.events[-1]
        assert isinstance(paid, RoundSettled)
        document = scenario_to_dict(extract_scenario(played.opening, played.events))
        lines = reference_engine.settle(document, {"hard": offers.hard, "soft": offers.soft}, limits=False)
        keys = ("player", "bet", "stake", "returned", "box", "hand")
        settled = sorted(tuple(line.get(key, 0) for key in keys) for line in lines)
        assert settled == sorted(tuple(getattr(line, key) for key in keys) for line in paid.lines), row.code
        games.add(row.game)
    assert games == set(SHEETS)


def test_x02_replayed_frames_are_what_was_live() -> None:
    """Each step as each viewer saw it, spectator included."""
    foyer = HouseInMemory(2)
    ada, bea = foyer.joined("Ada", 100_000), foyer.joined("Bea", 100_000)
    foyer.open("ventuno", "T1")
    foyer.sit(ada, "T1", 1)
    foyer.sit(bea, "T1", 2)
    live: dict[tuple[int, str], object] = {}
    inner = foyer.ask

    def watched(table: str, command: object, player: str) -> object:
        decided = inner(table, command, player)  # type: ignore[arg-type]
        room = foyer.authority.tables[table]
        for viewer in (ada, bea, ""):
            live[room.version, viewer] = build_views(room.table, viewer)
        return decided

    foyer.ask = watched  # type: ignore[method-assign, assignment]
    compared = 0
    for _ in range(5):
        foyer.round("T1", {ada: (1, 1_000), bea: (2, 1_000)})
    for row in foyer.disk.rounds:
        played = extract_round(row, foyer.disk.streams[row.stream], BY_HASH)
        for viewer in (ada, bea, ""):
            for record, *views in replay_views(played, viewer):
                if (record.seq, viewer) in live:
                    compared += 1
                    assert tuple(views) == live[record.seq, viewer]
    assert compared > 20


def test_h4_h5_what_is_others_own_is_not_told() -> None:
    """Early decisions, replaced ones and skipped follows: to their player and, audited, to the supervisor."""
    for seed in range(200):
        foyer = HouseInMemory(seed)
        ada, bea, cleo = (foyer.joined(name, 100_000) for name in ("Ada", "Bea", "Cleo"))
        foyer.open("ventuno", "T1")
        foyer.sit(ada, "T1", 1, 10_000)
        foyer.sit(bea, "T1", 2, 2_000)
        foyer.bring(cleo, "T1", 1_000)
        foyer.bet("T1", ada, 1, 1_000)
        foyer.bet("T1", bea, 2, 1_000)
        foyer.say("T1", ChooseFollow(cleo, 1, True, True, foyer.now), cleo)
        foyer.say("T1", PlaceBet(cleo, (Spot(1, "behind"),), 1_000, foyer.now), cleo)
        foyer.tick("T1")
        held = foyer.authority.tables["T1"].table
        if held.phase is not Phase.ROUND or held.round is None or held.round.stage is not Stage.PLAY:
            continue
        asked = turn(held.round)
        if asked is None or asked[0].player != ada:
            continue
        early = foyer.ask("T1", ActEarly(bea, 2, Action.DOUBLE, foyer.now), bea)
        foyer.say("T1", TakeMoney(bea, 1_000, foyer.now), bea)
        doubled = foyer.ask("T1", Act(ada, 1, Action.DOUBLE, foyer.now), ada)
        if early.answer.refused or doubled.answer.refused:
            continue
        foyer.finish("T1")
        row = foyer.disk.rounds[-1]
        played = extract_round(row, foyer.disk.streams[row.stream], BY_HASH)
        private = {"early": bea, "replaced": bea, "not-followed": cleo}
        whole = notation.read(describe_round(played, "sup", all_seeing=True).line)
        for viewer in (ada, bea, cleo, ""):
            told = describe_round(played, viewer)
            assert {step.what: step.player for step in told.steps if step.what in private} == {
                what: player for what, player in private.items() if player == viewer
            }
            own = {viewer: whole.players[viewer]} if viewer else {}
            staked = {line.player: 0 for line in told.bets}
            for line in told.bets:
                staked[line.player] += line.stake
            assert notation.read(told.line).players == {**staked, **own}, "of others what they staked, no balance"
        assert private.keys() <= {step.what for step in describe_round(played, "sup", all_seeing=True).steps}
        return
    raise AssertionError("no seed led to all three")


def test_a_timeout_shows_as_the_origin() -> None:
    for seed in range(50):
        foyer = HouseInMemory(seed)
        ada = foyer.joined("Ada", 100_000)
        foyer.open("ventuno", "T1")
        foyer.sit(ada, "T1", 1)
        foyer.bet("T1", ada, 1, 1_000)
        while foyer.authority.tables["T1"].table.phase is not Phase.RESULTS:
            foyer.now = max(foyer.now, foyer.authority.tables["T1"].table.deadline or 0)
            foyer.say("T1", Tick(foyer.now), "")
        row = foyer.disk.rounds[-1]
        told = describe_round(extract_round(row, foyer.disk.streams[row.stream], BY_HASH), ada)
        if any(step.origin == "timeout" and step.what in ("hit", "stand") for step in told.steps):
            return
    raise AssertionError("no time-out in 50 rounds")


def test_x17_statistics_are_recomputable_from_the_export() -> None:
    foyer, ada, _ = play_all_games()
    made = compute_statistics(list_lines(list_shares(foyer, ada), rounds_by_code(foyer)))
    found = export.check_export(export.encode_export(foyer.disk, foyer.now, whole=True), BY_HASH)
    assert found.is_valid, found.faults
    known = {row.code: row for row in found.data.rounds}
    again = compute_statistics(list_lines([one for one in found.data.shares if one.player == ada], known))
    assert again == made
    assert made.total.rounds == sum(one.rounds for one in made.by_game.values())
    assert made.total.net == sum(one.net for one in made.by_game.values())
    assert made.total.won + made.total.lost + made.total.even == made.total.rounds
    assert made.voided == 1


def test_x17_streaks() -> None:
    def line(number: int, net: int) -> account_history.HistoryLine:
        return account_history.HistoryLine(str(number), "g", number, 10, 10 + net, net, voided=False)

    nets = (5, 5, 0, 5, -5, -5, 0, 5)
    found = compute_statistics([line(number, net) for number, net in enumerate(nets)])
    assert found.streaks == (1, 3, 2)
    assert (found.total.best, found.total.worst) == (5, -5)


def given(*words: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    replay.arguments(parser)
    return parser.parse_args(words)


def test_replay_prints_a_round_step_by_step(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """X-02: by code and by time, in full and as a player saw it, for every game."""
    foyer, ada, _ = play_all_games()
    file = tmp_path / "export.jsonl"
    file.write_bytes(b"".join(export.encode_export(foyer.disk, foyer.now, whole=True)))
    for row in {row.game: row for row in foyer.disk.rounds}.values():
        assert replay.run(given(row.code, "--from", str(file))) == 0
        text = capsys.readouterr().out
        assert row.code in text
        assert "every payout equal" in text or row.voided
        assert replay.run(given(row.code, "--from", str(file), "--as", ada, "--json")) == 0
        shown = json.loads(capsys.readouterr().out)
        assert shown["code"] == row.code
        assert shown["session"].startswith("S")
        assert shown["participation"].startswith("P")
    with pytest.raises(Fault, match="no such round"):
        replay.run(given("T9-20260101-000000-1", "--from", str(file)))
    with pytest.raises(Fault, match="cannot be read"):
        replay.run(given("x", "--from", str(tmp_path / "nothing")))
    file.write_bytes(file.read_bytes().replace(b'"amount":1000', b'"amount":1001', 1))
    with pytest.raises(Fault, match="does not hold") as caught:
        replay.run(given("x", "--from", str(file)))
    assert caught.value.code == 1


def test_replay_reads_the_database_of_a_house(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    foyer, _, _ = play_all_games()
    disk, file = foyer.disk, tmp_path / "house.db"

    async def stored() -> None:
        store = await open_store(f"sqlite:///{file}")
        records = tuple(one for records in disk.streams.values() for one in records)
        await store.commit(Batch(records, tuple(disk.postings), (), tuple(disk.rounds), tuple(disk.shares)))
        await store.close()

    asyncio.run(stored())
    row = next(row for row in disk.rounds if not row.voided)
    assert replay.run(given(row.code, "--database", str(file))) == 0
    assert "every payout equal" in capsys.readouterr().out
    with pytest.raises(Fault, match="no such round"):
        replay.run(given("T9-1", "--database", str(file)))
    with pytest.raises(Fault, match="no such file"):
        replay.run(given(row.code, "--database", str(tmp_path / "none.db")))
    assert not (tmp_path / "none.db").exists()


def test_practice_is_not_in_the_history() -> None:
    foyer = HouseInMemory(8)
    ada = foyer.joined("Ada", 10_000)
    sheet = SHEETS["first-person"]
    table = foyer.practise(ada, sheet, cards.cards("TS 7D TC TH"))
    foyer.bet(table, ada, 1, 1_000)
    foyer.say(table, DealNow(ada, foyer.now), ada)
    foyer.say(table, Act(ada, 1, Action.STAND, foyer.now), ada)
    assert foyer.disk.rounds
    assert list_lines(list_shares(foyer, ada), rounds_by_code(foyer)) == []
