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
        self._networks = [ip_network(network, strict=False) for network in trusted]

    def client(self, scope: Any) -> str:
        """The nearest address that is not a proxy of ours, read from the right: what is left of it may be made up."""
        peer = parse_address((scope.get("client") or ("", 0))[0])
        if peer is None or not self._trusts(peer):
            return str(peer) if peer else NOWHERE
        forwarded = [value for name, value in scope["headers"] if name == b"x-forwarded-for"]
        for word in reversed(b",".join(forwarded).decode("latin-1").split(",") if forwarded else []):
            address = parse_address(word.strip())
            if address is None:
                break
            peer = address
            if not self._trusts(address):
                break
        return str(peer)

    def _trusts(self, address: Address) -> bool:
        return any(address.version == network.version and address in network for network in self._networks)


def address_group(address: str) -> str:
    """What is counted as one: an IPv4 address, or the /64 that one IPv6 line has."""
    parsed = parse_address(address)
    return str(ip_network((parsed, 64), strict=False)) if isinstance(parsed, IPv6Address) else address


def parse_address(text: str) -> Address | None:
    try:
        address = ip_address(text.partition("%")[0])
    except ValueError:
        return None
    return address.ipv4_mapped or address if isinstance(address, IPv6Address) else address
