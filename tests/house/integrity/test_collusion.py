"""R-46 signals of collusion to the supervisor; H-5 linked accounts do not bet behind each other."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from dataclasses import replace
from itertools import count
from pathlib import Path
from random import Random

import pytest
import pytest_asyncio

from tests.support.house import LIVE, PASSWORD, OpenHouse, key
from tests.support.house_in_memory import HouseInMemory
from ventuno.core.messages.commands import DoubleBets, LeaveSeat, PlaceBet, RepeatBets, Spot, TakeSeat
from ventuno.core.messages.events import RoundSettled
from ventuno.core.messages.refusals import Refusal
from ventuno.core.rules.money import Cents, PlayerId
from ventuno.core.table.round import Line
from ventuno.house.accounts.account_service import NotSupervisor, ReasonMissing
from ventuno.house.accounts.player_limits import DAY, MINUTE
from ventuno.house.accounts.sessions import Entered
from ventuno.house.integrity import collusion
from ventuno.house.integrity.account_links import LOOKUP_INTERVAL, AccountLinks, get_household
from ventuno.house.integrity.alerts import CollusionSuspected, LinkUnfit
from ventuno.house.integrity.collusion import (
    BOUNDS,
    Backing,
    Bounds,
    Pattern,
    SharedRound,
    find_signals,
    make_shared_round,
)
from ventuno.house.store.records import decode_body
from ventuno.sheets import GAMES

AT = 20_000 * DAY
HOME, OFFICE = "192.0.2.7", "198.51.100.4"
_codes = count(1)
BehindBets = tuple[Backing, ...]


def one(
    nets: Mapping[PlayerId, Cents], backings: BehindBets = (), boxes: Mapping[PlayerId, int] | None = None
) -> SharedRound:
    return SharedRound(f"R{next(_codes)}", AT - DAY, boxes or dict.fromkeys(nets, 1), nets, backings)


def behind(bettor: PlayerId, owner: PlayerId, staked: Cents = 100, beside: Cents = 100) -> SharedRound:
    return one({bettor: 0, owner: 0}, (Backing(bettor, owner, staked, beside),))


def patterns(rounds: list[SharedRound], addresses: Mapping[PlayerId, frozenset[str]] | None = None) -> set[Pattern]:
    return {signal.pattern for signal in find_signals(rounds, addresses or {}, AT)}


TOGETHER = {"a": frozenset((HOME,)), "b": frozenset((HOME, OFFICE))}
APART = {"a": frozenset((HOME,)), "b": frozenset((OFFICE,))}


def test_r46_behind_each_other_at_its_number() -> None:
    under = [behind("a", "b")] * 10 + [behind("b", "a")] * 9
    assert patterns(under) == set()
    assert patterns([*under, behind("b", "a")]) == {Pattern.BEHIND_EACH_OTHER}


def test_r46_a_hand_for_another_at_its_number() -> None:
    """Great stakes behind a small hand: the one who decides has little at stake, the one who stakes does not decide."""
    assert patterns([behind("a", "b", 1_000, 100)] * 20) == {Pattern.PROXY_HAND}
    assert patterns([behind("a", "b", 1_000, 100)] * 19) == set()
    assert patterns([behind("a", "b", 990, 100)] * 20) == set()


def test_r46_wins_that_go_one_way_at_their_numbers() -> None:
    moved, still = one({"a": -1_000, "b": 1_000}), one({"a": 500, "b": 500})
    assert patterns([moved] * 12 + [still] * 8) == {Pattern.WIN_TRANSFER}
    assert patterns([moved] * 11 + [still] * 9) == set()
    assert patterns([moved] * 12 + [still] * 7) == set(), "too few common rounds"
    assert patterns([one({"a": -416, "b": 1_000})] * 20) == set(), "unlike amounts"
    assert patterns([one({"a": -500, "b": 1_000})] * 20) == {Pattern.WIN_TRANSFER}
    assert patterns([one({"a": -249, "b": 400})] * 20) == set(), "little money"
    assert patterns([one({"a": -250, "b": 400})] * 20) == {Pattern.WIN_TRANSFER}


def test_r46_one_address_at_one_table_at_its_number() -> None:
    met = [one({"a": 0, "b": 0})]
    assert patterns(met * 10, TOGETHER) == {Pattern.SHARED_ADDRESS}
    assert patterns(met * 9, TOGETHER) == set()
    assert patterns(met * 10, APART) == set()


def test_r46_most_seats_of_a_table_at_its_number() -> None:
    full, less = one({"a": 0, "b": 0}, (), {"a": 3, "b": 2}), one({"a": 0, "b": 0}, (), {"a": 2, "b": 2})
    assert patterns([full] * 10, TOGETHER) == {Pattern.SHARED_ADDRESS, Pattern.SEATS_TOGETHER}
    assert patterns([full] * 9 + [less] * 9, TOGETHER) == {Pattern.SHARED_ADDRESS}
    assert patterns([full] * 10, APART) == set()
    assert Pattern.SEATS_TOGETHER not in patterns([one({"a": 0, "b": 0}, (), {"a": 7, "b": 0})] * 10, TOGETHER)


def test_r46_a_week_counts_and_the_order_does_not() -> None:
    rounds = [behind("a", "b"), behind("b", "a")] * 10 + [one({"a": -1_000, "c": 1_000})] * 20
    found = find_signals(rounds, TOGETHER, AT)
    assert len(found) == 3
    assert find_signals(list(reversed(rounds)), TOGETHER, AT) == found
    assert find_signals(rounds, TOGETHER, AT + collusion.SPAN) == []
    assert find_signals(rounds, TOGETHER, AT - DAY - 1) == []


def test_r46_a_settlement_says_who_stood_behind_whom() -> None:
    lines = [
        Line("a", "main", 100, 200, "", "", 1, 1),
        Line("a", "double", 100, 200, "", "", 1, 1),
        Line("a", "perfect-pairs", 50, 0, "", "", 1),
        Line("b", "behind", 500, 1_000, "", "", 1, 1),
        Line("b", "behind-double", 500, 1_000, "", "", 1, 1),
        Line("b", "main", 300, 0, "", "", 2, 1),
        Line("c", "insurance", 10, 0, "", "", 3),
        Line("c", "main", 20, 0, "", "", 3, 1),
        Line("a", "main", 100, 0, "", "", 4, 1),
    ]
    found = make_shared_round("R", AT, lines)
    assert found.nets == {"a": 50, "b": 700, "c": -30}
    assert found.boxes == {"a": 2, "b": 1, "c": 1}
    assert found.backings == (Backing("b", "a", 1_000, 200),)


def test_r46_players_by_themselves_give_no_signal() -> None:
    """Four at a real table for 400 rounds, each for himself: no pattern; a pair planted in the same rounds is found."""
    foyer = HouseInMemory(46)
    players = [foyer.joined(name, 9_000_000) for name in ("Ada", "Bea", "Cleo", "Dora")]
    foyer.open("ventuno", "T1")
    for box, player in enumerate(players, start=1):
        foyer.sit(player, "T1", box, 8_000_000)
    for _ in range(400):
        foyer.round("T1", {player: (box, 1_000) for box, player in enumerate(players, start=1)})
    records = {record.seq: record for record in foyer.disk.streams["table:T1"]}
    rounds = [
        make_shared_round(row.code, AT - 1, decode_body(records[row.last].body, RoundSettled).lines)
        for row in foyer.disk.rounds
    ]
    apart = {player: frozenset((f"203.0.113.{player}",)) for player in players}
    assert find_signals(rounds, apart, AT) == []
    chance, (ada, bea) = Random(46), players[:2]
    planted = [
        round_._replace(nets={**round_.nets, ada: -1_000, bea: 1_000}) if chance.random() < 0.7 else round_
        for round_ in rounds
    ]
    assert [signal[:3] for signal in find_signals(planted, apart, AT)] == [(Pattern.WIN_TRANSFER, ada, bea)]


def test_r46_planted_fault_a_rule_without_its_share_accuses_the_honest() -> None:
    """The bound matters: without it two honest players at one table are reported."""
    chance = Random(1)
    rounds = [one({"a": chance.choice((-1_000, 1_000)), "b": chance.choice((-1_000, 1_000))}) for _ in range(400)]
    assert find_signals(rounds, {}, AT) == []
    assert find_signals(rounds, {}, AT, replace(BOUNDS, transfer_share=0))
    assert Bounds() == BOUNDS


@pytest.mark.parametrize(
    ("address", "home"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3::1", "2001:db8:1:2::/64"),
        ("2001:db8:1:2:ffff::1%eth0", "2001:db8:1:2::/64"),
        ("127.0.0.1", ""),
        ("::1", ""),
        ("0.0.0.0", ""),
        ("unknown", ""),
        ("", ""),
    ],
)
def test_h5_what_an_address_is_counted_as(address: str, home: str) -> None:
    assert get_household(address) == home


@pytest_asyncio.fixture
async def evening(tmp_path: Path) -> AsyncIterator[OpenHouse]:
    made = OpenHouse(f"sqlite:///{tmp_path}/house.db", tmp_path / "data")
    made.certify(*GAMES)
    await made.open()
    await made.application.tables.open(LIVE, "ventuno")
    yield made
    await made.application.close()


async def entered(evening: OpenHouse, name: str, address: str) -> Entered:
    found = await evening.application.accounts.log_in(name, PASSWORD, address, "browser")
    assert isinstance(found, Entered)
    return found


async def seated(evening: OpenHouse) -> tuple[PlayerId, PlayerId]:
    """Ada at box 1 with money, Bea at the table without a seat; betting is open."""
    ada, bea = await evening.joined("Ada"), await evening.joined("Bea")
    await evening.sit(ada, LIVE, 1)
    await evening.application.tables.bring(bea, LIVE, 50_000, key())
    await evening.betting(LIVE)
    return ada, bea


def backing(player: PlayerId, box: int = 1) -> PlaceBet:
    return PlaceBet(player, (Spot(box, "behind"),), 500, 0)


async def said(evening: OpenHouse, player: PlayerId, command: object) -> str:
    return (await evening.application.tables.ask(player, LIVE, command, key())).refused  # type: ignore[arg-type]


async def test_h5_accounts_on_one_address_do_not_bet_behind_each_other(evening: OpenHouse) -> None:
    _, bea = await seated(evening)
    await entered(evening, "Ada", HOME)
    there = await entered(evening, "Bea", HOME)
    assert await said(evening, bea, backing(bea)) == "LinkedAccounts"
    await evening.application.accounts.log_out(bea, there.session)
    await entered(evening, "Bea", OFFICE)
    assert await said(evening, bea, backing(bea)) == ""
    assert await said(evening, bea, PlaceBet(bea, (Spot(2, "main"),), 500, 0)) == "NotSeated", "nothing else is touched"


async def test_h5_a_session_that_is_over_links_nobody(evening: OpenHouse) -> None:
    ada, bea = await seated(evening)
    await entered(evening, "Ada", HOME)
    evening.clock.move(29 * MINUTE)
    await entered(evening, "Bea", HOME)
    links = evening.application.pipeline._links
    assert isinstance(links, AccountLinks)
    assert links.are_linked(ada, bea, evening.application.now())
    evening.clock.move(2 * MINUTE)
    assert not links.are_linked(ada, bea, evening.application.now())


def barred(evening: OpenHouse, player: PlayerId) -> tuple[int, ...]:
    """What the options of this player will say."""
    app = evening.application
    return app.tables.find_barred_boxes(player, app.host.authority.tables[LIVE])


async def test_x19_what_is_shown_is_what_is_refused(evening: OpenHouse) -> None:
    """One address, another, none: the box is closed in the options where a bet behind it is refused, and only there."""
    _, bea = await seated(evening)
    cleo = await evening.joined("Cleo")
    await evening.sit(cleo, LIVE, 3)

    async def refused() -> tuple[int, ...]:
        shut = [box for box in (1, 2, 3) if await said(evening, bea, backing(bea, box)) == "LinkedAccounts"]
        return tuple(shut)

    assert barred(evening, bea) == await refused() == ()
    await entered(evening, "Ada", HOME)
    there = await entered(evening, "Bea", HOME)
    assert barred(evening, bea) == await refused() == (1,)
    assert barred(evening, cleo) == ()
    await evening.application.accounts.log_out(bea, there.session)
    assert barred(evening, bea) == await refused() == ()
    eva = await evening.supervisor()
    assert await evening.application.integrity.link(eva, cleo, bea, "one family") is None
    assert barred(evening, bea) == await refused() == (3,)
    assert await evening.application.integrity.unlink(eva, cleo, bea, "an error") is None
    assert barred(evening, bea) == await refused() == ()


async def test_x19_a_session_that_runs_out_is_seen_after_a_while(evening: OpenHouse) -> None:
    _, bea = await seated(evening)
    await entered(evening, "Ada", HOME)
    evening.clock.move(29 * MINUTE)
    await entered(evening, "Bea", HOME)
    assert barred(evening, bea) == (1,)
    evening.clock.move(2 * MINUTE + LOOKUP_INTERVAL)
    assert barred(evening, bea) == ()


async def test_h5_one_machine_of_the_house_links_nobody(evening: OpenHouse) -> None:
    _, bea = await seated(evening)
    for name in ("Ada", "Bea"):
        await entered(evening, name, "127.0.0.1")
    assert await said(evening, bea, backing(bea)) == ""


async def test_h5_linked_by_a_supervisor_for_every_way_to_bet_behind(evening: OpenHouse) -> None:
    """Placing, repeating, doubling; and nobody comes to sit before the bet of another. Lifted when he says so."""
    house, (ada, bea), eva = evening.application, await seated(evening), await evening.supervisor()
    assert await house.integrity.link(bea, ada, bea, "mine") == NotSupervisor(bea)
    assert await house.integrity.link(eva, ada, bea, " ") == ReasonMissing()
    assert isinstance(await house.integrity.link(eva, ada, ada, "why"), LinkUnfit)
    assert isinstance(await house.integrity.link(eva, ada, "99", "why"), LinkUnfit)
    assert isinstance(await house.integrity.unlink(eva, ada, bea, "why"), LinkUnfit)
    assert await said(evening, ada, PlaceBet(ada, (Spot(1, "main"),), 500, 0)) == ""
    assert await said(evening, bea, backing(bea)) == ""
    assert await house.integrity.link(eva, bea, ada, "one family") is None
    assert isinstance(await house.integrity.link(eva, ada, bea, "again"), LinkUnfit)
    assert await said(evening, bea, DoubleBets(bea, 0)) == "LinkedAccounts"
    assert await said(evening, bea, backing(bea)) == "LinkedAccounts"
    await evening.deal(LIVE, ada)
    await evening.finish(LIVE, (ada, bea))
    await evening.betting(LIVE)
    assert await said(evening, bea, RepeatBets(bea, 0)) == "LinkedAccounts"
    await evening.crash()
    assert await said(evening, bea, backing(bea)) == "LinkedAccounts"
    cleo = await evening.joined("Cleo")
    await evening.sit(cleo, LIVE, 3)
    assert await said(evening, bea, backing(bea, 3)) == "", "others are not concerned"
    assert await said(evening, cleo, LeaveSeat(cleo, 3, 0)) == ""
    assert await said(evening, ada, TakeSeat(ada, 3, 0)) == ""
    assert evening.own_view(LIVE, bea).staked == 0, "what lay behind the one who left went back to her"
    assert await evening.application.integrity.unlink(eva, ada, bea, "an error") is None
    assert await said(evening, bea, backing(bea)) == ""
    kinds = [type(entry.alert).__name__ for entry in evening.application.integrity._alerts.list_entries()]
    assert kinds == ["AccountsUnlinked", "AccountsLinked"]


async def test_h5_planted_fault_without_the_check_the_bet_is_taken(
    evening: OpenHouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, bea = await seated(evening)
    for name in ("Ada", "Bea"):
        await entered(evening, name, HOME)
    monkeypatch.setattr(AccountLinks, "refuses", lambda *_: None)
    assert await said(evening, bea, backing(bea)) == ""


async def test_r46_the_supervisor_is_told_of_what_was_played(evening: OpenHouse) -> None:
    """Two at one table from one household, round after round: from the store to the list, once a day."""
    house, ada, bea = evening.application, await evening.joined("Ada"), await evening.joined("Bea")
    for name in ("Ada", "Bea"):
        await entered(evening, name, HOME)
    await evening.sit(ada, LIVE, 1)
    await evening.sit(bea, LIVE, 2)
    for _ in range(BOUNDS.address_rounds):
        await evening.betting(LIVE)
        for box, player in enumerate((ada, bea), start=1):
            await evening.bet(player, LIVE, (Spot(box, "main"),))
        await evening.deal(LIVE, ada)
        await evening.finish(LIVE, (ada, bea))
    evening.clock.move(10_000)
    for _ in range(2):
        await house.integrity.check_players(house.host.commits.now())
    eva = await evening.supervisor()
    found = await house.integrity.list_alerts(eva)
    assert not isinstance(found, Refusal)
    told = [entry.alert for entry in found if isinstance(entry.alert, CollusionSuspected)]
    assert [(one.first, one.second, one.pattern) for one in told] == [(ada, bea, Pattern.SHARED_ADDRESS)]
    await evening.crash()
    await evening.application.integrity.check_players(evening.application.now())
    assert len(evening.application.integrity._alerts.list_entries()) == len(found), "a restart tells nothing twice"
