"""What each bet of a finished blackjack round returns, and why (V-19, V-26, S-31, L-12, L-17)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ventuno.core.games import side_bets
from ventuno.core.rules import hand
from ventuno.core.rules.cards import is_ace
from ventuno.core.rules.money import EVEN, Cents, Odds, PlayerId
from ventuno.core.rules.sheet import Sheet
from ventuno.core.table.round import STOOD, Box, Hand, Line, Round, Status


@dataclass(frozen=True, slots=True)
class Result:
    """How one hand ended: the outcome word, the rule it follows, the odds where it won.

    `base` and `added` say in hundredths what comes back of a stake that neither won nor lost by odds.
    """

    outcome: str
    rule: str
    odds: Odds | None = None
    base: int = 0
    added: int = 0

    def pay(self, stake: Cents, *, added: bool = False) -> tuple[Cents, str]:
        """The amount and its arithmetic."""
        if self.odds:
            return self.odds.pay(stake), self.odds.arithmetic(stake)
        share = self.added if added else self.base
        amount = stake * share // 100
        return amount, f"{share}/100 x {stake}" if share not in (0, 100) else str(amount)


PUSH = Result("push", "push", base=100, added=100)
WIN = Result("win", "win", EVEN)
LOSE = Result("lose", "lose")
BUST = Result("bust", "bust")


def result(sheet: Sheet, play: Round, box: Box, index: int) -> Result:
    """The hand against the dealer's final cards."""
    player_hand = box.hands[index]
    if player_hand.status is STOOD and not box.even_money and not hand.is_natural(play.dealer):
        return compare(player_hand.total, hand.total(play.dealer))
    if player_hand.status is Status.BUST:
        return BUST
    if player_hand.status is Status.CASHED_OUT:
        return Result("cashed-out", "cash-out", base=player_hand.offer)
    if box.even_money:
        return Result("even-money", "even-money", EVEN)
    if hand.is_natural(play.dealer):
        return _against_blackjack(sheet, play, player_hand, index)
    if player_hand.status is Status.SURRENDERED:
        return Result("surrendered", "surrender", base=50)
    if player_hand.status is Status.BLACKJACK:
        return Result("blackjack", "blackjack", sheet.blackjack.pays)
    if player_hand.status is Status.CHARLIE:
        return Result("charlie", "charlie", EVEN)
    return compare(player_hand.total, hand.total(play.dealer))


def compare(mine: int, dealer: int) -> Result:
    if dealer > 21 or mine > dealer:
        return WIN
    return PUSH if mine == dealer else LOSE


def _against_blackjack(sheet: Sheet, play: Round, player_hand: Hand, index: int) -> Result:
    """A dealer Blackjack takes what the sheet says for that up-card; only a Blackjack stands up to it (V-09, L-12)."""
    if player_hand.status is Status.BLACKJACK:
        return PUSH
    ace = is_ace(play.dealer[0])
    takes = sheet.dealer_blackjack_takes.ace if ace else sheet.dealer_blackjack_takes.ten
    rule = "dealer-blackjack-ace" if ace else "dealer-blackjack-ten"
    base = 100 if takes == "original" and index > 0 else 0
    return Result("lose", rule, base=base, added=0 if takes == "all" else 100)


def lines(sheet: Sheet, play: Round) -> tuple[Line, ...]:
    """Every bet of the round, box by box, then the table's own bets, then the cap."""
    all_lines: list[Line] = []
    for box in play.boxes:
        all_lines += _box_lines(sheet, play, box)
    for player, bet, stake in play.table_bets:
        won = side_bets.find_win(sheet.sides[bet], play.dealer[:2])
        all_lines.append(pay_side_bet(sheet, player, bet, stake, won))
    return (*all_lines, *cap_winnings(sheet, all_lines))


def _box_lines(sheet: Sheet, play: Round, box: Box) -> list[Line]:
    results = [result(sheet, play, box, index) for index in range(len(box.hands))]
    box_lines: list[Line] = []
    for index, player_hand in enumerate(box.hands):
        how, words = results[index], ("split" if index else "main", "double")
        box_lines += _hand_lines(
            sheet.cite(how.rule), box, index, how, box.player, words, (player_hand.stake, player_hand.added)
        )
    if box.insurance:
        box_lines.append(_insurance(sheet, play, box.number, box.player, "insurance", box.insurance))
    for bet, stake in box.sides:
        box_lines.append(_side(sheet, play, box, bet, stake))
    if box.even_money and box.behind:
        results = [result(sheet, play, box._replace(even_money=False), index) for index in range(len(box.hands))]
    for bettor in box.behind:
        for index, stakes in enumerate(bettor.stakes):
            words = ("behind-split" if index else "behind", "behind-double")
            box_lines += _hand_lines(sheet.cite("behind"), box, index, results[index], bettor.player, words, stakes)
        if bettor.insurance:
            box_lines.append(_insurance(sheet, play, box.number, bettor.player, "behind-insurance", bettor.insurance))
    return box_lines


def _hand_lines(
    criterion: str,
    box: Box,
    index: int,
    how: Result,
    player: PlayerId,
    words: tuple[str, str],
    stakes: tuple[Cents, Cents],
) -> list[Line]:
    """The stake on a hand, then what was added to it, each under its word."""
    hand_lines = []
    for word, stake, added in ((words[0], stakes[0], False), (words[1], stakes[1], True)):
        if stake:
            back, arithmetic = how.pay(stake, added=added)
            hand_lines.append(Line(player, word, stake, back, criterion, arithmetic, box.number, index + 1))
    return hand_lines


def _insurance(sheet: Sheet, play: Round, box: int, player: PlayerId, bet: str, stake: Cents) -> Line:
    pays, won = sheet.insurance.pays, hand.is_natural(play.dealer)
    back, arithmetic = (pays.pay(stake), pays.arithmetic(stake)) if won else (0, "0")
    return Line(player, bet, stake, back, sheet.cite("insurance"), arithmetic, box)


def find_side_win(sheet: Sheet, play: Round, box: Box, bet: str) -> tuple[str, Odds] | None:
    """What a side bet of this box has won; known right after the deal, but for a pair that must stand (S-27)."""
    side, cards = sheet.sides[bet], box.dealt
    if side.kind == "bonus":
        return None
    if side.kind == "pair" and sheet.pair_requires_stand and not has_stood_pat(box):
        return None
    return side_bets.find_win(side, (*cards, play.dealer[0]) if side.kind == "three-cards" else cards)


def has_stood_pat(box: Box) -> bool:
    """The box has asked no card, doubled nothing, split nothing."""
    return len(box.hands) == 1 and len(box.hands[0].cards) == 2


def _side(sheet: Sheet, play: Round, box: Box, bet: str, stake: Cents) -> Line:
    if sheet.sides[bet].kind == "bonus":
        prize = box.bonus.prize if box.bonus else None
        back, arithmetic = (0, "0") if prize is None else (stake * (prize + 1), f"{stake} + {prize} x {stake}")
        return Line(box.player, bet, stake, back, sheet.cite(bet), arithmetic, box.number)
    return pay_side_bet(sheet, box.player, bet, stake, find_side_win(sheet, play, box, bet), box.number)


def pay_side_bet(
    sheet: Sheet, player: PlayerId, bet: str, stake: Cents, won: tuple[str, Odds] | None, box: int = 0
) -> Line:
    """The line of a side bet that won a category, or none."""
    back, arithmetic = (won[1].pay(stake), won[1].arithmetic(stake)) if won else (0, "0")
    return Line(player, bet, stake, back, sheet.cite(bet), arithmetic, box)


def cap_winnings(sheet: Sheet, lines: list[Line]) -> Iterator[Line]:
    """The maximum win, applied after all payouts as a line of its own (L-34, reading 30).

    The cap is the player's and the round's, but a line has a box: it is the last of his boxes that won, where the sum
    passed the cap; his last box where only the table's own bet won.
    """
    cap = sheet.stakes.max_win
    if not cap:
        return
    net = sheet.stakes.max_win_counts == "net"
    for player in dict.fromkeys([line.player for line in lines]):
        mine = [line for line in lines if line.player == player]
        won = sum([line.returned - (line.stake if net else 0) for line in mine])
        if won > cap:
            cite, place = sheet.cites.get("max-win", ""), _last_won(mine)
            yield Line(player, "max-win", 0, cap - won, cite, f"{cap} - {won}", place)


def _last_won(mine: list[Line]) -> int:
    """The last box whose bets together returned more than their stakes, or the last of all."""
    boxes = {line.box for line in mine if line.box}
    won = {box for box in boxes if sum([line.returned - line.stake for line in mine if line.box == box]) > 0}
    return max(won or boxes, default=0)
