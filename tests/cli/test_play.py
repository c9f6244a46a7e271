"""The terminal game, driven as a player drives it: lines in, screens out."""

from __future__ import annotations

import io
import random
import re
import string
import subprocess
import sys
from collections.abc import Callable, Iterator

import pytest
from rich.console import Console

from tests.support.patience import PATIENCE
from tests.support.volume import scale
from ventuno import sheets, words
from ventuno.cli.main import main
from ventuno.cli.terminal import card_art, decisions, prompt
from ventuno.cli.terminal.dealer import PLAYER, Dealer
from ventuno.cli.terminal.game import play_session
from ventuno.cli.terminal.screen import Screen
from ventuno.cli.terminal.table_session import Session
from ventuno.cli.terminal.voice import Voice
from ventuno.core.messages.refusals import Refusal
from ventuno.core.rules.cards import NAMES, Card, card, rank
from ventuno.core.rules.sheet import BETS, CATEGORIES
from ventuno.core.table.round import Action
from ventuno.core.table.state import NO_SLIP, Table
from ventuno.words import LANGUAGES, format_money

Play = Callable[..., str]


class Arranged(random.Random):
    """Shuffles like any other, but these cards come first, with `burn` before them."""

    def __init__(self, first: str, burn: int = 0) -> None:
        super().__init__(1)
        self.first, self.burn = [card(word) for word in first.split()], burn

    def shuffle(self, x: list[Card]) -> None:  # type: ignore[override]
        super().shuffle(x)
        for one in self.first:
            x.remove(one)
        x[self.burn : self.burn] = self.first


def seated(
    game: str, chance: random.Random, line: Callable[[], str], lang: str = "it", balance: int = 100_000
) -> Session:
    """A desk as `play` makes it, with its own line source, screen and clock."""
    sheet = sheets.load(game)
    croupier = Dealer(sheet, chance, lambda: 0)
    assert not isinstance(croupier.bring(balance), Refusal)
    console = Console(file=io.StringIO(), width=110, highlight=False, markup=False, emoji=False)
    return Session(croupier, Screen(console, Voice(lang, sheet)), prompt.Reader(line))


def written(desk: Session) -> str:
    file = desk.screen.console.file
    assert isinstance(file, io.StringIO)
    return file.getvalue()


def scripted(
    game: str, first: str, *lines: str, lang: str = "it", balance: int = 100_000, quits: bool = False
) -> tuple[str, Session]:
    """Play these lines on arranged cards; what was on screen when they were used up, unless the farewell is wanted."""
    sheet = sheets.load(game)
    seen: list[str] = []

    def line() -> str:
        if rest:
            return rest.pop(0)
        seen.append(written(desk))
        raise prompt.PlayerLeft

    rest = list(lines)
    desk = seated(game, Arranged(first, sheet.shoe.burn), line, lang, balance)
    play_session(desk)
    return (written(desk) if quits else seen[0]), desk


@pytest.fixture
def play(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Play:
    """Run `ventuno play` on these lines; it must end with exit 0 and nothing on stderr."""

    def run(*words: str, lines: str = "") -> str:
        monkeypatch.setattr("sys.stdin", io.StringIO(lines))
        assert main(["play", *words]) == 0
        out, err = capsys.readouterr()
        assert err == ""
        return out

    return run


ROUNDS = {
    "ventuno": "1 500; 3 1000; 3 pp 200; 7 500 21 100\ndai\nno\nno\nno\n3 s\n" + "s\n" * 6 + "\n\n" + "s\n" * 6,
    "first-person": "tutti 500\ntutti pp 100\nx\ndai\n" + "s\ni\nc\n" * 6 + "ridai x2\n" + "s\n" * 12,
    "sisal": "1 500; 5 1000; dp 100\nannulla\ndp 100\ndai\n" + "c\ns\n" * 4 + "ridai\n" + "s\nno\n" * 8,
    "duello": "1 500 2up 200; 2 500\ndai\nsx\ns\ndx\nc\n" + "f\ns\n" * 3 + "\n\n" + "f\n" * 4,
    "link": "1 500 pp 100 21 100 l 100; dp 100\ndai\n" + "\ns\nno\n" * 8 + "ripeti\ndai\n" + "\ns\n" * 6,
}


@pytest.mark.parametrize("game", sheets.GAMES)
@pytest.mark.parametrize("lang", LANGUAGES)
def test_rounds_from_bet_to_farewell(play: Play, game: str, lang: str) -> None:
    out = play(game, "--seed", "5", "--lang", lang, lines=ROUNDS[game] + "esci\n")
    voice = Voice(lang)
    assert voice("seed", seed=5) in out
    assert voice("dealt") in out
    assert out.count(voice("criterion")) >= 2
    assert voice("goodbye", balance="", net="").split(".")[0] in out
    assert "\x1b" not in out


def test_the_same_seed_deals_the_same_cards(play: Play) -> None:
    def cards_only(out: str) -> list[str]:
        return [line for line in out.splitlines() if "│" in line]

    first, second, other = (play("first-person", "--seed", seed, lines="1 500\ndai\ns\n") for seed in ("7", "7", "8"))
    assert cards_only(first) == cards_only(second) != cards_only(other)


def test_the_picker_offers_the_five_games(play: Play) -> None:
    out = play(lines="nessuno\n99\n\n5\nesci\n")
    for game in sheets.GAMES:
        assert sheets.load(game).game.name in out
    assert out.count(Voice("it")("no-table")) == 3
    assert "Puntate, prego" in out
    assert play(lines="") != ""
    assert "Goodbye" in play("--lang", "en", lines="first person\nquit\n")


def test_no_escape_codes_off_a_terminal(play: Play, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b" not in play("link", lines="1 500\n\x1b[31mrosso\ndai\naiuto\n")


def test_wrong_usage_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["play", "scopa"]) == 2
    assert main(["play", "sisal", "--lang", "fr"]) == 2
    assert main(["play", "sisal", "--balance", "0"]) == 3
    assert main(["play", "sisal", "--balance", "100010"]) == 3
    assert len(capsys.readouterr().err.splitlines()) == 4


def test_settlement_names_stake_return_arithmetic_and_criterion() -> None:
    out, desk = scripted("first-person", "AS 9D KS 8C", "1 500; 1 21 100", "dai")
    receipt = [line.split() for line in out.splitlines() if line.strip().startswith("1 ")]
    assert ["1", "Puntata", "principale", "€", "5,00", "€", "12,50", "500", "+", "3/2", "×", "500", "F-02"] in receipt
    assert ["1", "21+3", "€", "1,00", "€", "0,00", "0", "F-16"] in receipt
    assert "Risultato +€ 6,50, saldo € 1.006,50." in out
    assert desk.worth == 100_650


def test_prices_and_reasons_come_from_legal() -> None:
    out, _ = scripted("first-person", "9S 7D 3C TH", "1 500", "dai", "perché")
    assert "[c] Carta  [s] Stai  [r] Raddoppia € 5,00  [i] Incassa € 3,80" in out
    assert "Dividi: servono due carte di pari valore." in out
    out, _ = scripted("first-person", "9S 7D 9C TH", "1 500", "deal", "why", lang="en", balance=600)
    assert "Not now: Double, Split" in out
    assert "You need €5.00 and have €1.00 at the table." in out


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (("1 500", "1 pp 5"), "Si punta a multipli di € 0,10: € 0,05 non lo è."),
        (("1 500001",), "Si punta a multipli"),
        (("1 60000",), "Limite raggiunto: Puntata principale al massimo € 500,00."),
        (("9 500",), "Il numero 9 non c’è: si va da 1 a 5."),
        (("1 pp 200",), "Coppie Perfette: prima serve la puntata principale."),
        (("1 50", "dai"), "Puntata principale: il minimo è € 1,00, hai messo € 0,50."),
        (("1 link 100",), "LINK: non c’è a questo tavolo."),
        (("1",), "Mano e centesimi"),
        (("siedi 2",), "Questo tavolo è per una persona sola"),
        (("ripeti",), "Non c’è una puntata precedente da ripetere."),
        (("soldi -5",), "Non capisco"),
        (("soldi 0",), "L’importo deve essere maggiore di zero"),
        (("1 500", "dai", "dividi"), "Dividi: servono due carte"),
        (("1 500", "dai", "3 s"), "in questo gioco si aspetta il turno"),
    ],
)
def test_refusals_are_sentences(lines: tuple[str, ...], said: str) -> None:
    assert said in scripted("first-person", "9S 7D 3C TH", *lines)[0]


@pytest.mark.parametrize(
    ("typed", "language", "cents"),
    [
        ("500", "it", 500),
        ("5,00", "it", 500),
        ("5.00", "it", 500),
        ("€ 5", "it", 500),
        ("5 €", "it", 500),
        ("€5,50", "it", 550),
        ("1.000,50", "it", 100_050),
        ("€ 1.000", "it", 100_000),
        ("€ 1.250.000,00", "it", 125_000_000),
        ("1,000.50", "en", 100_050),
        ("€1,000", "en", 100_000),
        ("€1,000.50", "en", 100_050),
        ("1,000.50", "it", None),
        ("1.000,50", "en", None),
        ("1.00,50", "it", None),
        ("10.0000", "it", None),
        ("€", "it", None),
        ("€€5", "it", None),
        ("-5", "it", None),
        ("5,0", "it", None),
    ],
)
def test_amounts_are_read_as_they_are_shown(typed: str, language: str, cents: int | None) -> None:
    words = prompt.words(typed)
    assert len(words) == 1
    assert prompt.amount(words[0], language) == cents


@pytest.mark.parametrize("language", ["it", "en"])
@pytest.mark.parametrize("cents", [1, 10, 500, 99_999, 100_000, 100_050, 123_456_789])
def test_what_the_table_writes_can_be_typed_back(language: str, cents: int) -> None:
    (word,) = prompt.words(format_money(cents, language))
    assert prompt.amount(word, language) == cents


@pytest.mark.parametrize(
    ("lang", "line", "total"), [("it", "1 € 5 pp 2,50 €", "€ 7,50"), ("en", "1 €5 pp 2.50 €", "€7.50")]
)
def test_a_bet_with_a_sign_is_placed_on_its_box(lang: str, line: str, total: str) -> None:
    assert total in scripted("first-person", "9S", line, lang=lang)[0]


def test_the_balance_is_read_as_it_is_shown(play: Play, capsys: pytest.CaptureFixture[str]) -> None:
    assert "€ 250,50" in play("sisal", "--balance", "€ 250,50")
    assert "€250.50" in play("sisal", "--lang", "en", "--balance", "250.50")
    assert main(["play", "sisal", "--balance", "much"]) == 2
    assert "€ 1.000,50" in capsys.readouterr().err


def test_what_was_typed_ahead_is_dropped_after_a_refusal() -> None:
    out, desk = scripted("first-person", "9S 7D 3C TH", "1 500; 1 60000; dai")
    assert desk.dealer.table.rounds == 0
    assert "Niente più puntate" not in out


def test_removing_undoing_clearing() -> None:
    spots = {("1 500; 1 pp 200; togli 1 pp",): 500, ("1 500; 2 500; annulla",): 500, ("1 500; 2 700; cancella",): 0}
    for lines, total in spots.items():
        assert scripted("first-person", "9S", *lines)[1].worth == 100_000
        assert Voice("it").money(total) in scripted("first-person", "9S", *lines)[0]
    assert "€ 3,00" in scripted("first-person", "9S", "1 5,00; togli 1 200")[0]


def test_a_live_bet_takes_the_seat_and_an_early_decision_waits() -> None:
    """V-39, V-54: the second box is decided before its turn, the round needs no further word."""
    out, desk = scripted("ventuno", "5S 6D 9C 8S 7D TC", "2 500; 4 500", "dai", "4 s", "s")
    assert "Siete al box 2." in out
    assert "prima scelta: Stai" in out
    assert "Box 4: sta a 13." in out
    assert desk.dealer.table.rounds == 1
    assert "Box 4 lasciato." in scripted("ventuno", "5S", "siedi 4", "alzati 4")[0]


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("game", sheets.GAMES)
def test_a_place_has_the_name_that_the_felt_prints(play: Play, game: str, lang: str) -> None:
    """F-03, S-03, D-02, L-02: Mano, Posto or Box, in what is said, asked, helped with and summed up."""
    out = play(game, "--seed", "5", "--lang", lang, lines=f"aiuto\n1\n9 500\n{ROUNDS[game]}esci\n")
    kind = {"ventuno": "box", "sisal": "seat"}.get(game, "hand")
    named = {"it": {"box": "Box", "hand": "Mano", "seat": "Posto"}, "en": {kind: kind.capitalize()}}[lang][kind]
    assert out.count(f"{named} 1") >= 2
    assert bool(re.search(r"\bbox(es)?\b", out, re.I)) is (kind == "box")


def test_missing_funds_are_replaced_at_the_live_table() -> None:
    """V-59: a double without funds becomes a hit, and the player is told."""
    out, _ = scripted("ventuno", "5S 9C 6D TC 2H", "1 500", "dai", "r", balance=600)
    assert "mancano € 4,00 per «Raddoppia»; si fa «Carta»." in out


def test_the_shoe_is_changed_at_the_cut_card() -> None:
    """V-81: many rounds at the live table pass the cut card, and the next shoe serves."""
    sit_down = "; ".join(f"{box} 100" for box in range(1, 8))
    out, desk = scripted("ventuno", "", sit_down, *["dai", *["tutti no", *["s"] * 7, "ripeti"]] * 16, balance=10**7)
    assert Voice("it")("shoe-changed") in out
    assert desk.dealer.table.shoes >= 3


def test_insurance_for_one_and_for_all() -> None:
    out, desk = scripted("sisal", "9S 9D AC TC TD KS", "1 500; 2 1000", "dai", "tutti sì", "s", "s")
    assert "Posto 1: assicurato per € 2,50." in out
    assert "Posto 2: assicurato per € 5,00." in out
    assert desk.worth == 100_000
    out, desk = scripted("sisal", "9S 9D AC TC TD KS", "1 500; 2 1000", "deal", "yes", "no", "s", "s")
    assert "assicurato per € 5,00" not in out
    assert desk.worth == 100_000 + 500 - 500 - 1000


def test_even_money() -> None:
    """L-08: yes means even money where that is what is offered."""
    out, desk = scripted("link", "AS AC KS KD", "1 500", "dai", "si")
    assert "Pagato alla pari?" in out
    assert "L-08" in out
    assert desk.worth == 100_500


def test_a_won_pair_is_shown_before_it_is_given_up() -> None:
    """S-27, reading 22."""
    out, _ = scripted("sisal", "QS 4D QS TC", "1 500; 1 pp 200", "dai")
    assert "Una carta rinuncia a: Coppia del giocatore, € 50,00." in out
    assert "rinuncia" not in scripted("first-person", "QS 4D QS TC", "1 500; 1 pp 200", "dai")[0]


def test_a_duel_is_chosen_by_word_and_never_by_an_ambiguous_letter() -> None:
    out, desk = scripted("duello", "9S 5D 2C TD 8H 7C", "1 500", "dai", "s", "d")
    assert out.count("Non capisco") == 2
    assert desk.dealer.table.purse(PLAYER) == 99_500
    out, _ = scripted("duello", "9S 5D 2C TD 8H 7C", "1 500", "deal", "right", lang="en")
    assert "Hand 1: takes 10♦, 19." in out
    assert prompt.action(["r"], (Action.LEFT, Action.RIGHT, Action.FOLD)) is Action.RIGHT


@pytest.mark.parametrize("seed", range(12))
def test_the_bonus_is_played_to_its_prize(seed: int) -> None:
    """L-21…L-30: wheel and board by Enter or skip; the prize is credited as the core reckons it."""

    class Lucky(Arranged):
        """The wheel always opens a board."""

        def randrange(self, *bounds: int) -> int:  # type: ignore[override]
            return super().randrange(*bounds) if bounds[0] != 100 else 85 + seed % 15

    lines = ["1 500; 1 l 100", "dai", "perché", "boh", "", "", "skip"]
    chance = Lucky("AS 9D KS 8C")
    chance.seed(seed)
    desk = seated("link", chance, lambda: lines.pop(0) if lines else _left())
    play_session(desk)
    out = written(desk)
    assert "Bonus LINK, mano 1, puntata € 1,00" in out
    assert "Prima si gioca il bonus." in out
    assert "GRAND ×2000 · MAJOR ×500 · MINOR ×100 · MINI ×20" in out
    done = desk.dealer.table.round
    assert done is not None
    assert done.boxes[0].bonus is not None
    prize = done.boxes[0].bonus.prize
    assert prize is not None
    assert prize >= 3
    assert f"Il bonus paga {prize} volte: {Voice('it').money(prize * 100)}." in out
    assert desk.worth == 100_000 + 750 + prize * 100


def _left() -> str:
    raise prompt.PlayerLeft


def test_more_money_is_offered_when_it_is_out() -> None:
    lines = ("1 500", "dai", "s", "soldi 5000", "1 500")
    out, desk = scripted("first-person", "9S 7D 3C TH", *lines, balance=500)
    assert "«soldi 50000» porta € 500,00 al tavolo." in out
    assert "Portati al tavolo € 50,00." in out
    assert desk.worth == 5000


def test_the_session_cap_is_respected() -> None:
    """S-10, reading 19: at the cap nothing more is brought, and that is said."""
    lines = ("1 50000; 2 50000", "dai", "s", "s", "soldi", "soldi 100")
    out, desk = scripted("sisal", "9S 9D 7D 3C 4C TC 2S 2D", *lines)
    assert desk.worth == 0
    assert "in questa sessione non si porta altro" in out
    assert out.count("In una sessione si portano al massimo € 1.000,00") == 2


@pytest.mark.parametrize("game", sheets.GAMES)
def test_leaving_in_the_middle_closes_the_round(game: str) -> None:
    out, desk = scripted(game, "5S 6D 9C 8S 7D TC", "1 500; 2 500", "dai", quits=True)
    assert Voice("it")("closing") in out
    assert desk.dealer.play is None
    assert "Arrivederci. Saldo" in out


def test_interrupts_end_politely(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def interrupted(_prompt: str = "") -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr("builtins.input", interrupted)
    assert main(["play"]) == 0
    assert main(["play", "ventuno"]) == 0
    assert "Arrivederci" in capsys.readouterr().out


@pytest.mark.parametrize("bytes_in", [b"\xff\xfe\x00\n1 500\ndai\n", b"", b"\n" * 50, b"1 500;" * 5000 + b"\n"])
def test_any_bytes_on_a_pipe(bytes_in: bytes) -> None:
    """A real process, a real pipe: odd bytes, no bytes, a very long line; and it starts without the heavy libraries."""
    code = (
        "import sys; from ventuno.cli.main import main; code = main(['play', 'link', '--seed', '1']);"
        "heavy = {'numba', 'numpy'} & set(sys.modules); sys.exit(9 if heavy else code)"
    )
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, input=bytes_in, capture_output=True, check=False, timeout=PATIENCE)
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"\x1b" not in done.stdout


# Anything may be typed


def vocabulary() -> list[str]:
    words = [*prompt.BETS, *prompt.ALL, *prompt.VERBS, *prompt.ALWAYS, *prompt._ACTIONS, *prompt._ANSWERS, *prompt.SKIP]
    return [word for word in words if prompt.ALWAYS.get(word) != "quit"]


def any_line(chance: random.Random) -> str:
    """Good bets, single words, words in any order, or noise."""
    kind = chance.randrange(10)
    if kind < 3:
        return f"{chance.randint(0, 8)} {chance.choice((100, 200, 500, 60000))}"
    if kind < 6:
        return chance.choice(("dai", "", "c", "s", "r", "v", "i", "no", "si", "sx", "dx", "f", "ridai"))
    if kind < 7:
        return chance.choice(vocabulary())
    if kind < 9:
        numbers = ("0", "1", "2", "3", "500", "-1", "99999999999999999999", "5,00", "²", "½", ";")
        return " ".join(chance.choice((*numbers, *vocabulary())) for _ in range(chance.randint(1, 5)))
    noise = string.printable + "àéìòù€♠\x00\x1b\x7f\ud800{}[]%"
    return "".join(chance.choice(noise) for _ in range(chance.randint(0, 40)))


@pytest.mark.parametrize("game", sheets.GAMES)
def test_anything_may_be_typed(game: str) -> None:
    """Hundreds of random lines: nothing raises, and no balance falls below zero."""
    chance = random.Random(f"fuzz {game}")
    lines = [any_line(chance) for _ in range(scale(2_400))]

    def line() -> str:
        table = desk.dealer.table
        assert table.purse(PLAYER) >= 0
        assert all(held > 0 for held in table.slips.get(PLAYER, NO_SLIP).totals().values())
        return lines.pop() if lines else _left()

    desk = seated(game, random.Random(2), line, chance.choice(LANGUAGES))
    while lines:
        play_session(desk)
    assert desk.dealer.table.rounds >= 3
    assert desk.worth >= 0


# What lies face down stays there


def other_hidden(table: Table) -> Table:
    """The same table with other cards face down and another order in the shoe."""
    play = table.round
    if play is None or table.shoe is None:
        return table
    boxes = tuple(box if box.hidden is None else box._replace(hidden=(box.hidden + 17) % 52) for box in play.boxes)
    hidden = tuple((one + 17) % 52 for one in play.hidden)
    shoe = table.shoe._replace(cards=tuple(reversed(table.shoe.cards)))
    return table._replace(round=play._replace(boxes=boxes, hidden=hidden), shoe=shoe)


def drawn(desk: Session, table: Table) -> str:
    """Felt, question and reasons for a table, without a trace on the desk."""
    kept, desk.dealer.table, notes = desk.dealer.table, table, list(desk.notes)
    console = Console(file=io.StringIO(), width=110, highlight=False, markup=False, emoji=False)
    try:
        console.print(Screen(console, desk.voice).felt(table))
        if desk.dealer.play is not None:
            decisions.why(desk)
            for text in (*decisions.question(desk), *desk.notes):
                console.print(text)
    finally:
        desk.dealer.table, desk.notes = kept, notes
    file = console.file
    assert isinstance(file, io.StringIO)
    return file.getvalue()


@pytest.mark.parametrize("game", sheets.GAMES)
def test_the_screen_is_the_same_whatever_lies_face_down(game: str) -> None:
    chance = random.Random(f"hidden {game}")
    looked = 0

    def lines() -> Iterator[str]:
        nonlocal looked
        while looked < 40:
            play = desk.dealer.play
            bonus = play and any(box.bonus and box.bonus.prize is None for box in play.boxes)
            if play and not bonus:
                swapped = other_hidden(desk.dealer.table)
                assert swapped != desk.dealer.table
                assert drawn(desk, desk.dealer.table) == drawn(desk, swapped)
                looked += 1
            yield chance.choice(("1 500; 2 500; dai", "", "s", "c", "sx", "dx", "no", "v"))

    source = lines()
    desk = seated(game, random.Random(3), lambda: next(source, "esci"))
    play_session(desk)
    assert looked == 40


@pytest.mark.parametrize(
    ("game", "first", "holes"),
    [
        ("first-person", "9S 7D 3C {}", "TH 4C"),
        ("link", "9S 7D 3C {}", "AH 4C"),
        ("duello", "9S {} 2C TD 8H 7C", "5D KH"),
    ],
)
def test_all_that_was_ever_shown_is_the_same(game: str, first: str, holes: str) -> None:
    """The whole output up to the decision, narration included, and the turned card shows only afterwards."""
    one, other = (scripted(game, first.format(hole), "1 500", "dai")[0] for hole in holes.split())
    assert one == other
    after = scripted(game, first.format(holes.split()[0]), "1 500", "dai", "s", "sx", "s")[0]
    assert f"gira {'10♥' if game == 'first-person' else 'A♥' if game == 'link' else '5♦'}" in after


# Both languages


def test_every_bet_action_and_category_has_its_words() -> None:
    keys = [f"bet.{bet}" for bet in BETS] + [f"act.{action}" for action in Action]
    keys += [f"terminal.key.{action}" for action in Action]
    keys += [f"won.{name}" for names in CATEGORIES.values() for name in names]
    assert [key for key in keys for lang in LANGUAGES if key not in words.load(lang)] == []


def test_cards_are_shown_in_full() -> None:
    """Each rank and suit has its own face."""
    shown = {card_art.name(number) for number in range(len(NAMES))}
    assert len(shown) == 52
    assert {"10♥", "A♠", "K♦", "2♣"} <= shown
    assert {card_art.ink(number) for number in range(52) if rank(number) == 0} == {card_art.RED, card_art.BLACK}
