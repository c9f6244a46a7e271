"""`ventuno.settle`: the settlement of the contract, from any form of a round (X-20)."""

import json
from pathlib import Path

import pytest

import ventuno
from ventuno.core.scenario import notation, scenario
from ventuno.core.scenario.runner import play_scenario, write_settlement
from ventuno.sheets import GAMES, load

ROUND = {
    "game": "ventuno",
    "shoe": "9S 7D TC TH",
    "players": {"p1": 100000, "p2": 50000},
    "boxes": [
        {
            "box": 1,
            "player": "p1",
            "main": 1000,
            "sides": {"perfect-pairs": 200, "21+3": 200},
            "behind": [{"player": "p2", "stake": 500, "follow_double": True}],
        }
    ],
    "decisions": [{"box": 1, "do": "stand"}],
}
SCENARIOS = sorted((Path(__file__).parents[1] / "scenarios").rglob("*.json"))


def test_x20_every_scenario_settles_as_the_command_does() -> None:
    settled = 0
    for file in SCENARIOS:
        document = json.loads(file.read_text(encoding="utf-8"))
        if "scenario" not in document or document.get("set") or "expect" not in document:
            continue
        try:
            played = scenario.parse(document["scenario"], GAMES)
            due = write_settlement(play_scenario(load(played.game), played))
        except (ventuno.Malformed, ventuno.Refused) as fault:
            with pytest.raises(type(fault)):
                ventuno.settle(document["scenario"])
            continue
        settlement = ventuno.settle(document["scenario"])
        assert settlement.to_dict() == due
        assert {name: result.net for name, result in settlement.players.items()} == {
            name: sum(bet.net for bet in settlement.bets if bet.player == name) for name in settlement.players
        }
        settled += 1
    assert settled > 100


def test_a_round_is_a_scenario_a_file_or_a_line(tmp_path: Path) -> None:
    file = tmp_path / "round.json"
    file.write_text(json.dumps(ROUND), encoding="utf-8")
    settlement = ventuno.settle(ROUND)
    assert settlement == ventuno.settle(file) == ventuno.settle(notation.write(scenario.parse(ROUND, GAMES)))
    assert (settlement.dealer.cards, settlement.dealer.total) == ("7D TH", 17)
    assert [(bet.player, bet.bet, bet.net, bet.criterion) for bet in settlement.bets] == [
        ("p1", "main", 1000, "V-19"),
        ("p1", "perfect-pairs", -200, "V-21"),
        ("p1", "21+3", -200, "V-22"),
        ("p2", "behind", 500, "V-26"),
    ]
    assert settlement.players["p1"].balance == 100600


def test_another_sheet_settles_by_its_rules() -> None:
    line = "ventuno | - | 1:p1 1000 | AS 7D KC TH"
    assert ventuno.settle(line).players["p1"].net == 1500
    poorer = ventuno.load_sheet("ventuno", {"blackjack.pays": "6/5"})
    assert ventuno.settle(line, poorer).players["p1"].net == 1200


def test_what_is_no_round_and_what_is_refused_are_told_apart(tmp_path: Path) -> None:
    broken = tmp_path / "round.json"
    broken.write_text("{", encoding="utf-8")
    for round_ in (broken, "ventuno", "vintuno | - | 1:p1 1000 | AS 7D KC TH", {"game": "ventuno"}):
        with pytest.raises(ventuno.Malformed):
            ventuno.settle(round_)
    with pytest.raises(ventuno.Refused) as refused:
        ventuno.settle(ROUND | {"decisions": []})
    assert (refused.value.refusal.code, refused.value.at) == ("DecisionMissing", "decisions")


def test_it_is_shown_as_text_and_in_a_notebook() -> None:
    settlement = ventuno.settle(ROUND | {"boxes": [{"box": 1, "player": "<p1>", "main": 1000}]})
    assert str(settlement).splitlines()[:2] == ["Dealer  7D TH  17", "Box 1 hand 1  9S TC  19  win"]
    page = settlement._repr_html_()
    assert "<td>&lt;p1&gt;</td>" in page
    assert "<p1>" not in page
    assert "€ 10,00" in page
    assert "V-19" in page
