"""One evening from the first deposit to the last total, on both databases, through the doors of the house alone."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from pathlib import Path

import pytest

from tests.support.house import LIVE, OpenHouse, key
from ventuno.cli.main import main
from ventuno.core.messages.commands import Act, AllowBehind, ChooseFollow, LeaveSeat, PlaceBet, Spot
from ventuno.core.messages.refusals import Refusal
from ventuno.core.rules.money import Cents, PlayerId
from ventuno.core.table.round import Action
from ventuno.house.history import export
from ventuno.house.tables import concession
from ventuno.house.tables.authority import LiveTable
from ventuno.house.tables.chat import ChatMessage
from ventuno.house.tables.concession import RoundReported, SessionEnded
from ventuno.sheets import GAMES, load

SOLO = ("first-person", "sisal", "duello", "link")
BY_HASH = {sheet.hash: sheet for sheet in map(load, GAMES)}


class Whole:
    """The evening's visitors and the codes of its rounds."""

    def __init__(self, evening: OpenHouse) -> None:
        self.evening, self.house = evening, evening.application
        self.codes: list[tuple[PlayerId, str]] = []
        self.done: Counter[str] = Counter()
        self.seen: list[str] = []

    async def arrive(self) -> None:
        self.eva = await self.evening.supervisor()
        self.ada, self.bea, self.cleo = [await self.evening.joined(name) for name in ("Ada", "Bea", "Cleo")]
        self.players = self.ada, self.bea, self.cleo
        await self.house.tables.open(LIVE, "ventuno")
        for box, player in enumerate((self.ada, self.bea), start=1):
            await self.evening.sit(player, LIVE, box)
        await self.house.tables.bring(self.cleo, LIVE, 50_000, key())
        await self.evening.say(self.ada, LIVE, AllowBehind(self.ada, True, 0))
        await self.evening.say(self.cleo, LIVE, ChooseFollow(self.cleo, 1, True, True, 0))

    async def live(self) -> str:
        """A round of two at the live table, with a bet behind."""
        evening = self.evening
        await self.open_live()
        code = await evening.deal(LIVE, self.ada)
        self.done.update(await evening.finish(LIVE, self.players))
        self.codes.append((self.ada, code))
        return code

    async def open_live(self) -> None:
        await self.evening.betting(LIVE)
        await self.evening.bet(self.ada, LIVE, (Spot(1, "main"), Spot(1, "perfect-pairs")))
        await self.evening.bet(self.bea, LIVE, (Spot(2, "main"),), 500)
        await self.evening.bet(self.cleo, LIVE, (Spot(1, "behind"),), 200)

    async def solo(self, player: PlayerId, game: str) -> str:
        table = await self.house.tables.open_solo(player, game)
        assert isinstance(table, str), table
        boxes = range(1, (2 if game == "duello" else 5) + 1)
        spots = [Spot(box, bet) for box in boxes for bet in (("main", "link") if game == "link" else ("main",))]
        if self.evening.own_view(table, player).balance < 2_000 * len(spots):
            await self.house.tables.bring(player, table, 50_000, key())
        code, done = await self.evening.solo_round(player, table, tuple(spots))
        self.codes.append((player, code))
        self.done.update(done)
        return table


def room(evening: OpenHouse, table: str) -> LiveTable:
    return evening.application.host.authority.tables[table]


async def test_whole_evening(url: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    evening = OpenHouse(url, tmp_path / "data")
    evening.certify(*GAMES)
    await evening.open()
    whole = Whole(evening)
    await whole.arrive()
    await rounds_of_every_game(whole)
    await chat_and_mutes(whole)
    await pause_and_void(whole)
    await crash_in_mid_round(whole, "link", whole.cleo)
    await crash_at_the_live_table(whole)
    await limit_reached_in_mid_round(whole)
    await exclusion_closes_play(whole)
    await everybody_leaves(whole)
    await totals(whole)
    await rounds_replay_and_verify(whole)
    await exported(whole, tmp_path / "export.jsonl")
    await evening.application.close()
    await asyncio.to_thread(by_command, whole, capsys)


async def rounds_of_every_game(whole: Whole) -> None:
    for game in SOLO:
        await whole.solo(whole.cleo, game)
    for _ in range(3):
        await whole.live()
    wanted = ("insure", "split", "SpinWheel")
    for _ in range(150):
        if all(whole.done[word] for word in wanted):
            return
        await whole.solo(whole.ada, "link")
    raise AssertionError(f"this evening lacks something: {whole.done}")


async def chat_and_mutes(whole: Whole) -> None:
    house = whole.house
    heard: list[ChatMessage] = []
    house.chat.listen(LIVE, heard.append)
    assert isinstance(await house.chat.say(whole.ada, LIVE, "buona sera"), ChatMessage)
    assert isinstance(await house.chat.say(whole.bea, LIVE, "cazzo"), Refusal)
    assert await house.supervision.mute(whole.eva, LIVE, whole.ada, "loud", 10) is None
    assert isinstance(await house.chat.say(whole.ada, LIVE, "ancora io"), Refusal)
    assert await house.supervision.unmute(whole.eva, LIVE, whole.ada) is None
    assert [said.text for said in heard] == ["buona sera"]


async def pause_and_void(whole: Whole) -> None:
    """R-07: after a void each balance is what it was before the round."""
    evening, house = whole.evening, whole.house
    await evening.betting(LIVE)
    before = {player: await house.cashier.read_balances(player) for player in whole.players}
    await whole.open_live()
    code = await evening.deal(LIVE, whole.ada)
    assert not (await house.supervision.pause(whole.eva, LIVE, "camera fault", key())).refused
    assert evening.view(LIVE).paused == "camera fault"
    assert not (await house.supervision.resume(whole.eva, LIVE, key())).refused
    assert not (await evening.void(whole.eva, LIVE, "camera fault")).refused
    assert {player: await house.cashier.read_balances(player) for player in whole.players} == before
    whole.codes.append((whole.bea, code))
    story = await house.history.describe_round(whole.bea, code)
    assert not isinstance(story, Refusal)
    assert story.voided


async def crash_in_mid_round(whole: Whole, game: str, player: PlayerId) -> None:
    """R-03, R-06: the very card, at the very point."""
    evening = whole.evening
    table = await whole.solo(player, game)
    await evening.betting(table, player)
    await evening.bet(player, table, (Spot(1, "main"), Spot(3, "main")))
    code = await evening.deal(table, player)
    before = room(evening, table)
    await evening.crash()
    whole.house = evening.application
    after = room(evening, table)
    assert (after.table.shoe, after.table.round) == (before.table.shoe, before.table.round)
    assert await whole.house.tables.open_solo(player, game) == table
    await evening.finish(table, (player,))
    whole.codes.append((player, code))


async def crash_at_the_live_table(whole: Whole) -> None:
    """The time left is no less than before the crash, the cards are the same."""
    evening = whole.evening
    await whole.open_live()
    code = await evening.deal(LIVE, whole.ada)
    before = room(evening, LIVE).table
    if before.deadline is not None:
        evening.clock.move(3_000)
    await evening.crash()
    whole.house = evening.application
    after = room(evening, LIVE).table
    assert (after.shoe, after.spare, after.round) == (before.shoe, before.spare, before.round)
    if before.deadline is not None:
        assert after.deadline is not None
        assert after.deadline - evening.clock.now() >= before.deadline - evening.clock.now()
    await evening.finish(LIVE, whole.players)
    whole.codes.append((whole.ada, code))


async def limit_reached_in_mid_round(whole: Whole) -> None:
    """R-36: the round ends, no raise is taken."""
    evening, house = whole.evening, whole.house
    table = await house.tables.open_solo(whole.bea, "first-person")
    assert isinstance(table, str)
    await house.tables.bring(whole.bea, table, 50_000, key())
    await evening.betting(table, whole.bea)
    await evening.bet(whole.bea, table, (Spot(1, "main"),), 2_000)
    staked = (await house.cashier.read_balances(whole.bea)).in_play
    lost = await house.history.list_rounds(whole.bea)
    used = sum(line.staked for line in lost.lines if not line.voided)
    assert await house.protection.set_limit(whole.bea, "stake:day", used + staked) is None
    code = await evening.deal(table, whole.bea)
    for option in evening.own_view(table, whole.bea).options.decisions:
        if option.action in ("double", "split") and option.price:
            act = Act(whole.bea, option.box, Action(option.action), 0)
            answer = await house.tables.ask(whole.bea, table, act, key())
            assert answer.refused == "ProtectionLimit", answer
    await finish_without_raising(evening, table, whole.bea)
    whole.codes.append((whole.bea, code))
    await evening.betting(table, whole.bea)
    answer = await house.tables.ask(whole.bea, table, PlaceBet(whole.bea, (Spot(1, "main"),), 500, 0), key())
    assert answer.refused == "ProtectionLimit"


async def finish_without_raising(evening: OpenHouse, table: str, player: PlayerId) -> None:
    while evening.view(table, player).phase == "round":
        view = evening.view(table, player)
        box = view.turn.box if view.turn else 1
        word = Action.DECLINE if view.stage == "insurance" else Action.STAND
        await evening.say(player, table, Act(player, box, word, 0))


async def exclusion_closes_play(whole: Whole) -> None:
    """R-38, R-40: bets that can go back do, seats are left, nothing more is taken; the others play on."""
    evening, house = whole.evening, whole.house
    gone: list[tuple[PlayerId, str]] = []
    house.protection.watch_departures(lambda player, why: gone.append((player, why)))
    await evening.betting(LIVE)
    await evening.bet(whole.ada, LIVE, (Spot(1, "main"),))
    await evening.bet(whole.cleo, LIVE, (Spot(1, "behind"),), 200)
    assert await house.protection.exclude(whole.cleo, 30) is None
    assert gone == [(whole.cleo, "excluded")]
    assert (await house.cashier.read_balances(whole.cleo)).in_play == 0
    answer = await house.tables.ask(whole.cleo, LIVE, PlaceBet(whole.cleo, (Spot(1, "behind"),), 200, 0), key())
    assert answer.refused == "PlayExcluded"
    assert isinstance(await house.cashier.deposit(whole.cleo, 100, key()), Refusal)
    code = await evening.deal(LIVE, whole.ada)
    await evening.finish(LIVE, whole.players)
    whole.codes.append((whole.ada, code))


async def everybody_leaves(whole: Whole) -> None:
    for table in list(whole.house.host.committed):
        for player in whole.players:
            purse = room(whole.evening, table).table.purse(player)
            if purse:
                assert not (await whole.house.tables.take(player, table, purse, key())).refused
            for box in range(1, len(room(whole.evening, table).table.seats) + 1):
                if room(whole.evening, table).table.owner(box) == player:
                    await whole.house.tables.ask(player, table, LeaveSeat(player, box, 0), key())
    await whole.house.maintenance.run_once()


async def totals(whole: Whole) -> None:
    """I-1…I-3, and R-32: what was reported is what the ledger says, to the cent."""
    house, store = whole.house, whole.house.host.commits.store
    assert house.host.authority.find_faults() == []
    balances = {account: amount for account, amount in (await store.read_balances()).items() if amount}
    assert sum(balances.values()) == 0
    assert balances == {account: amount for account, amount in (await store.sum_postings()).items() if amount}
    assert balances == house.host.authority.wallet.balances()
    assert not any(account.endswith((":table", ":in-play")) for account in balances)
    events = [concession.read(one.kind, one.body) for one in await store.read_records(concession.STREAM)]
    games: dict[str, str] = {one.session: one.game for one in events if isinstance(one, concession.SessionBegun)}
    reported: Counter[str] = Counter()
    for one in events:
        if isinstance(one, SessionEnded):
            reported[games[one.session]] += one.staked - one.returned
    won = {
        account.removeprefix("house:"): amount for account, amount in balances.items() if account.startswith("house:")
    }
    assert {game: amount for game, amount in reported.items() if amount} == won
    rounds = sum(isinstance(one, RoundReported) for one in events)
    assert rounds == len(whole.codes)
    assert not house.tables._concession.state.queued


async def rounds_replay_and_verify(whole: Whole) -> None:
    house = whole.house
    for player in whole.players:
        page = await house.history.list_rounds(player, limit=1000)
        assert list(page.lines) == sorted(page.lines, key=lambda line: (line.ended, line.code), reverse=True)
        mine = [code for who, code in whole.codes if who == player]
        assert set(mine) <= {line.code for line in page.lines}
        money: Cents = sum(line.net for line in page.lines)
        assert money == (await house.cashier.read_balances(player)).free - 500_000
    for player, code in whole.codes:
        story = await house.history.describe_round(player, code)
        assert not isinstance(story, Refusal), (code, story)
        assert story.agrees is (None if story.voided else True), code
        assert story.participation, code
        verdict = await whole.evening.verdict(player, code)
        assert verdict.is_verifiable, (code, verdict)
    assert isinstance(await house.history.describe_round(whole.bea, whole.codes[0][1]), Refusal)
    assert isinstance(await house.history.read_document(whole.bea, whole.codes[0][1]), Refusal)
    assert not isinstance(await house.history.describe_round(whole.eva, whole.codes[0][1]), Refusal)


async def exported(whole: Whole, path: Path) -> None:
    """The file checks without trust, whole or public; a changed record is found."""
    await whole.house.history.export(path, whole=True)
    lines = path.read_bytes().splitlines(keepends=True)
    found = export.check_export(lines, BY_HASH)
    assert found.faults == ()
    await whole.house.history.export(path)
    public = path.read_bytes()
    assert b"sealed:" not in public
    assert b"private:" not in public
    assert export.check_export(public.splitlines(keepends=True), BY_HASH).faults == ()
    place = next(i for i, line in enumerate(lines) if b"RoundSettled" in line)
    body = json.loads(lines[place])
    body["at"] += 1
    changed = [*lines[:place], json.dumps(body, separators=(",", ":")).encode() + b"\n", *lines[place + 1 :]]
    assert not export.check_export(changed, BY_HASH).is_valid


def by_command(whole: Whole, capsys: pytest.CaptureFixture[str]) -> None:
    for player, code in (whole.codes[0], whole.codes[4], whole.codes[-1]):
        assert main(["replay", code, "--database", whole.evening.url, "--as", player]) == 0
        assert code in capsys.readouterr().out
        assert main(["verify", code, "--database", whole.evening.url]) == 0
        assert "holds" in capsys.readouterr().out
