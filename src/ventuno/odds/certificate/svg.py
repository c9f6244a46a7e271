"""Charts drawn as SVG, by hand: best play in colours, distributions as bars. No resources, no scripts."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from ventuno.odds.certificate.chart_panels import INKS, Panel, legend

INK, FELT, IVORY, BRASS, CARD = "#0d1411", "#14503a", "#f4ecd8", "#c8a45d", "#fffdf6"
QUIET, LOSS = "#4d5a53", "#d98b7f"
TYPE = "Inter, 'Segoe UI', 'Helvetica Neue', Arial, sans-serif"
DISPLAY = "Fraunces, Georgia, 'Times New Roman', serif"
_CELL, _LABEL, _HEAD, _GAP = 30, 44, 54, 28


def strategy(many: tuple[Panel, ...], title: str, note: str = "", across: int = 3) -> str:
    """All blocks of a chart, `across` beside each other, with a legend; a whole SVG document."""
    width = max(_block_width(panel) for panel in many)
    rows = [many[start : start + across] for start in range(0, len(many), across)]
    heights = [max(_block_height(panel) for panel in row) for row in rows]
    whole = 2 * _GAP + min(across, len(many)) * (width + _GAP) - _GAP
    top = 74 if title else 8
    parts = []
    for row, height in zip(rows, heights, strict=True):
        for place, panel in enumerate(row):
            parts.append(_block(panel, _GAP + place * (width + _GAP), top))
        top += height + _GAP
    parts.append(_legend(legend(many), top))
    head = (
        _text(_GAP, 36, title, 22, INK, family=DISPLAY, weight=600) + _text(_GAP, 58, note, 13, QUIET) if title else ""
    )
    return _document(whole, top + 40, title or "Best play", head + "".join(parts))


def _block_width(panel: Panel) -> int:
    return _LABEL + _CELL * len(panel.columns)


def _block_height(panel: Panel) -> int:
    return _HEAD + _CELL * len(panel.rows)


def _block(panel: Panel, left: int, top: int) -> str:
    parts = [_text(left, top + 16, panel.title, 15, FELT, weight=700)]
    for place, column in enumerate(panel.columns):
        parts.append(_text(left + _LABEL + _CELL * (place + 0.5), top + 44, column, 13, QUIET, anchor="middle"))
    for line, (label, cells) in enumerate(panel.rows):
        y = top + _HEAD + line * _CELL
        before = next((place for place, cell in enumerate(cells) if cell.action), 0)
        parts.append(_text(left + _LABEL - 9 + before * _CELL, y + 20, label, 13, INK, anchor="end"))
        for place, cell in enumerate(cells):
            if cell.action:
                ground, ink = INKS[cell.action]
                x = left + _LABEL + place * _CELL
                parts.append(
                    f'<rect x="{x + 1}" y="{y + 1}" width="{_CELL - 2}" height="{_CELL - 2}" rx="4" fill="{ground}"'
                    f' stroke="#0d1411" stroke-opacity=".14"/>'
                )
                parts.append(_text(x + _CELL / 2, y + 20, cell.text, 13, ink, anchor="middle", weight=600))
    return "".join(parts)


def _legend(entries: list[tuple[str, str, str]], top: int) -> str:
    parts, x = [], _GAP
    for action, sample, meaning in entries:
        ground, ink = INKS[action]
        parts.append(
            f'<rect x="{x}" y="{top}" width="26" height="22" rx="4" fill="{ground}"'
            f' stroke="#0d1411" stroke-opacity=".14"/>'
        )
        parts.append(_text(x + 13, top + 16, sample, 13, ink, anchor="middle", weight=600))
        parts.append(_text(x + 34, top + 16, meaning, 13, INK))
        x += 60 + 7 * len(meaning)
    return "".join(parts)


def bars(items: Sequence[tuple[str, float, str]], title: str, *, width: int = 480) -> str:
    """Upright bars with their percentages: a label, its chance and a colour each."""
    tallest = max((chance for _, chance, _ in items), default=1.0) or 1.0
    height, base, left = 216, 182, 10
    step = (width - 2 * left) / max(len(items), 1)
    thick = min(step * 0.72, 56)
    each = max(1, round(30 / step))
    parts = [f'<line x1="{left}" y1="{base}" x2="{width - left}" y2="{base}" stroke="{INK}" stroke-opacity=".35"/>']
    for place, (label, chance, colour) in enumerate(items):
        middle = left + step * (place + 0.5)
        tall = max(140 * chance / tallest, 0.6 if chance else 0)
        parts.append(
            f'<rect x="{middle - thick / 2:.1f}" y="{base - tall:.1f}" width="{thick:.1f}" height="{tall:.1f}" rx="2"'
            f' fill="{colour}"><title>{escape(label)}: {percent(chance)}</title></rect>'
        )
        if step > 44:
            parts.append(_text(middle, base - tall - 7, percent(chance), 12, INK, anchor="middle"))
        if place % each == 0:
            parts.append(_text(middle, base + 18, label, 12, QUIET, anchor="middle"))
    return _document(width, height, title, "".join(parts), ground="none")


def lines(items: Sequence[tuple[str, float]], title: str, *, width: int = 480, colour: str = BRASS) -> str:
    """Lying bars: chances of ranges, with the rare ones as `1 in n` too."""
    longest = max((chance for _, chance in items), default=1.0) or 1.0
    parts = []
    for place, (label, chance) in enumerate(items):
        y = 8 + place * 26
        long = max((width - 280) * chance / longest, 1.5 if chance else 0)
        parts.append(_text(104, y + 14, label, 13, INK, anchor="end"))
        parts.append(f'<rect x="114" y="{y}" width="{long:.1f}" height="18" rx="2" fill="{colour}"/>')
        parts.append(_text(122 + long, y + 14, f"{percent(chance)} \u00a0 {one_in(chance)}", 12, QUIET))
    return _document(width, 16 + 26 * len(items), title, "".join(parts), ground="none")


def percent(chance: float) -> str:
    """A chance for people: three digits that matter."""
    if chance and chance < 1e-6:
        return f"{100 * chance:.1e} %"
    value = 100 * chance
    return f"{value:.1f} %" if value >= 10 else f"{value:.2f} %" if value >= 0.1 else f"{value:.3g} %"


def one_in(chance: float) -> str:
    if not 0 < chance < 0.1:
        return ""
    return f"1 in {1 / chance:,.0f}" if chance > 1e-12 else f"1 in {1 / chance:.1e}"


def _text(
    x: float,
    y: float,
    words: str,
    size: int,
    colour: str,
    *,
    anchor: str = "start",
    weight: int = 400,
    family: str = TYPE,
) -> str:
    return (
        f'<text x="{x:g}" y="{y:g}" font-size="{size}" fill="{colour}" text-anchor="{anchor}" font-weight="{weight}"'
        f' font-family="{escape(family)}">{escape(words)}</text>'
    )


def _document(width: float, height: float, title: str, inner: str, ground: str = CARD) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}"'
        f' height="{height:g}" role="img"><title>{escape(title)}</title>'
        f'<rect width="100%" height="100%" fill="{ground}"/>{inner}</svg>\n'
    )
