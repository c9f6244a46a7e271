"""The certificates as one page for people: figures beside the published ones, best play, what comes how often."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from html import escape

from ventuno import __version__
from ventuno.odds.bets.link import BoardReturn, LinkReturn
from ventuno.odds.certificate import svg
from ventuno.odds.certificate.certificate import Certificate
from ventuno.odds.certificate.figure import Claim
from ventuno.odds.certificate.svg import one_in, percent
from ventuno.words import say_note

STYLE = """
:root{--ink:#0d1411;--felt:#14503a;--deep:#0a2b20;--brass:#c8a45d;--ivory:#f4ecd8;--card:#fffdf6;--quiet:#4d5a53;
--display:Fraunces,Georgia,'Times New Roman',serif;--text:Inter,'Segoe UI','Helvetica Neue',Arial,sans-serif}
*{box-sizing:border-box}html{scroll-behavior:smooth}
body{margin:0;background:var(--ivory);color:var(--ink);font:15px/1.55 var(--text)}
header{background:radial-gradient(ellipse at 50% -20%,#1b6348,var(--felt) 45%,var(--deep));color:var(--ivory);
padding:56px 0 44px;border-bottom:3px solid var(--brass)}
header>div,main{max-width:1120px;margin:0 auto;padding:0 24px}
h1{font:600 44px/1.1 var(--display);margin:0;letter-spacing:-.01em}
header p{margin:10px 0 0;max-width:68ch;opacity:.9}
nav{margin-top:22px;display:flex;flex-wrap:wrap;gap:8px}
nav a{color:var(--ivory);text-decoration:none;border:1px solid #f4ecd859;border-radius:99px;padding:5px 14px}
nav a:hover,nav a:focus-visible{border-color:var(--brass);color:var(--brass)}
main{padding-block:28px 64px}
section{background:var(--card);border:1px solid #0d14111a;border-radius:14px;padding:26px 30px 30px;margin:0 0 26px;
box-shadow:0 1px 2px rgba(13,20,17,.05)}
h2{font:600 29px/1.2 var(--display);margin:0;color:var(--felt)}
h3{font:600 18px/1.3 var(--display);margin:30px 0 8px;padding-top:14px;border-top:1px solid rgba(200,164,93,.5)}
h4{font-size:14px;margin:18px 0 4px}
.hash{color:var(--quiet);font:12px/1.5 ui-monospace,Menlo,Consolas,monospace;overflow-wrap:anywhere;margin:2px 0 14px}
.wide{overflow-x:auto}table{border-collapse:collapse;font-variant-numeric:tabular-nums;width:100%}
th{font-weight:600;text-align:right;color:var(--quiet);font-size:13px;border-bottom:1px solid var(--brass)}
th{white-space:nowrap}
td{text-align:right;border-bottom:1px solid rgba(13,20,17,.08);white-space:nowrap}th,td{padding:6px 12px}
th:first-child,td:first-child{text-align:left;padding-left:0}tr:last-child td{border-bottom:0}
.left th:nth-child(2),.left td:nth-child(2){text-align:left}
td.main{font-weight:650}.yes{color:#1c7a44;font-weight:700}.no{color:#b3202a;font-weight:700}
.two{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,440px),1fr));gap:8px 44px}
.two>div{min-width:0}svg{max-width:100%;height:auto;display:block}.chart{overflow-x:auto}
.offers td,.offers th{padding:3px 7px;text-align:center;font-size:13px}
.note{color:var(--quiet);margin:6px 0 0;font-size:14px;max-width:90ch}
footer{color:var(--quiet);text-align:center;padding:0 24px 40px;font-size:13px}
@media(max-width:760px){.chart svg{max-width:none}section{padding:20px 16px}h1{font-size:34px}th,td{padding:5px 8px}}
@media print{body{background:#fff}section{break-inside:avoid-page;box-shadow:none}nav{display:none}}
"""


def render_page(certificates: Sequence[Certificate]) -> str:
    """One self-contained HTML page; the same certificates give the same page."""
    links = "".join(
        f'<a href="#{certificate.sheet.game.id}">{escape(certificate.sheet.game.name)}</a>'
        for certificate in certificates
    )
    body = _summary(certificates) + "".join(_game(certificate) for certificate in certificates)
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        "<title>Ventuno: certificates of return</title>"
        f"<style>{STYLE}</style></head><body><header><div><h1>Certificates of return</h1>"
        "<p>Every figure is computed from the rule sheet that the tables play, named here by its hash, and set beside"
        " the figure the regulation publishes. Returns are percentages of the stakes; the base is stated.</p>"
        f"<nav>{links}</nav></div></header><main>{body}</main><footer>Ventuno {__version__}</footer></body></html>\n"
    )


def _summary(certificates: Sequence[Certificate]) -> str:
    rows = []
    for certificate in certificates:
        for figure in certificate.figures:
            name = certificate.sheet.game.name if figure.bet == "main" else ""
            rows.append(
                (escape(name), escape(figure.bet), f"{figure.rtp:.4f} %", figure.base, *_render_published(figure))
            )
    heads = ("Game", "Bet", "Return", "Base", "Published", "")
    return f"<section><h2>Summary</h2>{_table(heads, rows, 'left')}</section>"


def _render_published(figure: Claim) -> tuple[str, str]:
    sign = {True: '<span class="yes">✓ as published</span>', False: '<span class="no">✗ differs</span>', None: ""}
    between = figure.published is not None and "-" in figure.published
    inside = '<span class="yes">✓ inside the range</span>'
    return figure.published or "–", inside if between and figure.matches else sign[figure.matches]


def _table(heads: Iterable[str], rows: Iterable[Sequence[str]], kind: str = "") -> str:
    head = "".join(f"<th>{one}</th>" for one in heads)
    body = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
    return f'<div class="wide"><table class="{kind}"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def _game(certificate: Certificate) -> str:
    sheet, main = certificate.sheet, certificate.main
    notes = "".join(f'<p class="note">{escape(say_note(note))}</p>' for note in certificate.notes)
    parts = [
        f'<section id="{sheet.game.id}"><h2>{escape(sheet.game.name)}</h2><p class="hash">{sheet.hash}</p>',
        _figures(certificate),
        f'<p class="note">Strategy class {escape(main.strategy_class)}: CD is best play by the cards held, TD the chart'
        f" below. Published base: {sheet.published.base} stakes. Main bet: {escape(say_note(main.method))}.</p>{notes}",
        _outcomes(certificate),
        _strategy(certificate),
        _sides(certificate),
    ]
    if certificate.link is not None:
        parts.append(_bonus(certificate.link))
    if sheet.cash_out.offered:
        parts.append(_offers(certificate))
    if main.behind:
        rows = [(name, f"{initial:.8f}", f"{total:.8f}") for name, (initial, total) in main.behind.items()]
        parts.append(f"<h3>Bet behind</h3>{_table(('Follows', '% of initial', '% of total'), rows)}")
    return "".join(parts) + "</section>"


def _figures(certificate: Certificate) -> str:
    rows = [
        (
            f"<b>{escape(figure.bet)}</b>",
            f"{figure.rtp_initial:.8f}",
            f"{figure.rtp_total:.8f}",
            f"{figure.rtp_td:.8f}" if figure.rtp_td is not None else "",
            f"{figure.sd:.6f}" if figure.sd is not None else "–",
            f"{figure.maximum:,g} to 1",
            *_render_published(figure),
        )
        for figure in certificate.figures
    ]
    heads = ("Bet", "% of initial", "% of total", "Chart (TD)", "Std. dev.", "Largest win", "Published", "")
    return _table(heads, rows)


def _outcomes(certificate: Certificate) -> str:
    if not certificate.main.outcomes:
        return ""
    items = [
        (f"{net:+g}" if net else "0", chance, svg.LOSS if net < 0 else svg.FELT if net > 0 else svg.BRASS)
        for net, chance in certificate.main.outcomes.items()
        if chance >= 5e-5
    ]
    rest = sum(chance for chance in certificate.main.outcomes.values() if chance < 5e-5)
    hidden = f" Rarer results are left out: {percent(rest)} together." if rest else ""
    return (
        '<h3>What one hand brings</h3><div class="chart">'
        + svg.bars(items, "Net result of one hand in initial stakes", width=1000)
        + '</div><p class="note">Net result in initial stakes under best play; '
        + f"{certificate.main.stake:.6f} stakes go down"
        f" on average.{hidden}</p>"
    )


def _strategy(certificate: Certificate) -> str:
    many = certificate.main.panels()
    if not many:
        return ""
    insure = certificate.main.chart.insure if certificate.main.chart is not None else None
    taken = {True: "Insurance is taken.", False: "Insurance is never taken.", None: ""}[insure]
    if certificate.main.duel is not None:
        taken = "Row and column are the two community cards; a cell says which to take."
    note = f'<p class="note">{certificate.sheet.shoe.decks} decks. {taken}</p>'
    return f'<h3>Best play</h3>{note}<div class="chart">{svg.strategy(many, "")}</div>'


def _sides(certificate: Certificate) -> str:
    blocks = []
    for figure in certificate.figures:
        side = certificate.sheet.sides.get(figure.bet)
        if side is None or figure.hits is None or not side.pays:
            continue
        rows = [(name, str(side.pays[name]), percent(chance), one_in(chance)) for name, chance in figure.hits.items()]
        won = sum(figure.hits.values())
        rows.append(("any", "", percent(won), one_in(won)))
        table = _table(("Category", "Pays", "Chance", ""), rows)
        exact = f'<p class="note">{figure.rtp:.8f} % = {figure.exact} of the stake.</p>'
        blocks.append(f"<div><h4>{escape(figure.bet)}</h4>{table}{exact}</div>")
    if certificate.pair_forfeited is not None and blocks:
        blocks[0] = blocks[0].removesuffix("</div>") + (
            f'<p class="note">Read the other way, by someone who plays the main bet by the chart and so gives the pair'
            f" up by asking cards or splitting: {certificate.pair_forfeited:.8f} %.</p></div>"
        )
    return f'<h3>Side bets</h3><div class="two">{"".join(blocks)}</div>' if blocks else ""


RANGES = ((3, 9), (10, 24), (25, 49), (50, 99), (100, 249), (250, 499), (500, 999), (1000, 1999), (2000, 10**6))


def _ranges(chances: Iterable[tuple[int, float]]) -> list[tuple[str, float]]:
    pairs = list(chances)
    ranges = []
    for low, high in RANGES:
        part = sum(chance for prize, chance in pairs if low <= prize <= high)
        ranges.append((f"{low} to {high}" if high < 10**6 else f"{low} and more", part))
    return ranges


def _bonus(link: LinkReturn) -> str:
    wheel = [
        (escape(name), percent(float(chance)), f"1 in {float(1 / (chance * link.trigger)):,.0f}")
        for name, chance in link.segments.items()
    ]
    prizes = svg.lines(_ranges(link.list_chances().items()), "Prize of one bonus")
    boards = "".join(_board(name, board) for name, board in link.boards.items())
    return (
        "<h3>Link bonus</h3>"
        f'<p class="note">Triggered by a Blackjack: {percent(float(link.trigger))} of hands. The mean prize is'
        f" {float(link.prize_mean):.6f} to one, and the stake comes back with it.</p>"
        f'<div class="two"><div><h4>Wheel</h4>{_table(("Segment", "Of spins", "Of LINK bets"), wheel)}</div>'
        f"<div><h4>Prize of one bonus, to one</h4>{prizes}</div>"
        f"{boards}</div>"
    )


def _board(name: str, board: BoardReturn) -> str:
    locked = [(str(m), float(chance), svg.BRASS) for m, chance in enumerate(board.locked) if chance]
    chances = [(f"{title} at least once", chance) for title, chance in board.diamonds.items()]
    chances += [(f"{k} full boxes" if k != 1 else "1 full box", chance) for k, chance in enumerate(board.full)]
    chances += [(f"pays {prize:,} (the {end})", part) for end, (prize, part) in _ends(board)]
    rows = [(title, percent(float(chance)), one_in(float(chance))) for title, chance in chances]
    return (
        f"<div><h4>{escape(name)}: prize, mean {float(board.mean):.4f}, standard deviation {board.sd:.2f}</h4>"
        + svg.lines(_ranges(enumerate(board.chances)), f"Prize of a {name} board")
        + f"<h4>{escape(name)}: cells locked in the end</h4>"
        + svg.bars(locked, f"Locked cells of a {name} board")
        + f"</div><div>{_table((f'Of {escape(name)} boards', '', ''), rows)}</div>"
    )


def _ends(board: BoardReturn) -> tuple[tuple[str, tuple[int, Fraction]], ...]:
    return ("least", board.minimum), ("most", board.maximum)


def _offers(certificate: Certificate) -> str:
    heads = ("", *"23456789TA")
    blocks = []
    for kind, table in certificate.offers().items():
        rows = [(total, *(f"{cents / 100:.2f}" for cents in row)) for total, row in table.items()]
        blocks.append(f"<div><h4>{kind.title()} totals</h4>{_table(heads, rows, 'offers')}</div>")
    margin = escape(certificate.sheet.cash_out.margin)
    note = f'<p class="note">For a stake of one, by total and up-card; margin {margin}.</p>'
    return f'<h3>Cash-out offers</h3>{note}<div class="two">{"".join(blocks)}</div>'
