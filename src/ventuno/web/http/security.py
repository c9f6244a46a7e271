"""What every answer carries, and how the browser keeps the session (ASVS 3.3…3.5).

The page runs our own scripts and styles and talks to its own house; nothing of it can be framed, typed or guessed into
another page. The cookie is `__Host-` and Secure wherever players come by https.
"""

from __future__ import annotations

from collections.abc import Iterable
from http.cookies import CookieError, SimpleCookie

from starlette.datastructures import MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ventuno.house.accounts.player_limits import PlayExcluded
from ventuno.house.accounts.sessions import TOTAL_LIMIT
from ventuno.web.operations.settings import Settings

API = "/api"
COOKIE, HOST_COOKIE = "ventuno", "__Host-ventuno"
EXCLUDED = "-excluded"
"""Ends the name of the cookie by which a browser remembers an exclusion."""
EXCLUSION_MEMORY = 400 * 86_400_000
"""Milliseconds: as long as browsers keep a cookie. It is given again at each login meanwhile."""
STUDIO_FEATURES = ("camera", "microphone")
STUDIO_PAGES = ("dealer", "parts")
"""First words of the pages that read cards and film the table. They are gone to by a load of the page, as a browser
holds a page to the headers that it came with.
"""
DECODER = "/assets/decoder.worker-"
"""The script that reads codes in a picture, in a worker: it alone may compile what it fetched."""
FEATURES = (
    *("accelerometer", "browsing-topics", "camera", "display-capture", "encrypted-media", "geolocation"),
    *("gyroscope", "hid", "magnetometer", "microphone", "midi", "payment", "serial", "usb", "xr-spatial-tracking"),
)


def cookie_name(settings: Settings) -> str:
    return HOST_COOKIE if settings.secure else COOKIE


def set_session_cookie(response: Response, settings: Settings, token: str) -> None:
    """Hand the token to the browser; scripts never see it."""
    response.set_cookie(
        cookie_name(settings),
        token,
        max_age=TOTAL_LIMIT // 1000,
        path="/",
        secure=settings.secure,
        httponly=True,
        samesite="strict",
    )


def delete_session_cookie(response: Response, settings: Settings) -> None:
    response.delete_cookie(cookie_name(settings), path="/", secure=settings.secure, httponly=True, samesite="strict")


def mark_excluded(response: Response, settings: Settings, refusal: PlayExcluded, now: int) -> None:
    """Have the browser remember that whoever used it excluded himself, and until when; 0 is for good (R-38)."""
    left = refusal.until - now if refusal.until else EXCLUSION_MEMORY
    response.set_cookie(
        f"{cookie_name(settings)}{EXCLUDED}",
        str(refusal.until),
        max_age=min(left, EXCLUSION_MEMORY) // 1000,
        path="/",
        secure=settings.secure,
        httponly=True,
        samesite="strict",
    )


def forget_exclusion(response: Response, settings: Settings) -> None:
    name = f"{cookie_name(settings)}{EXCLUDED}"
    response.delete_cookie(name, path="/", secure=settings.secure, httponly=True, samesite="strict")


def find_exclusion(headers: Iterable[tuple[bytes, bytes]], settings: Settings, now: int) -> PlayExcluded | None:
    """The exclusion that this browser remembers, while it runs."""
    until = read_cookie(headers, f"{cookie_name(settings)}{EXCLUDED}")
    if not until.isdecimal() or len(until) > 15 or 0 < int(until) <= now:
        return None
    return PlayExcluded(int(until))


def read_token(headers: Iterable[tuple[bytes, bytes]], settings: Settings) -> str:
    """The session's token from the headers of a call; empty where there is none."""
    return read_cookie(headers, cookie_name(settings))


def read_bearer(headers: Iterable[tuple[bytes, bytes]]) -> str:
    """The access token of a program; empty where none is sent. No browser sends one by itself."""
    for key, value in headers:
        scheme, _, token = value.decode("latin-1").partition(" ") if key == b"authorization" else ("", "", "")
        if scheme.lower() == "bearer" and token:
            return token.strip()[:256]
    return ""


def read_cookie(headers: Iterable[tuple[bytes, bytes]], name: str) -> str:
    for key, value in headers:
        if key == b"cookie":
            try:
                cookie = SimpleCookie(value.decode("latin-1")).get(name)
            except CookieError:
                continue
            if cookie and cookie.value:
                return cookie.value[:256]
    return ""


def policy(origins: Iterable[str], video: Iterable[str] = (), *, compiles: bool = False) -> str:
    """The content security policy: nothing, and then what the page needs. It has no word for an IPv6 address.

    `video`: servers of which tables show a stream; a player of HLS hands over what it fetched as a blob.
    """
    compiled = " 'wasm-unsafe-eval'" if compiles else ""
    streams = "".join(sorted(f" {origin}" for origin in video))
    sockets = "".join(sorted(f" {origin.replace('http', 'ws', 1)}" for origin in origins if "[" not in origin))
    return "; ".join(
        (
            "default-src 'none'",
            f"script-src 'self'{compiled}",
            "style-src 'self'",
            "img-src 'self' data:",
            "font-src 'self'",
            f"connect-src 'self'{sockets}{streams}",
            f"media-src 'self'{streams}{' blob:' if streams else ''}",
            "manifest-src 'self'",
            "worker-src 'self'",
            "base-uri 'none'",
            "form-action 'none'",
            "frame-ancestors 'none'",
            "object-src 'none'",
        )
    )


def name_features(*, studio: bool) -> str:
    """What a page may ask a browser for: nothing, but camera and microphone where a dealer sits (X-27)."""
    allowed = STUDIO_FEATURES if studio else ()
    return ", ".join(f"{feature}={'(self)' if feature in allowed else '()'}" for feature in FEATURES)


def is_studio(path: str) -> bool:
    return path.strip("/").partition("/")[0] in STUDIO_PAGES


def security_headers(settings: Settings, port: int, path: str = "/") -> dict[str, str]:
    """What stands in every answer of this house to a path."""
    headers = {
        "Content-Security-Policy": policy(
            settings.own_origins(port), settings.video_origins, compiles=path.startswith(DECODER)
        ),
        "X-Content-Type-Options": "nosniff",
        "X-Frame-Options": "DENY",
        "Referrer-Policy": "no-referrer",
        "Permissions-Policy": name_features(studio=is_studio(path)),
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Resource-Policy": "same-origin",
    }
    if settings.secure:
        headers["Strict-Transport-Security"] = "max-age=63072000; includeSubDomains"
    return headers


class HeadersMiddleware:
    """Puts them on every answer, also on those of the other middlewares and of the last net."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self._app, self._settings = app, settings
        self._headers: dict[tuple[int, str], dict[str, str]] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        fixed, never = self._find_headers(port_of(scope), scope["path"]), scope["path"].startswith(API)

        async def send_with_headers(message: Message) -> None:
            if message["type"] in ("http.response.start", "websocket.http.response.start"):
                response_headers = MutableHeaders(scope=message)
                for name, value in fixed.items():
                    response_headers[name] = value
                if never:
                    response_headers["Cache-Control"] = "no-store"
                elif "cache-control" not in response_headers:
                    response_headers["Cache-Control"] = "no-cache"
            await send(message)

        await self._app(scope, receive, send_with_headers)

    def _find_headers(self, port: int, path: str) -> dict[str, str]:
        """Made once for each port and kind of path, of which there are three."""
        kind = DECODER if path.startswith(DECODER) else f"/{STUDIO_PAGES[0]}" if is_studio(path) else "/"
        if (port, kind) not in self._headers:
            self._headers[port, kind] = security_headers(self._settings, port, kind)
        return self._headers[port, kind]


def port_of(scope: Scope) -> int:
    """The port that this house listens on, as the server knows it."""
    server = scope.get("server")
    return server[1] or 0 if server else 0
