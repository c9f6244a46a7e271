"""The player's guide at `/docs`: pages of `ventuno.guide` as plain HTML, in two languages, for the sheets in force.

No script and no inline style: the policy of the house holds here too. The machine-readable protocol is at
`/api/openapi.json`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from html import escape
from importlib.resources import files
from pathlib import Path

from markdown_it import MarkdownIt
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from ventuno.core.rules.sheet import Sheet
from ventuno.guide import WRITTEN, write_pages
from ventuno.web.http.errors import NothingHere, error_response
from ventuno.web.http.pages import ASSETS
from ventuno.words import LANGUAGES, say

ADDRESS = "/docs"
STYLE = "guide.css"
FONTS = {"Fraunces Variable": "fraunces-latin-opsz-normal-*.woff2", "Inter Variable": "inter-latin-wght-normal-*.woff2"}
"""Fonts of the built client; without it the pages have those of the reader's system."""
_HEADING = re.compile(r"<(h[1-3])>(.*?)</\1>", re.DOTALL)
_LINK = re.compile(r'href="(?!/|#|[a-z]+:)([^"]*)"')
_PAGE = """\
<!doctype html>
<html lang="{language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title} · Ventuno</title>
<link rel="icon" href="/mark.svg">
<link rel="stylesheet" href="{address}/{style}">
</head>
<body>
<a class="skip" href="#text">{skip}</a>
<header>
<a class="home" href="/">Ventuno</a>
<a href="{turned}" lang="{other}">{switch}</a>
<a href="/">{house}</a>
</header>
<div class="frame">
<nav aria-label="{menu}"><ul>{links}</ul></nav>
<main id="text" tabindex="-1">{text}</main>
</div>
</body>
</html>
"""


class Guide:
    """Every page rendered once, when its language is first asked for; `pages` is the folder of the built client."""

    def __init__(self, games: Mapping[str, Sheet], pages: Path) -> None:
        self._games, self._folder = games, pages
        self._rendered: dict[str, dict[str, str]] = {}

    def respond(self, request: Request) -> Response:
        language, _, path = request.path_params.get("path", "").partition("/")
        if language == STYLE and not path:
            return Response(self.write_style(), media_type="text/css")
        if not language:
            return RedirectResponse(f"{ADDRESS}/{choose_language(request.headers.get('accept-language', ''))}", 303)
        if language not in LANGUAGES:
            return error_response(NothingHere())
        if page := self.list_pages(language).get(path.rstrip("/")):
            return HTMLResponse(page)
        return HTMLResponse(self._render(language, "-", f"# {say(language, 'docs.missing')}"), 404)

    def list_pages(self, language: str) -> dict[str, str]:
        if language not in self._rendered:
            texts = write_pages(language, self._games)
            self._rendered[language] = {path: self._render(language, path, text) for path, text in texts.items()}
        return self._rendered[language]

    def _render(self, language: str, path: str, text: str) -> str:
        names = {"": say(language, "docs.title")} | {name: say(language, f"docs.{name}") for name in WRITTEN}
        names |= {f"games/{game}": sheet.game.name for game, sheet in self._games.items()}
        current = {path: ' aria-current="page"'}
        links = "".join(
            f'<li><a href="{write_address(language, name)}"{current.get(name, "")}>{escape(title)}</a></li>'
            for name, title in names.items()
        )
        other = next(each for each in LANGUAGES if each != language)
        words = {key: escape(say(language, f"docs.{key}")) for key in ("skip", "house", "menu")}
        return _PAGE.format(
            language=language,
            title=escape(names.get(path, names[""])),
            address=ADDRESS,
            style=STYLE,
            other=other,
            turned=write_address(other, path if path in names else ""),
            switch=escape(say(language, "docs.other")),
            links=links,
            text=render_text(text, language),
            **words,
        )

    def write_style(self) -> str:
        faces = []
        for family, name in FONTS.items():
            for file in (self._folder / ASSETS).glob(name):
                faces.append(
                    f"@font-face {{ font-family: '{family}'; font-weight: 100 900; font-display: swap; "
                    f"src: url('/{ASSETS}/{file.name}') format('woff2'); }}\n"
                )
        return "".join(faces) + files(__package__).joinpath(STYLE).read_text(encoding="utf-8")


def write_address(language: str, path: str) -> str:
    return f"{ADDRESS}/{language}/{path}".rstrip("/")


def choose_language(accepted: str) -> str:
    """The first language of the browser that the house speaks; Italian where it names none of them."""
    wished = (part.partition(";")[0].strip().lower()[:2] for part in accepted.split(","))
    return next((language for language in wished if language in LANGUAGES), LANGUAGES[0])


def render_text(text: str, language: str) -> str:
    """Markdown as HTML, with anchors at its headings and links to pages of the guide by their addresses."""
    html = _make_parser().render(text)
    html = _LINK.sub(lambda match: f'href="{write_address(language, match[1].removesuffix(".md"))}"', html)
    html = html.replace("<table>", '<div class="scroll" tabindex="0"><table>').replace("</table>", "</table></div>")
    return _HEADING.sub(lambda match: f'<{match[1]} id="{make_anchor(match[2])}">{match[2]}</{match[1]}>', html)


def make_anchor(title: str) -> str:
    return re.sub(r"\W+", "-", re.sub(r"<[^>]*>", "", title).lower()).strip("-")


@cache
def _make_parser() -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": False}).enable("table")


async def serve_page(request: Request) -> Response:
    guide: Guide = request.app.state.guide
    return guide.respond(request)
