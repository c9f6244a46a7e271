"""Grants: room is given once, counts as used until it is confirmed to be smaller, and outlives no owner (R-36)."""

from __future__ import annotations

from ventuno.house.accounts.player_limits import DAY, LimitKind, PlayerLimits
from ventuno.house.pits.granting import Granting, RoomPending
from ventuno.house.pits.holdings import Holdings
from ventuno.house.pits.messages import Grant, GrantNumber, Report
from ventuno.house.protection.limit_check import FlowHistory, LimitCheck, ProtectionLimit
from ventuno.house.store.records import ShareRow

NOW = 1_790_000_000_000
ADA = "ada"


def give_home(**limits: int) -> tuple[Granting, LimitCheck]:
    check = LimitCheck(lambda _player: 0)
    check.set_player_limits(ADA, PlayerLimits({name.replace("_", ":"): amount for name, amount in limits.items()}))
    granting = Granting(7, check, lambda _player: 0)
    granting.set_version(ADA, 1)
    for pit in (1, 2):
        granting.add_holder(ADA, pit, 3, is_new=True)
    return granting, check


def confirm(grant: Grant, number: int, open_stakes: int = 0, shares: tuple[ShareRow, ...] = ()) -> Report:
    return Report(ADA, number, grant.number, grant.version, open_stakes, 1, shares)


def share(code: str, staked: int, returned: int = 0, at: int = NOW) -> ShareRow:
    return ShareRow(code, ADA, at, staked, returned)


def test_room_is_given_once() -> None:
    granting, _ = give_home(stake_day=1_000)
    assert granting.grant(ADA, 1, NOW, 700).room == 700
    assert granting.grant(ADA, 2, NOW, 700).room == 0, "that is not there"
    assert granting.grant(ADA, 2, NOW, 300).room == 300
    assert granting.sum_rooms(ADA) == 1_000


def test_a_smaller_grant_frees_room_when_it_is_confirmed_and_not_before() -> None:
    granting, _ = give_home(stake_day=1_000)
    granting.grant(ADA, 1, NOW, 700)
    recalled = granting.recall(ADA, 1, NOW)
    assert granting.sum_rooms(ADA) == 700
    granting.take_report(1, 3, confirm(recalled, 1, open_stakes=200))
    assert granting.sum_rooms(ADA) == 200, "what lies on the table counts"


def test_a_report_that_comes_late_tells_nothing() -> None:
    granting, _ = give_home(stake_day=1_000)
    grant = granting.grant(ADA, 1, NOW, 0)
    granting.take_report(1, 3, confirm(granting.recall(ADA, 1, NOW), 2, open_stakes=400))
    granting.take_report(1, 3, confirm(grant, 1, open_stakes=0))
    assert granting.sum_rooms(ADA) == 400


def test_a_grant_without_a_bound_leaves_no_room_elsewhere() -> None:
    granting, check = give_home()
    assert granting.grant(ADA, 1, NOW).room is None
    check.set_player_limits(ADA, PlayerLimits({"stake:day": 1_000}))
    assert granting.sum_rooms(ADA) is None
    assert granting.grant(ADA, 2, NOW, 100).room == 0
    granting.take_report(1, 3, confirm(granting.recall(ADA, 1, NOW), 1))
    assert granting.grant(ADA, 2, NOW, 100).room == 500


def test_a_pit_that_is_not_known_holds_everything_up_until_its_rounds_are_read() -> None:
    granting, _ = give_home(stake_day=1_000)
    granting.grant(ADA, 1, NOW, 600)
    granting.note_epoch(1, 4)
    assert granting.sum_rooms(ADA) is None
    granting.take_report(1, 4, confirm(granting.recall(ADA, 1, NOW), 1))
    assert granting.sum_rooms(ADA) is None
    reading = granting.unread[ADA]
    granting.count_rounds(ADA, reading - 1, [share("T1-1", 250)])
    assert granting.sum_rooms(ADA) is None, "this reading began too early"
    granting.count_rounds(ADA, reading, [share("T1-1", 250)])
    assert granting.sum_rooms(ADA) == 0
    assert granting.grant(ADA, 2, NOW, 751).room == 0
    assert granting.grant(ADA, 2, NOW, 750).room == 750


def test_a_round_is_counted_once_whoever_tells_it() -> None:
    granting, check = give_home(stake_day=1_000)
    grant = granting.grant(ADA, 1, NOW, 500)
    granting.take_report(1, 3, confirm(grant, 1, shares=(share("T1-1", 300), share("T1-2", 100))))
    granting.count_share(share("T1-1", 300))
    found = check.find_room(ADA, NOW, NOW, 0)
    assert found == ("stake:day", 1_000, 600)
    assert granting.grant(ADA, 1, NOW).counted == 2


def test_a_change_is_obeyed_when_every_pit_confirmed_it_or_lost_its_epoch() -> None:
    granting, _ = give_home(stake_day=1_000)
    for pit in (1, 2):
        granting.take_report(pit, 3, confirm(granting.grant(ADA, pit, NOW), 1))
    granting.set_version(ADA, 2)
    assert not granting.is_obeyed(ADA, 2)
    granting.take_report(1, 3, confirm(granting.recall(ADA, 1, NOW), 2))
    assert not granting.is_obeyed(ADA, 2)
    assert granting.find_lagging(ADA) == [2]
    granting.note_epoch(2, 4)
    assert granting.is_obeyed(ADA, 2)


def test_two_tables_do_not_take_room_from_each_other_for_ever() -> None:
    granting, _ = give_home(stake_day=1_000)
    grant = granting.grant(ADA, 1, NOW, 800)
    granting.take_report(1, 3, confirm(grant, 1))
    assert granting.find_unused(ADA, 2, NOW + 1) == []
    assert granting.find_unused(ADA, 2, NOW + 2_000) == [1]
    assert not granting.grant(ADA, 2, NOW + 1, 800).last, "it may come back"
    assert granting.grant(ADA, 2, NOW + 1, 1_100).last, "so much there never is"


def test_a_loss_grows_when_a_win_is_out_of_its_window() -> None:
    flows = FlowHistory()
    flows.add(NOW, lost=-500)
    flows.add(NOW + 1_000, lost=700)
    assert flows.sum_since(LimitKind.LOSS, NOW) == 200
    assert flows.find_largest_sum(LimitKind.LOSS, NOW, NOW) == 200
    assert flows.find_largest_sum(LimitKind.LOSS, NOW, NOW + 1) == 700
    assert flows.find_largest_sum(LimitKind.LOSS, NOW, NOW + 1_001) == 700
    check = LimitCheck(lambda _player: 0)
    check.set_player_limits(ADA, PlayerLimits({"loss:day": 1_000}))
    check.add_round(ADA, 0, 500, NOW)
    check.add_round(ADA, 700, 0, NOW + 1_000)
    later = NOW + DAY - 2_000
    assert check.find_room(ADA, later, later, 0) == ("loss:day", 1_000, 800)
    assert check.find_room(ADA, later, later + 60_000, 0) == ("loss:day", 1_000, 300)


def test_a_pit_stakes_what_was_granted_and_asks_for_the_rest() -> None:
    in_play = {ADA: 0}
    holdings = Holdings(lambda player: in_play[player])
    assert isinstance(holdings.refuses(ADA, 100, NOW, raises=False), RoomPending)
    assert holdings.find_wanting() == [ADA]
    assert holdings.find_wanting() == [], "it is asked for once"
    grant = Grant(ADA, GrantNumber(7, 2), 1, NOW + 1_000, 500, 0, ("stake:day", 2_000))
    assert holdings.take_grant(grant)
    assert holdings.refuses(ADA, 500, NOW, raises=False) is None
    in_play[ADA] = 400
    assert isinstance(holdings.refuses(ADA, 200, NOW, raises=False), RoomPending)
    assert holdings.report(ADA).wanted == 200
    in_play[ADA] = 0
    holdings.add_share(share("T1-1", 400))
    assert isinstance(holdings.refuses(ADA, 200, NOW, raises=False), RoomPending), "the round stays in the room"
    assert isinstance(holdings.refuses(ADA, 100, NOW + 1_000, raises=False), RoomPending), "the grant is over"


def test_a_pit_takes_no_older_grant_and_drops_what_was_counted() -> None:
    holdings = Holdings(lambda _player: 0)
    for code in ("T1-1", "T1-2", "T1-3"):
        holdings.add_share(share(code, 100))
    newer = Grant(ADA, GrantNumber(7, 2), 1, NOW + 1_000, 300, 2, ("stake:day", 2_000), last=True)
    assert holdings.take_grant(newer)
    assert not holdings.take_grant(Grant(ADA, GrantNumber(7, 1), 1, NOW + 1_000, None))
    assert not holdings.take_grant(Grant(ADA, GrantNumber(6, 9), 1, NOW + 1_000, None))
    report = holdings.report(ADA)
    assert (report.first, [row.code for row in report.shares]) == (3, ["T1-3"])
    refusal = holdings.refuses(ADA, 300, NOW, raises=False)
    assert refusal == ProtectionLimit("stake:day", 2_000, 1_800, 300), "no more is to be had, and the limit is named"


def test_r36_money_that_comes_back_is_not_staked_by_a_grant_of_before() -> None:
    """He had left, so nobody asked this pit before a lower limit was acknowledged; the new grant may come late."""
    holdings = Holdings(lambda _player: 0)
    unbounded = Grant(ADA, GrantNumber(7, 1), 1, NOW + DAY, None)
    assert holdings.take_grant(unbounded)
    assert holdings.refuses(ADA, 500, NOW, raises=False) is None
    holdings.void_grants(ADA, GrantNumber(7, 3))
    assert isinstance(holdings.refuses(ADA, 500, NOW, raises=False), RoomPending)
    assert not holdings.take_grant(Grant(ADA, GrantNumber(7, 2), 1, NOW + DAY, None)), "on its way since before"
    assert holdings.take_grant(Grant(ADA, GrantNumber(7, 3), 2, NOW + DAY, 500, limit=("stake:day", 500)))
    assert holdings.refuses(ADA, 500, NOW, raises=False) is None
    holdings.void_grants(ADA, GrantNumber(7, 3))
    assert holdings.refuses(ADA, 500, NOW, raises=False) is None, "the same transfer again"
