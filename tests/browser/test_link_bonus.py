"""The bonus of Blackjack Link in a browser, with a wheel and boards that show what a test has chosen."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import groupby
from typing import Any, Literal

import pytest
from playwright.sync_api import Locator, expect

from tests.support.browser import solo_browser
from tests.support.browser.picture_house import settled
from tests.support.browser.places import bounds
from tests.support.browser.solo_browser import PHONE, Come, seen_at, untidy
from tests.support.browser.solo_player import SoloPlayer
from tests.support.browser.solo_table import lines

GAME = "link"
one = solo_browser.one
NATURAL = "AS 7C KD TD 2C 3C"
BET = {3: 500, (3, "link"): 100}
BOARD = {"segment": "link", "boxes": ("x2", "diamond", "x5"), "start": {0: 5, 7: 10, 13: 50}}
MEGA = {
    "segment": "mega-link",
    "boxes": ("x2", "x3", "diamond", "x5", "x2", "diamond"),
    "start": {0: 1, 6: 2, 12: 3, 18: 4, 24: 5, 30: 50},
}
NOTHING: dict[str, Any] = {"locks": {}}
WATCHED = """() => {
  const own = Element.prototype.animate;
  window.moved = [];
  Element.prototype.animate = function (frames, how) {
    const made = own.call(this, frames, how);
    window.moved.push(made);
    return made;
  };
}"""
"""From here on the page keeps whatever it moves."""
HELD = "() => window.moved.filter((one) => one.effect.getTiming().duration > 1000).map((one) => one.pause()).length"
PLACES = "() => window.moved.map((one) => one.currentTime / one.effect.getTiming().duration)"
LENGTHS = "() => window.moved.map((one) => one.effect.getTiming().duration)"


WINNING, TICK = 523, 1350
"""The first note of a win, and that of the pointer, in hertz."""
FRAMES = """() => {
  const text = (where) => [...document.querySelectorAll(where)].map((one) => one.textContent.trim()).join(' | ');
  const start = OscillatorNode.prototype.start;
  window.frames = [];
  window.heard = [];
  OscillatorNode.prototype.start = function (...when) {
    window.heard.push([window.frames.length, Math.round(this.frequency.value)]);
    return start.apply(this, when);
  };
  const look = () => {
    const now = {
      banner: text('.banner'),
      told: text('.told'),
      money: text('.foot dl'),
      words: text('.words, [aria-live], [role=status], [role=alert]'),
      lit: document.querySelectorAll('path.lit').length,
      cells: document.querySelectorAll('.cells .won').length,
      spins: text('.count .display'),
      flies: text('.flies'),
      total: text('.brass .unseen'),
      landing: document.querySelector('.cell.new')?.getAnimations().some((one) => one.playState === 'running') ?? false,
    };
    if (JSON.stringify(now) !== JSON.stringify(window.frames.at(-1))) window.frames.push(now);
    requestAnimationFrame(look);
  };
  look();
}"""
"""From here on the page notes, frame by frame, whatever changes of what is shown, said and heard."""


def cash(times: int) -> dict[str, Any]:
    return {"segment": f"x{times}", "boxes": (), "start": {}}


def cells(one: SoloPlayer) -> list[str]:
    return one.page.locator(".cells li").all_inner_texts()


def spins(one: SoloPlayer) -> Locator:
    return one.page.get_by_text(re.compile(r"^\d di 3$"))


def boarded(one: SoloPlayer, *more: Any, wheel: Any = BOARD) -> SoloPlayer:
    """At a board that the wheel has opened."""
    one.practise(GAME, NATURAL, BET, [wheel, *more]).key("Gira").click()
    one.key("Continua").click()
    expect(spins(one)).to_have_text("3 di 3")
    return one


def test_l21_a_blackjack_with_link_plays_its_bonus_in_its_turn(one: SoloPlayer) -> None:
    one.practise(GAME, "9D AS 5D 7C 9S KD 6D TD 2C", {1: 100, 3: 500, (3, "link"): 100, 5: 100}, [cash(5)])
    expect(one.page.get_by_role("heading", name=re.compile("^Mano 1, 18"))).to_be_visible()
    one.acts("Stai")
    expect(one.page.get_by_role("group", name="Mano 3 · bonus")).to_be_visible()
    one.key("Gira").click()
    one.key("Continua").click()
    expect(one.page.get_by_role("heading", name=re.compile("^Mano 5, 11"))).to_be_visible()


def watched(one: SoloPlayer, motion: Literal["no-preference", "reduce"]) -> SoloPlayer:
    """At a wheel that can be spun, by somebody who wants so much motion."""
    one.page.emulate_media(reduced_motion=motion)
    one.practise(GAME, NATURAL, BET, [cash(15)]).page.evaluate(WATCHED)
    return one


def test_l22_while_the_wheel_turns_its_key_skips(alone: Come) -> None:
    """The wheel is held, so that nothing but its key brings it on: to the last moments, then to its end."""
    one = watched(alone("Ruota"), "no-preference")
    one.key("Gira").click()
    one.page.wait_for_function(HELD)
    one.key("Salta").click()
    assert max(one.page.evaluate(PLACES)) > 0.7
    one.key("Salta").click()
    one.sees("Hai vinto € 15,00")


def test_l22_less_motion_shows_the_result_at_once(alone: Come) -> None:
    """Nothing moves: the wheel stands where it would come to rest."""
    one = watched(alone("Ruota"), "reduce")
    one.key("Gira").click()
    one.sees("Hai vinto € 15,00")
    assert [length for length in one.page.evaluate(LENGTHS) if length > 50] == []


def test_l22_nothing_is_known_before_the_wheel_stands(alone: Come) -> None:
    """Balance, stake, words, result and the sound of winning come after the slice under the pointer, in that order."""
    one = alone("Ordine", reduced_motion="no-preference")
    one.practise(GAME, NATURAL, BET, [cash(15)])
    one.page.evaluate(FRAMES)
    one.key("Gira").click()
    one.key("Salta").click()
    one.sees("Hai vinto € 15,00")
    one.key("Continua").click()
    one.sees("€\u00a010.022,50")
    frames, heard = one.page.evaluate("() => [window.frames, window.heard]")
    lit = next(at for at, frame in enumerate(frames) if frame["lit"])
    told = next(at for at, frame in enumerate(frames) if frame["told"])
    assert frames[lit]["banner"]
    assert [frame["told"] for frame in frames[:lit]] == [""] * lit
    assert lit < told, "the slice is seen before the result is told"
    paid = next(at for at, frame in enumerate(frames) if frame["money"] != frames[0]["money"])
    assert paid > told, "the balance moves after the scene"
    assert {frame["words"] for frame in frames[:lit]} == {frames[0]["words"]}, "and nobody is told by ear before"
    assert [at for at, hertz in heard if hertz == WINNING and at < lit] == []
    assert [at for at, hertz in heard if hertz == TICK and at <= lit], "it ticks as it slows down"


def test_l27_a_board_shows_its_prizes_one_by_one_and_counts_what_was_seen(alone: Come) -> None:
    """One spin off, a prize at a time, the spins back with the first; the multiplier counts once it has flown."""
    one = alone("Tavola", reduced_motion="no-preference")
    locks = {1: 1, 2: 3, 3: 2, 4: 1, 5: 15, 8: 10}
    one.practise(GAME, NATURAL, BET, [BOARD, {"locks": locks}]).key("Gira").click()
    one.key("Salta").click()
    one.key("Continua").click()
    expect(spins(one)).to_have_text("3 di 3")
    one.page.evaluate(FRAMES)
    one.key("Gira").click()
    expect(one.page.locator(".brass .unseen")).to_have_text("€\u00a0124,00")
    expect(one.key("Gira")).to_be_visible()
    frames = one.page.evaluate("() => window.frames")
    assert list(dict.fromkeys(frame["cells"] for frame in frames)) == list(range(3, 10))
    assert first_of(frame["spins"] for frame in frames) == ["3 di 3", "2 di 3", "3 di 3"]
    assert [frame["cells"] for frame in frames if frame["spins"] == "2 di 3"][-1] == 3, "spins are back with a prize"
    worth = {3: 65, 4: 66, 5: 69, 6: 71, 7: 72, 8: 87, 9: 97}
    flown = next(at for at, frame in enumerate(frames) if frame["flies"])
    assert frames[flown]["cells"] == 9, "after the last prize"
    for frame in frames[: flown + 1]:
        assert frame["total"] == f"€\u00a0{worth[frame['cells'] - frame['landing']]},00", frame
    assert any(frame["landing"] for frame in frames), "a prize counts when its cell lies"


def first_of(values: Iterable[str]) -> list[str]:
    """Values without those that only repeat the one before."""
    return [value for value, _ in groupby(values)]


def test_l28_what_is_won_so_far_has_the_multiplier_of_a_full_box(one: SoloPlayer) -> None:
    """After a reload too: it is no part of the motion."""
    boarded(one, {"locks": dict.fromkeys(range(1, 6), 1)}).key("Gira").click()
    one.sees("€\u00a080,00")
    one.page.reload()
    one.sees("€\u00a080,00")


def test_l28_a_board_fits_its_place_from_360_to_1920(one: SoloPlayer) -> None:
    """Large where there is room, whole where there is little: no cell cut, nothing over its neighbour."""
    for wheel in (BOARD, MEGA):
        boarded(one, wheel=wheel)
        for width, height in ((360, 740), (667, 375), (740, 360), (1180, 820), (1366, 768), (1920, 1080)):
            with seen_at(one.page, width, height):
                settled(one.page)
                scene = one.page.get_by_role("group", name="Mano 3 · bonus")
                beyond = scene.evaluate("({ scrollHeight, clientHeight }) => scrollHeight - clientHeight")
                assert beyond <= 1, (width, beyond)
                cell: Any = one.page.locator(".cells li").first.bounding_box()
                board: Any = one.page.locator(".middle").bounding_box()
                last: Any = one.page.locator(".box").last.bounding_box()
                assert last["y"] + last["height"] <= board["y"] + board["height"] + 1, (width, last, board)
                prizes: Any = one.page.locator(".prizes").bounding_box()
                assert cell["height"] >= 28, (width, cell)
                assert (last["y"] + last["height"] - prizes["y"]) / board["height"] > 0.6, (width, cell, board)


def test_l28_a_full_board_is_read_whole_beside_what_it_won(one: SoloPlayer) -> None:
    """L-25, L-28: every cell, box and prize, where the words of the end take room from the board too."""
    full = {"locks": {cell: 50 for cell in range(36) if cell % 6}, "diamonds": ("GRAND", "MINI")}
    boarded(one, full, wheel=MEGA).key("Gira").click()
    one.sees(re.compile("^Hai vinto"))
    for width, height in ((360, 740), (667, 375), (1180, 820), (1366, 768)):
        with seen_at(one.page, width, height):
            assert untidy(one.page) == [], width


def test_l22_on_a_phone_the_wheel_stays_where_it_is_when_it_stops(one: SoloPlayer) -> None:
    """L-22, L-23: its key goes, the result comes, and the slice under the pointer does not move away."""
    one.practise(GAME, NATURAL, BET, [cash(15)])
    with seen_at(one.page, *PHONE):
        wheel = one.page.get_by_role("img", name="Ruota del bonus")
        before = bounds(wheel)
        one.key("Gira").click()
        one.sees("Hai vinto € 15,00")
        assert bounds(wheel) == pytest.approx(before, abs=1)


def test_l30_a_great_win_stays_within_the_table_of_a_low_phone(alone: Come) -> None:
    """L-30: the lifted cards do not reach into the head, where the balance is."""
    one = alone("Trionfo", 667, 375, reduced_motion="no-preference")
    one.practise(GAME, NATURAL, BET, [cash(50)]).key("Gira").click()
    one.key("Salta").click()
    one.key("Continua").click()
    won = one.page.locator(".grand")
    expect(won).to_be_visible()
    one.page.evaluate("() => document.getAnimations().forEach((one) => one.finish())")
    head = bounds(one.page.locator("header").first)[3]
    assert min(bounds(card)[1] for card in won.get_by_role("listitem").all()) >= head


@pytest.mark.parametrize("times", [5, 10, 15, 25, 50])
def test_l23_cash_is_told_and_the_table_comes_back(one: SoloPlayer, times: int) -> None:
    one.practise(GAME, NATURAL, BET, [cash(times)])
    wheel = one.page.get_by_role("img", name="Ruota del bonus")
    for segment in ("×5", "×10", "×15", "×25", "×50", "LINK", "MEGA LINK"):
        expect(wheel.get_by_text(segment, exact=True).first).to_be_attached()
    one.key("Gira").click()
    one.sees(f"Hai vinto € {times},00")
    one.key("Continua").click()
    expect(wheel).to_have_count(0)
    assert [line.returned for line in one.paid()] == [1250, 100 + times * 100]


def test_l24_the_link_feature_has_an_intro_18_cells_three_boxes_and_four_prizes(one: SoloPlayer) -> None:
    one.practise(GAME, NATURAL, BET, [BOARD]).key("Gira").click()
    one.sees("Si apre il tabellone LINK")
    one.sees("18 caselle, 3 giri. Ogni nuovo premio resta fermo e riporta i giri a 3.")
    one.key("Continua").click()
    expect(one.page.locator(".cells li")).to_have_count(18)
    expect(one.page.locator(".cells")).to_have_count(3)
    prizes = one.page.get_by_role("list", name="Premi").get_by_role("listitem")
    told = [" ".join(text.replace("\u00a0", " ").split()) for text in prizes.all_inner_texts()]
    assert told == ["GRAND € 2.000 × 2.000", "MAJOR € 500 × 500", "MINOR € 100 × 100", "MINI € 20 × 20"]


def test_l25_mega_link_has_36_cells_and_six_boxes(one: SoloPlayer) -> None:
    boarded(one, wheel=MEGA)
    expect(one.page.locator(".cells li")).to_have_count(36)
    expect(one.page.locator(".cells")).to_have_count(6)
    assert sum("×" in cell for cell in cells(one)) == 6


def test_l26_boxes_show_a_multiplier_or_a_diamond_and_three_prizes_lie_there(one: SoloPlayer) -> None:
    boarded(one)
    scene = one.page.get_by_role("group", name="Mano 3 · bonus")
    for text in ("×2", "×5"):
        expect(scene.get_by_text(text, exact=True)).to_be_visible()
    expect(scene.get_by_role("img", name="Diamante")).to_be_visible()
    assert [cell.split("\n")[0] for cell in cells(one) if "×" in cell] == ["× 5", "× 10", "× 50"]
    one.sees("Caselle libere: 15 su 18")


def test_l27_a_spin_is_taken_off_and_a_new_prize_locks_and_gives_all_three_back(one: SoloPlayer) -> None:
    boarded(one, NOTHING, {"locks": {1: 3, 17: 15}}).key("Gira").click()
    expect(spins(one)).to_have_text("2 di 3")
    before = cells(one)
    one.key("Gira").click()
    expect(spins(one)).to_have_text("3 di 3")
    assert [at for at, (old, new) in enumerate(zip(before, cells(one), strict=True)) if old != new] == [1, 17]
    one.sees("€\u00a083,00")


def test_l28_no_spins_left_pays_what_lies_there(one: SoloPlayer) -> None:
    boarded(one, NOTHING, NOTHING, NOTHING)
    for left in ("2 di 3", "1 di 3"):
        one.key("Gira").click()
        expect(spins(one)).to_have_text(left)
    one.key("Gira").click()
    one.sees("Hai vinto € 65,00")
    one.key("Continua").click()
    assert [line.returned for line in one.paid()] == [1250, 6600]


def test_l28_a_full_box_multiplies_and_a_full_diamond_wins_a_prize(one: SoloPlayer) -> None:
    full = {"locks": {**dict.fromkeys(range(1, 6), 1), 6: 1, 8: 1, 9: 1, 10: 1, 11: 1}, "diamonds": ()}
    done = {"locks": dict.fromkeys((12, 14, 15, 16, 17), 1), "diamonds": ("MINOR",)}
    boarded(one, full, done).key("Gira").click()
    expect(spins(one)).to_have_text("3 di 3")
    one.sees("6 di 6")
    one.key("Gira").click()
    one.sees("Hai vinto € 410,00")
    expect(one.page.get_by_role("list", name="Premi").locator(".won")).to_contain_text("MINOR")


@pytest.mark.parametrize(
    ("wheel", "most", "told"), [(BOARD, 6900, "€ 6.900,00"), (MEGA, 13800, "€ 13.800,00")], ids=["link", "mega"]
)
def test_l29_the_greatest_prizes(one: SoloPlayer, wheel: Any, most: int, told: str) -> None:
    count = 18 if wheel is BOARD else 36
    boxes = ("diamond",) * (count // 6)
    opened = {**wheel, "boxes": boxes, "start": dict.fromkeys(range(count // 6), 50)}
    rest = {"locks": dict.fromkeys(range(count // 6, count), 50), "diamonds": ("GRAND",) * len(boxes)}
    boarded(one, rest, wheel=opened).key("Gira").click()
    one.sees(f"Hai vinto {told}")
    one.key("Continua").click()
    assert one.paid()[1].returned == 100 + most * 100


def test_l29_the_smallest_prize(one: SoloPlayer) -> None:
    boarded(one, NOTHING, NOTHING, NOTHING, wheel={**BOARD, "start": {0: 1, 1: 1, 2: 1}})
    for left in ("2 di 3", "1 di 3"):
        one.key("Gira").click()
        expect(spins(one)).to_have_text(left)
    one.key("Gira").click()
    one.sees("Hai vinto € 3,00")


def test_l30_the_link_bet_is_the_stake_and_the_prize_joins_the_win_of_the_hand(one: SoloPlayer) -> None:
    one.practise(GAME, NATURAL, {3: 500, (3, "link"): 2500}, [cash(10)])
    expect(one.page.get_by_role("group", name="Mano 3 · bonus")).to_contain_text("€\u00a025,00")
    one.key("Gira").click()
    one.sees("Totale 10 × € 25,00")
    one.key("Continua").click()
    expect(one.box(3)).to_contain_text(re.compile("Bonus LINK.*€\u00a0250"))
    expect(one.held(3, "link")).to_have_accessible_name(re.compile("€\u00a0250"))
    assert lines(one)[1] == ("Mano 3, LINK", "€ 25,00 + 10 × € 25,00", "€ 275,00", "L-30")


def test_l34_the_greatest_win_is_printed_and_a_round_above_it_is_cut_and_says_so(one: SoloPlayer) -> None:
    opened = {**BOARD, "boxes": ("diamond",) * 3, "start": dict.fromkeys(range(3), 50)}
    rest = {"locks": dict.fromkeys(range(3, 18), 50), "diamonds": ("GRAND",) * 3}
    one.practise(GAME, NATURAL, {3: 500, (3, "link"): 10000}, [opened, rest]).key("Gira").click()
    one.key("Continua").click()
    one.key("Gira").click()
    one.sees("Hai vinto € 690.000,00")
    one.key("Continua").click()
    one.sees("Vincita massima € 500.000 a mano")
    one.sees("Hai vinto € 500.000,00")
    assert [line[0::3] for line in lines(one)][-1] == ("Mano 3, Vincita massima", "L-34")


COVERED = """() => {
  window.least = [];
  const look = () => {
    const scene = document.querySelector('.scene');
    if (scene) window.least.push(Number(getComputedStyle(scene).opacity));
    requestAnimationFrame(look);
  };
  look();
}"""
"""From here on the page notes how much of a scene's felt is seen."""


def test_l21_the_felt_does_not_go_dark_when_the_wheel_comes(alone: Come) -> None:
    """L-21: what lies on the felt changes, the felt is there in every frame."""
    one = alone("Feltro", reduced_motion="no-preference").practise(GAME, NATURAL).bet(BET)
    expect(one.key("Distribuisci")).to_be_enabled()
    one.page.evaluate(COVERED)
    one.key("Distribuisci").click()
    expect(one.key("Gira")).to_be_visible()
    assert set(one.page.evaluate("() => window.least")) == {1}
