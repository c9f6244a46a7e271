"""What a table shows, in the order in which it appears: noted by the page itself with every change of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from typing import Any

from playwright.sync_api import Page

WATCH = """() => {
  const words = (within, what) => [...within.querySelectorAll(what)].map((one) => one.textContent.trim());
  const look = () => {
    const table = document.querySelector('section[data-table]');
    if (!table) return null;
    const hands = {};
    for (const hand of table.querySelectorAll(':not(.grand > *) > .hand:has(> .cards)')) {
      const name = hand.closest('[role=group][aria-label]')?.getAttribute('aria-label') ?? '';
      hands[name] ??= { cards: [], totals: [], sizes: [] };
      const cards = [...hand.querySelectorAll('[role=listitem] [role=img]')];
      hands[name].sizes.push(cards.length);
      hands[name].cards.push(...cards.map((one) => one.getAttribute('aria-label')));
      hands[name].totals.push(...words(hand, ':scope > .total .pill [aria-hidden]'));
    }
    return {
      hands,
      asks: table.querySelector('[role=group] .acts, .insure button, .community .act') !== null,
      sent: table.querySelector('.acts [aria-busy=true]') !== null,
      piles: table.querySelectorAll('.spot.main .pile').length,
      sides: words(table, '.sidewin'),
      results: words(table, '.outcome'),
      balance: table.querySelector('.foot dl dd > :first-child')?.textContent.trim() ?? '',
    };
  };
  const turning = () => {
    const cards = [...document.querySelectorAll('section[data-table] :is(.hand [role=listitem], .community .lies)')];
    return cards
      .filter((one) => one.getAnimations({ subtree: true }).some(({ playState }) => playState === 'running'))
      .map((one) => one.closest('[role=group][aria-label]')?.getAttribute('aria-label') ?? '');
  };
  window.shownStates = [];
  let last = '';
  const note = () => {
    const now = look();
    const text = JSON.stringify(now);
    if (now && text !== last) window.shownStates.push({ at: performance.now(), ...now, turning: turning() });
    last = text;
  };
  window.shownWatch = new MutationObserver(note);
  window.shownWatch.observe(document.body, { subtree: true, childList: true, attributes: true, characterData: true });
  note();
}"""
FLY = """() => {
  const animate = Element.prototype.animate;
  window.shownFlights = [];
  const begun = new WeakSet();
  Element.prototype.animate = function (frames, ...more) {
    const [x, y] = String([frames.translate ?? frames[0]?.translate].flat()[0] ?? '').split(' ').map(parseFloat);
    if (!Number.isNaN(y ?? NaN) && !begun.has(this)) {
      begun.add(this);
      const place = this.getBoundingClientRect();
      const scale = place.height / this.offsetHeight;
      const [left, top] = [place.left + place.width / 2, place.top + place.height / 2];
      const card = this.matches('[role=img]') ? this : this.querySelector('[role=img]');
      const name = this.matches('.pile') ? 'pile' : (card?.getAttribute('aria-label') ?? '');
      window.shownFlights.push({ name, from: [left + x * scale, top + y * scale], to: [left, top] });
    }
    return animate.call(this, frames, ...more);
  };
}"""
"""Where on the screen cards and chips set out and arrive: what is asked of the browser, not how far it has drawn it."""
State = dict[str, Any]


class Noted:
    """The states of a table as they came on the screen."""

    def __init__(self) -> None:
        self.states: list[State] = []
        self.flights: list[dict[str, Any]] = []

    def first(self, holds: Callable[[State], object]) -> int:
        """The place of the first state in which something is so; it must come."""
        for place, state in enumerate(self.states):
            if holds(state):
                return place
        raise AssertionError(f"never shown; the last state was {self.states[-1]}")

    def comes(self, text: str) -> int:
        """When a card can be read anywhere."""
        return self.first(lambda state: any(text in hand["cards"] for hand in state["hands"].values()))

    def lies(self, place: str, count: int) -> int:
        """When so many cards lie at a place, turned or not; its name may go on, as it does with whoever sits there."""

        def count_cards(state: State) -> int:
            return sum(len(hand["cards"]) for name, hand in state["hands"].items() if name.startswith(place))

        return self.first(lambda state: count_cards(state) >= count)

    def counts(self, group: str, total: str) -> int:
        """When a hand has a total."""
        return self.first(lambda state: total in state["hands"].get(group, {"totals": []})["totals"])

    def told_early(self) -> list[object]:
        """What came while a card that it tells of was on its way or half turned: a total over its own hand, a question,
        a result, a side bet or money over any."""
        early: list[object] = []
        for was, now in pairwise(self.states):
            for name, hand in now["hands"].items():
                new = hand["totals"] != was["hands"].get(name, {"totals": []})["totals"] and any(hand["totals"])
                early += [(name, hand["totals"])] if new and name in now["turning"] else []
            for part in ("asks", "sides", "results", "balance"):
                new = now[part] and now[part] != was[part]
                early += [(part, now[part], now["turning"])] if new and now["turning"] else []
        return early

    @property
    def cards(self) -> list[int]:
        """How many cards lie in each state."""
        return [sum(len(hand["cards"]) for hand in state["hands"].values()) for state in self.states]


@contextmanager
def noted(page: Page) -> Iterator[Noted]:
    """Notes what is shown from here to the end of the block."""
    found = Noted()
    page.evaluate(WATCH)
    page.evaluate(FLY)
    yield found
    found.flights = page.evaluate("() => window.shownFlights")
    found.states = page.evaluate("() => { window.shownWatch.disconnect(); return window.shownStates; }")
