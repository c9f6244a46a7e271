"""One way to open a house: on a clock that is moved by hand, with a quick hasher and fixed entropy.

`open_application` opens it, with an option for each thing that a test changes: the store, the clock, the games, the
tables. Whoever serves it adds to that: `in_process_house` HTTP without a network, `http_house` a port and sockets,
`channel_house` sockets without a line, `browser.live_house` a browser, `server_process` a process of its own.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import count
from pathlib import Path
from typing import Any

import msgspec

from tests.support.automatic_player import choose_from_views
from tests.support.patience import PATIENCE
from tests.support.sample_shoes import fixed_source
from ventuno import sheets
from ventuno.core.messages.commands import (
    Command,
    DealNow,
    PlaceBet,
    Spot,
    TakeSeat,
)
from ventuno.core.messages.refusals import Refusal
from ventuno.core.rules.money import Cents, PlayerId
from ventuno.core.rules.sheet import Sheet
from ventuno.core.table.round import Action
from ventuno.core.views.private_view import PrivateView
from ventuno.core.views.public_view import PublicView
from ventuno.house.accounts.players import Role
from ventuno.house.accounts.registration import Form
from ventuno.house.accounts.sessions import Entered
from ventuno.house.application import Application
from ventuno.house.config import CERTIFICATES, Config
from ventuno.house.history import export
from ventuno.house.shoes import shoe_document
from ventuno.house.shoes.entropy import EntropySource
from ventuno.house.shoes.kept import NOTHING, Kept
from ventuno.house.shoes.shoe_document import ShoeDocument
from ventuno.house.shoes.verification import VerificationResult, verify
from ventuno.house.store.clock import JumpingClock
from ventuno.house.store.durability import open_store
from ventuno.house.store.records import Batch
from ventuno.house.tables.authority import Answer, LiveTable
from ventuno.house.tables.shoe_supply import ShoeStatus
from ventuno.house.tables.table_service import VersionedView
from ventuno.sheets import GAMES, load

PASSWORD = "correct horse battery"
LIVE = "T1"
FACTOR = "JBSWY3DPEHPK3PXP"
"""The second factor of every supervisor."""
NOON = 1_790_000_000_000 // 86_400_000 * 86_400_000 + 12 * 3_600_000
PREFERRED = (Action.INSURE, Action.SPLIT)
"""What a visitor takes wherever he may, so that rounds are rich."""
_keys, _names = count(1), count(1)


def key() -> str:
    """An idempotency key that was not used before."""
    return f"key-{next(_keys):08}"


class QuickHasher:
    """Counts the work instead of doing it."""

    decoy = "decoy"

    def __init__(self) -> None:
        self.verified: list[str] = []

    def hash(self, password: str) -> str:
        return sha256(password.encode()).hexdigest()

    def verify(self, stored: str, password: str) -> bool:
        self.verified.append(stored)
        return stored == sha256(password.encode()).hexdigest()


def certify(folder: Path, *sheets: Sheet) -> Path:
    """Certificates as far as a house looks at them: named by the hash of their sheet; of all games by default."""
    (folder / CERTIFICATES).mkdir(parents=True, exist_ok=True)
    for sheet in sheets or [load(game) for game in GAMES]:
        (folder / CERTIFICATES / f"{sheet.hash}.json").write_text(json.dumps({"sheet": sheet.hash}))
    return folder


async def open_application(
    folder: Path,
    *,
    url: str = "",
    seed: str = "doors",
    certified: bool = True,
    tables: Mapping[str, str] | None = None,
    options: Mapping[str, Any] | None = None,
    **config: Any,
) -> Application:
    """A house in this folder: `tables` are opened by name and game, `config` is what a house is set up with."""
    common: dict[str, Any] = {"clock": JumpingClock(NOON), "hasher": QuickHasher(), "source": fixed_source(seed)}
    made = Config(**{**common, **config})
    if certified:
        certify(folder, *made.games.values())
    opened = await Application.open(url or f"sqlite:///{folder}/house.db", folder, made, **(options or {}))
    for name, game in (tables or {}).items():
        if name not in opened.host.authority.tables:
            answer = await opened.tables.open(name, game)
            assert not isinstance(answer, Refusal), answer
    return opened


@dataclass
class People:
    """The people of an open house: accounts, sessions, supervisors."""

    application: Application = field(init=False)

    async def joined(self, name: str = "", money: Cents = 500_000) -> PlayerId:
        """An account, with money if any is named; its key is the same in every house."""
        player = await self.application.accounts.register(Form(name or f"Visitor{next(_names)}"), PASSWORD)
        assert isinstance(player, str), player
        if money:
            done = await self.application.cashier.deposit(player, money, f"money of {player}")
            assert not isinstance(done, Refusal), done
        return player

    async def supervisor(self, name: str = "Eva") -> PlayerId:
        """A supervisor with his second factor."""
        eva = await self.joined(name, 0)
        await self.application.accounts.appoint(eva, Role.SUPERVISOR, FACTOR)
        return eva

    async def session(self, player: PlayerId, address: str = "127.0.0.1") -> Entered:
        """One more session of a player, without a login."""
        now = self.application.now()
        token, session, records = self.application.accounts._tokens.open(player, address, "test", now)
        await self.application.host.commits.commit(Batch(records=records))
        return Entered(player, token, session, 0, Batch())


@dataclass
class OpenHouse(People):
    """A house on a clock that is moved by hand, and visitors who know of it only what its doors tell."""

    url: str
    folder: Path
    source: EntropySource = field(default_factory=lambda: fixed_source("evening"))
    clock: JumpingClock = field(default_factory=lambda: JumpingClock(NOON))
    program: Path = Path(sheets.__file__).parent
    """Stands for the whole program where its files are verified (R-19)."""
    absent: set[PlayerId] = field(default_factory=set)
    shown: list[str] = field(default_factory=list)
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)

    def config(self) -> dict[str, Any]:
        """What the house is opened with."""
        return {"clock": self.clock, "source": self.source, "program": self.program}

    async def open(self, **options: Any) -> Application:
        self.application = await open_application(
            self.folder, url=self.url, certified=False, options=options, **self.config()
        )
        self.application.fairness.watch_shoes(self._cut)
        for table in self.application.host.authority.tables:
            if news := self.application.fairness.get_shoe(table):
                self._cut(news)
        return self.application

    def certify(self, *games: str) -> None:
        certify(self.folder, *map(load, games))

    async def crash(self) -> Application:
        """The process is gone: nothing is paused, no snapshot is written; its lock on the file goes with it."""
        old = self.application
        for task in [*asyncio.all_tasks() - {asyncio.current_task()}]:
            if (task.get_name() or "").startswith("ventuno-") and task.get_name() != "ventuno-writer":
                task.cancel()
        await asyncio.sleep(0)
        await old.host.commits.store.close()
        return await self.open()

    def _cut(self, news: ShoeStatus) -> None:
        """Each player's browser: a promise when it is asked, the reveal when promises are closed."""
        self.shown.append(str(news))
        for player in news.players:
            if player not in self.absent:
                task = asyncio.create_task(self._answer(news, player))
                self._tasks.add(task)
                task.add_done_callback(self._tasks.discard)

    async def _answer(self, news: ShoeStatus, player: PlayerId) -> None:
        entropy = sha256(f"{player} {news.commitment['root']}".encode()).digest()[:16]
        if news.phase == "promises" and player not in news.promised:
            await self.application.fairness.promise(player, news.table, sha256(entropy).digest())
        elif news.phase == "reveals" and player not in news.revealed:
            await self.application.fairness.reveal(player, news.table, entropy)

    async def void(self, by: PlayerId, table: str, reason: str) -> Answer:
        """Prepared and confirmed at once."""
        prepared = self.application.supervision.prepare_void(by, table, reason)
        assert not isinstance(prepared, Refusal), prepared
        return await self.application.supervision.void(by, table, reason, key(), prepared.token)

    async def until(self, what: Callable[[], bool]) -> None:
        async with asyncio.timeout(PATIENCE):
            while not what():
                await asyncio.sleep(0.001)

    async def let_cuts_end(self) -> None:
        """Before the clock jumps: what players are about to send to the cut of a table does not come too late."""
        await self.until(lambda: not any(map(self._awaits_bytes, self.application.host.authority.tables)))

    def _awaits_bytes(self, table: str) -> bool:
        """Whether a cut waits for somebody who will answer, or is about to ask: what was decided may not be durable."""
        log = self.application._shoe_supply._shoe_logs.logs.get(table)
        if log is None or log.pending is None or log.pending.entropy is not None:
            return False
        news = self.application.fairness.get_shoe(table)
        if news is None or news.commitment["root"] != log.pending.cut.commitment.root.hex():
            return True
        if news.phase == "promises" and {*news.players} <= {*news.promised}:
            return True  # the house is about to ask for what was promised
        asked, sent = (news.players, news.promised) if news.phase == "promises" else (news.promised, news.revealed)
        return not {*asked} <= {*sent, *self.absent}

    def see(self, table: str, player: PlayerId = "") -> VersionedView:
        seen = self.application.tables.see(table, player)
        assert isinstance(seen, VersionedView), seen
        return seen

    def view(self, table: str, player: PlayerId = "") -> PublicView:
        return self.see(table, player).public

    def own_view(self, table: str, player: PlayerId) -> PrivateView:
        return self.see(table, player).private

    async def say(self, player: PlayerId, table: str, command: Command) -> Answer:
        answer = await self.application.tables.ask(player, table, command, key())
        assert not answer.refused, (command, answer)
        return answer

    async def sit(self, player: PlayerId, table: str, box: int, amount: Cents = 100_000) -> None:
        answer, admission = await self.application.tables.bring(player, table, amount, key())
        assert not answer.refused, answer
        assert admission is not None
        await self.say(player, table, TakeSeat(player, box, 0))

    async def betting(self, table: str, player: PlayerId = "") -> None:
        """Until bets are taken; a live table's results run out first."""
        view = self.view(table, player)
        if view.phase == "results" and view.deadline is not None:
            await self.let_cuts_end()
            self.clock.move(max(0, view.deadline - self.application.now()) + 1)
        await self.until(lambda: self.view(table, player).phase == "betting")

    async def bet(self, player: PlayerId, table: str, spots: tuple[Spot, ...], amount: Cents = 1_000) -> None:
        await self.say(player, table, PlaceBet(player, spots, amount, 0))

    async def deal(self, table: str, player: PlayerId) -> str:
        """End betting; the code of the round."""
        if self.view(table, player).deadline is None:
            await self.say(player, table, DealNow(player, 0))
        else:
            before = self.view(table).code
            await self.let_cuts_end()
            self.clock.move(16_000)
            await self.until(lambda: self.view(table).code != before)
        return self.view(table, player).code

    async def step(self, table: str, players: tuple[PlayerId, ...]) -> set[str]:
        """One decision by whoever is asked, as his buttons allow; what it was."""
        for player in players:
            seen = self.see(table, player)
            if seen.public.phase == "round" and (
                command := choose_from_views(seen.public, seen.private, prefer=PREFERRED)
            ):
                await self.say(player, table, command)
                return {str(getattr(command, "action", type(command).__name__)), seen.public.stage}
        raise AssertionError(f"nobody can decide at {self.view(table, players[0])}")

    async def finish(self, table: str, players: tuple[PlayerId, ...]) -> set[str]:
        """Play the round to its end; every kind of decision that was made."""
        done: set[str] = set()
        while self.view(table, players[0]).phase == "round":
            done |= await self.step(table, players)
        return done

    async def solo_round(self, player: PlayerId, table: str, spots: tuple[Spot, ...]) -> tuple[str, set[str]]:
        await self.betting(table, player)
        await self.bet(player, table, spots)
        code = await self.deal(table, player)
        return code, await self.finish(table, (player,))

    async def document(self, player: PlayerId, code: str) -> ShoeDocument:
        found = await self.application.history.read_document(player, code)
        assert not isinstance(found, Refusal), found
        return shoe_document.read(json.dumps(found).encode(), GAMES)

    async def verdict(self, player: PlayerId, code: str, kept: Kept = NOTHING) -> VerificationResult:
        read = await self.document(player, code)
        return verify(read, load(read.commitment.game), self.application.key, kept)


def permuted(room: LiveTable) -> LiveTable:
    """The same table with every card that nobody has seen exchanged for another."""
    table = room.table
    assert table.shoe is not None
    shoe, play = table.shoe, table.round
    unseen = list(shoe.cards[shoe.position :])
    swapped = shoe._replace(cards=(*shoe.cards[: shoe.position], *reversed(unseen)))
    if play is not None:
        hidden = tuple((one + 17) % 52 for one in play.hidden)
        boxes = tuple(
            box if box.hidden is None or len(box.hands[0].cards) > 2 else box._replace(hidden=(box.hidden + 17) % 52)
            for box in play.boxes
        )
        play = play._replace(hidden=hidden, boxes=boxes)
    return msgspec.structs.replace(room, table=table._replace(shoe=swapped, spare=None, round=play))


async def examined(url: str) -> tuple[str, ...]:
    store = await open_store(url, exclusive=False)
    held = await export.collect(store)
    await store.close()
    return export.check_export(
        export.encode_export(held, NOON, whole=True), {one.hash: one for one in map(load, GAMES)}
    ).faults
