"""A browser that comes by https: a cookie for https alone, pages and socket under the policy (ASVS 3.3, ASVS 4.4)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from tests.support.free_port import free_port
from tests.support.server_process import running
from tests.support.tls_proxy import HOST, make_certificate, serve_tls


def test_a_browser_plays_behind_a_proxy_with_tls(
    chromium: Browser, pages: Path, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    port = free_port()
    certificate, origin = make_certificate(tmp_path), f"https://{HOST}:{port}"
    house = running(tmp_path, VENTUNO_PUBLIC_ORIGIN=origin, VENTUNO_TABLES="1", VENTUNO_PAGES=str(pages))
    with house as opened, serve_tls(tmp_path, certificate, port, int(opened.url.rsplit(":", 1)[1])):
        wishes: dict[str, Any] = {"locale": "it-IT", "reduced_motion": "reduce", "service_workers": "block"}
        # workers are fetched by their own rules: they would not take a certificate that nobody has signed
        context = chromium.new_context(ignore_https_errors=True, **wishes)
        request.addfinalizer(context.close)
        page = context.new_page()
        complaints: list[str] = []
        sockets: list[str] = []
        page.on("console", lambda told: complaints.append(told.text) if told.type == "error" else None)
        page.on("websocket", lambda socket: sockets.append(socket.url))
        page.goto(f"{origin}/?lang=it")
        page.get_by_role("button", name="Gioca come ospite").click()
        page.get_by_role("link", name="Storico").or_(page.get_by_role("button", name="Cassa")).first.wait_for()
        (cookie,) = [one for one in context.cookies() if one["name"] == "__Host-ventuno"]
        assert (cookie["secure"], cookie["httpOnly"], cookie["sameSite"]) == (True, True, "Strict")
        page.goto(f"{origin}/table/Ventuno%201?lang=it")
        expect(page.get_by_role("group", name="Banco").first).to_be_visible()
        assert sockets
        assert all(url.startswith(f"wss://{HOST}:{port}/socket") for url in sockets)
        assert complaints == []
        context.close()
