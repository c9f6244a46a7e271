"""What a sheet returns, bet by bet, for any game: one call, one unit.

Every return is a fraction of the stake, 1 where all of it comes back on average; never money, never per cent.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from ventuno.core.rules.sheet import Sheet
from ventuno.library.html import write_table
from ventuno.library.sheets import read_sheet
from ventuno.library.strategy_chart import StrategyChart
from ventuno.odds.certificate.certificate import DIGITS, Certificate, certify
from ventuno.odds.certificate.figure import TOTAL, Claim
from ventuno.words import say_note

MAIN = "main"


@dataclass(frozen=True, slots=True)
class BetReturn:
    """What one bet returns on average, as a fraction of the stake.

    `initial` is of the initial stake, `total` of all stakes of the round (doubled, split, insured); `rtp` is the one
    that the regulation publishes. `is_exact`: the fraction itself was counted; else it is the solver's value to
    twelve decimals. `by_chart` is what the chart returns beside best play, `sd` the standard deviation of the net
    result in initial stakes, None where it is not exact. `published` is the regulation's own figure in per cent.
    """

    bet: str
    base: str
    initial: Fraction
    total: Fraction
    is_exact: bool
    by_chart: Fraction | None
    sd: float | None
    published: str | None
    matches: bool | None

    @property
    def rtp(self) -> Fraction:
        return self.total if self.base == TOTAL else self.initial

    @property
    def edge(self) -> Fraction:
        """What the house keeps of the initial stake."""
        return 1 - self.initial


@dataclass(frozen=True, slots=True)
class Solution:
    """All bets of a sheet, best play on the main one, and the chances of its net results in initial stakes."""

    sheet: Sheet
    bets: Mapping[str, BetReturn]
    outcomes: Mapping[Fraction, float]
    chart: StrategyChart
    notes: tuple[str, ...]

    @property
    def main(self) -> BetReturn:
        return self.bets[MAIN]

    @property
    def rtp(self) -> Fraction:
        """The return of the main bet, in the base that the sheet publishes."""
        return self.main.rtp

    def __str__(self) -> str:
        wide = max(len(bet) for bet in self.bets)
        rows = [self.sheet.game.name]
        for bet in self.bets.values():
            published = f"  published {bet.published}" if bet.published else ""
            rows.append(f"{bet.bet:<{wide}}  {float(bet.rtp):.8f} of {bet.base} stakes{published}")
        return "\n".join(rows)

    def _repr_html_(self) -> str:
        rows = [
            (
                bet.bet,
                f"{float(bet.initial):.8f}",
                f"{float(bet.total):.8f}",
                f"{float(bet.by_chart):.8f}" if bet.by_chart is not None else "",
                f"{bet.sd:.6f}" if bet.sd is not None else "–",
                f"{bet.published} % of {bet.base}" if bet.published else "–",
            )
            for bet in self.bets.values()
        ]
        heads = ("bet", "of initial stakes", "of all stakes", "by the chart", "sd", "published")
        return write_table(heads, rows, self.sheet.game.name) + self.chart._repr_html_()


def solve(game: str | Path | Sheet) -> Solution:
    """The return of every bet of a game, given by name, file or sheet, and best play.

    >>> solution = solve("duello")
    >>> f"{float(solution.rtp):.6f}", solution.main.published, solution.main.is_exact
    ('0.983814', '98.38', True)
    >>> str(solve("ventuno").bets["perfect-pairs"].rtp)
    '398/415'
    >>> print(solve("sisal"))
    Sisal Blackjack
    main           0.99458902 of initial stakes  published 99.46
    perfect-pairs  0.84578313 of initial stakes  published 84.58
    21+3           0.48402305 of initial stakes  published 48.40
    dealer-pair    0.84578313 of initial stakes  published 84.58
    """
    certificate = certify(read_sheet(game))
    return Solution(
        certificate.sheet,
        {claim.bet: _read_claim(certificate, claim) for claim in certificate.figures},
        {Fraction(net).limit_denominator(1000): chance for net, chance in certificate.main.outcomes.items()},
        StrategyChart(certificate.sheet, certificate.main),
        tuple(say_note(note) for note in (certificate.main.method, *certificate.notes)),
    )


def _read_claim(certificate: Certificate, claim: Claim) -> BetReturn:
    counted = _find_counted(certificate, claim)
    initial, total = counted or (_to_fraction(claim.rtp_initial), _to_fraction(claim.rtp_total))
    return BetReturn(
        bet=claim.bet,
        base=claim.base,
        initial=initial,
        total=total,
        is_exact=counted is not None,
        by_chart=_to_fraction(claim.rtp_td) if claim.rtp_td is not None else None,
        sd=claim.sd,
        published=claim.published,
        matches=claim.matches,
    )


def _find_counted(certificate: Certificate, claim: Claim) -> tuple[Fraction, Fraction] | None:
    """Both bases as fractions, where the deals were counted."""
    if claim.bet == MAIN:
        duel = certificate.main.duel
        return (duel.rtp_initial, duel.rtp_total) if duel is not None else None
    bonus = certificate.link if claim.exact is None else None
    rtp = bonus.rtp if bonus is not None else Fraction(claim.exact) if claim.exact is not None else None
    return (rtp, rtp) if rtp is not None else None


def _to_fraction(percent: float) -> Fraction:
    """A percentage of the solver as a fraction of the stake."""
    return Fraction(f"{percent / 100:.{DIGITS}f}")
