"""What a client may send over the socket: one frame, one message; `type` says which."""

from __future__ import annotations

from dataclasses import MISSING, fields
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, TypeAlias

from pydantic import AfterValidator, ConfigDict, Field, TypeAdapter

from ventuno.core.messages import commands
from ventuno.core.messages.commands import Command
from ventuno.core.rules.money import PlayerId
from ventuno.core.table.round import Action
from ventuno.web.messages.fields import (
    STRICT,
    Amount,
    AmountOrAll,
    BetName,
    BoxNumber,
    CardText,
    DeskReason,
    Entropy,
    Hex32,
    Hex64,
    Key,
    Message,
    MessageId,
    TableName,
    Version,
    read_doc,
)


class Strict(Message):
    __pydantic_config__: ClassVar[ConfigDict] = STRICT


class Spot(Strict):
    """Where a bet lies: `main`, `behind`, `perfect-pairs`, `21+3`, `dealer-pair` (box 0), `2-up`, `link`."""

    box: BoxNumber
    bet: BetName


# What is asked of a table. A message is a command of the rules without what a client has no say in: who asks is known
# from the session, the time is the house's, and so are a VIP level and the outcome of a spin.

AnySpot = Annotated[Spot, AfterValidator(lambda spot: commands.Spot(spot.box, spot.bet))]
COMMANDS: dict[str, tuple[Any, dict[str, Any]]] = {
    "sit": (commands.TakeSeat, {"box": BoxNumber}),
    "stay": (commands.KeepSeat, {"box": BoxNumber}),
    "stand-up": (commands.LeaveSeat, {"box": BoxNumber}),
    "bring": (commands.BringMoney, {"amount": Amount}),
    "take": (commands.TakeMoney, {"amount": Amount}),
    "allow-behind": (commands.AllowBehind, {"allowed": bool}),
    "follow": (commands.ChooseFollow, {"box": BoxNumber, "double": bool, "split": bool}),
    "bet": (
        commands.PlaceBet,
        {"spots": Annotated[tuple[AnySpot, ...], Field(min_length=1, max_length=40)], "amount": Amount, "exact": bool},
    ),
    "remove": (commands.RemoveBet, {"spot": AnySpot, "amount": AmountOrAll}),
    "undo": (commands.UndoBet, {}),
    "clear": (commands.ClearBets, {}),
    "repeat": (commands.RepeatBets, {"times": Annotated[int, Field(ge=1, le=2)]}),
    "double": (commands.DoubleBets, {}),
    "deal": (commands.DealNow, {}),
    "decide": (commands.Act, {"box": BoxNumber, "action": Action}),
    "decide-all": (commands.ActAll, {"action": Action}),
    "decide-early": (commands.ActEarly, {"box": BoxNumber, "action": Action | None}),
    "spin-wheel": (commands.SpinWheel, {"box": BoxNumber}),
    "spin-board": (commands.SpinBoard, {"box": BoxNumber}),
    "take-desk": (commands.TakeDesk, {}),
    "leave-desk": (commands.LeaveDesk, {}),
    "scan": (commands.ScanCard, {"card": CardText}),
    "unscan": (commands.TakeBackScan, {"reason": DeskReason}),
    "cut-card": (commands.ShowCutCard, {}),
    "new-shoe": (commands.DeclareShoe, {}),
    "misdeal": (commands.DeclareMisdeal, {"reason": DeskReason}),
    "call-help": (commands.CallHelp, {"reason": DeskReason}),
    "pause-desk": (commands.PauseDesk, {}),
    "resume-desk": (commands.ResumeDesk, {}),
}
"""Each command by its word `do`, with the fields that a client fills in; defaults are those of the rules."""
ROUND_COMMANDS = ("decide", "decide-all", "decide-early", "spin-wheel", "spin-board", "scan", "unscan", "misdeal")
"""What is asked while a round is open: others wait for it."""
HOUSE_FIELDS = {"at": 0, "segment": "", "locks": {}}
"""What the house fills in later."""


def make_message(word: str, command: Any, client_fields: dict[str, Any]) -> type:
    """The message of one command: strict, closed, named and described as the command is."""
    defaults = {part.name: part.default for part in fields(command) if part.default is not MISSING}
    content = {name: defaults[name] for name in client_fields if name in defaults}
    content |= {"do": word, "__annotations__": {**client_fields, "do": Literal[word]}}
    if doc := read_doc(command):
        content["__doc__"] = doc.partition("\n")[0]
    return type(command.__name__, (Strict,), content)


if TYPE_CHECKING:
    TableCommand: TypeAlias = Any
else:
    messages = (make_message(word, *parts) for word, parts in COMMANDS.items())
    TableCommand = Annotated[reduce(or_, messages), Field(discriminator="do")]


_HOUSE_VALUES = {
    word: {part.name: HOUSE_FIELDS[part.name] for part in fields(command) if part.name in HOUSE_FIELDS}
    for word, (command, _) in COMMANDS.items()
}


def to_command(player: PlayerId, message: TableCommand) -> Command:
    """The command of the rules that a message of this player asks for."""
    command, client_fields = COMMANDS[message.do]
    client_values = {name: getattr(message, name) for name in client_fields}
    complete: Command = command(player=player, **_HOUSE_VALUES[message.do], **client_values)
    return complete


# The messages themselves.


class AboutTable(Strict):
    id: MessageId
    table: TableName


class Join(AboutTable):
    """Watch a table. With the last version one has the missing steps come, or else a fresh view."""

    version: Version | None = None
    type: Literal["join"] = "join"


class Part(AboutTable):
    """Stop watching a table. Seats, bets and money stay where they are."""

    type: Literal["part"] = "part"


class Ask(AboutTable):
    """Ask something of a table; `key` makes asking again harmless."""

    key: Key
    command: TableCommand
    type: Literal["ask"] = "ask"


class Say(AboutTable):
    """A message in the chat of a table (V-62)."""

    text: Annotated[str, Field(min_length=1, max_length=400)]
    type: Literal["say"] = "say"


class Promise(AboutTable):
    """SHA-256 of the bytes with which I shall cut the shoe that is being made (X-01).

    `key` and `signature` are of a key of my own, if I have one: both or neither.
    """

    digest: Hex32
    key: Hex32 | None = None
    signature: Hex64 | None = None
    type: Literal["promise"] = "promise"


class Reveal(AboutTable):
    """The bytes themselves; at a table for one also without a promise."""

    entropy: Entropy
    type: Literal["reveal"] = "reveal"


class Pong(Strict):
    """The answer to a ping: how the house measures the lag it credits (X-15)."""

    nonce: MessageId
    type: Literal["pong"] = "pong"


ClientMessage = Annotated[Join | Part | Ask | Say | Promise | Reveal | Pong, Field(discriminator="type")]
client_message: TypeAdapter[ClientMessage] = TypeAdapter(ClientMessage)
"""Reads a frame: `client_message.validate_json(text)`."""
