"""Mail by any SMTP server: codes for new passwords to who has given an address (ASVS 6.4).

Sending is slow and may fail: it is done in a thread, after the answer, and whether it was is only in the log.
"""

from __future__ import annotations

import asyncio
import smtplib
import ssl
from email.message import EmailMessage
from email.utils import make_msgid
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, SecretStr

from ventuno import words
from ventuno.house.accounts.account_service import AccountService
from ventuno.house.accounts.password_reset import LIFE, MailedCode
from ventuno.house.accounts.player_limits import MINUTE
from ventuno.house.accounts.text_rules import MAIL
from ventuno.web.operations import logs

SECONDS = 15
"""How long a server has for each of its answers."""


class MailBlock(BaseModel):
    """`[mail]` in the settings: who takes the mails of this house."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    server: Annotated[str, Field(min_length=1, max_length=255, pattern=r"^[A-Za-z0-9.:-]+$")]
    port: Annotated[int, Field(ge=1, le=65535)] = 587
    security: Literal["starttls", "tls", "none"] = "starttls"
    sender: Annotated[str, Field(pattern=MAIL.pattern)]
    user: str = ""
    password: SecretStr = SecretStr("")
    ca: Path | None = None
    """A file of the authority that vouches for the server; left out: the system's."""


class Mailer:
    def __init__(self, accounts: AccountService, house: str, origin: str) -> None:
        self._accounts, self._house, self._origin = accounts, house, origin
        self._tasks: set[asyncio.Task[None]] = set()

    def start_reset(self, block: MailBlock, name: str) -> None:
        """Whatever comes of it comes later: a name that nobody has costs the caller the same (ASVS 6)."""
        task = asyncio.create_task(self._reset(block, name), name="ventuno-mail")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def close(self) -> None:
        for task in tuple(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _reset(self, block: MailBlock, name: str) -> None:
        code = await self._accounts.create_mailed_code(name)
        if code is None:
            return
        try:
            await asyncio.to_thread(send, block, self._write(block, code))
        except (OSError, smtplib.SMTPException, ValueError) as fault:
            logs.log.error("a mail was not taken", fault=type(fault).__name__)
        else:
            logs.log.info("a code for a new password was mailed")

    def _write(self, block: MailBlock, code: MailedCode) -> EmailMessage:
        message = EmailMessage()
        fields = {"house": self._house, "code": code.code, "minutes": LIFE // MINUTE, "address": self._origin}
        message["Subject"] = words.say(code.language, "mail.reset-subject", house=self._house)
        message["From"], message["To"] = block.sender, code.address
        message["Message-ID"] = make_msgid(domain=block.sender.rpartition("@")[2])
        message["Auto-Submitted"] = "auto-generated"
        message.set_content(words.say(code.language, "mail.reset-text", name=code.name, **fields))
        return message


def send(block: MailBlock, message: EmailMessage) -> None:
    """Hand a message to the server; a certificate that nobody vouches for is refused."""
    trusted = None if block.security == "none" else ssl.create_default_context(cafile=block.ca)
    if block.security == "tls":
        client: smtplib.SMTP = smtplib.SMTP_SSL(block.server, block.port, timeout=SECONDS, context=trusted)
    else:
        client = smtplib.SMTP(block.server, block.port, timeout=SECONDS)
    with client:
        if block.security == "starttls":
            client.starttls(context=trusted)
        if block.user:
            client.login(block.user, block.password.get_secret_value())
        client.send_message(message)
