"""What a table shows, in the order in which it appears: noted by the page itself with every change of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
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
      hands[name] ??= { cards: [], totals: [] };
      const cards = [...hand.querySelectorAll('[role=listitem] [role=img]')];
      hands[name].cards.push(...cards.map((one) => one.getAttribute('aria-label')));
      hands[name].totals.push(...words(hand, ':scope > .total .pill [aria-hidden]'));
    }
    return {
      hands,
      asks: table.querySelector('[role=group] .acts, .insure button') !== null,
      sides: words(table, '.sidewin'),
      results: words(table, '.outcome'),
      balance: table.querySelector('.foot dl dd > :first-child')?.textContent.trim() ?? '',
    };
  };
  window.shownStates = [];
  let last = '';
  const note = () => {
    const now = look();
    const text = JSON.stringify(now);
    if (now && text !== last) window.shownStates.push({ at: performance.now(), ...now });
    last = text;
  };
  window.shownWatch = new MutationObserver(note);
  window.shownWatch.observe(document.body, { subtree: true, childList: true, attributes: true, characterData: true });
  note();
}"""
State = dict[str, Any]


class Noted:
    """The states of a table as they came on the screen."""

    def __init__(self) -> None:
        self.states: list[State] = []

    def first(self, holds: Callable[[State], object]) -> int:
        """The place of the first state in which something is so; it must come."""
        for place, state in enumerate(self.states):
            if holds(state):
                return place
        raise AssertionError(f"never shown; the last state was {self.states[-1]}")

    def comes(self, text: str) -> int:
        """When a card can be read anywhere."""
        return self.first(lambda state: any(text in hand["cards"] for hand in state["hands"].values()))

    def counts(self, group: str, total: str) -> int:
        """When a hand has a total."""
        return self.first(lambda state: total in state["hands"].get(group, {"totals": []})["totals"])

    @property
    def cards(self) -> list[int]:
        """How many cards lie in each state."""
        return [sum(len(hand["cards"]) for hand in state["hands"].values()) for state in self.states]


@contextmanager
def noted(page: Page) -> Iterator[Noted]:
    """Notes what is shown from here to the end of the block."""
    found = Noted()
    page.evaluate(WATCH)
    yield found
    found.states = page.evaluate("() => { window.shownWatch.disconnect(); return window.shownStates; }")
