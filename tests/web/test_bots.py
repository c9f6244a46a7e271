"""The house's own players: seen as bots, leaving room, playing at once, and somebody to bet behind (X-09)."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import Any

import pytest

from tests.support.in_process_house import InProcessHouse
from tests.support.patience import PATIENCE
from tests.support.server_process import ServerProcess, example, hurry_bots, running
from tests.support.stopwatch import Stopwatch
from ventuno.core.messages.refusals import Refusal
from ventuno.house.accounts import text_rules
from ventuno.house.accounts.players import Role
from ventuno.web.bots import BUY_IN, FREE, Bot, choose_action

LIVE = "Ventuno 1"
SEATS = 7
SOON = 20.0
BOTS = ("7", "8")


class Newcomer(example().Bot):  # type: ignore[misc]
    """The example's own client, that only watches until it is told what to do."""

    async def until(self, wanted: Any, seconds: float = PATIENCE) -> Any:
        async with asyncio.timeout(seconds):
            while not (found := self.version >= 0 and wanted()):
                await self.hear()
        return found


async def newcomer(house: ServerProcess) -> Newcomer:
    import httpx
    from websockets.asyncio.client import connect
    from websockets.typing import Origin

    headers = {"X-Ventuno": "1", "Origin": house.url}
    async with httpx.AsyncClient(base_url=house.url, headers=headers) as http:
        await http.post("/api/guest")
        await http.post("/api/cashier/deposits", json={"amount": 50_000}, headers={"Idempotency-Key": "newcomer-1"})
        ticket = (await http.post("/api/ticket")).json()["ticket"]
        cookie = "; ".join(f"{name}={value}" for name, value in http.cookies.items())
    address = f"{house.url.replace('http', 'ws', 1)}/socket?ticket={ticket}"
    line = await connect(address, origin=Origin(house.url), additional_headers={"Cookie": cookie})
    made = Newcomer(line, LIVE, SEATS, True)
    await made.send(type="join", id="join", table=LIVE)
    return made


async def test_a_newcomer_sees_play_at_once_and_bets_behind_a_bot(tmp_path: Path) -> None:
    """From the first bet of the bots to their first cards, and his own bet behind in that same round."""
    with running(tmp_path, "--bots", "3") as house:
        guest = await newcomer(house)
        with Stopwatch() as watch:
            await guest.until(lambda: guest.public["phase"] == "betting" and guest.public["deadline"])
            assert not await guest.ask({"do": "bring", "amount": 20_000})
            box = guest.public["seats"][0]["box"]
            assert not await guest.ask({"do": "bet", "spots": [{"box": box, "bet": "behind"}], "amount": 500})
            await guest.until(lambda: any(box["hands"] for box in guest.public["boxes"]))
            assert watch.seconds < SOON
        people = [one for name, one in guest.public["people"].items() if name != guest.me]
        assert len(people) == 3
        assert all(one["bot"] and one["name"].endswith("(bot)") for one in people)
        assert len(guest.public["seats"]) <= SEATS - FREE
        mine = [one for held in guest.public["boxes"] for one in held["behind"] if held["box"] == box]
        assert [(one["player"], one["stakes"]) for one in mine] == [(guest.me, [[500, 0]])]
        await guest.socket.close()
        assert not [one for one in house.lines() if one["level"] in ("error", "critical")]


async def test_bots_come_back_to_a_house_that_was_killed(tmp_path: Path) -> None:
    for _ in range(2):
        with running(tmp_path, "--bots", "2", plant=hurry_bots) as house:
            await see_two(house)


def test_bots_come_in_by_the_public_house_too(tmp_path: Path) -> None:
    """Behind a proxy with TLS the cookie has another name, and pages another origin: theirs as well."""
    options = ("--bots", "2", "--public-origin", "https://play.example.org", "--host", "0.0.0.0")
    with running(tmp_path, *options, plant=hurry_bots) as house:
        until = time.monotonic() + PATIENCE
        while house.get("/api/lobby").json()["tables"][0]["free"] > SEATS - 2:
            assert time.monotonic() < until, house.log.read_text()
            time.sleep(0.2)


async def see_two(house: ServerProcess) -> None:
    guest = await newcomer(house)
    await guest.until(lambda: any(box["hands"] for box in guest.public["boxes"]))
    assert len(guest.public["people"]) == 2
    await guest.socket.close()


async def test_nobody_else_can_be_called_a_bot(entrance: InProcessHouse) -> None:
    """The name says what it is, and no form gives it; the account has no password."""
    application = entrance.application
    entered = await application.accounts.enter_bot("Ada", "127.0.0.1")
    assert not isinstance(entered, Refusal)
    held = application.accounts[entered.player].player
    assert (held.name, held.role, held.is_bot, held.password) == ("Ada (bot)", Role.BOT, True, "")
    again = await application.accounts.enter_bot("Ada", "127.0.0.1")
    assert not isinstance(again, Refusal)
    assert again.player == entered.player
    assert again.token != entered.token
    assert isinstance(text_rules.check_name("Ada (bot)"), Refusal)
    assert isinstance(await application.accounts.log_in("Ada (bot)", "", "127.0.0.1", "x"), Refusal)


async def test_a_bot_whose_account_was_closed_stays_out(entrance: InProcessHouse) -> None:
    application = entrance.application
    entered = await application.accounts.enter_bot("Ada", "127.0.0.1")
    assert not isinstance(entered, Refusal)
    closed = application.accounts._login.disable(entered.player, "eva", "too lucky", application.now())
    await application.host.commits.commit(closed)
    assert isinstance(await application.accounts.enter_bot("Ada", "127.0.0.1"), Refusal)


def option(price: int | None = 0, **more: Any) -> dict[str, Any]:
    return {"price": price, "reasons": [], **more}


def view(seats: dict[int, str], phase: str = "betting", **mine: Any) -> Bot:
    """A bot called 7 that sees this."""
    bot = Bot(None, LIVE, SEATS, None)  # type: ignore[arg-type]
    bot.me, bot.version = "7", 1
    listed = [{"box": box, "player": player, "leaving": False} for box, player in seats.items()]
    bot.public = {"phase": phase, "paused": None, "closing": False, "seats": listed, "boxes": [], "turn": None}
    bot.public |= {"bets": [], "people": {player: {"bot": player in BOTS} for player in seats.values()}}
    bot.public["dealer"] = {"cards": []}
    main = {"least": 100, "most": 50_000}
    betting = {"deal": option()}
    spots = [option(bet="main", box=box) for box in range(1, SEATS + 1)]
    options = {"decisions": [], "betting": betting, "spots": spots}
    bot.mine = {"balance": 20_000, "bets": [], "limits": {"main": main}, "options": options, **mine}
    return bot


def test_it_brings_money_sits_bets_and_deals() -> None:
    assert view({}, limits={}, balance=0).choose_command() == {"do": "bring", "amount": BUY_IN}
    assert view({}, balance=500).choose_command() == {"do": "bring", "amount": BUY_IN}
    sat = view({1: "3", 2: "4"}).choose_command()
    assert sat is not None
    assert sat["do"] == "sit"
    assert sat["box"] not in (1, 2)
    bet = view({4: "7"}).choose_command()
    assert bet is not None
    assert bet["spots"][0] == {"box": 4, "bet": "main"}
    assert 100 <= bet["amount"] <= 500
    assert view({4: "7"}, bets=[{"bet": "main"}]).choose_command() == {"do": "deal"}
    assert view({4: "7"}, phase="results").choose_command() is None


def test_v38_it_hurries_nobody_who_sits_and_has_not_confirmed_a_bet() -> None:
    """A beginner beside bots has the whole time: they ask to deal when each person has confirmed, or none is there."""
    bets = [{"bet": "main"}]
    assert view({4: "7", 5: "8"}, bets=bets).choose_command() == {"do": "deal"}
    beside = view({4: "7", 5: "8", 6: "3"}, bets=bets)
    assert beside.choose_command() is None
    beside.public["bets"] = [{"player": "3", "box": 6, "bet": "main", "amount": 500}]
    assert beside.choose_command() == {"do": "deal"}
    gone = view({4: "7", 6: "3"}, bets=bets)
    gone.public["seats"][1]["leaving"] = True
    assert gone.choose_command() == {"do": "deal"}


@pytest.mark.parametrize("taken", range(SEATS + 1))
def test_the_last_seats_are_left_to_people(taken: int) -> None:
    bot = view({box: str(20 + box) for box in range(1, taken + 1)})
    assert (bot.choose_command() is not None) == (SEATS - taken > FREE)


def test_a_pause_and_a_table_that_closes_are_respected() -> None:
    for name, value in (("paused", "a spilt drink"), ("closing", True)):
        bot = view({4: "7"})
        bot.public[name] = value
        assert bot.choose_command() is None


@pytest.mark.parametrize(
    ("allowed", "cards", "dealer", "action"),
    [
        ("hit stand double", "5S 6S", "6D", "double"),
        ("hit stand double", "5S 6S", "TD", "hit"),
        ("hit stand split", "AS AD", "TD", "split"),
        ("hit stand", "TS 2S", "6D", "stand"),
        ("hit stand", "AS 6S", "6D", "hit"),
        ("insure decline", "TS 2S", "AD", "decline"),
    ],
)
def test_a_plain_way_to_play(allowed: str, cards: str, dealer: str, action: str) -> None:
    assert choose_action(set(allowed.split()), cards.split(), dealer.split()) == action
