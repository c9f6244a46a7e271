"""The files of packaging/nats with a real server: each node is known by its key, and may say and hear its own alone."""

from __future__ import annotations

import asyncio
import shutil
import subprocess
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path

import pytest

from tests.support.broker_doors import KEY, Answering
from tests.support.nats import NatsServer, open_broker
from ventuno.web.doors.broker import HELLO, VERSION, Broker, Owner, Subjects, pack
from ventuno.web.doors.broker_door import OwnerFinder
from ventuno.web.doors.broker_host import serve_doors_over_broker
from ventuno.web.doors.bus import Link
from ventuno.web.doors.packets import FromHost
from ventuno.web.operations.settings import Settings

NATS = Path(__file__).resolve().parents[3] / "packaging" / "nats"
pytestmark = pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl is not installed")
SUBJECTS = Subjects("ventuno")
TRIES = 10


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Certificates by the script as it is shipped; `x1` is a node that nobody has named."""
    folder = tmp_path_factory.mktemp("keys")
    names = ["h1", "h2", "d1", "d2", "x1", "n1"]
    script = ["/bin/sh", str(NATS / "make-certificates.sh"), str(folder), *names]
    subprocess.run(script, check=True, env={"PATH": "/usr/bin:/bin", "ADDRESS": "127.0.0.1"})
    assert {file.stat().st_mode & 0o777 for file in folder.glob("*.key")} == {0o600}
    return folder


def write_config(folder: Path, keys: Path, *, changed: tuple[str, str] = ("", "")) -> Path:
    """As shipped, with the places of this machine and without the other brokers; `changed` is a planted fault."""
    text = (NATS / "nats-server.conf").read_text()
    start, end = text.index("cluster {"), text.index("# Nothing is kept")
    text = text[:start] + text[end:]
    for written, here in (("/etc/nats/broker", f"{keys}/n1"), ("/etc/nats/ca", f"{keys}/ca"), ("$NATS_NAME", "n1")):
        assert written in text
        text = text.replace(written, here)
    text = "".join(line for line in text.splitlines(keepends=True) if not line.startswith("listen:"))
    (folder / "nats-server.conf").write_text(text)
    permissions = (NATS / "permissions.conf").read_text()
    assert changed[0] in permissions
    (folder / "permissions.conf").write_text(permissions.replace(*changed) if changed[0] else permissions)
    return folder / "nats-server.conf"


@pytest.fixture
def server(tmp_path: Path, keys: Path) -> Iterator[NatsServer]:
    with open_broker(write_config(tmp_path, keys)) as opened:
        yield opened


def name(server: NatsServer, keys: Path, node: str) -> Settings:
    return Settings(
        role="host" if node.startswith("h") else "door",
        node=node,
        broker=server.url.replace("nats://", "tls://"),
        broker_ca=keys / "ca.pem",
        broker_certificate=keys / f"{node}.pem",
        broker_key=keys / f"{node}.key",
    )


class Node:
    """A connection of one node, and what it has heard."""

    def __init__(self, settings: Settings) -> None:
        self.broker, self.heard = Broker(settings, settings.node), list[tuple[str, bytes]]()

    def hear(self, subject: str) -> None:
        self.broker.hear(subject, lambda place, message: self.heard.append((place, message)))


@asynccontextmanager
async def connected(*nodes: Node) -> AsyncIterator[None]:
    async with AsyncExitStack() as stack:
        for node in nodes:
            await stack.enter_async_context(node.broker)
        async with asyncio.timeout(10):
            for node in nodes:
                await node.broker.connected.wait()
        yield


async def check_permissions(server: NatsServer, keys: Path) -> None:
    """A door hears what is for it and not what is for another; it is an owner to nobody, and speaks as nobody else."""
    host, first, second = (Node(name(server, keys, node)) for node in ("h1", "d1", "d2"))
    host.hear(SUBJECTS.name_host(0, 1, "*.*"))
    host.hear(SUBJECTS.who)
    for node in (first, second):
        node.hear(SUBJECTS.moved)
        node.hear("v.ventuno.door.d1.*")
    async with connected(host, first, second):

        def speak_as_host() -> None:
            host.broker.publish(SUBJECTS.name_door("d1.a"), b"for the first")
            host.broker.publish(SUBJECTS.moved, b"owner")

        def speak_as_doors() -> None:
            for node in (first, second):
                node.broker.publish(SUBJECTS.name_host(0, 1, "d1.a"), node.broker._name.encode())
                node.broker.publish(SUBJECTS.moved, b"mine")
                node.broker.publish(SUBJECTS.name_door("d1.a"), b"as a host")
                node.broker.publish(SUBJECTS.who, node.broker._name.encode())

        await say_until(speak_as_host, lambda: len(set(first.heard)) >= 2)
        await say_until(speak_as_doors, lambda: len(set(host.heard)) >= 3)
        await asyncio.sleep(0.3)
    owner = ("v.ventuno.moved", b"owner")
    assert set(first.heard) == {("v.ventuno.door.d1.a", b"for the first"), owner}, "a door spoke as host"
    assert set(second.heard) <= {owner}, "a door heard another one's players"
    said = {(place.rpartition("ventuno.")[2], message.decode()) for place, message in host.heard}
    assert said == {("unit.0.1.host.d1.a", "d1"), ("who", "d1"), ("who", "d2")}, "somebody spoke as another"


async def say_until(say: Callable[[], None], is_heard: Callable[[], bool]) -> None:
    """A broker keeps nothing for who is away for a moment: what was not heard is said again."""
    for _ in range(TRIES):
        say()
        with suppress(TimeoutError):
            async with asyncio.timeout(2):
                while not is_heard():
                    await asyncio.sleep(0.01)
                return
    raise TimeoutError("nobody hears it")


async def test_a_node_says_and_hears_its_own_alone(server: NatsServer, keys: Path) -> None:
    await check_permissions(server, keys)


@pytest.mark.parametrize(
    ("changed", "found"),
    [
        (('"v.ventuno.door.d2.*"', '"v.ventuno.door.>"'), "heard another one's players"),
        (('"v.ventuno.unit.*.*.host.d2.*"', '"v.ventuno.unit.>"'), "spoke as another"),
        (('publish: ["v.ventuno.who", "v.ventuno.unit.*.*.host.d2.*"]', 'publish: "v.>"'), "a door spoke as host"),
    ],
)
async def test_a_permission_too_many_is_found(tmp_path: Path, keys: Path, changed: tuple[str, str], found: str) -> None:
    with (
        open_broker(write_config(tmp_path, keys, changed=changed)) as server,
        pytest.raises(AssertionError, match=found),
    ):
        await check_permissions(server, keys)


async def test_door_and_host_work_with_no_more_than_that(server: NatsServer, keys: Path) -> None:
    settings = name(server, keys, "d1")
    broker = Broker(settings, "d1")
    finder = OwnerFinder(broker, SUBJECTS, "d1")
    web = Answering("host")
    async with serve_doors_over_broker(web, name(server, keys, "h1"), 0, 3, KEY) as host, broker:  # type: ignore[arg-type]
        link: Link[FromHost] = Link(FromHost, lambda _: None, lambda: None, lambda: None)
        async with asyncio.timeout(10):
            while True:
                try:
                    await finder.connect(lambda: link)
                    break
                except OSError:
                    continue
        assert finder.owner == Owner(0, 3, "h1")
        assert len(host.doors.links) == 1
        broker.publish(SUBJECTS.name_host(0, 3, "d2.b"), pack(HELLO, 1, body=bytes([VERSION])))
        await asyncio.sleep(0.2)
        assert len(host.doors.links) == 1
        link.abort()


@pytest.mark.parametrize("fault", ["no certificate", "no name", "another authority", "another broker"])
async def test_who_is_not_of_the_house_does_not_come_in(
    server: NatsServer, keys: Path, tmp_path: Path, fault: str
) -> None:
    settings = name(server, keys, "d1")
    if fault == "no certificate":
        settings = settings.model_copy(update={"broker_certificate": None, "broker_key": None})
    elif fault == "no name":
        settings = name(server, keys, "x1")
    else:
        script = ["/bin/sh", str(NATS / "make-certificates.sh"), str(tmp_path / "others"), "d1"]
        subprocess.run(script, check=True)
        others = tmp_path / "others"
        own = {"broker_certificate": others / "d1.pem", "broker_key": others / "d1.key"}
        settings = settings.model_copy(update=own if fault == "another authority" else {"broker_ca": others / "ca.pem"})
    broker = Broker(settings, "d1")
    async with broker:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(broker.connected.wait(), 1)
    assert broker._told, "nobody is told why"


async def test_the_planted_client_in_the_clear_is_refused(server: NatsServer) -> None:
    broker = Broker(Settings(role="door", node="d1", broker=server.url), "d1")
    async with broker:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(broker.connected.wait(), 1)
    assert broker._told
