"""Settings of the house's doors: by command line, else by environment (`VENTUNO_PORT`), else by a TOML file (ASVS 13).

What is unsafe on a public address is refused before anything opens: see `find_unsafe`.
"""

from __future__ import annotations

import ipaddress
import os
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import Field, SecretStr, ValidationError, field_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict, SettingsError

from ventuno.house.config import BOOKS
from ventuno.house.money.currency import parse_rate
from ventuno.web.operations.mail import MailBlock
from ventuno.web.operations.settings_lines import find_line
from ventuno.web.operations.table_blocks import Limits, TableBlock

PREFIX = "VENTUNO_"
ORIGIN = re.compile(r"https?://([a-zA-Z0-9.-]+|\[[0-9a-fA-F:]+\])(:[0-9]{1,5})?")


class SettingsUnfit(ValueError):
    """What is wrong with the settings, in one line."""


def data_folder(environment: Mapping[str, str] = os.environ) -> Path:
    """Where a house keeps its books, its key and its certificates when nothing else is said."""
    shared = environment.get("XDG_DATA_HOME", "")
    home = Path(shared) if os.path.isabs(shared) else Path(environment.get("HOME") or Path.home(), ".local", "share")
    return home / "ventuno"


class Settings(BaseSettings):
    """Every field is an option of the file and a variable of the environment; docs/operations.md lists them."""

    model_config = SettingsConfigDict(env_prefix=PREFIX, env_ignore_empty=True, extra="forbid", frozen=True)

    host: str = Field(default="127.0.0.1", description="address to listen on")
    port: int = Field(default=2121, ge=0, le=65535, description="port to listen on; 0 takes a free one")
    data: Path = Field(default_factory=data_folder, description="folder of the books, the key and the certificates")
    database: str = Field(
        default="", repr=False, description="`sqlite:///FILE`, a file, or `postgresql://…`; empty: `house.db` in `data`"
    )
    sheets: Annotated[tuple[Path, ...], NoDecode] = Field(
        default=(), description="folders of sheets of one's own; in the environment as in `PATH`"
    )
    unsafe: bool = Field(default=False, description="open also where a crash could lose play; every screen says so")
    accept: str = Field(
        default="", max_length=200, description="why this program is taken though its files have changed (R-19)"
    )
    new_house: bool = Field(
        default=False, description="begin new books though the key of an older house lies in `data` without its own"
    )
    house: str = Field(
        default="ventuno", pattern=r"^[a-zA-Z0-9 .-]{1,40}$", description="name in receipts and greetings"
    )
    helpline: str = Field(
        default="",
        max_length=300,
        description="who helps with gambling, in words; empty: the Italian national helpline",
    )
    public_origin: str = Field(
        default="", description="the address players type, `https://…`; needed to listen beyond this machine"
    )
    origins: tuple[str, ...] = Field(default=(), description="further origins whose pages may call, as a list")
    proxies: tuple[str, ...] = Field(
        default=("127.0.0.1", "::1"), description="addresses of reverse proxies whose `X-Forwarded-For` is believed"
    )
    tables: int = Field(
        default=3,
        ge=1,
        le=500,
        description="tables of each shared game, opened at the start; not used where there are `[[table]]` blocks",
    )
    table: tuple[TableBlock, ...] = Field(
        default=(), max_length=500, description="`[[table]]` blocks, each a shared table; see below"
    )
    limits: dict[str, Limits] = Field(
        default_factory=dict, description="limits by table in cents, `{name = {bet = [least, most]}}`"
    )
    rates: dict[str, str] = Field(
        default_factory=dict,
        description='units of a currency for one euro, `{USD = "1.0837"}`: others\' bets are shown so',
    )
    bots: int = Field(default=0, ge=0, le=5, description="players of the house at the first table, labelled as bots")
    beacon: tuple[str, ...] = Field(
        default=(),
        description="addresses of a drand beacon that takes part in cuts of shared tables, as a list; empty: none",
    )
    beacon_chain: Path | None = Field(
        default=None, description="file of the beacon's chain, as its `/info` tells it; empty: quicknet"
    )
    beacon_seconds: int = Field(
        default=10, ge=1, le=60, description="how long a shoe waits for a beacon that is due; then it is missing"
    )
    mail: MailBlock | None = Field(
        default=None, description="`[mail]` block, a server of SMTP for codes for new passwords; empty: no mail is sent"
    )
    keep_chat_days: int = Field(default=0, ge=0, le=36500, description="days for which chat is kept; 0: for good")
    keep_login_days: int = Field(
        default=0, ge=0, le=36500, description="days for which logins, failed ones and sessions are kept; 0: for good"
    )
    keep_closed_days: int = Field(
        default=0, ge=0, le=36500, description="days after which a closed account is erased; 0: never"
    )
    record_video: Path | None = Field(
        default=None, description="folder for recordings of studio tables; empty: nothing is recorded"
    )
    record_video_days: int = Field(
        default=30, ge=1, le=3650, description="days for which recordings of studio tables are kept"
    )
    metrics_token: SecretStr = Field(
        default=SecretStr(""), description="bearer token for `/metrics` from other machines; empty: this machine only"
    )
    traces: str = Field(
        default="",
        pattern=r"^(https?://\S+)?$",
        description="address of a collector of OpenTelemetry, `http://127.0.0.1:4318/v1/traces`; empty: no traces",
    )
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        default="info", description="the least that is logged"
    )
    sockets: int = Field(default=6000, ge=1, description="open sockets in all; more are turned away")
    sockets_per_address: int = Field(default=200, ge=1, description="open sockets from one address")
    calls_per_second: int = Field(default=50, ge=1, description="HTTP calls from one address; four times that at once")
    entries_per_minute: int = Field(
        default=30, ge=1, description="guests, registrations, logins and new passwords from one address"
    )
    asks_waiting: int = Field(
        default=5000, ge=1, description="asks that may wait for the disk; beyond it new bets and joins are refused"
    )
    lag_credit: int = Field(
        default=1000, ge=0, le=5000, description="milliseconds of measured lag credited on decisions at most"
    )
    doors: int = Field(
        default=0,
        ge=0,
        le=64,
        description="processes that hold the sockets, beside the one that decides; 0: one process does both",
    )
    role: Literal["all", "host", "door"] = Field(
        default="all",
        description="what this process of a house on several machines does: `host` decides, `door` holds sockets",
    )
    node: str = Field(
        default="", pattern=r"^[a-z0-9-]{0,32}$", description="name of this process among those of the house"
    )
    broker: str = Field(
        default="",
        repr=False,
        description="servers of NATS between doors and hosts, `tls://n1,n2,n3`; needed by `host` and `door`",
    )
    broker_ca: Path | None = Field(
        default=None, description="who signs the certificates of the brokers, as PEM; empty: whom this system believes"
    )
    broker_certificate: Path | None = Field(
        default=None, description="this node's own certificate for the brokers, as PEM; they know it by that"
    )
    broker_key: Path | None = Field(default=None, description="the key of that certificate, as PEM")
    node_port: int | None = Field(
        default=None,
        ge=0,
        le=65535,
        description="port of a host's own `/healthz`, `/readyz` and `/metrics`, on `host`; empty: none",
    )
    pages: Path | None = Field(default=None, description="folder of the built client; empty: the package's own")
    stop_seconds: int = Field(default=4, ge=1, le=60, description="how long a stop waits for connections")

    @field_validator("sheets", mode="before")
    @classmethod
    def _split_folders(cls, value: object) -> object:
        return [folder for folder in value.split(os.pathsep) if folder] if isinstance(value, str) else value

    @field_validator("public_origin", "origins")
    @classmethod
    def _origin(cls, value: str | tuple[str, ...]) -> str | tuple[str, ...]:
        for origin in (value,) if isinstance(value, str) else value:
            if origin and not ORIGIN.fullmatch(origin):
                raise ValueError("an origin is written https://play.example.org, with nothing after it")
        return value

    @field_validator("beacon")
    @classmethod
    def _check_beacon(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for address in value:
            if (
                urlsplit(address).scheme not in ("http", "https")
                or address.endswith("/")
                or not urlsplit(address).hostname
            ):
                raise ValueError("a beacon is asked at https://api.drand.sh, with nothing after it")
        return value

    @field_validator("database")
    @classmethod
    def _store(cls, value: str) -> str:
        if "://" in value and not value.startswith(("sqlite:///", "postgresql://")):
            raise ValueError("write sqlite:///FILE, a file, or postgresql://USER@HOST/NAME")
        return value

    @field_validator("broker")
    @classmethod
    def _check_broker(cls, value: str) -> str:
        for address in split_addresses(value):
            parts = urlsplit(address)
            if parts.scheme not in ("nats", "tls") or not parts.hostname or parts.path:
                raise ValueError("write tls://n1,n2,n3, or nats://127.0.0.1:4222 on one machine")
        return value

    @field_validator("rates")
    @classmethod
    def _check_rates(cls, value: dict[str, str]) -> dict[str, str]:
        for code, text in value.items():
            if not re.fullmatch("[A-Z]{3}", code):
                raise ValueError(f"{code[:8]!r} is no currency: write USD")
            parse_rate(text)
        return value

    @field_validator("proxies")
    @classmethod
    def _address(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for network in value:
            ipaddress.ip_network(network, strict=False)
        return value

    @property
    def url(self) -> str:
        """The address of the store."""
        store = self.database or str(self.data / BOOKS)
        return store if "://" in store else f"sqlite:///{store}"

    @property
    def brokers(self) -> list[str]:
        """The addresses of all brokers, each in full."""
        return split_addresses(self.broker)

    @property
    def secure(self) -> bool:
        """Whether players come by TLS: cookies are `__Host-` and Secure then."""
        return self.public_origin.startswith("https://")

    @property
    def is_local(self) -> bool:
        """Whether only this machine can reach the port."""
        return is_loopback(self.host)

    @property
    def video_origins(self) -> frozenset[str]:
        """The servers from which tables have their picture, where that is another one than this house."""
        addresses = [block.video.partition(":")[2] for block in self.table if block.video.startswith(("whep:", "hls:"))]
        return frozenset(f"{parts.scheme}://{parts.netloc}" for parts in map(urlsplit, addresses))

    def own_origins(self, port: int) -> frozenset[str]:
        """The pages that may call: the public one and those named; with no public one, those of this machine."""
        own = () if self.public_origin else (f"http://{host}:{port}" for host in ("127.0.0.1", "localhost", "[::1]"))
        return frozenset(origin for origin in (self.public_origin, *self.origins, *own) if origin)


def read(file: Path | None = None, given: Mapping[str, Any] | None = None, place: Path | None = None) -> Settings:
    """The settings in force: what is given, else the environment, else the file, else the default.

    `place` is the file in which what is given was written; faults are told with their lines in it.
    """
    filed = read_file(file) if file else {}
    unset = {name: value for name, value in filed.items() if not os.environ.get(f"{PREFIX}{name.upper()}")}
    try:
        settings = Settings(**{**unset, **(given or {})})
    except ValidationError as fault:
        faults = [
            locate(file if error["loc"] and error["loc"][0] in unset else place, error["loc"]) + describe_fault(error)
            for error in fault.errors(include_input=False)
        ]
        raise SettingsUnfit("; ".join(faults)) from None
    except SettingsError as fault:
        raise SettingsUnfit(f"lists and tables in the environment are written as JSON: {fault}") from None
    if reason := find_unsafe(settings):
        raise SettingsUnfit(reason)
    return settings


def locate(file: Path | None, place: tuple[str | int, ...]) -> str:
    """`ventuno.toml:12: `, to be put before what is wrong there; empty where no file says it."""
    number = find_line(file.read_text(encoding="utf-8"), place) if file else 0
    return f"{file}:{number}: " if number else ""


def find_unsafe(settings: Settings) -> str:
    """Why these settings are not for a public address; empty where they are fit (ASVS 13)."""
    hostname = urlsplit(settings.public_origin).hostname
    if hostname and not settings.secure and not is_loopback(hostname):
        return f"public_origin {settings.public_origin}: beyond this machine players come by https"
    if not settings.is_local and not settings.secure:
        return (
            f"host {settings.host} can be reached from other machines: name --public-origin https://… "
            "(a proxy with TLS in front), or listen on 127.0.0.1"
        )
    return find_misplaced(settings)


def find_misplaced(settings: Settings) -> str:
    """Why a process with these settings has no place in a house on several machines; empty where it has one."""
    if settings.role == "all":
        alone = [name for name in ("broker", "node_port") if getattr(settings, name) not in ("", None)]
        return f"{alone[0]}: a house on several machines has roles: name --role host or --role door" if alone else ""
    if missing := [name for name in ("node", "broker") if not getattr(settings, name)]:
        return f"role {settings.role}: name --{' and --'.join(missing)}"
    if settings.role == "host" and not settings.url.startswith("postgresql://"):
        return "role host: several machines share their books in PostgreSQL: name --database postgresql://…"
    if settings.role == "host" and settings.bots:
        return "role host: bots come by the page's own way, and a host has none; let a program play at a door"
    if settings.role == "door" and settings.database:
        return "role door: a door has no database; leave it out, and no password of it lies where players come"
    if settings.role == "door" and settings.node_port is not None:
        return "node_port: a door answers at its own port; leave it out"
    if settings.doors:
        return f"role {settings.role}: doors are processes of their own; start each with --role door and a --node"
    if bool(settings.broker_certificate) != bool(settings.broker_key):
        return "broker_certificate and broker_key: one is of no use without the other"
    for parts in map(urlsplit, settings.brokers):
        if not is_loopback(parts.hostname or "") and (parts.scheme != "tls" or not settings.broker_certificate):
            return (
                f"broker {parts.hostname}: beyond this machine both sides show a certificate: write tls://…, and name "
                "broker_certificate and broker_key"
            )
    return ""


def split_addresses(broker: str) -> list[str]:
    """Each with its scheme, which is written once.

    >>> split_addresses("tls://n1,n2:4333")
    ['tls://n1', 'tls://n2:4333']
    """
    scheme, _, rest = broker.partition("://") if "://" in broker else ("", "", broker)
    return [one if "://" in one else f"{scheme}://{one}" for one in rest.split(",") if one]


def is_loopback(host: str) -> bool:
    """Whether this name or address is the machine itself; a name that is no address is not believed."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def read_file(file: Path) -> dict[str, Any]:
    """What a file says; the sheets of its tables lie where they lie from it."""
    try:
        filed = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as fault:
        reason = fault.strerror if isinstance(fault, OSError) and fault.strerror else str(fault)
        raise SettingsUnfit(f"{file}: cannot be read: {reason}") from None
    blocks = filed.get("table")
    for block in blocks if isinstance(blocks, list) else ():
        if isinstance(block, dict) and isinstance(block.get("sheet"), str):
            block["sheet"] = str(file.parent / block["sheet"])
    return filed


def describe_fault(fault: Mapping[str, Any]) -> str:
    """One fault without what was given: it may be a secret."""
    place = format_place(fault["loc"])
    return f"{place}: {fault['msg'].removeprefix('Value error, ')}"


def format_place(place: tuple[str | int, ...]) -> str:
    """A place in the settings for people, who count tables from one.

    >>> format_place(("table", 0, "limits", "main"))
    'table 1: limits.main'
    """
    names = list(map(str, place))
    if len(place) > 1 and place[0] == "table" and isinstance(place[1], int):
        return ": ".join(filter(None, (f"table {place[1] + 1}", ".".join(names[2:]))))
    return ".".join(names) or "settings"
