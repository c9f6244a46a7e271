"""What a player reads: pages in Italian and English, as Markdown. The house shows them at `/docs`, the site too.

`it/` and `en/` hold what a person wrote; the page of a game is written from its sheet and the catalogues.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files

from ventuno.core.rules.sheet import Sheet
from ventuno.guide.game_page import describe_game, write_game
from ventuno.words import say

__all__ = ["WRITTEN", "describe_game", "read_page", "write_game", "write_index", "write_pages"]

WRITTEN = ("play", "fairness")
"""Pages that a person wrote, a file of each language."""


def read_page(language: str, name: str) -> str:
    return files(__name__).joinpath(language, f"{name}.md").read_text(encoding="utf-8")


def write_pages(language: str, games: Mapping[str, Sheet]) -> dict[str, str]:
    """Every page of a language by its address: the first, what is written, one for each game in this order."""
    pages = {"": write_index(language, games)}
    pages |= {name: read_page(language, name) for name in WRITTEN}
    return pages | {f"games/{game}": write_game(sheet, language) for game, sheet in games.items()}


def write_index(language: str, games: Mapping[str, Sheet]) -> str:
    """The first page: what there is, in one line each. Its links are as from the address `language/`."""
    rows = [
        f"- [{sheet.game.name}](games/{game}.md): {describe_game(sheet, language)}" for game, sheet in games.items()
    ]
    links = [
        f"- [{say(language, f'docs.{name}')}]({name}.md): {say(language, f'docs.{name}.text')}" for name in WRITTEN
    ]
    title, text, heading = (say(language, f"docs.{key}") for key in ("title", "text", "games"))
    return "\n".join([f"# {title}", "", text, "", *links, "", f"## {heading}", "", *rows, ""])
