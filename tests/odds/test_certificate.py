"""Certificates: the published figures to the last printed digit, the contract's JSON, the same bytes twice (X-04)."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import product
from math import prod, sqrt
from pathlib import Path
from typing import Any

import pytest

from ventuno.cli.main import main
from ventuno.core.messages.certificate_notes import Note
from ventuno.core.rules.cards import VALUES
from ventuno.core.rules.sheet import Published
from ventuno.odds.bets.always_cash_out import always_taken
from ventuno.odds.bets.main_bet import solve_main_bet
from ventuno.odds.certificate import chart_panels
from ventuno.odds.certificate.certificate import Certificate, certify
from ventuno.odds.certificate.figure import Claim, compare, round_like
from ventuno.odds.certificate.report import render_page
from ventuno.odds.certificate.svg import strategy
from ventuno.odds.exact.strategy import UP_CARDS
from ventuno.sheets import GAMES, load

BETS = {
    "ventuno": ["main", "perfect-pairs", "21+3"],
    "first-person": ["main", "perfect-pairs", "21+3", "always-cash-out"],
    "sisal": ["main", "perfect-pairs", "21+3", "dealer-pair"],
    "duello": ["main", "2-up"],
    "link": ["main", "perfect-pairs", "21+3", "dealer-pair", "link"],
}
KEYS = {"bet", "base", "rtp", "rtp_initial", "rtp_total", "published", "matches", "sd"}


@cache
def certified(game: str) -> Certificate:
    return certify(load(game))


@pytest.mark.parametrize("game", GAMES)
def test_published_figures(game: str) -> None:
    found = certified(game)
    assert [figure.bet for figure in found.figures] == BETS[game]
    for figure in found.figures:
        assert figure.published is not None, figure.bet
        assert figure.matches is True, figure.bet
    assert {figure.bet for figure in found.figures} >= set(load(game).published.returns)


@pytest.mark.parametrize("game", GAMES)
def test_contract_json(game: str) -> None:
    found = json.loads(json.dumps(certified(game).plain()))
    assert {"game", "sheet", "strategy_class", "bets"} <= set(found)
    assert found["game"] == game
    assert re.fullmatch("[0-9a-f]{64}", found["sheet"])
    assert found["strategy_class"] == "CD"
    for bet in found["bets"]:
        assert set(bet) == KEYS | ({"rtp_td"} if bet["bet"] == "main" else set())
        assert bet["base"] == load(game).published.base
        assert bet["rtp"] == bet["rtp_total" if bet["base"] == "total" else "rtp_initial"]
        assert bet["sd"] > 0
    main_figure = found["bets"][0]
    assert main_figure["rtp_td"] <= main_figure["rtp"] + 1e-12


@pytest.mark.parametrize("game", GAMES)
def test_x04_byte_identical(game: str) -> None:
    first, second = certified(game).text(), certify(load(game)).text()
    assert first == second
    document = json.loads(first)
    assert document["sheet"] == load(game).hash
    for name in ("method", "strategy_class", "base", "strategy", "outcomes", "expected_stake", "rules", "notes"):
        assert name in document
    for bet in document["bets"]:
        assert {"variance", "maximum_win", "method"} <= set(bet)
    assert sum(document["outcomes"].values()) == pytest.approx(1, abs=1e-9)
    assert render_page([certified(game)]) == render_page([certify(load(game))])


@pytest.mark.parametrize("game", GAMES)
def test_outcomes_give_the_figures(game: str) -> None:
    """The distribution of a hand gives back the return and the standard deviation."""
    main = solve_main_bet(load(game))
    mean = sum(net * chance for net, chance in main.outcomes.items())
    square = sum(net * net * chance for net, chance in main.outcomes.items())
    assert 100 * (1 + mean) == pytest.approx(main.rtp_initial, abs=1e-9)
    assert main.sd == pytest.approx(sqrt(square - mean**2), abs=1e-8)
    assert 100 * (1 + mean / main.stake) == pytest.approx(main.rtp_total, abs=1e-9)


def test_f10_offers_are_in_the_certificate() -> None:
    offers = json.loads(certified("first-person").text())["offers"]["hundredths_of_stake"]
    every = [cents for table in offers.values() for row in table.values() for cents in row]
    assert (min(every), max(every)) == (40, 177)


def test_f13_offers_counted_another_way() -> None:
    """All orders of first card, up-card, second card and hole card by value; the peek looks at the ace alone."""
    sheet = load("first-person", {"shoe.decks": "1"})
    shoe = Counter(VALUES)
    back = Fraction(0)
    for deal in product(shoe, repeat=4):
        first, up, second, hole = deal
        ways = prod(shoe[value] - deal[:place].count(value) for place, value in enumerate(deal))
        dealer = {up, hole} == {1, 10}
        low, high = sorted((first, second))
        if (low, high) == (1, 10):
            paid = Fraction(1) if dealer else Fraction(5, 2)
        elif up == 1 and dealer:
            paid = Fraction(0)
        else:
            rows = sheet.cash_out.soft if low == 1 else sheet.cash_out.hard
            paid = Fraction(rows[str(low + high + 10 * (low == 1))][UP_CARDS.index(up)], 100)
        back += paid * ways
    assert always_taken(sheet).rtp == back / (52 * 51 * 50 * 49)


def test_s27_both_readings() -> None:
    document = json.loads(certified("sisal").text())
    kept = document["bets"][1]["rtp"]
    assert 0 < document["pair_forfeited_by_best_play"] < kept


def test_what_is_not_exact_says_so() -> None:
    """Splits to more than two hands: the return by the fixed-strategy method, no deviation, both stated."""
    found = certify(load("ventuno", {"split.hands": "4"}), compare=False)
    assert found.figures[0].sd is None
    assert json.loads(found.text())["bets"][0]["variance"] is None
    assert {"unspread", "fixed"} <= {note.code for note in found.notes}
    assert "–" in render_page([found])


def test_v26_behind_is_in_the_certificate() -> None:
    assert len(json.loads(certified("ventuno").text())["behind"]) == 4


@pytest.mark.parametrize(
    ("value", "like", "text"),
    [
        (99.285, "99.29", "99.29"),
        (99.2949, "99.29", "99.29"),
        (99.2951, "99.29", "99.30"),
        (Fraction(297, 10), "29.7", "29.7"),
    ],
)
def test_rounding_to_the_printed_digits(value: float | Fraction, like: str, text: str) -> None:
    assert round_like(value, like) == text


def test_range_and_silence() -> None:
    between = Published(base="total", returns={"main": "99.57"}, between={"low": "93.89", "high": "99.57"})
    assert compare("link", 95.3, between) == ("93.89-99.57", True)
    assert compare("link", 93.8, between) == ("93.89-99.57", False)
    assert compare("link", 99.6, between) == ("93.89-99.57", False)
    assert compare("main", 99.5749, between) == ("99.57", True)
    assert compare("main", 99.58, between) == ("99.57", False)
    assert compare("2-up", 93.0, Published(base="total", returns={})) == (None, None)


def test_planted_wrong_publication_is_caught() -> None:
    """A figure that is off by one in the last printed digit fails the certificate."""
    sheet = load("duello")
    wrong = replace(sheet, published=Published(base="total", returns={"main": "98.39", "2-up": "93.47"}))
    assert not certify(wrong).matches
    assert certify(sheet).matches


def run(*words: str) -> int:
    return main(list(words))


def test_certify_prints_one_document(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert run("certify", "duello", "--json", "--out", str(tmp_path), "--html", str(tmp_path / "page.html")) == 0
    out, err = capsys.readouterr()
    games: list[dict[str, Any]] = json.loads(out)["games"]
    assert [one["game"] for one in games] == ["duello"]
    assert "duello" in err
    assert (tmp_path / f"{games[0]['sheet']}.json").read_text(encoding="utf-8") == certified("duello").text()
    assert "http" not in (tmp_path / "page.html").read_text(encoding="utf-8").replace("http://www.w3.org/2000/svg", "")


def test_certify_says_no(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ventuno.odds.certificate.certificate.compared", lambda *_: ("98.39", False))
    assert run("certify", "duello") == 1
    assert "✗" in capsys.readouterr().out


def test_what_if_is_not_compared(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("certify", "duello", "--set", "duel.qualify=14", "--json") == 0
    (game,) = json.loads(capsys.readouterr().out)["games"]
    assert game["sheet"] != load("duello").hash
    assert {(bet["published"], bet["matches"]) for bet in game["bets"]} == {(None, None)}


@pytest.mark.parametrize(
    "words",
    [
        ("certify", "roulette"),
        ("certify", "duello", "--set", "duel.qualify=99"),
        ("certify", "duello", "--set", "duel.charm=1"),
        ("certify", "duello", "--set", "duel.qualify"),
        ("certify", "duello", "--out", "/dev/null/x"),
        ("strategy", "roulette"),
        ("strategy",),
        ("strategy", "duello", "--json", "--svg", "x.svg"),
        ("strategy", "duello", "--svg", "/dev/null/x.svg"),
    ],
)
def test_wrong_usage_is_one_line(words: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(*words) == 2
    out, err = capsys.readouterr()
    assert out == ""
    said = [line for line in err.splitlines() if "computing" not in line]
    assert len(said) == 1


@pytest.mark.parametrize("game", ["ventuno", "duello"])
def test_strategy(game: str, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert run("strategy", game, "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert found["game"] == game
    assert found["rtp_td"] <= found["rtp"] + 1e-12
    assert run("strategy", game) == 0
    assert load(game).game.name in capsys.readouterr().out
    assert run("strategy", game, "--svg", str(tmp_path / "chart.svg")) == 0
    assert (tmp_path / "chart.svg").read_text(encoding="utf-8").startswith("<svg")


def test_chart_of_a_known_game() -> None:
    """Sixteen against a ten is hit, eights are split against a six, eleven is doubled against a six (V-11, V-14)."""
    rows = solve_main_bet(load("ventuno")).strategy()
    six, ten = rows["up_cards"].index("6"), rows["up_cards"].index("T")
    assert rows["hard"]["16"][ten] == "H"
    assert rows["pair"]["88"][six] == "P"
    assert rows["hard"]["11"][six] == "D"
    assert rows["hard"]["11"][ten] == "H"
    assert rows["insure"] is False


def test_duel_chart_is_complete() -> None:
    tables = solve_main_bet(load("duello")).panels()
    cells = [cell for table in tables for _, row in table.rows for cell in row if cell.action]
    assert len(tables) == 10
    assert len(cells) == 550
    assert {cell.action for cell in cells} == {"F", "H", "S"}
    assert strategy(tables, "x").count("<rect") == 550 + 3 + 1
    assert [action for action, _, _ in chart_panels.legend(tables)] == ["H", "S", "F"]


def test_figure_names_its_base() -> None:
    figure = Claim("main", "total", 1.0, 2.0, 0.5, 2.0, Note("method-exact"))
    assert figure.rtp == 2.0
    assert replace(figure, base="initial").rtp == 1.0
