"""TLS in front of a house: a proxy that ends it for real; nginx and Caddy by the files of packaging/, if installed."""

from __future__ import annotations

import asyncio
import datetime
import ipaddress
import os
import shutil
import socket
import ssl
import subprocess
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from tests.support.patience import PATIENCE

HOST = "localhost"
PACKAGING = Path(__file__).resolve().parents[2] / "packaging"
CADDY = shutil.which("caddy")
NGINX = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin:/usr/local/sbin")
CHUNK = 1 << 16


@dataclass(frozen=True)
class Certificate:
    """A certificate for this machine, signed by itself, and its key."""

    file: Path
    key: Path

    def trust(self) -> ssl.SSLContext:
        """What a client knows that trusts this certificate and no other."""
        return ssl.create_default_context(cafile=str(self.file))


def make_certificate(folder: Path, host: str = HOST) -> Certificate:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, host)])
    now = datetime.datetime.now(datetime.UTC)
    alternatives = [x509.DNSName(host), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName(alternatives), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    written = Certificate(folder / "tls.pem", folder / "tls.key")
    written.file.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    plain = serialization.NoEncryption()
    written.key.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, plain),
    )
    return written


@contextmanager
def serve_tls(_folder: Path, certificate: Certificate, port: int, house: int) -> Iterator[None]:
    """Takes TLS off and hands the bytes on, in a thread of its own."""
    loop = asyncio.new_event_loop()
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate.file, certificate.key)
    tasks: set[asyncio.Task[None]] = set()
    writers: list[asyncio.StreamWriter] = []

    async def pump(source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
        with suppress(OSError, ssl.SSLError):
            while piece := await source.read(CHUNK):
                sink.write(piece)
                await sink.drain()
        sink.close()

    async def connect(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        upstream, inner = await asyncio.open_connection("127.0.0.1", house)
        writers.extend((writer, inner))
        for source, sink in ((reader, inner), (upstream, writer)):
            task = asyncio.create_task(pump(source, sink))
            tasks.add(task)
            task.add_done_callback(tasks.discard)

    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    opening = asyncio.start_server(connect, "127.0.0.1", port, ssl=context)
    server = asyncio.run_coroutine_threadsafe(opening, loop).result(PATIENCE)
    try:
        yield
    finally:

        async def stop() -> None:
            server.close()
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            for writer in writers:
                writer.transport.abort()
            closing_all = asyncio.gather(*(writer.wait_closed() for writer in writers), return_exceptions=True)
            await asyncio.wait_for(closing_all, PATIENCE)

        asyncio.run_coroutine_threadsafe(stop(), loop).result(PATIENCE)
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


@contextmanager
def serve_nginx(folder: Path, certificate: Certificate, port: int, house: int) -> Iterator[None]:
    """nginx with its file; only names, ports and places are those of this test."""
    changed = (
        (PACKAGING / "nginx" / "ventuno.conf")
        .read_text(encoding="utf-8")
        .replace("listen 443", f"listen 127.0.0.1:{port}")
        .replace("play.example.org;", f"{HOST};")
        .replace("/etc/ssl/play.example.org.pem", str(certificate.file))
        .replace("/etc/ssl/play.example.org.key", str(certificate.key))
        .replace("127.0.0.1:2121", f"127.0.0.1:{house}")
    )
    places = "".join(
        f"{name}_temp_path {folder}/{name};\n" for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    file = folder / "nginx.conf"
    file.write_text(
        f"daemon off; master_process off; pid {folder}/nginx.pid; error_log {folder}/nginx.log;\n"
        f"events {{}}\nhttp {{\naccess_log off;\n{places}{changed}}}\n"
    )
    assert NGINX is not None
    command = [NGINX, "-c", str(file), "-p", str(folder), "-e", str(folder / "nginx.log")]
    with run_proxy(command, port, folder / "nginx.log"):
        yield


@contextmanager
def serve_caddy(folder: Path, certificate: Certificate, port: int, house: int) -> Iterator[None]:
    """Caddy with its file; the certificate is that of this test, as nobody outside vouches for this machine."""
    site, opening = (PACKAGING / "caddy" / "Caddyfile").read_text(encoding="utf-8"), "play.example.org} {\n"
    assert opening in site
    file = folder / "Caddyfile"
    file.write_text(
        "{\nadmin off\nskip_install_trust\nauto_https disable_redirects\n}\n"
        + site.replace(opening, f"{opening}tls {certificate.file} {certificate.key}\n")
    )
    names = {"VENTUNO_DOMAIN": f"https://{HOST}:{port}", "VENTUNO_HOUSE": f"127.0.0.1:{house}"}
    assert CADDY is not None
    command = [CADDY, "run", "--config", str(file), "--adapter", "caddyfile"]
    with run_proxy(command, port, folder / "caddy.log", HOME=str(folder), **names):
        yield


@contextmanager
def run_proxy(command: Sequence[str], port: int, log: Path, **environment: str) -> Iterator[None]:
    """Until it listens, and to the end of the test."""
    with log.open("a") as told:
        process = subprocess.Popen(command, stdout=told, stderr=told, env={**os.environ, **environment})
    try:
        until = time.monotonic() + PATIENCE
        while True:
            with suppress(OSError), closing(socket.create_connection(("127.0.0.1", port), 1)):
                break
            assert process.poll() is None, log.read_text()
            assert time.monotonic() < until, f"{command[0]} does not open"
            time.sleep(0.05)
        yield
    finally:
        process.terminate()
        process.wait(PATIENCE)
