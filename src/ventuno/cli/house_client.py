"""The supervisors' doors of a running house over HTTP: one session, ended with the command unless it is kept."""

from __future__ import annotations

import json
import os
import sys
from contextlib import suppress
from getpass import getpass
from hashlib import sha256
from http.client import HTTPException
from http.cookies import SimpleCookie
from pathlib import Path
from types import TracebackType
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, ProxyHandler, Request, build_opener

from ventuno.cli.errors import REFUSED, WRONG_USAGE, Fault

ENVIRONMENT = "VENTUNO_ADMIN_"
SECONDS = 660
"""An export takes ten minutes at most."""
MOST = 1 << 30
LOCAL = ("127.0.0.1", "::1", "localhost")
SESSION_COOKIES = ("ventuno", "__Host-ventuno")
"""Over plain HTTP on this machine, and over TLS."""


class _NoRedirect(HTTPRedirectHandler):
    """A password and a session go where one said, and nowhere else."""

    def redirect_request(self, *_: Any) -> None:
        return None


class HouseClient:
    """Logs in at the first call; a session that `keep` left is used before any is opened."""

    def __init__(self, house: str, name: str | None) -> None:
        self.house, self.name = house.rstrip("/"), name or os.environ.get(f"{ENVIRONMENT}NAME", "")
        self._cookie, self._is_kept = "", False
        parts = urlsplit(self.house)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise Fault(f"--house {house}: write it as https://play.example.org")
        if parts.scheme == "http" and parts.hostname not in LOCAL:
            raise Fault(f"--house {house}: a password does not travel in the clear; use https")
        proxies = ProxyHandler({}) if parts.hostname in LOCAL else ProxyHandler()
        self._opener = build_opener(_NoRedirect(), proxies)

    def __enter__(self) -> HouseClient:
        with suppress(OSError, ValueError):
            kept = json.loads(self._file.read_text(encoding="utf-8"))
            self._cookie, self.name, self._is_kept = str(kept["cookie"]), self.name or str(kept["name"]), True
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._cookie and not self._is_kept:
            with suppress(Fault):
                self._call("POST", "/api/logout")

    @property
    def _file(self) -> Path:
        """Where a session of this house is kept: readable by its owner alone."""
        state = Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state")
        return state / "ventuno" / f"admin-{sha256(self.house.encode()).hexdigest()[:16]}.json"

    def log_in(self) -> None:
        """With what the environment says, else with what is asked for."""
        self._cookie, self._is_kept = "", False
        self.name = self.name or _ask("name", hidden=False)
        body = {"name": self.name, "password": os.environ.get(f"{ENVIRONMENT}PASSWORD") or _ask("password")}
        if code := os.environ.get(f"{ENVIRONMENT}CODE"):
            body["code"] = code
        answer = self._open("POST", "/api/login", body)
        if answer.get("error", {}).get("code") == "SecondFactorNeeded":
            answer = self._open("POST", "/api/login", {**body, "code": _ask("code", hidden=False)})
        self._raise_refusal(answer)

    def keep(self) -> None:
        self._file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._file.unlink(missing_ok=True)
        with open(os.open(self._file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
            json.dump({"cookie": self._cookie, "name": self.name}, file)
        self._is_kept = True

    def forget(self) -> None:
        if self._cookie:
            with suppress(Fault):
                self._call("POST", "/api/logout")
        self._file.unlink(missing_ok=True)
        self._cookie = ""

    def get(self, path: str) -> Any:
        return self._ask_house("GET", path)

    def post(self, path: str, body: dict[str, Any], key: str = "") -> Any:
        return self._ask_house("POST", path, body, key)

    def put(self, path: str, body: dict[str, Any], key: str = "") -> Any:
        return self._ask_house("PUT", path, body, key)

    def _ask_house(self, method: str, path: str, body: dict[str, Any] | None = None, key: str = "") -> Any:
        place = f"/api/supervisor{path}"
        if self._cookie:
            answer = self._open(method, place, body, key)
            if not (self._is_kept and answer.get("error", {}).get("code") in ("SessionOver", "NotKnown")):
                return self._raise_refusal(answer)
            self._file.unlink(missing_ok=True)
        self.log_in()
        return self._call(method, place, body, key)

    def _call(self, method: str, path: str, body: dict[str, Any] | None = None, key: str = "") -> Any:
        return self._raise_refusal(self._open(method, path, body, key))

    def _raise_refusal(self, answer: dict[str, Any]) -> Any:
        if error := answer.get("error"):
            is_usage = error["code"] in ("BodyUnfit", "NotJson")
            raise Fault(f"{error['code']}: {error.get('detail', '')}", WRONG_USAGE if is_usage else REFUSED)
        return answer

    def _open(self, method: str, path: str, body: dict[str, Any] | None = None, key: str = "") -> dict[str, Any]:
        headers = {"X-Ventuno": "1", "User-Agent": "ventuno admin", "Accept": "application/json"}
        headers |= {"Cookie": self._cookie} if self._cookie else {}
        headers |= {"Idempotency-Key": key} if key else {}
        headers |= {"Content-Type": "application/json"} if body is not None else {}
        data = json.dumps(body).encode() if body is not None else None
        request = Request(f"{self.house}{path}", data, headers, method=method)
        try:
            with self._opener.open(request, timeout=SECONDS) as answer:
                self._take_cookie(answer.headers.get_all("Set-Cookie") or [])
                raw = answer.read(MOST)
        except HTTPError as refused:
            with refused:
                raw = refused.read(MOST)
            if not raw.startswith(b'{"error"'):
                raise Fault(f"{self.house}: is no house: it answers {refused.code}") from None
        except (URLError, HTTPException, OSError) as fault:
            reason = getattr(fault, "reason", fault)
            said = getattr(reason, "strerror", None) or reason
            raise Fault(f"{self.house}: no house answers: {said}; name it with --house") from None
        try:
            decoded: dict[str, Any] = json.loads(raw) if raw else {}
        except ValueError:
            raise Fault(f"{self.house}: is no house: its answer is no JSON") from None
        return decoded

    def _take_cookie(self, lines: list[str]) -> None:
        for line in lines:
            for name, morsel in SimpleCookie(line).items():
                if name in SESSION_COOKIES:
                    self._cookie = f"{name}={morsel.value}" if morsel.value else ""


def _ask(what: str, *, hidden: bool = True) -> str:
    """What was not given, asked on the terminal; where there is none, one is told how to give it."""
    if sys.stdin is None or not sys.stdin.isatty():
        raise Fault(f"admin: the {what} is missing: set ${ENVIRONMENT}{what.upper()}, or call it from a terminal")
    try:
        return getpass(f"{what}: ") if hidden else input(f"{what}: ").strip()
    except EOFError:
        raise Fault(f"admin: the {what} is missing") from None
