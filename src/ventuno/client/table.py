"""A table that one has joined: its view, always as new as the last frame, and all that can be asked of it."""

from __future__ import annotations

import asyncio
import hashlib
import secrets
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ventuno.client.connection import BUSY, BUSY_SECONDS, Connection, Json
from ventuno.client.errors import ClientError, Refused, TableGone
from ventuno.client.records import apply_changes, read_record
from ventuno.client.rounds import Decide, RoundResult, play_round
from ventuno.core.rules.frozen_record import FrozenRecord
from ventuno.core.views.private_view import PrivateView
from ventuno.core.views.public_view import PublicView


class Notice(FrozenRecord):
    """What a player is told once: docs/protocol.md has the kinds; `table` is empty where it is about no table."""

    kind: str
    table: str
    numbers: Mapping[str, Any]


class Table:
    """`public` is what everybody sees, `mine` what is one's own, options with their prices among it.

    Its commands are those of the protocol, under their names: each waits until it is done and durable, and raises
    `Refused` where the house says no. Shoes are cut by themselves.
    """

    def __init__(self, name: str, player: str, seats: int, connection: Connection) -> None:
        self.name, self.player, self.seats = name, player, seats
        self.version = -1
        self.steps = 0
        """Frames that changed the view."""
        self.shoe: Json = {}
        """The last word about the shoe: commitment, promises, receipt (docs/fairness.md)."""
        self._connection = connection
        self._trees: dict[str, Any] = {}
        self._views: dict[str, Any] = {}
        self._waiting: list[asyncio.Future[None]] = []
        self._fault: ClientError | None = None
        self._entropy = b""

    @property
    def public(self) -> PublicView:
        view: PublicView = self._read("public", PublicView)
        return view

    @property
    def mine(self) -> PrivateView:
        view: PrivateView = self._read("mine", PrivateView)
        return view

    @property
    def boxes(self) -> tuple[int, ...]:
        """The boxes at which one sits."""
        return tuple(seat.box for seat in self.public.seats if seat.player == self.player)

    @property
    def is_gone(self) -> bool:
        """Whether nothing more will be heard of it here."""
        return self._fault is not None

    async def changed(self) -> None:
        """Wait for the next change of the view."""
        if self._fault:
            raise self._fault
        change = asyncio.get_running_loop().create_future()
        self._waiting.append(change)
        await change

    async def wait_for(self, condition: Callable[[Table], bool]) -> None:
        """Wait until this is true of the table."""
        while not condition(self):
            await self.changed()

    async def play_round(self, decide: Decide, stake: int = 0, bets: Sequence[str] = ("main",)) -> RoundResult:
        """One whole round: money, a seat, the stake on each of these bets, decisions by `decide`, the settlement.

        The stake is the least that the table takes, where none is given.
        """
        return await play_round(self, decide, stake, bets)

    async def ask(self, do: str, **fields: Any) -> None:
        """Any command by its word; asked again under the same key for as long as it is not known what became of it."""
        if self._fault:
            raise self._fault
        key, command = secrets.token_urlsafe(12), {"do": do, **fields}
        while True:
            answer = await self._connection.request("ask", self.name, key=key, command=command)
            refused = answer["refused"]
            if refused is None:
                return await self._reach(answer["version"])
            if refused["code"] not in BUSY:
                raise Refused(refused["code"], refused["numbers"])
            await asyncio.sleep(refused["numbers"].get("milliseconds", 1000 * BUSY_SECONDS) / 1000)

    async def _reach(self, version: int) -> None:
        """Wait until what was done is seen; it is, but for a step that was missed."""
        while self.version < version:
            await self.changed()

    async def bring(self, amount: int) -> None:
        """Money from the account to the table; before anything else."""
        await self.ask("bring", amount=amount)

    async def take(self, amount: int) -> None:
        """Free money back to the account."""
        await self.ask("take", amount=amount)

    async def sit(self, box: int) -> None:
        await self.ask("sit", box=box)

    async def stand_up(self, box: int) -> None:
        await self.ask("stand-up", box=box)

    async def stay(self, box: int) -> None:
        """Keep a seat of `mine.warned`."""
        await self.ask("stay", box=box)

    async def allow_behind(self, allowed: bool) -> None:
        """May others bet behind one's boxes."""
        await self.ask("allow-behind", allowed=allowed)

    async def follow(self, box: int, double: bool, split: bool) -> None:
        """What one's bet behind that box follows."""
        await self.ask("follow", box=box, double=double, split=split)

    async def bet(self, spots: Sequence[tuple[int, str]], amount: int, exact: bool = False) -> None:
        """So much on each of these spots, a box and a bet; cut down to the spot's maximum unless `exact`."""
        named = [{"box": box, "bet": bet} for box, bet in spots]
        await self.ask("bet", spots=named, amount=amount, exact=exact)

    async def remove(self, spot: tuple[int, str], amount: int = 0) -> None:
        """So much off a spot; 0 is all of it."""
        await self.ask("remove", spot={"box": spot[0], "bet": spot[1]}, amount=amount)

    async def undo(self) -> None:
        """Take back the last step of one's bets."""
        await self.ask("undo")

    async def clear(self) -> None:
        """Take back all of one's bets."""
        await self.ask("clear")

    async def repeat(self, times: int = 1) -> None:
        """The bets of the last round, once or twice as high."""
        await self.ask("repeat", times=times)

    async def double(self) -> None:
        """Twice what lies there; to double a hand is a decision."""
        await self.ask("double")

    async def deal(self) -> None:
        """One's bets are final; when all are, cards are dealt."""
        await self.ask("deal")

    async def decide(self, box: int, action: str) -> None:
        await self.ask("decide", box=box, action=action)

    async def decide_all(self, action: str) -> None:
        """One insurance answer for all own boxes."""
        await self.ask("decide-all", action=action)

    async def decide_early(self, box: int, action: str | None) -> None:
        """The first decision before the turn comes; None takes it back."""
        await self.ask("decide-early", box=box, action=action)

    async def spin_wheel(self, box: int) -> None:
        await self.ask("spin-wheel", box=box)

    async def spin_board(self, box: int) -> None:
        await self.ask("spin-board", box=box)

    async def take_desk(self) -> None:
        """Become the dealer of a table whose cards are scanned; what follows is a dealer's alone."""
        await self.ask("take-desk")

    async def leave_desk(self) -> None:
        """Without a dealer the table stands still."""
        await self.ask("leave-desk")

    async def scan(self, card: str) -> None:
        """The card that `public.studio.wanted` asks for, as `TD`."""
        await self.ask("scan", card=card)

    async def unscan(self, reason: str) -> None:
        """Take back the last scan, while nothing has followed from it."""
        await self.ask("unscan", reason=reason)

    async def cut_card(self) -> None:
        """The cut card is out: the last round of this shoe."""
        await self.ask("cut-card")

    async def new_shoe(self) -> None:
        """A shuffled shoe lies ready."""
        await self.ask("new-shoe")

    async def misdeal(self, reason: str) -> None:
        """Cards went wrong: the table stands still, the supervisor is called."""
        await self.ask("misdeal", reason=reason)

    async def call_help(self, reason: str) -> None:
        """Call the supervisor; play goes on."""
        await self.ask("call-help", reason=reason)

    async def pause_desk(self) -> None:
        await self.ask("pause-desk")

    async def resume_desk(self) -> None:
        await self.ask("resume-desk")

    async def say(self, text: str) -> None:
        """A message in the chat. It has no key: `LineLost` where nobody knows whether it was heard."""
        answer = await self._connection.request("say", self.name, repeatable=False, text=text)
        if refused := answer["refused"]:
            raise Refused(refused["code"], refused["numbers"])

    async def leave(self) -> None:
        """Stop watching; seats, bets and money stay where they are."""
        self._connection.forget(self.name)
        self.end(TableGone(self.name, "left"))
        await self._connection.request("part", self.name)

    def hear(self, message: Json) -> list[Json]:
        """A frame about this table has its effect; what is to be sent because of it."""
        match message["type"]:
            case "table":
                self._trees = {"public": message["public"], "mine": message["mine"]}
                self._show(message["version"])
            case "step" if message["after"] == self.version:
                for part in ("public", "mine"):
                    self._trees[part] = apply_changes(self._trees[part], message.get(part, ()))
                self._show(message["version"])
            case "step" if message["version"] > self.version:
                return [{"type": "join"}]
            case "shoe":
                self.shoe = message
                return self._cut(message)
            case _:
                pass
        return []

    def end(self, fault: ClientError) -> None:
        """Nothing will be heard of this table any more."""
        self._fault = self._fault or fault
        for change in self._release():
            change.set_exception(fault)

    def _show(self, version: int) -> None:
        self.version, self.steps = version, self.steps + 1
        self._views.clear()
        for change in self._release():
            change.set_result(None)

    def _release(self) -> list[asyncio.Future[None]]:
        waiting, self._waiting = self._waiting, []
        return [change for change in waiting if not change.done()]

    def _read(self, part: str, kind: type[Any]) -> Any:
        """Typed views are read from the tree when somebody looks, once for each change."""
        if part not in self._views:
            self._views[part] = read_record(kind, self._trees[part])
        return self._views[part]

    def _cut(self, shoe: Json) -> list[Json]:
        """The house shuffles, the players cut: promise a hash of bytes, reveal them when all are fixed (X-01)."""
        if self.player not in shoe["players"]:
            return []
        is_promised = self.player in shoe["promised"]
        if shoe["phase"] == "promises" and not is_promised:
            self._entropy = secrets.token_bytes(16)
            return [{"type": "promise", "table": self.name, "digest": self._digest()}]
        if shoe["phase"] == "reveals" and is_promised and self.player not in shoe["revealed"]:
            own = {"player": self.player, "promise": self._digest()}
            if own in shoe["promises"]["listed"]["promises"]:
                return [{"type": "reveal", "table": self.name, "entropy": self._entropy.hex()}]
        return []

    def _digest(self) -> str:
        return hashlib.sha256(self._entropy).hexdigest()
