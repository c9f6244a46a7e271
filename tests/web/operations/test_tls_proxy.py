"""TLS for real in front of a house: Secure cookies, Origin, HSTS and wss (ASVS 3.3, ASVS 4.4, docs/operations.md).

Once behind a small proxy of our own, and behind nginx and Caddy with the files of packaging/ where they are installed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import httpx
import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus
from websockets.typing import Origin

from tests.support.free_port import free_port
from tests.support.server_process import ServerProcess, running
from tests.support.tls_proxy import (
    CADDY,
    HOST,
    NGINX,
    Certificate,
    make_certificate,
    serve_caddy,
    serve_nginx,
    serve_tls,
)

MISSING = {"nginx": NGINX is None, "caddy": CADDY is None}
PROXIES = {"own": serve_tls, "nginx": serve_nginx, "caddy": serve_caddy}
HEADERS = {"X-Ventuno": "1", "Sec-Fetch-Site": "same-origin"}


class SecureHouse(NamedTuple):
    house: ServerProcess
    certificate: Certificate
    origin: str

    def client(self, origin: str = "") -> httpx.Client:
        """A browser that trusts the certificate, with a jar that keeps Secure cookies for https alone."""
        headers = {**HEADERS, "Origin": origin or self.origin}
        return httpx.Client(base_url=self.origin, headers=headers, verify=self.certificate.trust())


@pytest.fixture(scope="module", params=["own", "nginx", "caddy"])
def behind(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SecureHouse]:
    if MISSING.get(request.param):
        pytest.skip(f"{request.param} is not installed: apt install nginx-light caddy runs the files of packaging/")
    folder, port = tmp_path_factory.mktemp("tls"), free_port()
    certificate, origin = make_certificate(folder), f"https://{HOST}:{port}"
    with running(folder, VENTUNO_PUBLIC_ORIGIN=origin, VENTUNO_TABLES="1") as house:
        inner = int(house.url.rsplit(":", 1)[1])
        with PROXIES[request.param](folder, certificate, port, inner):
            yield SecureHouse(house, certificate, origin)


def test_a_guest_has_a_cookie_for_https_alone(behind: SecureHouse) -> None:
    with behind.client() as browser:
        answer = browser.post("/api/guest")
        assert answer.status_code == 200, answer.text
        cookie = next(one for one in answer.headers.get_list("set-cookie") if one.startswith("__Host-ventuno="))
        assert {"Secure", "HttpOnly", "Path=/"} <= {part.strip() for part in cookie.split(";")[1:]}
        assert "samesite=strict" in cookie.lower()
        assert "domain" not in cookie.lower()
        assert int(re.findall(r"max-age=(\d+)", answer.headers["strict-transport-security"])[0]) >= 365 * 86_400 / 2
        assert f"connect-src 'self' wss://{HOST}" in browser.get("/").headers["content-security-policy"]
        assert browser.get("/api/me").status_code == 200
        held = browser.cookies["__Host-ventuno"]
    with httpx.Client(base_url=behind.house.url, headers=HEADERS) as plain:
        plain.cookies.set("ventuno", held)
        assert plain.get("/api/me").status_code == 401, "the name for plain HTTP opens nothing here"


@pytest.mark.parametrize("origin", ["http://{host}", "https://evil.example", "null", "https://{host}.evil.example"])
def test_calls_from_other_origins_are_refused_behind_the_proxy(behind: SecureHouse, origin: str) -> None:
    host = behind.origin.removeprefix("https://")
    with behind.client(origin.format(host=host)) as stranger:
        assert stranger.post("/api/guest").status_code == 403


async def test_the_socket_is_wss_and_its_origin_the_public_one(behind: SecureHouse) -> None:
    with behind.client() as browser:
        assert browser.post("/api/guest").status_code == 200
        cookie = {"Cookie": f"__Host-ventuno={browser.cookies['__Host-ventuno']}"}
        host = behind.origin.removeprefix("https://")

        def address() -> str:
            return f"wss://{host}/socket?ticket={browser.post('/api/ticket').json()['ticket']}"

        async with connect(
            address(), origin=Origin(behind.origin), additional_headers=cookie, ssl=behind.certificate.trust()
        ) as line:
            assert json.loads(await line.recv())["type"] == "welcome"
            await line.send(json.dumps({"type": "join", "id": "j", "table": "Ventuno 1"}))
            heard = set[str]()
            while "answer" not in heard:
                heard.add(json.loads(await line.recv())["type"])
            assert "table" in heard
        for wrong in (f"http://{host}", "https://evil.example", None):
            with pytest.raises(InvalidStatus) as refused:
                await connect(
                    address(),
                    origin=Origin(wrong) if wrong else None,
                    additional_headers=cookie,
                    ssl=behind.certificate.trust(),
                )
            assert refused.value.response.status_code == 403


def test_a_client_that_trusts_another_certificate_does_not_come_in(behind: SecureHouse, tmp_path: Path) -> None:
    """The TLS is real: nobody took the check away."""
    other = make_certificate(tmp_path)
    with httpx.Client(verify=other.trust()) as stranger, pytest.raises(httpx.ConnectError, match="CERTIFICATE"):
        stranger.get(behind.origin)
