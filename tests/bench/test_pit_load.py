"""What several owners of pits cost: that the bench runs to its end, and what it calls missed."""

from __future__ import annotations

import pytest

from bench.pit_load import SEATS, choose_seats, count_away, judge, measure, parse

HOSTS = ("h1", "h2", "h3", "h4")


@pytest.mark.timeout(300)
def test_players_act_on_two_hosts_and_every_part_is_counted() -> None:
    (result,) = measure(parse(["--quick", "--hosts", "2"]))[2]
    assert result.rate > 0
    assert result.refused == 0
    assert len(result.hosts) == 2
    assert all(result.hosts)
    assert 0 < result.away < 1
    assert result.batches >= 1
    assert 0 < result.median <= result.p99
    assert result.whole > result.host > 0


@pytest.mark.parametrize(
    ("hosts", "ratios", "is_reached"),
    [(2, [1.0, 1.1, 1.5], True), (2, [1.0, 1.11, 1.5], False), (4, [1.3], True), (4, [1.31], False)],
)
def test_a_planted_dear_host_is_missed(
    capsys: pytest.CaptureFixture[str], hosts: int, ratios: list[float], *, is_reached: bool
) -> None:
    assert judge(hosts, ratios) is is_reached
    assert ("reached" if is_reached else "MISSED") in capsys.readouterr().out


@pytest.mark.parametrize("away", [0.0, 0.25, 1.0])
def test_so_many_players_are_away_from_the_host_of_their_home(away: float) -> None:
    places = choose_seats(8, HOSTS, away)
    assert count_away(places, HOSTS) == pytest.approx(away, abs=0.02)
    assert len({place.player for place in places}) == 8 * SEATS


def test_as_names_fall_the_same_players_sit_at_the_same_tables_whatever_the_hosts() -> None:
    places = choose_seats(40, HOSTS, None)
    assert places == choose_seats(40, HOSTS[:1], None)
    assert count_away(places, HOSTS) == pytest.approx(0.75, abs=0.1)
    assert count_away(places, HOSTS[:1]) == 0
