"""What mkdocs calls while it builds the site: pages that lie outside docs/, pages made from sheets, tests and modules.

A page stands in one place: README, ARCHITECTURE and the others are read where they are, and their links, which are
those of the repository, are written for the site.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from docs.site import criteria_page
from docs.site.links import Links
from ventuno.guide import describe_game, write_game
from ventuno.sheets import load_games

ROOT = Path(__file__).resolve().parents[2]
GUIDE = "src/ventuno/guide"
ELSEWHERE = {
    "readme.md": "README.md",
    "architecture.md": "ARCHITECTURE.md",
    "contributing.md": "CONTRIBUTING.md",
    "changelog.md": "CHANGELOG.md",
    "security.md": "SECURITY.md",
    "conduct.md": "CODE_OF_CONDUCT.md",
    "play.md": f"{GUIDE}/en/play.md",
    "fairness-for-players.md": f"{GUIDE}/en/fairness.md",
    "it/play.md": f"{GUIDE}/it/play.md",
    "it/fairness.md": f"{GUIDE}/it/fairness.md",
}
"""Pages of the site that lie outside docs/, by their address."""
REFERENCE = ("ventuno", "ventuno.odds", "ventuno.environments", "ventuno.client")
"""The public library, module by module; one that there is not has no page."""
FONTS = {
    "fraunces": "@fontsource-variable/fraunces/files/fraunces-latin-opsz-normal.woff2",
    "inter": "@fontsource-variable/inter/files/inter-latin-wght-normal.woff2",
}
"""Those of the client, where its packages are installed; else the fonts of the reader's system."""
LANGUAGES = {"games": "en", "it/games": "it"}


def list_modules() -> list[str]:
    """The modules of the public library that there are."""
    paths = {name: ROOT / "src" / name.replace(".", "/") for name in REFERENCE}
    return [name for name, path in paths.items() if path.is_dir() or path.with_suffix(".py").is_file()]


def make_links() -> Links:
    pages = {f"docs/{path.name}": path.name for path in (ROOT / "docs").glob("*.md")}
    return Links(ROOT, pages | {source: address for address, source in ELSEWHERE.items()})


LINKS = make_links()


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """The pages that are made have their places in the menu."""
    games = load_games()
    english, italian = ([f"{folder}/{game}.md" for game in games] for folder in LANGUAGES)
    reference = [{name: f"reference/{name}.md"} for name in list_modules()]
    places: dict[str, list[Any]] = {"GAMES": list(english), "ITALIAN": list(italian), "REFERENCE": list(reference)}
    config.nav = fill_menu(config.nav or [], places)
    return config


def fill_menu(menu: list[Any], places: dict[str, list[Any]]) -> list[Any]:
    """The menu, with the entries that stand for several pages in their place."""
    filled: list[Any] = []
    for entry in menu:
        if isinstance(entry, str) and entry in places:
            filled += places[entry]
        elif isinstance(entry, dict):
            filled.append({title: fill_menu(x, places) if isinstance(x, list) else x for title, x in entry.items()})
        else:
            filled.append(entry)
    return filled


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages of elsewhere, those that are made, and every picture or file that a page leads to."""

    def add(address: str, *, content: str = "", path: Path | None = None) -> None:
        given: dict[str, Any] = {"content": content} if path is None else {"abs_src_path": str(path)}
        files.append(File.generated(config, address, **given))

    for address, source in ELSEWHERE.items():
        add(address, path=ROOT / source)
    for folder, language in LANGUAGES.items():
        for game, sheet in load_games().items():
            page = write_game(sheet, language)
            add(f"{folder}/{game}.md", content=add_picture(page, sheet.game.id, language, sheet.game.name))
    add("games/index.md", content=write_games_index())
    for module in list_modules():
        add(f"reference/{module}.md", content=f"# `{module}`\n\n::: {module}\n")
    texts = [(source, (ROOT / source).read_text(encoding="utf-8")) for source in LINKS.pages]
    for name in {target for source, text in texts for target in LINKS.list_files(source, text)} | set(list_pictures()):
        add(LINKS.place(name), path=ROOT / name)
    add("assets/mark.svg", path=ROOT / "client" / "public" / "mark.svg")
    add_fonts(add)
    return files


def find_picture(game: str, language: str) -> str:
    """The picture of a game that the tests compare with the screen; the live table is shown while it decides."""
    names = (f"tests/browser/golden/{name}-{language}-1280x800.webp" for name in (game, "deciding"))
    return next(name for name in names if (ROOT / name).is_file())


def list_pictures() -> list[str]:
    return [find_picture(game, language) for game in load_games() for language in LANGUAGES.values()]


def add_picture(page: str, game: str, language: str, name: str) -> str:
    """The page of a game with its picture under the title."""
    title, _, rest = page.partition("\n\n")
    depth = "../" if language == "en" else "../../"
    return f"{title}\n\n![{name}]({depth}{LINKS.place(find_picture(game, language))})\n\n{rest}"


def write_games_index() -> str:
    rows = [
        f"[![{sheet.game.name}](../{LINKS.place(find_picture(game, 'en'))}){{ loading=lazy }}]({game}.md)\n\n"
        f"**[{sheet.game.name}]({game}.md)** · {describe_game(sheet, 'en')} "
        f"`ventuno play {game}`"
        for game, sheet in load_games().items()
    ]
    text = (
        "Each of these pages is written from the sheet that the tables play, by its hash. `ventuno sheet GAME` prints "
        "a sheet with every switch, `ventuno certify GAME` computes its returns, and "
        "[a file of your own](../write-a-game.md) makes a sixth game."
    )
    cards = "\n\n".join(f'<div class="game" markdown>\n\n{row}\n\n</div>' for row in rows)
    return f'# The five games\n\n{text}\n\n<div class="games" markdown>\n\n{cards}\n\n</div>\n'


def add_fonts(add: Any) -> None:
    """The fonts of the client and the style that names them; an empty style where they are not installed."""
    rules = []
    for name, source in FONTS.items():
        path = ROOT / "client" / "node_modules" / source
        if path.is_file():
            add(f"assets/fonts/{name}.woff2", path=path)
            rules.append(
                f"@font-face {{ font-family: '{name.title()} Variable'; font-weight: 100 900; font-display: swap; "
                f"src: url('fonts/{name}.woff2') format('woff2'); }}\n"
            )
    add("assets/fonts.css", content="".join(rules) or "/* the fonts of the reader's system */\n")


def on_page_markdown(markdown: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Links as they are written in the repository, for the site."""
    del config, files
    address = page.file.src_uri
    source = ELSEWHERE.get(address, f"docs/{address}")
    return LINKS.rewrite(source, address, markdown) if source in LINKS.pages else markdown


def on_page_content(html: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Beside each criterion the tests that hold it."""
    del config, files
    return criteria_page.add_tests(html, ROOT) if page.file.src_uri == "criteria.md" else html


def on_post_page(output: str, *, page: Page, config: MkDocsConfig) -> str:
    """Names for what the theme leaves without one, so that a screen reader can say where it is."""
    del page, config
    return name_landmarks(output)


def on_post_template(output_content: str, *, template_name: str, config: MkDocsConfig) -> str:
    """The same for the page of an address that is none."""
    del config
    return name_landmarks(output_content) if template_name.endswith(".html") else output_content


SEARCH = '<div class="md-search" data-md-component="search" role="dialog"'
PART_OF_MENU = re.compile(
    r'(<nav class="md-nav" data-md-level="\d+") aria-labelledby="[^"]+"'
    r'([^>]*>\s*<label class="md-nav__title"[^>]*>\s*<span class="md-nav__icon md-icon"></span>\s*([^<]*?)\s*</label>)'
)
EMPTY_HEADING = re.compile(r"<th([^>]*)></th>")


def name_landmarks(html: str) -> str:
    """The search, each part of the menu (its own label may be a mere sign); no heading of a table without a word."""
    html = html.replace(SEARCH, f'{SEARCH} aria-label="Search"')
    html = PART_OF_MENU.sub(r'\1 aria-label="\3"\2', html)
    return EMPTY_HEADING.sub(r"<td\1></td>", html)
