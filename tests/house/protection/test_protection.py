"""Limits, pauses, exclusion, reality checks: the fold, the guard, and both in the bet path (R-33…R-40, X-13, G-17)."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from random import Random
from time import process_time

import pytest

from tests.support.house import NOON
from tests.support.house_in_memory import HouseInMemory
from ventuno.core.messages.commands import Act, DealNow, TakeMoney
from ventuno.core.messages.refusals import Refusal
from ventuno.core.table.legal import turn
from ventuno.core.table.round import Action
from ventuno.core.table.state import Phase
from ventuno.house.accounts import player_limits
from ventuno.house.accounts.player_limits import (
    DAY,
    ITALY,
    MALTA,
    MINUTE,
    CoolingOff,
    Irrevocable,
    LimitEvent,
    LimitSet,
    NotBefore,
    NothingAsked,
    PlayerLimits,
    PlayExcluded,
    Profile,
)
from ventuno.house.accounts.sessions import Entered, make_clock
from ventuno.house.protection.limit_check import LimitCheck, ProtectionLimit, RealityCheckDue
from ventuno.house.store.records import Batch

HOUR = 60 * MINUTE


def after(held: PlayerLimits, outcome: list[LimitEvent] | Refusal) -> PlayerLimits:
    assert isinstance(outcome, list), outcome
    for event in outcome:
        held = player_limits.evolve(held, event)
    return held


def limited(name: str, amount: int) -> PlayerLimits:
    return after(PlayerLimits(), player_limits.set_limit(PlayerLimits(), name, amount, NOON, ITALY))


def guarded(held: PlayerLimits, open_stakes: int = 0) -> LimitCheck:
    guard = LimitCheck(lambda _: open_stakes)
    guard.set_player_limits("ada", held)
    return guard


@pytest.mark.parametrize("name", player_limits.LIMIT_NAMES)
def test_r35_decrease_at_once_increase_after_the_wait_and_a_word(name: str) -> None:
    held = limited(name, 1_000)
    held = after(held, player_limits.set_limit(held, name, 400, NOON, ITALY))
    assert held.limits[name] == 400
    held = after(held, player_limits.set_limit(held, name, 900, NOON, ITALY))
    assert held.limits[name] == 400
    assert player_limits.confirm(held, name, NOON + 7 * DAY - 1) == NotBefore(NOON + 7 * DAY, NOON + 7 * DAY - 1)
    assert after(held, player_limits.confirm(held, name, NOON + 7 * DAY)).limits[name] == 900
    assert after(held, player_limits.confirm(held, name, NOON + 70 * DAY)).limits[name] == 900
    assert held.limits[name] == 400, "without the second word nothing rises by itself"


def test_r35_removal_waits_too() -> None:
    held = limited("stake:day", 1_000)
    held = after(held, player_limits.set_limit(held, "stake:day", None, NOON, ITALY))
    assert isinstance(player_limits.confirm(held, "stake:day", NOON), NotBefore)
    held = after(held, player_limits.confirm(held, "stake:day", NOON + 7 * DAY))
    assert "stake:day" not in held.limits
    assert player_limits.confirm(held, "stake:day", NOON + 8 * DAY) == NothingAsked("stake:day")
    assert isinstance(player_limits.set_limit(held, "stake:day", None, NOON, ITALY), NothingAsked)


def test_r35_a_decrease_forgets_the_increase_that_was_asked() -> None:
    held = limited("loss:week", 1_000)
    held = after(held, player_limits.set_limit(held, "loss:week", 5_000, NOON, ITALY))
    held = after(held, player_limits.set_limit(held, "loss:week", 500, NOON + DAY, ITALY))
    assert isinstance(player_limits.confirm(held, "loss:week", NOON + 30 * DAY), NothingAsked)


def test_r35_the_same_amount_again_takes_the_increase_back() -> None:
    held = limited("loss:week", 1_000)
    held = after(held, player_limits.set_limit(held, "loss:week", 5_000, NOON, ITALY))
    held = after(held, player_limits.set_limit(held, "loss:week", 1_000, NOON, ITALY))
    assert held.asked == {}
    assert held.limits["loss:week"] == 1_000


def test_r35_asking_again_waits_again_and_other_profiles_wait_a_day() -> None:
    held = limited("stake:day", 1_000)
    held = after(held, player_limits.set_limit(held, "stake:day", 2_000, NOON, ITALY))
    held = after(held, player_limits.set_limit(held, "stake:day", 9_000, NOON + 6 * DAY, ITALY))
    assert isinstance(player_limits.confirm(held, "stake:day", NOON + 7 * DAY), NotBefore)
    held = limited("stake:day", 1_000)
    held = after(held, player_limits.set_limit(held, "stake:day", 2_000, NOON, MALTA))
    assert isinstance(player_limits.confirm(held, "stake:day", NOON + DAY - 1), NotBefore)
    assert isinstance(player_limits.confirm(held, "stake:day", NOON + DAY), list)


@pytest.mark.parametrize(("name", "amount"), [("deposit", 5), ("stake:year", 5), ("", 5), ("stake:day", -1)])
def test_bad_limits_are_refused(name: str, amount: int) -> None:
    assert isinstance(player_limits.set_limit(PlayerLimits(), name, amount, NOON, ITALY), player_limits.NoSuchLimit)


def test_a_limit_of_nothing_lets_nothing_through() -> None:
    guard = guarded(limited("stake:day", 0))
    assert guard.refuses("ada", 1, NOON) == ProtectionLimit("stake:day", 0, 0, 1)


def test_g17_an_increase_never_acts_early_under_any_order_of_acts() -> None:
    """Random acts, any order: the limit in force never exceeds one that was spoken a wait ago."""
    for seed in range(300):
        assert _early(seed, player_limits.confirm) == []


def test_g17_planted_fault_a_confirmation_without_a_wait_is_caught() -> None:
    def hasty(held: PlayerLimits, name: str, _at: int) -> list[LimitEvent] | Refusal:
        return [player_limits.RaiseConfirmed(name)] if name in held.asked else NothingAsked(name)

    assert any(_early(seed, hasty) for seed in range(300))


def _early(seed: int, confirm: Callable[[PlayerLimits, str, int], list[LimitEvent] | Refusal]) -> list[str]:
    """Raises in force that were not asked at least a wait before, or that a later decrease had forgotten."""
    rng, now, held = Random(seed), NOON, limited("stake:day", 1_000)
    asked: dict[int, int] = {}
    found = []
    for _ in range(40):
        now += rng.choice((0, HOUR, DAY, 3 * DAY))
        before = held.limits["stake:day"]
        if rng.random() < 0.6:
            amount = rng.randrange(100, 5_000)
            outcome = player_limits.set_limit(held, "stake:day", amount, now, ITALY)
            asked = {amount: now} if amount > before else {}
        else:
            outcome = confirm(held, "stake:day", now)
        held = held if isinstance(outcome, Refusal) else after(held, outcome)
        raised = held.limits["stake:day"]
        if raised > before and now - asked.get(raised, now) < ITALY.raise_wait:
            found.append(f"{raised} at {now}")
    return found


def test_r38_exclusion_is_immediate_and_timed_ones_run_to_their_end() -> None:
    held = after(PlayerLimits(), player_limits.exclude(PlayerLimits(), 30, NOON, ITALY))
    assert held.check_play(NOON) == PlayExcluded(NOON + 30 * DAY)
    assert held.check_play(NOON + 30 * DAY - 1)
    assert held.check_play(NOON + 30 * DAY) is None
    assert player_limits.revoke(held, NOON + 29 * DAY, ITALY) == Irrevocable()
    assert isinstance(player_limits.exclude(held, 30, NOON, ITALY), Irrevocable)
    longer = after(held, player_limits.exclude(held, 60, NOON, ITALY))
    assert longer.check_play(NOON + 45 * DAY)
    assert isinstance(player_limits.exclude(PlayerLimits(), 31, NOON, ITALY), player_limits.NoSuchExclusion)
    assert isinstance(player_limits.exclude(PlayerLimits(), -30, NOON, ITALY), player_limits.NoSuchExclusion)


def test_r38_without_end_revocable_after_half_a_year_effective_a_week_later() -> None:
    held = after(PlayerLimits(), player_limits.exclude(PlayerLimits(), 0, NOON, ITALY))
    assert held.check_play(NOON + 3000 * DAY) == PlayExcluded(0)
    assert isinstance(player_limits.revoke(held, NOON + 180 * DAY - 1, ITALY), NotBefore)
    held = after(held, player_limits.revoke(held, NOON + 180 * DAY, ITALY))
    assert held.check_play(NOON + 187 * DAY - 1)
    assert held.check_play(NOON + 187 * DAY) is None
    assert isinstance(player_limits.revoke(held, NOON + 181 * DAY, ITALY), Irrevocable)
    assert isinstance(player_limits.revoke(held, NOON + 190 * DAY, ITALY), NothingAsked)


def test_r38_who_changes_his_mind_during_the_week_stays_out() -> None:
    """While a revocation waits, a new exclusion takes its place; a shorter one does not."""
    held = after(PlayerLimits(), player_limits.exclude(PlayerLimits(), 0, NOON, ITALY))
    held = after(held, player_limits.revoke(held, NOON + 200 * DAY, ITALY))
    again = after(held, player_limits.exclude(held, 0, NOON + 201 * DAY, ITALY))
    assert again.check_play(NOON + 1000 * DAY)
    longer = after(held, player_limits.exclude(held, 30, NOON + 201 * DAY, ITALY))
    assert longer.check_play(NOON + 230 * DAY)
    brief = Profile(exclusions=(1,))
    assert isinstance(player_limits.exclude(held, 1, NOON + 201 * DAY, brief), Irrevocable)


def test_r38_exclusion_after_a_revoked_one_during_a_pause() -> None:
    """A pause that runs must not keep anybody from excluding himself."""
    held = after(PlayerLimits(), player_limits.exclude(PlayerLimits(), 0, NOON, ITALY))
    held = after(held, player_limits.revoke(held, NOON + 180 * DAY, ITALY))
    later = NOON + 200 * DAY
    held = after(held, player_limits.cool_off(held, later + 2 * DAY, later))
    assert isinstance(player_limits.exclude(held, 0, later, ITALY), list)
    assert isinstance(player_limits.exclude(held, 30, later, ITALY), list)


def test_r39_without_end_does_not_cut_a_long_timed_one_short() -> None:
    """Malta: five years, then without end; revoked after half a year it still runs for the five years."""
    held = after(PlayerLimits(), player_limits.exclude(PlayerLimits(), 1825, NOON, MALTA))
    held = after(held, player_limits.exclude(held, 0, NOON + DAY, MALTA))
    held = after(held, player_limits.revoke(held, NOON + 200 * DAY, MALTA))
    assert held.check_play(NOON + 1825 * DAY - 1)
    assert held.check_play(NOON + 1825 * DAY) is None


def test_cool_off_grows_and_never_shrinks() -> None:
    held = after(PlayerLimits(), player_limits.cool_off(PlayerLimits(), NOON + 5 * DAY, NOON))
    assert held.check_play(NOON + 5 * DAY - 1) == CoolingOff(NOON + 5 * DAY)
    assert held.check_play(NOON + 5 * DAY) is None
    shorter = player_limits.cool_off(held, NOON + 4 * DAY, NOON)
    assert shorter == player_limits.PauseUnfit(NOON + 5 * DAY + 1, NOON + 42 * DAY, NOON + 4 * DAY)
    assert after(held, player_limits.cool_off(held, NOON + 6 * DAY, NOON)).cooling == NOON + 6 * DAY
    for until in (NOON + DAY, NOON + 42 * DAY):
        assert isinstance(player_limits.cool_off(PlayerLimits(), until, NOON), list)
    for until in (NOON - 1, NOON, NOON + DAY - 1, NOON + 42 * DAY + 1):
        assert isinstance(player_limits.cool_off(PlayerLimits(), until, NOON), player_limits.PauseUnfit)


def test_r33_gross_deposits_whatever_was_withdrawn() -> None:
    foyer = HouseInMemory()
    ada = foyer.joined("Ada")
    foyer.keep(foyer.protection.set_limit(ada, "deposit:day", 10_000, foyer.now))
    foyer.deposit(ada, 7_000)
    withdrawn = foyer.cashier.withdraw(ada, 7_000, foyer.key(), foyer.now)
    assert not isinstance(withdrawn, Refusal)
    foyer.keep(withdrawn.batch)
    assert foyer.deposit(ada, 3_001) == ProtectionLimit("deposit:day", 10_000, 7_000, 3_001)
    assert not isinstance(foyer.deposit(ada, 3_000), Refusal)
    foyer.crash()
    assert foyer.deposit(ada, 1) == ProtectionLimit("deposit:day", 10_000, 10_000, 1)
    foyer.now += DAY
    assert not isinstance(foyer.deposit(ada, 10_000), Refusal)


def test_r33_a_deposit_limit_is_offered_before_the_first_deposit() -> None:
    foyer = HouseInMemory()
    ada, bea = foyer.joined("Ada"), foyer.joined("Bea")
    assert foyer.cashier.should_offer_limit(ada)
    foyer.deposit(ada, 100)
    assert not foyer.cashier.should_offer_limit(ada)
    foyer.keep(foyer.protection.set_limit(bea, "deposit:week", 5_000, foyer.now))
    assert not foyer.cashier.should_offer_limit(bea)


def test_r33_of_several_the_lowest_binds() -> None:
    guard = guarded(PlayerLimits(limits={"deposit:day": 9_000, "deposit:week": 10_000, "deposit:month": 50_000}))
    guard.add_deposit("ada", 8_000, NOON)
    no = guard.refuses_deposit("ada", 2_001, NOON + 2 * DAY)
    assert no == ProtectionLimit("deposit:week", 10_000, 8_000, 2_001)
    assert guard.refuses_deposit("ada", 2_000, NOON + 2 * DAY) is None
    assert isinstance(guard.refuses_deposit("ada", 9_001, NOON + 8 * DAY), ProtectionLimit)


@pytest.mark.parametrize(("kind", "period", "length"), [("stake", "day", DAY), ("loss", "week", 7 * DAY)])
def test_r34_windows_roll(kind: str, period: str, length: int) -> None:
    guard = guarded(PlayerLimits(limits={f"{kind}:{period}": 1_000}))
    guard.add_round("ada", 800, 0, NOON)
    assert guard.refuses("ada", 201, NOON + length - 1) == ProtectionLimit(f"{kind}:{period}", 1_000, 800, 201)
    assert guard.refuses("ada", 200, NOON + length - 1) is None
    assert guard.refuses("ada", 1_000, NOON + length) is None


def test_r34_loss_counts_net_and_stake_counts_gross() -> None:
    guard = guarded(PlayerLimits(limits={"loss:day": 1_000}))
    guard.add_round("ada", 500, 1_500, NOON)
    guard.add_round("ada", 900, 0, NOON + 1)
    assert guard.refuses("ada", 1_000, NOON + 2) is None
    guard.set_player_limits("ada", PlayerLimits(limits={"stake:day": 1_500}))
    assert isinstance(guard.refuses("ada", 101, NOON + 2), ProtectionLimit)


def test_windows_agree_with_counting_every_flow() -> None:
    """Sums kept up step by step against sums over everything, with flows that recovery brings in any order."""
    for seed in range(40):
        rng, guard, now = Random(seed), guarded(PlayerLimits(limits={"stake:week": 10_000})), NOON
        flows: list[tuple[int, int]] = []
        for _ in range(60):
            now += rng.choice((0, HOUR, DAY))
            at = now - rng.choice((0, 0, 0, 2 * DAY))
            staked = rng.randrange(1, 2_000)
            guard.add_round("ada", staked, rng.randrange(3_000), at)
            flows.append((at, staked))
            used = sum(amount for when, amount in flows if when > now - 7 * DAY)
            no = guard.refuses("ada", 10_001, now)
            assert no == ProtectionLimit("stake:week", 10_000, used, 10_001)


def test_a_month_of_play_costs_a_bet_nothing() -> None:
    """Ten thousand rounds in the windows: the sums are kept, not made anew for each bet."""
    guard = guarded(PlayerLimits(limits=dict.fromkeys(player_limits.LIMIT_NAMES, 10**12)))
    for number in range(10_000):
        guard.add_round("ada", 100, 50, NOON + number * MINUTE)
    start = process_time()
    for number in range(1_000):
        assert guard.refuses("ada", 100, NOON + 10_000 * MINUTE + number) is None
    assert process_time() - start < 0.5


def test_g25_a_month_of_play_is_remembered_in_little() -> None:
    """A crowd plays for a month: what its limits are counted from takes under 50 bytes a round, and nothing older."""
    guard = guarded(PlayerLimits(limits={"stake:month": 10**12}))
    tracemalloc.start()
    try:
        for number in range(8_000):
            guard.add_round("ada", 100, 50, NOON + number * 5 * MINUTE)
        month = tracemalloc.get_traced_memory()[0]
        for number in range(8_000, 40_000):
            guard.add_round("ada", 100, 50, NOON + number * 5 * MINUTE)
        months = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    assert month < 8_000 * 50
    assert months < 2 * 30 * 24 * 12 * 50, "a month counts, and at most as much again that is not dropped yet"


def test_r36_open_stakes_count_at_once() -> None:
    """Nobody stakes past his limit by betting at two tables before either round ends."""
    guard = guarded(PlayerLimits(limits={"loss:day": 1_000}), open_stakes=700)
    assert guard.refuses("ada", 301, NOON) == ProtectionLimit("loss:day", 1_000, 700, 301)
    assert guard.refuses("ada", 300, NOON) is None


def test_r34_session_time() -> None:
    guard = guarded(PlayerLimits(limits={"session:minutes": 30}))
    guard.set_session_start("ada", NOON)
    assert guard.refuses("ada", 100, NOON + 30 * MINUTE - 1) is None
    assert guard.refuses("ada", 100, NOON + 30 * MINUTE) == ProtectionLimit("session:minutes", 30, 30, 0)
    guard.set_session_start("ada", None)
    assert guard.refuses("ada", 100, NOON + 30 * MINUTE) is None


def login(foyer: HouseInMemory, name: str) -> Entered:
    found = foyer.reception.login(name, "correct horse battery", "10.0.0.1", "t", foyer.now)
    assert isinstance(found, Entered)
    foyer.keep(found.batch)
    return found


def test_r34_session_time_is_not_reset_by_a_new_login() -> None:
    foyer = HouseInMemory()
    ada = foyer.joined("Ada", 100_000)
    foyer.keep(foyer.protection.set_limit(ada, "session:minutes", 30, foyer.now))
    login(foyer, "Ada")
    table = foyer.open("first-person", "F1", ada)
    foyer.sit(ada, table, 1)
    foyer.wait(29)
    foyer.round(table, {ada: (1, 500)})
    foyer.wait(1)
    foyer.keep(foyer.tokens.close_all(ada, foyer.now, "logout"))
    login(foyer, "Ada")
    assert foyer.bet(table, ada, 1, 500).answer.refused == "ProtectionLimit"
    foyer.crash()
    assert foyer.bet(table, ada, 1, 500).answer.refused == "ProtectionLimit"


def test_r36_the_refused_bet_names_the_limit_and_moves_nothing() -> None:
    """X-13: in the bet path, through the authority, with the numbers that explain it."""
    foyer = HouseInMemory()
    ada = foyer.joined("Ada", 100_000)
    table = foyer.open("ventuno", "T1")
    foyer.sit(ada, table, 1)
    foyer.keep(foyer.protection.set_limit(ada, "stake:day", 2_500, foyer.now))
    foyer.bet(table, ada, 1, 2_000)
    before = foyer.authority.tables[table], foyer.authority.wallet.balances()
    decided = foyer.bet(table, ada, 1, 1_000)
    assert decided.answer.refused == "ProtectionLimit"
    assert decided.answer.numbers == {"name": "stake:day", "limit": 2_500, "used": 2_000, "asked": 1_000}
    assert decided.batch is None
    assert (foyer.authority.tables[table], foyer.authority.wallet.balances()) == before


def test_r36_limit_reached_in_mid_round_lets_it_finish_without_a_raise() -> None:
    for seed in range(60):
        foyer = HouseInMemory(seed)
        ada = foyer.joined("Ada", 100_000)
        table = foyer.open("first-person", "F1", ada)
        foyer.sit(ada, table, 1)
        foyer.bet(table, ada, 1, 2_000)
        foyer.say(table, DealNow(ada, foyer.now), ada)
        held = foyer.authority.tables[table].table
        if held.phase is not Phase.ROUND or held.round is None or turn(held.round) is None:
            continue
        foyer.keep(foyer.protection.set_limit(ada, "stake:day", 2_000, foyer.now))
        no = foyer.ask(table, Act(ada, 1, Action.DOUBLE, foyer.now), ada)
        assert no.answer.refused == "ProtectionLimit"
        foyer.say(table, Act(ada, 1, Action.STAND, foyer.now), ada)
        assert foyer.disk.rounds
        return
    raise AssertionError("no round got as far as a decision")


def test_r38_excluded_no_play_no_deposit_but_withdrawal() -> None:
    foyer = HouseInMemory()
    ada = foyer.joined("Ada", 100_000)
    table = foyer.open("ventuno", "T1")
    foyer.sit(ada, table, 1)
    foyer.keep(foyer.protection.exclude(ada, 30, foyer.now))
    foyer.crash()
    assert foyer.bet(table, ada, 1, 1_000).answer.refused == "PlayExcluded"
    assert foyer.bring(ada, table, 1_000).decided.answer.refused == "PlayExcluded"
    assert isinstance(foyer.deposit(ada, 100), PlayExcluded)
    foyer.say(table, TakeMoney(ada, 50_000, foyer.now), ada)
    done = foyer.cashier.withdraw(ada, 100_000, foyer.key(), foyer.now)
    assert not isinstance(done, Refusal)
    assert done.balance == 0
    foyer.now += 30 * DAY
    assert not isinstance(foyer.deposit(ada, 100), Refusal)


def test_r40_an_exclusion_elsewhere_acts_on_the_next_command() -> None:
    """Set in one session, it meets the bet of another at once: nothing is cached per connection."""
    foyer = HouseInMemory()
    ada = foyer.joined("Ada", 100_000)
    tables = [foyer.open("ventuno", name) for name in ("T1", "T2")]
    for table in tables:
        foyer.sit(ada, table, 1, 20_000)
        assert not foyer.bet(table, ada, 1, 500).answer.refused
    foyer.keep(foyer.protection.cool_off(ada, foyer.now + 2 * DAY, foyer.now))
    assert [foyer.bet(table, ada, 1, 500).answer.refused for table in tables] == ["CoolingOff", "CoolingOff"]


def test_r37_reality_check_waits_for_the_round_and_must_be_read() -> None:
    foyer = HouseInMemory()
    ada = foyer.joined("Ada", 100_000)
    login(foyer, "Ada")
    table = foyer.open("ventuno", "T1")
    foyer.sit(ada, table, 1)
    foyer.round(table, {ada: (1, 1_000)})
    foyer.bet(table, ada, 1, 1_000)
    foyer.now += 60 * MINUTE
    foyer.finish(table)
    sitting = foyer.accounts[ada].sessions
    net = foyer.guard.sum_result(ada, sitting.sitting)
    assert net == sum(share.returned - share.staked for share in foyer.disk.shares)
    no = foyer.bet(table, ada, 1, 1_000)
    assert no.answer.refused == RealityCheckDue.__name__
    assert no.answer.numbers == {"minutes": (foyer.now - sitting.sitting) // MINUTE, "net": net}
    foyer.keep(foyer.tokens.acknowledge(ada, net, foyer.now))
    shown = make_clock(foyer.accounts[ada].sessions, net, 60, foyer.now)
    assert shown.minutes >= 60
    assert shown.next_check == foyer.now + 60 * MINUTE
    assert not foyer.bet(table, ada, 1, 1_000).answer.refused
    foyer.crash()
    assert not foyer.bet(table, ada, 1, 100).answer.refused


def test_r37_a_chip_that_was_never_dealt_puts_no_check_off() -> None:
    """Chips lie at two tables when the check is due: no bet is taken anywhere before it was read."""
    foyer = HouseInMemory()
    ada = foyer.joined("Ada", 300_000)
    login(foyer, "Ada")
    live, solo = foyer.open("ventuno", "T1"), foyer.open("first-person", "S1", ada)
    for table in (live, solo):
        foyer.sit(ada, table, 1)
        assert not foyer.bet(table, ada, 1, 1_000).answer.refused
    assert foyer.guard.find_due(ada, foyer.now) is None
    foyer.wait(60)
    assert isinstance(foyer.guard.find_due(ada, foyer.now), RealityCheckDue)
    assert foyer.bet(solo, ada, 1, 1_000).answer.refused == RealityCheckDue.__name__
    foyer.keep(foyer.tokens.acknowledge(ada, 0, foyer.now))
    assert foyer.guard.find_due(ada, foyer.now) is None
    assert not foyer.bet(solo, ada, 1, 1_000).answer.refused


@pytest.mark.parametrize("table", ["T1", "S1"])
def test_r37_inside_a_round_every_decision_stays_possible_and_no_bet_elsewhere(table: str) -> None:
    foyer = HouseInMemory()
    ada = foyer.joined("Ada", 300_000)
    login(foyer, "Ada")
    for name, game, owner in (("T1", "ventuno", ""), ("S1", "first-person", ada)):
        foyer.open(game, name, owner)
        foyer.sit(ada, name, 1)
    other = "S1" if table == "T1" else "T1"
    while not _asks_for_a_double(foyer, table):
        if foyer.authority.tables[table].table.phase is not Phase.BETTING:
            foyer.finish(table)
        assert not foyer.bet(table, ada, 1, 1_000).answer.refused
        if table == "T1":
            foyer.tick(table)
        else:
            foyer.say(table, DealNow(ada, foyer.now), ada)
    foyer.guard.set_session_start(ada, foyer.now - 60 * MINUTE)
    foyer.keep(foyer.protection.choose_reality(ada, 60, foyer.now))
    assert foyer.guard.find_due(ada, foyer.now) is None, "it waits for the end of the round"
    assert foyer.bet(other, ada, 1, 1_000).answer.refused == RealityCheckDue.__name__
    foyer.say(table, Act(ada, 1, Action.DOUBLE, foyer.now), ada)
    foyer.finish(table)
    assert isinstance(foyer.guard.find_due(ada, foyer.now), RealityCheckDue)
    assert foyer.bet(table, ada, 1, 1_000).answer.refused == RealityCheckDue.__name__


def _asks_for_a_double(foyer: HouseInMemory, name: str) -> bool:
    play = foyer.authority.tables[name].table.round
    asked = turn(play) if play and foyer.authority.tables[name].table.phase is Phase.ROUND else None
    return asked is not None and asked[1] == 0 and len(asked[0].hands[0].cards) == 2


def test_r37_interval_is_the_players_choice() -> None:
    foyer = HouseInMemory()
    ada = foyer.joined("Ada", 10_000)
    assert foyer.accounts[ada].player_limits.reality_minutes == 60
    foyer.keep(foyer.protection.choose_reality(ada, 15, foyer.now))
    foyer.guard.set_session_start(ada, foyer.now)
    assert foyer.guard.refuses(ada, 100, foyer.now + 15 * MINUTE - 1) is None
    assert isinstance(foyer.guard.refuses(ada, 100, foyer.now + 15 * MINUTE), RealityCheckDue)
    assert isinstance(player_limits.choose_reality(5), list)
    assert isinstance(player_limits.choose_reality(240), list)
    for minutes in (0, -5, 4, 241):
        assert isinstance(foyer.protection.choose_reality(ada, minutes, foyer.now), player_limits.CheckUnfit)


def test_limits_and_windows_survive_a_crash() -> None:
    """R-48: what was used of a limit is folded from what was written."""
    foyer = HouseInMemory()
    ada = foyer.joined("Ada", 100_000)
    table = foyer.open("first-person", "F1", ada)
    foyer.sit(ada, table, 1)
    foyer.keep(foyer.protection.set_limit(ada, "stake:day", 4_000, foyer.now))
    while sum(share.staked for share in foyer.disk.shares) < 3_600:
        foyer.round(table, {ada: (1, 500)})
    used = sum(share.staked for share in foyer.disk.shares)
    first = foyer.bet(table, ada, 1, 5_000).answer
    foyer.crash()
    assert foyer.bet(table, ada, 1, 5_000).answer == first
    assert first.numbers["used"] == used


def test_every_act_is_one_batch_of_account_and_audit() -> None:
    foyer = HouseInMemory()
    ada = foyer.joined("Ada")
    batch = foyer.protection.set_limit(ada, "stake:day", 100, foyer.now)
    assert isinstance(batch, Batch)
    assert [(one.stream, one.kind) for one in batch.records] == [
        (f"player:{ada}", LimitSet.__name__),
        ("house", "ProtectionChanged"),
    ]
