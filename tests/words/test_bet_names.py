"""One spot has one name in each game: the sheet says which, the catalogues write it (S-03, S-27, D-02, L-02)."""

from __future__ import annotations

import re

import pytest

from ventuno import words
from ventuno.core.rules.sheet import Sheet
from ventuno.sheets import GAMES, load

REGULATIONS = {
    ("ventuno", "perfect-pairs"): "Coppie Perfette",
    ("ventuno", "behind"): "Puntata alle spalle",
    ("first-person", "perfect-pairs"): "Coppie Perfette",
    ("sisal", "perfect-pairs"): "Coppia del giocatore",
    ("sisal", "dealer-pair"): "Coppia del banco",
    ("link", "perfect-pairs"): "Coppia del giocatore",
    ("link", "dealer-pair"): "Coppia del banco",
    ("duello", "main"): "Ante",
    ("duello", "2-up"): "2 UP",
}
COMBINATIONS = {
    ("ventuno", "mixed"): "Coppia mista",
    ("ventuno", "suited-trips"): "Tris perfetto",
    ("first-person", "mixed"): "Coppia mista",
    ("first-person", "suited-trips"): "Tris perfetto",
    ("sisal", "mixed"): "Coppia rossa/nera",
    ("sisal", "suited-trips"): "Tris dello stesso seme",
    ("link", "mixed"): "Coppia rossa/nera",
    ("link", "suited-trips"): "Tris dello stesso seme",
}


def is_short_form(short: str, name: str) -> bool:
    """Whether a circle prints the name, some of its words in their order, or its initials."""
    parts = iter(name.lower().split())
    return short == "".join(part[0] for part in name.split()) or all(word in parts for word in short.lower().split())


def list_names(sheet: Sheet, language: str) -> dict[str, str]:
    return {bet: words.load(language)[f"bet.{sheet.looks.name(bet)}"] for bet in sheet.stakes.limits}


@pytest.mark.parametrize("language", ["it", "en"])
@pytest.mark.parametrize("game", GAMES)
def test_v95_every_spot_of_a_game_has_one_name_and_its_circle_a_short_form_of_it(game: str, language: str) -> None:
    sheet = load(game)
    names = list_names(sheet, language)
    assert len(set(names.values())) == len(names), "two spots, two names"
    for bet, name in names.items():
        short = words.load(language)[f"spot.{sheet.looks.name(bet)}"]
        assert is_short_form(short, name.replace("Puntata ", "").replace("Bet ", "")), (bet, short, name)


def test_the_short_form_of_another_name_is_caught() -> None:
    assert is_short_form("PP", "Perfect Pairs")
    assert is_short_form("Coppia banco", "Coppia del banco")
    assert not is_short_form("Coppia", "Perfect Pairs")


def test_v95_the_names_are_those_of_the_regulations() -> None:
    assert {key: list_names(load(key[0]), "it")[key[1]] for key in REGULATIONS} == REGULATIONS
    looks = {game: load(game).looks for game in GAMES}
    names = {key: words.load("it")[f"won.{looks[key[0]].name(key[1])}"] for key in COMBINATIONS}
    assert names == COMBINATIONS


def test_v25_a_bet_alle_spalle_has_no_other_name() -> None:
    """Wherever it is told of: on the felt, in settings, help, refusals and the console."""
    other = re.compile(r"\bdietro\b", re.IGNORECASE)
    assert {key: phrase for key, phrase in words.load("it").items() if other.search(phrase)} == {}
    assert other.search("Punta dietro Ada")
    assert not other.search("Passo indietro")


def test_r19_a_name_is_no_rule() -> None:
    """What a bet is called changes no hash: certificates and open tables stay as they are."""
    assert load("sisal", {"looks.names": '{"perfect-pairs" = "ante"}'}).hash == load("sisal").hash
