"""`ventuno play [GAME]`: any game at a table in the terminal."""

from __future__ import annotations

import argparse
import random
import secrets
import sys
import time
from collections.abc import Mapping

from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from ventuno.cli import sheet_choice
from ventuno.cli.errors import REFUSED, Fault
from ventuno.cli.terminal import prompt
from ventuno.cli.terminal.dealer import Dealer
from ventuno.cli.terminal.game import play_session
from ventuno.cli.terminal.screen import BRASS, IVORY, QUIET, Screen
from ventuno.cli.terminal.table_session import Session
from ventuno.cli.terminal.voice import Voice, name_place
from ventuno.core.messages.refusals import Refusal
from ventuno.core.rules.money import Cents
from ventuno.core.rules.sheet import Sheet
from ventuno.words import LANGUAGES, format_money

DEFAULT_BALANCE = 100_000
_PIPED_WIDTH = 110


def arguments(parser: argparse.ArgumentParser) -> None:
    picked = f"{sheet_choice.GAME_HELP}; a picker when left out"
    parser.add_argument("game", metavar=sheet_choice.GAME, nargs="?", help=picked)
    sheet_choice.add_folders(parser)
    parser.add_argument(
        "--balance",
        metavar="CENTS",
        default=str(DEFAULT_BALANCE),
        help="play money to start with, in cents, or in euros as the table shows them",
    )
    parser.add_argument("--seed", metavar="N", type=int, help="repeatable cards, for tests; it is said on screen")
    parser.add_argument("--lang", choices=LANGUAGES, default="it", help="language of the table, Italian by default")


def run(given: argparse.Namespace) -> int:
    prompt.prepare_streams()
    voice = Voice(given.lang)
    console = _console()
    try:
        game = given.game or _pick_game(console, voice, sheet_choice.load_games(given))
    except (prompt.PlayerLeft, KeyboardInterrupt):
        console.print()
        return 0
    sheet = sheet_choice.load(given, game)
    seeded = given.seed is not None
    chance = random.Random(given.seed) if seeded else secrets.SystemRandom()
    croupier = Dealer(sheet, chance, lambda: time.time_ns() // 1_000_000)
    brought = croupier.bring(_read_balance(given.balance, given.lang))
    if isinstance(brought, Refusal):
        raise Fault(f"--balance {given.balance}: {voice.refusal(brought)}", REFUSED)
    screen = Screen(console, Voice(given.lang, sheet), voice("seed", seed=given.seed) if seeded else "")
    play_session(Session(croupier, screen, prompt.Reader(prompt.read_line)))
    return 0


def _read_balance(text: str, language: str) -> Cents:
    amount = prompt.amount("".join(prompt.words(text)), language)
    if amount is not None:
        return amount
    try:
        return int(text)  # what is below zero is for the table to refuse
    except ValueError:
        raise Fault(f"--balance {text!r}: write cents, or euros as in {format_money(100_050, language)!r}") from None


def _console() -> Console:
    """Colour only on a terminal, whatever the environment says."""
    is_terminal = sys.stdout is not None and sys.stdout.isatty()
    if is_terminal:
        return Console(highlight=False, markup=False, emoji=False)
    return Console(highlight=False, markup=False, emoji=False, force_terminal=False, width=_PIPED_WIDTH)


def _pick_game(console: Console, voice: Voice, games: Mapping[str, Sheet]) -> str:
    """The name of a game, chosen by number or by the beginning of its name."""
    console.print(Text(voice("house"), f"bold {BRASS}"))
    grid = Grid.grid(padding=(0, 2))
    for number, (game, sheet) in enumerate(games.items(), start=1):
        facts = [voice("decks", count=sheet.shoe.decks), voice(f"places.{name_place(sheet)}", count=sheet.seats.count)]
        facts += [voice.name("bet", sheet.looks.name(bet)) for bet in sheet.sides]
        extras = {"even-money": sheet.insurance.even_money, "cash-out": sheet.cash_out.offered}
        facts += [voice.name("act", action) for action, offered in extras.items() if offered]
        name, about = Text(sheet.game.name, f"bold {IVORY}"), Text(" · ".join(facts), QUIET)
        grid.add_row(Text(str(number), BRASS), name, Text(game, QUIET), about)
    console.print(grid)
    console.print(Text(voice("pick"), IVORY))
    while True:
        typed = prompt.words(prompt.read_line()[: prompt.LONGEST_LINE])
        word = "-".join(typed)
        if prompt.ALWAYS.get(word) == "quit":
            raise prompt.PlayerLeft
        place = prompt.number(word)
        if place is not None and 1 <= place <= len(games):
            return list(games)[place - 1]
        named = [game for game in games if word and game.startswith(word)]
        if len(named) == 1:
            return named[0]
        console.print(Text(voice("no-table"), BRASS))
