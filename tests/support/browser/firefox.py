"""The stock Firefox of the distribution, driven over WebDriver BiDi: only what the main paths need.

Playwright asks for commands that the long-term release does not know, so this speaks the protocol itself: real pointer
and keys, nodes found by role and name as a screen reader has them, and every error that the console shows.
"""

from __future__ import annotations

import itertools
import json
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from tests.support.patience import PATIENCE

FIREFOX = shutil.which("firefox-esr") or shutil.which("firefox")
PREFERENCES = (
    'user_pref("browser.shell.checkDefaultBrowser", false);\n'
    'user_pref("datareporting.policy.dataSubmissionEnabled", false);\n'
    'user_pref("intl.accept_languages", "it");\n'
    'user_pref("ui.prefersReducedMotion", 1);\n'
)


class BidiError(Exception):
    """The browser refused a command."""


class Firefox:
    """One window. Commands wait for their answers; what comes between is looked at for errors."""

    def __init__(self, line: ClientConnection) -> None:
        self._line, self._ids = line, itertools.count(1)
        self.errors: list[str] = []
        self.version = str(self.send("session.new", capabilities={})["capabilities"]["browserVersion"])
        self.send("session.subscribe", events=["log.entryAdded"])
        self.context = self.send("browsingContext.getTree")["contexts"][0]["context"]

    def send(self, method: str, **params: Any) -> Any:
        number = next(self._ids)
        self._line.send(json.dumps({"id": number, "method": method, "params": params}))
        while True:
            heard = json.loads(self._line.recv(timeout=PATIENCE))
            if heard.get("id") == number:
                if heard["type"] == "error":
                    raise BidiError(f"{method}: {heard['error']}: {heard['message']}")
                return heard["result"]
            if heard.get("method") == "log.entryAdded" and heard["params"]["level"] == "error":
                self.errors.append(str(heard["params"]["text"]))

    def go(self, url: str) -> None:
        self.send("browsingContext.navigate", context=self.context, url=url, wait="complete")

    def evaluate(self, expression: str) -> Any:
        told = self.send("script.evaluate", expression=expression, target={"context": self.context}, awaitPromise=True)
        if told["type"] == "exception":
            raise BidiError(str(told["exceptionDetails"]["text"]))
        return told["result"].get("value")

    def count(self, role: str, name: str | re.Pattern[str]) -> int:
        return len(self._find(role, name))

    def press(self, role: str, name: str | re.Pattern[str]) -> None:
        """With the pointer, in the middle of what has this role and name, once it is there and enabled."""
        self.press_first((role, name))

    def press_first(self, *wanted: tuple[str, str | re.Pattern[str]]) -> int:
        """Whichever of these comes first; its place among them."""
        until = time.monotonic() + PATIENCE
        while True:
            for place, (role, name) in enumerate(wanted):
                for node in self._find(role, name):
                    if self._is_pressable(node):
                        self._click(node)
                        return place
            if time.monotonic() > until:
                raise AssertionError(f"none of {wanted} in: {self.evaluate('document.body.innerText')}")
            time.sleep(0.05)

    def wait_for(self, expression: str) -> None:
        until = time.monotonic() + PATIENCE
        while not self.evaluate(expression):
            if time.monotonic() > until:
                raise AssertionError(f"{expression}: {self.evaluate('document.body.innerText')}")
            time.sleep(0.05)

    def _find(self, role: str, name: str | re.Pattern[str]) -> list[dict[str, Any]]:
        found = self.send(
            "browsingContext.locateNodes",
            context=self.context,
            locator={"type": "accessibility", "value": {"role": role}},
        )["nodes"]
        return [node for node in found if self._is_named(node, name)]

    def _is_named(self, node: dict[str, Any], name: str | re.Pattern[str]) -> bool:
        own = str(self._call("node => (node.getAttribute('aria-label') ?? node.textContent ?? '').trim()", node))
        plain = " ".join(own.split())
        return plain == name if isinstance(name, str) else name.search(plain) is not None

    def _is_pressable(self, node: dict[str, Any]) -> bool:
        return bool(
            self._call(
                "node => node.isConnected && node.checkVisibility() && !node.disabled"
                " && node.getAttribute('aria-disabled') !== 'true' && !document.querySelector('main [aria-busy=true]')",
                node,
            )
        )

    def _call(self, function: str, node: dict[str, Any]) -> Any:
        told = self.send(
            "script.callFunction",
            functionDeclaration=function,
            arguments=[{"sharedId": node["sharedId"]}],
            target={"context": self.context},
            awaitPromise=False,
        )
        return told["result"].get("value") if told["type"] == "success" else None

    def _click(self, node: dict[str, Any]) -> None:
        self._call("node => node.scrollIntoView({ block: 'center' })", node)
        origin = {"type": "element", "element": {"sharedId": node["sharedId"]}}
        steps = [
            {"type": "pointerMove", "x": 0, "y": 0, "origin": origin},
            {"type": "pointerDown", "button": 0},
            {"type": "pointerUp", "button": 0},
        ]
        actions = [{"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": steps}]
        self.send("input.performActions", context=self.context, actions=actions)


@contextmanager
def opened() -> Iterator[Firefox]:
    """A browser with a profile of its own, without a screen."""
    assert FIREFOX is not None
    with tempfile.TemporaryDirectory(prefix="ventuno-firefox-") as profile:
        with open(f"{profile}/user.js", "w", encoding="utf-8") as file:
            file.write(PREFERENCES)
        command = [FIREFOX, "--headless", "--remote-debugging-port=0", "--profile", profile, "--no-remote"]
        process = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
        try:
            assert process.stderr is not None
            address = next(
                (found[0] for line in process.stderr if (found := re.findall(r"listening on (ws://\S+)", line))), ""
            )
            assert address, "Firefox did not open"
            with connect(f"{address}/session", max_size=1 << 26, compression=None) as line:
                browser = Firefox(line)
                browser.send(
                    "browsingContext.setViewport", context=browser.context, viewport={"width": 1280, "height": 800}
                )
                yield browser
        except ConnectionClosed as fault:
            raise AssertionError(f"Firefox went away: {fault}") from fault
        finally:
            process.terminate()
            process.wait(PATIENCE)
            if process.stderr is not None:
                process.stderr.close()
