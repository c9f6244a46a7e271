"""What a newcomer needs to know of a game, from its sheet, in the phrases of the help (V-95)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ventuno.core.rules.money import Odds
from ventuno.core.rules.sheet import BLACKJACK, Sheet
from ventuno.words import fill, format_money, load, say

TOTAL_RETURN = "total-return"


class Phrases(NamedTuple):
    """The catalogue of a language for one sheet."""

    sheet: Sheet
    language: str

    def say(self, key: str, **fields: object) -> str:
        return say(self.language, key, **fields)

    def find(self, key: str, otherwise: str = "", **fields: object) -> str:
        """A phrase whose key was made from a word of the sheet."""
        text = load(self.language).get(key)
        return otherwise if text is None else fill(text, fields, self.language)

    def bet(self, bet: str, *, own: bool = True) -> str:
        """The name of a bet, as this game calls it."""
        return self.find(f"bet.{self.sheet.looks.name(bet) if own else bet}", bet)

    def win(self, category: str) -> str:
        return self.find(f"won.{self.sheet.looks.name(category)}", category)

    def money(self, cents: int) -> str:
        """As it is written on the felt: whole amounts lose their zeros."""
        text = format_money(cents, self.language)
        return text if cents % 100 else text[:-3]

    def percent(self, figure: str) -> str:
        return figure.replace(".", ",") + "\u00a0%" if self.language == "it" else f"{figure}%"

    def odds(self, pays: Odds | str) -> str:
        """`3:2` as it is said at a table, `3 to 2`; a total return stays as it is printed."""
        one, _, other = str(pays).replace("/", ":").partition(":")
        return self.say("felt.odds", one=one, other=other) if other else one

    def rank(self, text: str) -> str:
        """A hand as the house way ranks it: `soft 16`, or a total."""
        start, _, total = text.partition(" ")
        return self.say("duel.soft", total=total) if start == "soft" else text

    def duration(self, seconds: int) -> str:
        """`24 hours`, `15 seconds`."""
        if not seconds:
            return self.say("help.nothing")
        if seconds >= 3_600 and seconds % 3_600 == 0:
            return self.say("teach.hours", count=seconds // 3_600)
        if seconds >= 120 and seconds % 60 == 0:
            return self.say("teach.minutes", count=seconds // 60)
        return self.say("teach.seconds", count=seconds)

    @property
    def is_duel(self) -> bool:
        return self.sheet.game.family != BLACKJACK

    @property
    def counts_all(self) -> bool:
        """Whether payouts are printed as all that comes back."""
        return self.sheet.stakes.shown_as == TOTAL_RETURN

    @property
    def deal(self) -> str:
        return self.say(f"solo.{self.sheet.looks.start}")


def write_lessons(phrases: Phrases) -> Iterator[str]:
    """Each lesson that this sheet has something to say in, as a heading and its text."""
    lessons = {
        "goal": list(_teach_goal(phrases)),
        "values": [_list_items(phrases.say(f"teach.values.{key}") for key in ("numbers", "courts", "ace", "soft"))],
        "turn": [_list_items(_teach_duel_turn(phrases) if phrases.is_duel else _teach_turn(phrases), "1. ")],
        "buttons": [_list_items((*_teach_betting(phrases), *_teach_decisions(phrases)))],
        "sides": list(_teach_sides(phrases)),
        "bonus": list(_teach_bonus(phrases)),
        "behind": list(_teach_behind(phrases)),
        "early": [phrases.say("teach.early.text")] if phrases.sheet.options.early_decisions else [],
        "time": [" ".join(_teach_time(phrases))],
        "line": [" ".join(_teach_line(phrases))],
    }
    for name, texts in lessons.items():
        if texts:
            yield f"## {phrases.say(f'teach.{name}')}"
            yield from texts


def _list_items(texts: Iterable[str], mark: str = "- ") -> str:
    return "\n".join(f"{mark}{text}" for text in texts)


def _name(title: str, *texts: str) -> str:
    return " ".join([f"**{title}.**", *filter(None, texts)])


def _teach_goal(phrases: Phrases) -> Iterator[str]:
    sheet = phrases.sheet
    if phrases.is_duel:
        yield phrases.say("teach.goal.duel")
        return
    yield phrases.say("teach.goal.solo", count=sheet.seats.count) if sheet.game.solo else phrases.say("teach.goal.live")
    yield _teach_natural(phrases)
    yield phrases.say("teach.goal.bust")
    if sheet.charlie:
        yield phrases.say("teach.goal.charlie", count=sheet.charlie)


def _teach_natural(phrases: Phrases) -> str:
    pays = phrases.sheet.blackjack.pays
    if not phrases.counts_all:
        return phrases.say("teach.goal.natural", odds=phrases.odds(pays))
    times = f"{float(pays.total):g}"
    return phrases.say("teach.goal.natural-total", odds=times.replace(".", "," if phrases.language == "it" else "."))


def _teach_turn(phrases: Phrases) -> Iterator[str]:
    sheet = phrases.sheet
    least, most = map(phrases.money, sheet.stakes.limits["main"])
    bet = "solo" if sheet.game.solo else "live"
    fields = {"least": least, "most": most, "deal": phrases.deal, "count": sheet.seats.per_player}
    cap, win = sheet.stakes.round_cap, sheet.stakes.max_win
    yield _name(
        phrases.say("teach.turn.bet"),
        phrases.say(f"teach.turn.bet.{bet}", **fields),
        phrases.say("teach.turn.cap", amount=phrases.money(cap)) if cap else "",
    )
    yield _name(phrases.say("teach.turn.deal"), phrases.say("teach.turn.deal.text"))
    if sheet.insurance.offered:
        yield _name(
            phrases.say("teach.turn.insurance"),
            phrases.say("teach.turn.insurance.total")
            if phrases.counts_all
            else phrases.say("teach.turn.insurance.text", odds=phrases.odds(sheet.insurance.pays)),
            phrases.say(f"teach.turn.insurance.{'peek' if 'A' in sheet.dealer.peek else 'no-peek'}"),
            phrases.say("teach.turn.insurance.even") if sheet.insurance.even_money else "",
        )
    yield _name(phrases.say("teach.turn.play"), phrases.say("teach.turn.play.text"))
    ten = {"all": "all", "original-and-splits": "some"}.get(sheet.dealer_blackjack_takes.ten, "")
    is_blind = "ten" not in sheet.dealer.peek
    yield _name(
        phrases.say("teach.turn.dealer"),
        phrases.say(f"teach.turn.dealer.{sheet.dealer.soft_17}"),
        phrases.say(f"teach.turn.ten.{ten}") if is_blind and ten else "",
    )
    yield _name(
        phrases.say("teach.turn.pay"),
        phrases.say(f"teach.turn.pay.{'total' if phrases.counts_all else 'text'}"),
        phrases.say("teach.turn.max-win", amount=phrases.money(win)) if win else "",
    )


def _teach_duel_turn(phrases: Phrases) -> Iterator[str]:
    sheet, duel = phrases.sheet, phrases.sheet.duel
    least, most = map(phrases.money, sheet.stakes.limits["main"])
    fields = {"count": sheet.seats.count, "least": least, "most": most}
    yield _name(phrases.say("teach.turn.bet"), phrases.say("teach.turn.bet.duel", **fields))
    yield _name(phrases.say("teach.turn.deal"), phrases.say("teach.turn.deal.duel"))
    yield _name(phrases.say("teach.turn.choice"), phrases.say("teach.turn.choice.text"))
    yield _name(phrases.say("teach.turn.second"), phrases.say("teach.turn.second.text"))
    dealer = phrases.say("teach.turn.dealer.duel", draw=duel.draw_to)
    yield _name(phrases.say("teach.turn.dealer"), dealer, f"({', '.join(map(phrases.rank, duel.house_way))})")
    yield _name(phrases.say("teach.turn.pay"), phrases.say("teach.turn.pay.duel", qualify=duel.qualify))


def _teach_betting(phrases: Phrases) -> Iterator[str]:
    options = phrases.sheet.options
    yield _name(phrases.say("teach.button.chips"), phrases.say("teach.button.chips.text"))
    yield _name(phrases.say("act.undo"), phrases.say("teach.button.undo"))
    yield _name(phrases.say("act.repeat"), phrases.say("teach.button.repeat"))
    if options.double_bets:
        yield _name(phrases.say("teach.button.double-bets"), phrases.say("teach.button.double-bets.text"))
    if options.deal_now:
        yield _name(phrases.say("act.deal-now"), phrases.say("teach.button.deal-now"))
    elif phrases.sheet.game.solo:
        yield _name(phrases.deal, phrases.say("teach.button.deal"))


def _teach_decisions(phrases: Phrases) -> Iterator[str]:
    """Every decision that the sheet allows."""
    sheet = phrases.sheet

    def act(name: str, *texts: str) -> str:
        return _name(phrases.say(f"act.{name}"), *texts or (phrases.say(f"teach.button.{name}"),))

    if phrases.is_duel:
        yield from map(act, ("left", "right", "fold", "hit", "stand"))
        return
    yield act("hit")
    yield act("stand")
    after = "after" if sheet.double.after_split else "not-after"
    yield act("double", *(phrases.say(f"teach.button.double.{key}") for key in (sheet.double.on, after)))
    split, count = sheet.split, sheet.split.hands
    often = (
        phrases.say("teach.button.split.once") if count == 2 else phrases.say("teach.button.split.more", count=count)
    )
    equal, aces = (phrases.say(f"teach.button.split.{key}") for key in (split.equal, split.aces))
    yield act("split", equal, often, aces)
    offered = {
        "surrender": sheet.surrender != "none",
        "cash-out": sheet.cash_out.offered,
        "insure": sheet.insurance.offered,
        "even-money": sheet.insurance.even_money,
    }
    yield from (act(name) for name, is_offered in offered.items() if is_offered)
    yield phrases.say(f"teach.button.funds.{sheet.stakes.missing_funds}")


def _teach_sides(phrases: Phrases) -> Iterator[str]:
    sheet = phrases.sheet
    items = []
    for bet, side in sheet.sides.items():
        stands = side.kind == "pair" and sheet.pair_requires_stand
        rule = f"{phrases.say('switch.pair_requires_stand')}." if stands else ""
        items.append(_name(phrases.bet(bet), phrases.say(f"teach.sides.{side.kind}"), rule))
    if items:
        yield phrases.say("docs.sides")
        yield _list_items(items)


def _teach_bonus(phrases: Phrases) -> Iterator[str]:
    bonus = phrases.sheet.bonus
    if not bonus.wheel:
        return
    bet = next(name for name, side in phrases.sheet.sides.items() if side.kind == "bonus")
    cash = [segment.removeprefix("x") for segment in bonus.wheel if segment.startswith("x")]
    wheel = phrases.say("teach.bonus.wheel.text", prizes=", ".join(cash), bet=phrases.bet(bet))
    boards = [
        _name(
            name.upper().replace("-", " "),
            phrases.say("teach.bonus.board.text", cells=board.cells, start=board.start, spins=bonus.spins),
        )
        for name, board in bonus.boards.items()
    ]
    boxes = phrases.say("teach.bonus.boxes.text", cells=bonus.box_cells)
    prizes = ", ".join(f"{name} × {times}" for name, times in bonus.prizes.items())
    named = _name(phrases.say("teach.bonus.boxes"), boxes, f"({prizes})")
    yield _list_items((_name(phrases.say("teach.bonus.wheel"), wheel), *boards, named))


def _teach_behind(phrases: Phrases) -> Iterator[str]:
    if not phrases.sheet.options.behind:
        return
    parts = ["who", "plays", "follow", "refund", *(["hot"] if phrases.sheet.options.hot_from else [])]
    texts = [_name(phrases.say(f"teach.behind.{part}"), phrases.say(f"teach.behind.{part}.text")) for part in parts]
    yield _list_items(texts)


def _teach_time(phrases: Phrases) -> Iterator[str]:
    sheet, clocks, total = phrases.sheet, phrases.sheet.clocks, phrases.sheet.timeouts.hit_up_to
    if not clocks.decision:
        yield phrases.say("teach.time.none", abandoned=phrases.duration(clocks.abandoned))
        yield phrases.say("teach.time.none.duel" if phrases.is_duel else "teach.time.none.close", total=total)
        return
    betting, decision = map(phrases.duration, (clocks.betting, clocks.decision))
    yield phrases.say("teach.time.clocks", betting=betting, decision=decision)
    yield phrases.say("teach.time.hit", total=total)
    if clocks.insurance:
        yield phrases.say("teach.time.insurance", insurance=phrases.duration(clocks.insurance))
    if clocks.decision_again:
        yield phrases.say("teach.time.again", again=phrases.duration(clocks.decision_again))
    if sheet.seats.lost_after:
        yield phrases.say("teach.time.seat", warned=sheet.seats.warned_after, lost=sheet.seats.lost_after)


def _teach_line(phrases: Phrases) -> Iterator[str]:
    yield phrases.say("teach.line.solo" if phrases.sheet.game.solo else "teach.line.live")
    if phrases.sheet.bonus.wheel:
        yield phrases.say("teach.line.bonus")
    yield phrases.say("teach.line.fault")
