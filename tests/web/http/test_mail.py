"""A code for a new password by mail: what it opens, what it does not tell, what a server may do (ASVS 6.4)."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from structlog.testing import capture_logs

from tests.support.house import PASSWORD
from tests.support.in_process_house import PLENTY, InProcessHouse, opened
from tests.support.mail_server import MailServer, receiving
from tests.support.tls_proxy import make_certificate
from ventuno.house.accounts.password_reset import LIFE, MAIL_INTERVAL, MOST_MAILS, CreatedCode
from ventuno.house.accounts.players import Role
from ventuno.web.http.rate_limits import BucketSize, RateLimits

NEW = "a stable of mules"
ADDRESS = "ada@example.org"


def describe(server: MailServer, **more: Any) -> dict[str, Any]:
    block = {"server": "127.0.0.1", "port": server.port, "security": "none", "sender": "house@example.org", **more}
    return {"mail": block}


@asynccontextmanager
async def mailing(folder: Path, **more: Any) -> AsyncIterator[tuple[InProcessHouse, MailServer, httpx.AsyncClient]]:
    """A house that mails, and Ada, who has given an address."""
    with receiving() as server:
        async with opened(folder, describe(server), **more) as house:
            _, client = await house.visitor("Ada")
            assert (await client.put("/api/mail", json={"mail": ADDRESS, "password": PASSWORD})).status_code == 204
            yield house, server, client
            await client.aclose()


async def ask(client: httpx.AsyncClient, name: str = "Ada") -> httpx.Response:
    return await client.post("/api/password/mail", json={"name": name})


async def settle(house: InProcessHouse) -> None:
    """Until all mails that were asked for have gone or not."""
    await asyncio.gather(*house.app.state.mailer._tasks)


def find_code(text: str) -> str:
    found = re.search(r"[0-9A-Z]{4}-[0-9A-Z]{4}-[0-9A-Z]{4}", text)
    assert found is not None, text
    return found[0]


async def test_asvs_6_4_a_mailed_code_opens_once_and_for_half_an_hour(tmp_path: Path) -> None:
    async with mailing(tmp_path) as (house, server, client), house.client() as browser:
        assert (await client.get("/api/me")).json()["mail"] == ADDRESS
        assert (await client.get("/api/lobby")).json()["mails"] is True
        with capture_logs() as lines:
            assert (await ask(browser)).status_code == 204
            await settle(house)
        mail = await asyncio.to_thread(server.next)
        assert (mail["To"], mail["From"]) == (ADDRESS, "house@example.org")
        assert "nuova password" in mail["Subject"], "in the language of her profile"
        code = find_code(mail.get_content())
        assert ADDRESS not in str(lines)
        assert code not in str(lines)
        body = {"name": "Ada", "reset_code": code, "password": NEW}
        assert (await browser.post("/api/password/reset", json=body)).status_code == 200
        again = await browser.post("/api/password/reset", json={**body, "password": "another of mules"})
        assert again.json()["error"]["code"] == "WrongResetCode", "a code opens once"
        house.clock.move(MAIL_INTERVAL)
        await ask(browser)
        await settle(house)
        late = find_code((await asyncio.to_thread(server.next)).get_content())
        house.clock.move(LIFE)
        again = await browser.post("/api/password/reset", json={**body, "reset_code": late})
        assert again.json()["error"]["code"] == "WrongResetCode", "and for half an hour"


async def test_asvs_6_one_answer_for_every_name_and_few_mails(tmp_path: Path) -> None:
    async with mailing(tmp_path) as (house, server, _), house.client() as browser:
        await house.joined("Bea")
        staff = await house.joined("Eva")
        await house.application.accounts.appoint(staff, Role.SUPPORT)
        answers = [await ask(browser, name) for name in ("Ada", "Bea", "Eva", "nobody", "Ada")]
        assert {(answer.status_code, answer.content) for answer in answers} == {(204, b"")}
        await settle(house)
        assert len(server.mails) == 1, "who has an address, once in five minutes"
        for _turn in range(2 * MOST_MAILS):
            house.clock.move(MAIL_INTERVAL)
            await ask(browser)
            await settle(house)
        assert len(server.mails) == MOST_MAILS, "a day has so many"


async def test_asvs_6_4_who_knows_a_name_cannot_take_away_the_code_of_support(tmp_path: Path) -> None:
    async with mailing(tmp_path) as (house, server, client), house.client() as browser:
        eva, ada = await house.supervisor(), (await client.get("/api/me")).json()["player"]
        created = await house.application.accounts.create_reset_code(eva, ada, "called")
        assert isinstance(created, CreatedCode)
        await ask(browser)
        await settle(house)
        assert server.mails == []
        body = {"name": "Ada", "reset_code": created.code, "password": NEW}
        assert (await browser.post("/api/password/reset", json=body)).status_code == 200


async def test_the_address_needs_the_password_and_goes_again(tmp_path: Path) -> None:
    async with mailing(tmp_path) as (house, server, client):
        wrong = await client.put("/api/mail", json={"mail": "eve@example.org", "password": NEW})
        assert wrong.json()["error"]["code"] == "WrongCredentials"
        for unfit in ("ada", "a@b c", "a@b>", "ada@example.org\r\nBcc: eve@example.org", '"a b"@example.org', "a@.b"):
            answer = await client.put("/api/mail", json={"mail": unfit, "password": PASSWORD})
            assert answer.json()["error"]["code"] == "MailUnfit", unfit
        assert (await client.get("/api/me")).json()["mail"] == ADDRESS
        assert (await client.put("/api/mail", json={"mail": "", "password": PASSWORD})).status_code == 204
        await ask(client)
        await settle(house)
        assert server.mails == []


@pytest.mark.parametrize("security", ["starttls", "tls"])
async def test_mail_travels_by_tls_to_a_server_that_somebody_vouches_for(tmp_path: Path, security: str) -> None:
    certificate = make_certificate(tmp_path)
    with receiving(security, certificate) as server:
        secret = {"security": security, "user": "house", "password": "hush"}
        for block in ({**secret, "ca": str(certificate.file)}, secret):
            async with opened(tmp_path / str("ca" in block), describe(server, **block)) as house:
                _, client = await house.visitor("Ada")
                async with client:
                    await client.put("/api/mail", json={"mail": ADDRESS, "password": PASSWORD})
                    with capture_logs() as lines:
                        await ask(client)
                        await settle(house)
            assert server.secured == [True], "and never to a stranger"
            assert server.logins == ["house\0hush"]
        assert [line["fault"] for line in lines if line["log_level"] == "error"] == ["SSLCertVerificationError"]


async def test_a_server_that_takes_nothing_is_a_line_in_the_log(tmp_path: Path) -> None:
    with receiving(refuses=True) as server:
        async with opened(tmp_path, describe(server)) as house:
            _, client = await house.visitor("Ada")
            async with client:
                await client.put("/api/mail", json={"mail": ADDRESS, "password": PASSWORD})
                with capture_logs() as lines:
                    assert (await ask(client)).status_code == 204
                    await settle(house)
    assert [(line["event"], line["fault"]) for line in lines if "fault" in line] == [
        ("a mail was not taken", "SMTPDataError")
    ]
    assert ADDRESS not in str(lines)


async def test_a_house_without_a_server_says_so_and_asking_is_rated(tmp_path: Path) -> None:
    few = RateLimits(PLENTY.address, PLENTY.account, BucketSize(2, 0.001), odds=PLENTY.odds)
    async with opened(tmp_path, allowances=few) as house, house.client() as browser:
        answers = [await ask(browser) for _ in range(3)]
        assert [answer.json()["error"]["code"] for answer in answers[:2]] == ["NoMail", "NoMail"]
        assert answers[2].status_code == 429
        assert (await browser.get("/api/lobby")).json()["mails"] is False
