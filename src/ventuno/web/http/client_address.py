"""Where a call comes from: the peer, or what a trusted proxy says of it; never what anybody else says (ASVS 13)."""

from __future__ import annotations

from collections.abc import Iterable
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import Any

Address = IPv4Address | IPv6Address
NOWHERE = "unknown"


class Proxies:
    """The proxies whose word is taken: addresses or networks."""

    def __init__(self, trusted: Iterable[str]) -> None:
        self._networks = [ip_network(one, strict=False) for one in trusted]

    def client(self, scope: Any) -> str:
        """The nearest address that is not a proxy of ours, read from the right: what is left of it may be made up."""
        peer = _read((scope.get("client") or ("", 0))[0])
        if peer is None or not self._trusts(peer):
            return str(peer) if peer else NOWHERE
        told = [value for name, value in scope["headers"] if name == b"x-forwarded-for"]
        for word in reversed(b",".join(told).decode("latin-1").split(",") if told else []):
            found = _read(word.strip())
            if found is None:
                break
            peer = found
            if not self._trusts(found):
                break
        return str(peer)

    def _trusts(self, address: Address) -> bool:
        return any(address.version == one.version and address in one for one in self._networks)


def household(address: str) -> str:
    """What is counted as one: an IPv4 address, or the /64 that one IPv6 line has."""
    found = _read(address)
    return str(ip_network((found, 64), strict=False)) if isinstance(found, IPv6Address) else address


def _read(text: str) -> Address | None:
    try:
        found = ip_address(text.partition("%")[0])
    except ValueError:
        return None
    return found.ipv4_mapped or found if isinstance(found, IPv6Address) else found
