"""A small SMTP server on this machine: it takes mails and keeps them, in the clear, by STARTTLS or by TLS."""

from __future__ import annotations

import base64
import socket
import socketserver
import ssl
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default

from tests.support.patience import PATIENCE
from tests.support.tls_proxy import Certificate


class MailServer(socketserver.ThreadingTCPServer):
    """What was taken, each with whether it came by TLS and under which login."""

    allow_reuse_address = daemon_threads = True

    def __init__(self, security: str, certificate: Certificate | None, refuses: bool) -> None:
        super().__init__(("127.0.0.1", 0), Conversation)
        self.security, self.refuses = security, refuses
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        if certificate:
            self.context.load_cert_chain(certificate.file, certificate.key)
        self.mails: list[EmailMessage] = []
        self.secured: list[bool] = []
        self.logins: list[str] = []
        self.arrived = threading.Semaphore(0)

    @property
    def port(self) -> int:
        return int(self.server_address[1])

    def next(self) -> EmailMessage:
        """The mail that comes next."""
        assert self.arrived.acquire(timeout=PATIENCE), "no mail came"
        return self.mails[-1]


class Conversation(socketserver.BaseRequestHandler):
    server: MailServer

    def handle(self) -> None:
        with suppress(OSError), ExitStack() as stack:
            self._talk(stack)

    def _talk(self, stack: ExitStack) -> None:
        def secure(plain: socket.socket) -> socket.socket:
            return stack.enter_context(self.server.context.wrap_socket(plain, server_side=True))

        is_secure = self.server.security == "tls"
        connection = secure(self.request) if is_secure else self.request
        lines = stack.enter_context(connection.makefile("rb"))

        def answer(text: str) -> None:
            connection.sendall(f"{text}\r\n".encode())

        answer("220 here")
        while line := lines.readline():
            verb = line.split()[0].upper().decode() if line.split() else ""
            if verb == "EHLO":
                offers = ["250-here", *(["250-STARTTLS"] if self.server.security == "starttls" else [])]
                answer("\r\n".join([*offers, "250 AUTH PLAIN"]))
            elif verb == "STARTTLS":
                answer("220 go on")
                connection, is_secure = secure(connection), True
                lines = stack.enter_context(connection.makefile("rb"))
            elif verb == "AUTH":
                self.server.logins.append(base64.b64decode(line.split()[2]).decode().strip("\0"))
                answer("235 known")
            elif verb == "DATA":
                answer("354 go on")
                body = b"".join(iter(lines.readline, b".\r\n"))
                if self.server.refuses:
                    answer("554 not here")
                    continue
                message = message_from_bytes(body, policy=default)
                assert isinstance(message, EmailMessage)
                self.server.mails.append(message)
                self.server.secured.append(is_secure)
                answer("250 taken")
                self.server.arrived.release()
            elif verb == "QUIT":
                answer("221 bye")
                return
            else:
                answer("250 fine")


@contextmanager
def receiving(
    security: str = "none", certificate: Certificate | None = None, *, refuses: bool = False
) -> Iterator[MailServer]:
    with MailServer(security, certificate, refuses) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        yield server
        server.shutdown()
        thread.join()
