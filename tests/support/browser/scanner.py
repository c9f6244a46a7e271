"""A scanner that types: keys as a keyboard wedge sends them, each with its own time.

The times are those of the scanner, however long a busy machine takes to hand the keys over.
"""

from __future__ import annotations

import time
from typing import Any

from playwright.sync_api import Page

GAP = 0.008
"""Seconds between two keys of a common scanner."""


def scan(page: Page, text: str, *, gap: float = GAP, suffix: str = "Enter") -> None:
    """Types a code and what ends it."""
    wire = page.context.new_cdp_session(page)
    moment = time.time()
    try:
        for at, key in enumerate([*text, suffix]):
            _press(wire, key, moment + at * gap)
    finally:
        wire.detach()


def _press(wire: Any, key: str, moment: float) -> None:
    is_letter = len(key) == 1
    code = key if not is_letter else "Minus" if key == "-" else f"Digit{key}" if key.isdigit() else f"Key{key.upper()}"
    number = 13 if key == "Enter" else 9 if key == "Tab" else 189 if key == "-" else ord(key.upper())
    common = {"key": key, "code": code, "windowsVirtualKeyCode": number}
    text = {"text": key} if is_letter else {"text": "\r"} if key == "Enter" else {}
    wire.send("Input.dispatchKeyEvent", {"type": "keyDown", **common, **text, "timestamp": moment})
    wire.send("Input.dispatchKeyEvent", {"type": "keyUp", **common, "timestamp": moment + 0.002})
