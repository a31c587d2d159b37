"""Determines the client address behind trusted proxies."""

from collections.abc import Callable, Mapping
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import Any

from retinue.auth.client_info import ClientInfo

Network = IPv4Network | IPv6Network
_Address = IPv4Address | IPv6Address


def client_address(scope: Mapping[str, object], proxies: tuple[Network, ...]) -> str:
    """Return the client address for rate limits. IPv6 addresses count per /64, which one host controls (RFC 4291)."""
    return _group(peer_address(scope, proxies))


def peer_address(scope: Mapping[str, Any], proxies: tuple[Network, ...]) -> str:
    """Return the rightmost address of `X-Forwarded-For` that is not a trusted proxy.

    Only entries that a trusted proxy appended count: the client can forge those further left. Ports are removed, and
    an entry that is not an address counts as `unknown`.
    """
    peer = scope.get("client") or ("unknown", 0)
    address = str(peer[0])
    parsed = _parse(address)
    forwarded = [value.decode("latin-1") for name, value in scope["headers"] if name == b"x-forwarded-for"]
    hops = [hop.strip() for value in forwarded for hop in value.split(",") if hop.strip()]
    while hops and _is_trusted(parsed, proxies):
        parsed = _parse(_without_port(hops.pop()))
        address = str(parsed or "unknown")
    return address


def client_info_reader(proxies: tuple[Network, ...]) -> Callable[[Mapping[str, object]], ClientInfo]:
    """Return a function that reads the client's address and user agent from an ASGI scope."""

    def read(scope: Mapping[str, Any]) -> ClientInfo:
        agent = next((value for name, value in scope["headers"] if name == b"user-agent"), b"").decode("latin-1")
        printable = "".join(letter for letter in agent[:200] if letter.isprintable())
        return ClientInfo(client_address(scope, proxies), printable)

    return read


def _group(address: str) -> str:
    parsed = _parse(address)
    if parsed is None:
        return address
    return str(IPv6Network((parsed, 64), strict=False) if isinstance(parsed, IPv6Address) else parsed)


def _without_port(hop: str) -> str:
    """Remove the port that some proxies append: `198.51.100.8:4001` or `[2001:db8::1]:443`."""
    if hop.startswith("["):
        return hop[1:].partition("]")[0]
    return hop.partition(":")[0] if hop.count(":") == 1 else hop


def _is_trusted(address: _Address | None, proxies: tuple[Network, ...]) -> bool:
    return address is not None and any(address in network for network in proxies if network.version == address.version)


def _parse(text: str) -> _Address | None:
    """Parse an address without its zone. IPv4-mapped IPv6 addresses count as IPv4."""
    try:
        address = ip_address(text.partition("%")[0])
    except ValueError:
        return None
    return address.ipv4_mapped or address if isinstance(address, IPv6Address) else address
