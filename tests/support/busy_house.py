"""A house in which something has happened, and one call of every kind: what the generated tests go through.

`CALLS` names every operation of the OpenAPI document, who may call it, and how; an operation that is not named here
fails the tests.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import count
from typing import Any
from urllib.parse import quote

import httpx

from tests.support.automatic_player import choose_from_views
from tests.support.house import PASSWORD, key
from tests.support.in_process_house import InProcessHouse
from ventuno.core.messages.commands import DealNow, PlaceBet, Spot
from ventuno.core.rules.money import PlayerId
from ventuno.core.table.round import Action
from ventuno.house.accounts.players import Role
from ventuno.house.accounts.second_factor import encode_secret
from ventuno.house.tables.table_service import VersionedView

SECRET = encode_secret(b"12345678901234567890")
_names = count(1)


class Who(StrEnum):
    """Everybody there is. `unenrolled` is a supervisor who has no second factor yet."""

    ANONYMOUS = "anonymous"
    OWNER = "owner"
    OTHER = "other"
    UNENROLLED = "unenrolled"
    SUPERVISOR = "supervisor"
    SUPPORT = "support"
    PIT = "pit"
    AUDITOR = "auditor"
    DEALER = "dealer"


ALL_STAFF = (Who.SUPPORT, Who.PIT, Who.AUDITOR)
STAFF = (Who.SUPERVISOR, Who.SUPPORT, Who.PIT, Who.AUDITOR, Who.DEALER)


@dataclass
class World:
    """Ada has played a round at a table of her own, and has a token; the rest of the house is empty."""

    entrance: InProcessHouse
    ada: PlayerId = ""
    solo: str = ""
    practice: str = ""
    code: str = ""
    tables: list[str] = field(default_factory=list)

    async def begin(self) -> World:
        await self.open_table()
        self.ada = await self.entrance.joined("Ada", 500_000)
        self.solo = await self.table(self.ada)
        self.code = await self.round(self.ada, self.solo)
        await self.entrance.application.accounts.declare_bot(self.ada)
        await self.entrance.application.accounts.give_access_token(self.ada, "ladder", 1)
        self.practice = await self.entrance.application.tables.open_practice(self.ada, "duello")
        return self

    async def open_table(self) -> None:
        self.tables.append(f"T{len(self.tables)}")
        await self.entrance.application.tables.open(self.tables[-1], "ventuno")

    async def table(self, player: PlayerId, game: str = "first-person") -> str:
        application = self.entrance.application
        table = await application.tables.open_solo(player, game)
        assert isinstance(table, str), table
        answer, _ = await application.tables.bring(player, table, 50_000, key())
        assert not answer.refused, answer
        return table

    async def round(self, player: PlayerId, table: str) -> str:
        """One round at a table for one, from its cut to its end; its code."""
        application = self.entrance.application
        await self.until(lambda: self.seen(table, player).public.phase == "betting" or self.cut(table))
        if self.cut(table):
            await application.fairness.reveal(player, table, bytes(range(16)))
        await self.until(lambda: self.seen(table, player).public.phase == "betting")
        await self.say(player, table, PlaceBet(player, (Spot(1, "main"),), 1_000, 0))
        await self.say(player, table, DealNow(player, 0))
        code = self.seen(table, player).public.code
        while self.seen(table, player).public.phase == "round":
            seen = self.seen(table, player)
            command = choose_from_views(seen.public, seen.private, prefer=(Action.STAND, Action.FOLD))
            await self.say(player, table, command)
        return code

    def cut(self, table: str) -> bool:
        news = self.entrance.application.fairness.get_shoe(table)
        return news is not None and news.phase in ("promises", "reveals")

    async def say(self, player: PlayerId, table: str, command: Any) -> None:
        answer = await self.entrance.application.tables.ask(player, table, command, key())
        assert not answer.refused, answer

    def seen(self, table: str, player: PlayerId = "") -> VersionedView:
        found = self.entrance.application.tables.see(table, player)
        assert isinstance(found, VersionedView), found
        return found

    async def until(self, what: Callable[[], bool]) -> None:
        for _ in range(60_000):
            if what():
                return
            await asyncio.sleep(0.001)
        raise AssertionError("it does not come")

    async def supervisor(self, *, enrolled: bool = True, role: Role = Role.SUPERVISOR) -> PlayerId:
        application = self.entrance.application
        player = await self.entrance.joined(f"Eva-{next(_names)}")
        factor = SECRET if enrolled else ""
        reception, now = application.accounts._login, application.now()
        await application.host.commits.commit(reception.give_role(player, role, "house", now, factor))
        return player

    async def visit(self, who: Who, *, ada: bool = False) -> tuple[PlayerId, httpx.AsyncClient]:
        """Somebody with a session of his own; every visit is a new one, and a new person but for Ada."""
        if who is Who.ANONYMOUS:
            return "", self.entrance.client()
        if who is Who.UNENROLLED:
            player = await self.supervisor(enrolled=False)
        elif who in STAFF:
            player = await self.supervisor(role=Role(who))
        elif who is Who.OWNER and ada:
            player = self.ada
        else:
            player = await self.entrance.joined(f"Bea-{next(_names)}", 10_000)
        if who in (Who.SUPERVISOR, Who.PIT):
            await self.open_table()
        return player, self.entrance.client(await self.entrance.token(player))


class Rule(StrEnum):
    EVERYBODY = "everybody"
    KNOWN = "known"
    PRESENT = "present"
    """Also who has yet to enrol."""
    OWNER = "owner"
    """Nobody but the owner; `strange` is what others are told."""
    AUDITED = "audited"
    """The owner, and supervisors, whose look is written down."""
    STAFF = "staff"


Made = Callable[[World, PlayerId], Any]


@dataclass(frozen=True)
class Call:
    """`code` is what a permitted caller is told where the call as it is made here is refused for another reason."""

    rule: Rule
    values: Made = lambda _world, _who: {}
    body: Made | None = None
    keyed: bool = False
    query: Mapping[str, str] = field(default_factory=dict)
    code: str = ""
    strange: str = ""
    codes: Mapping[Who, str] = field(default_factory=dict)
    roles: tuple[Who, ...] = ()
    """Who of the staff may call it beside supervisors."""

    def request(self, operation: str, world: World, player: PlayerId) -> dict[str, Any]:
        method, _, path = operation.partition(" ")
        found: Mapping[str, str] = self.values(world, player)
        for name, value in found.items():
            path = path.replace(f"{{{name}}}", quote(value, safe=""))
        assert "{" not in path, f"{operation}: no value for its path"
        made: dict[str, Any] = {"method": method, "url": path, "params": self.query or None}
        if self.body:
            made["json"] = self.body(world, player)
        if self.keyed:
            made["headers"] = {"Idempotency-Key": key()}
        return made

    def expected(self, who: Who) -> str:
        """`ok`, or the code of the refusal."""
        fine = self.codes.get(who) or self.codes.get(Who.SUPERVISOR if who in STAFF else who) or self.code or "ok"
        if self.rule is Rule.EVERYBODY:
            return fine
        if who is Who.ANONYMOUS:
            return "NotKnown"
        if who is Who.UNENROLLED and self.rule is not Rule.PRESENT:
            return "SecondFactorMissing"
        match self.rule:
            case Rule.STAFF:
                if who not in STAFF:
                    return "NotSupervisor"
                return fine if who is Who.SUPERVISOR or who in self.roles else "RightMissing"
            case Rule.OWNER:
                return fine if who is Who.OWNER else self.strange
            case Rule.AUDITED:
                return self.strange if who is Who.OTHER else fine
            case _:
                return fine


def named(**values: str) -> Made:
    return lambda _world, _who: values


def sent(**body: Any) -> Made:
    return lambda _world, _who: body


def fresh(world: World, _who: PlayerId) -> dict[str, str]:
    del world
    return {"name": f"Cleo-{next(_names)}", "password": PASSWORD}


def own_session(world: World, _who: PlayerId) -> dict[str, str]:
    held = world.entrance.application.accounts.list_sessions(world.ada)
    return {"session": held[0].id if held else "0" * 16}


def own_token(world: World, _who: PlayerId) -> dict[str, str]:
    held = world.entrance.application.accounts.list_access_tokens(world.ada)
    return {"token": held[0].id if held else "0" * 16}


def round_code(world: World, _who: PlayerId) -> dict[str, str]:
    return {"code": world.code}


def solo_table(world: World, _who: PlayerId) -> dict[str, str]:
    return {"table": world.solo}


def solo_shoe(world: World, _who: PlayerId) -> dict[str, str]:
    return {"table": world.solo, "shoe": "1"}


def practice_table(world: World, _who: PlayerId) -> dict[str, str]:
    return {"table": world.practice}


def tomorrow(world: World, _who: PlayerId) -> dict[str, int]:
    return {"until": world.entrance.application.now() + 2 * 86_400_000}


def of_ada(world: World, _who: PlayerId) -> dict[str, str]:
    return {"player": world.ada}


def free_table(world: World, _who: PlayerId) -> dict[str, str]:
    """A table at which nothing has happened yet; the newest one."""
    return {"table": world.tables[-1]}


def new_table(world: World, _who: PlayerId) -> dict[str, str]:
    del world
    return {"table": f"Sala {next(_names)}", "game": "ventuno", "reason": "a full house"}


WHY = sent(reason="a test")
LIMIT = named(name="deposit:day")
CALLS: dict[str, Call] = {
    "POST /api/guest": Call(Rule.EVERYBODY),
    "POST /api/register": Call(Rule.EVERYBODY, body=fresh),
    "POST /api/login": Call(Rule.EVERYBODY, body=sent(name="Ada", password=PASSWORD)),
    "POST /api/password/reset": Call(
        Rule.EVERYBODY,
        body=sent(name="Ada", reset_code="0000-0000-0000", password=PASSWORD),
        code="WrongResetCode",
        codes={Who.DEALER: "TryLater"},
    ),
    "POST /api/guest/upgrade": Call(Rule.KNOWN, body=fresh, code="NotAGuest"),
    "POST /api/logout": Call(Rule.PRESENT),
    "POST /api/ticket": Call(Rule.KNOWN),
    "GET /api/sessions": Call(Rule.KNOWN),
    "DELETE /api/sessions": Call(Rule.KNOWN),
    "DELETE /api/sessions/{session}": Call(Rule.OWNER, values=own_session, strange="NoSuchSession"),
    "POST /api/password/mail": Call(Rule.EVERYBODY, body=sent(name="Ada"), code="NoMail"),
    "PUT /api/mail": Call(
        Rule.KNOWN, body=sent(mail="ada@example.org", password="not this one"), code="WrongCredentials"
    ),
    "PUT /api/password": Call(Rule.KNOWN, body=sent(old="not this one", new=PASSWORD), code="WrongCredentials"),
    "POST /api/second-factor": Call(Rule.PRESENT, body=sent(), codes={Who.SUPERVISOR: "SecondFactorNeeded"}),
    "POST /api/second-factor/confirmation": Call(Rule.PRESENT, body=sent(code="000000"), code="NothingOffered"),
    "POST /api/second-factor/removal": Call(
        Rule.PRESENT,
        body=sent(code="000000"),
        code="NothingOffered",
        codes={Who.SUPERVISOR: "SecondFactorKept", Who.UNENROLLED: "SecondFactorKept"},
    ),
    "PUT /api/bot": Call(Rule.KNOWN, codes=dict.fromkeys(STAFF, "NotDeclarable")),
    "GET /api/tokens": Call(Rule.KNOWN),
    "POST /api/tokens": Call(Rule.KNOWN, body=sent(label="a test"), code="NotDeclared", codes={Who.DEALER: "ok"}),
    "DELETE /api/tokens/{token}": Call(Rule.OWNER, values=own_token, strange="NoSuchToken"),
    "GET /api/me": Call(Rule.KNOWN),
    "GET /api/settings": Call(Rule.KNOWN),
    "PATCH /api/settings": Call(Rule.KNOWN, body=sent(general={"language": "en"})),
    "GET /api/protection": Call(Rule.KNOWN),
    "PUT /api/protection/limits/{name}": Call(Rule.KNOWN, values=LIMIT, body=sent(amount=5_000)),
    "POST /api/protection/limits/{name}/confirmation": Call(Rule.KNOWN, values=LIMIT, code="NothingAsked"),
    "PUT /api/protection/reality-check": Call(Rule.KNOWN, body=sent(minutes=30)),
    "POST /api/protection/reality-check/acknowledgement": Call(Rule.KNOWN),
    "POST /api/protection/cool-off": Call(Rule.KNOWN, body=tomorrow),
    "POST /api/protection/exclusion": Call(Rule.KNOWN, body=sent(days=30)),
    "DELETE /api/protection/exclusion": Call(Rule.KNOWN, code="NothingAsked"),
    "GET /api/cashier": Call(Rule.KNOWN),
    "POST /api/cashier/deposits": Call(Rule.KNOWN, body=sent(amount=500), keyed=True),
    "POST /api/cashier/withdrawals": Call(Rule.KNOWN, body=sent(amount=10**11), keyed=True, code="FundsMissing"),
    "GET /api/cashier/transactions": Call(Rule.KNOWN),
    "GET /api/lobby": Call(Rule.EVERYBODY),
    "GET /api/games": Call(Rule.EVERYBODY),
    "GET /api/games/{game}": Call(Rule.EVERYBODY, values=named(game="link")),
    "GET /api/games/{game}/certificate": Call(Rule.EVERYBODY, values=named(game="link")),
    "POST /api/solo/{game}": Call(Rule.KNOWN, values=named(game="sisal")),
    "POST /api/practice": Call(Rule.KNOWN, body=sent(game="duello")),
    "GET /api/practice": Call(Rule.KNOWN),
    "DELETE /api/practice/{table}": Call(Rule.OWNER, values=practice_table, strange="NoSuchTable"),
    "GET /api/history": Call(Rule.KNOWN),
    "GET /api/history/{code}": Call(Rule.AUDITED, values=round_code, strange="NoSuchRound"),
    "GET /api/rounds/{code}/steps": Call(Rule.AUDITED, values=round_code, strange="NoSuchRound"),
    "GET /api/statistics": Call(Rule.KNOWN),
    "GET /api/verify/{code}": Call(Rule.AUDITED, values=round_code, strange="NoSuchRound"),
    "GET /api/tables/{table}/proofs": Call(Rule.OWNER, values=solo_table, strange="NoSuchTable"),
    "GET /api/tables/{table}/receipt": Call(Rule.OWNER, values=solo_table, strange="NoSuchTable"),
    "GET /api/tables/{table}/shoes": Call(Rule.OWNER, values=solo_table, strange="NoSuchTable"),
    "GET /api/tables/{table}/shoes/{shoe}": Call(Rule.OWNER, values=solo_shoe, strange="NoSuchTable"),
    "GET /api/tables/{table}/consistency": Call(
        Rule.OWNER, values=solo_table, query={"old": "1", "size": "2"}, strange="NoSuchTable"
    ),
    "GET /api/fairness": Call(Rule.EVERYBODY),
    "GET /api/odds/{game}": Call(Rule.EVERYBODY, values=named(game="sisal")),
    "POST /api/odds/{game}": Call(
        Rule.EVERYBODY, values=named(game="duello"), body=sent(switches={"duel.qualify": "14"})
    ),
    "GET /api/statistics/play": Call(Rule.KNOWN, query={"limit": "2"}),
    "GET /api/tables/{table}/advice": Call(Rule.OWNER, values=solo_table, strange="NoSuchTable"),
    "GET /api/studio": Call(Rule.STAFF, roles=(Who.DEALER,)),
    "POST /api/studio/{table}/scan": Call(
        Rule.STAFF,
        roles=(Who.DEALER,),
        values=free_table,
        body=lambda _world, _who: {"card": "TD", "key": key()},
        code="NoDesk",
    ),
    "GET /api/supervisor/tables": Call(Rule.STAFF, roles=ALL_STAFF),
    "GET /api/supervisor/tables/{table}": Call(Rule.STAFF, roles=ALL_STAFF, values=solo_table),
    "POST /api/supervisor/tables/{table}/pause": Call(
        Rule.STAFF, roles=(Who.PIT,), values=free_table, body=WHY, keyed=True
    ),
    "POST /api/supervisor/tables/{table}/resumption": Call(
        Rule.STAFF, roles=(Who.PIT,), values=free_table, keyed=True, code="WrongPhase"
    ),
    "POST /api/supervisor/tables/{table}/void/preparation": Call(
        Rule.STAFF, roles=(Who.PIT,), values=free_table, body=WHY, code="NothingToVoid"
    ),
    "POST /api/supervisor/tables/{table}/void": Call(
        Rule.STAFF,
        roles=(Who.PIT,),
        values=free_table,
        body=sent(reason="why", confirm="0" * 32),
        keyed=True,
        code="NotConfirmed",
    ),
    "PUT /api/supervisor/tables/{table}/limits": Call(
        Rule.STAFF,
        roles=(Who.PIT,),
        values=free_table,
        body=sent(limits={"main": {"least": 100, "most": 200}}, reason="why"),
        keyed=True,
    ),
    "POST /api/supervisor/tables/{table}/closing": Call(
        Rule.STAFF, roles=(Who.PIT,), values=free_table, body=WHY, keyed=True
    ),
    "POST /api/supervisor/tables/{table}/mutes": Call(
        Rule.STAFF,
        roles=(Who.SUPPORT, Who.PIT),
        values=solo_table,
        body=lambda world, _: {"player": world.ada, "reason": "why", "minutes": 1},
    ),
    "DELETE /api/supervisor/tables/{table}/mutes/{player}": Call(
        Rule.STAFF, roles=(Who.SUPPORT, Who.PIT), values=lambda world, _: {"table": world.solo, "player": world.ada}
    ),
    "GET /api/supervisor/audit": Call(Rule.STAFF, roles=(Who.AUDITOR,)),
    "GET /api/supervisor/signals": Call(Rule.STAFF, roles=(Who.AUDITOR,)),
    "POST /api/supervisor/links": Call(
        Rule.STAFF, body=lambda world, who: {"first": world.ada, "second": who or "1", "reason": "why"}
    ),
    "POST /api/supervisor/links/removal": Call(
        Rule.STAFF,
        body=lambda world, who: {"first": world.ada, "second": who or "1", "reason": "why"},
        code="LinkUnfit",
    ),
    "POST /api/supervisor/players/{player}/logout": Call(Rule.STAFF, roles=(Who.SUPPORT,), values=of_ada, body=WHY),
    "POST /api/supervisor/players/{player}/closing": Call(Rule.STAFF, roles=(Who.SUPPORT,), values=of_ada, body=WHY),
    "POST /api/supervisor/players/{player}/opening": Call(Rule.STAFF, roles=(Who.SUPPORT,), values=of_ada, body=WHY),
    "POST /api/supervisor/players/{player}/erasure": Call(
        Rule.STAFF, roles=(Who.SUPPORT,), values=of_ada, body=WHY, code="NotErasable"
    ),
    "POST /api/supervisor/players/{player}/reset-code": Call(Rule.STAFF, roles=(Who.SUPPORT,), values=of_ada, body=WHY),
    "GET /api/supervisor/rounds": Call(Rule.STAFF, roles=ALL_STAFF, query={"day": "1790000000000", "time": "12:00:00"}),
    "GET /api/supervisor/corrections": Call(Rule.STAFF, roles=(Who.AUDITOR,)),
    "POST /api/supervisor/corrections": Call(
        Rule.STAFF,
        body=lambda world, _: {"code": world.code, "amounts": {world.ada: 100}, "reason": "why"},
        codes={Who.SUPERVISOR: "ok"},
    ),
    "POST /api/supervisor/corrections/{number}/confirmation": Call(
        Rule.STAFF, values=named(number="77"), code="NoSuchCorrection"
    ),
    "POST /api/supervisor/corrections/{number}/withdrawal": Call(
        Rule.STAFF, values=named(number="77"), body=WHY, code="NoSuchCorrection"
    ),
    "GET /api/supervisor/players": Call(Rule.STAFF, roles=(Who.SUPPORT, Who.AUDITOR), query={"name": "Ada"}),
    "GET /api/supervisor/players/{player}": Call(Rule.STAFF, roles=(Who.SUPPORT, Who.AUDITOR), values=of_ada),
    "GET /api/supervisor/turnover": Call(
        Rule.STAFF, roles=(Who.AUDITOR,), query={"first": "1790000000000", "last": "1790000000000"}
    ),
    "GET /api/supervisor/rounds/{code}/video": Call(
        Rule.STAFF, roles=(Who.AUDITOR,), values=lambda world, _: {"code": world.code}
    ),
    "GET /api/supervisor/rounds/{code}/video.webm": Call(
        Rule.STAFF, roles=(Who.AUDITOR,), values=lambda world, _: {"code": world.code}, code="NoRecording"
    ),
    "GET /api/supervisor/export": Call(Rule.STAFF, roles=(Who.AUDITOR,)),
    "POST /api/supervisor/tables": Call(Rule.STAFF, roles=(Who.PIT,), body=new_table),
    "POST /api/supervisor/announcements": Call(
        Rule.STAFF,
        roles=(Who.SUPPORT, Who.PIT),
        body=sent(text="The room closes at midnight."),
        codes={Who.SUPPORT: "AnnouncedJustNow", Who.PIT: "AnnouncedJustNow"},
    ),
    "GET /api/supervisor/manifest": Call(Rule.STAFF, roles=ALL_STAFF),
    "GET /api/supervisor/players/{player}/data": Call(Rule.STAFF, values=of_ada, roles=(Who.SUPPORT,)),
    "GET /api/supervisor/staff": Call(Rule.STAFF, roles=(Who.AUDITOR,)),
    "POST /api/supervisor/staff": Call(
        Rule.STAFF, body=lambda _, who: {"player": who or "1", "role": "pit", "reason": "why"}, code="OwnAccount"
    ),
    "POST /api/supervisor/staff/{player}/removal": Call(Rule.STAFF, values=of_ada, body=WHY, code="NotHired"),
    "POST /api/supervisor/manifest/inspection": Call(Rule.STAFF, roles=(Who.AUDITOR,)),
}


def operations(document: Mapping[str, Any]) -> list[str]:
    """Every operation of an OpenAPI document, as `GET /path`."""
    return [f"{method.upper()} {path}" for path, held in document["paths"].items() for method in held]
