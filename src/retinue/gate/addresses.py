"""Determines the client address behind trusted proxies."""

from collections.abc import Callable, Mapping
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import Any

from retinue.auth.client_info import ClientInfo

Network = IPv4Network | IPv6Network
_Address = IPv4Address | IPv6Address


def client_address(scope: Mapping[str, Any], proxies: tuple[Network, ...]) -> str:
    """Return the client address for rate limits. IPv6 addresses count per /64, which one host controls (RFC 4291)."""
    return _group(peer_address(scope, proxies))


def peer_address(scope: Mapping[str, Any], proxies: tuple[Network, ...]) -> str:
    """Return the rightmost address of `X-Forwarded-For` that is not a trusted proxy.

    Only entries that a trusted proxy appended count: the client can forge those further left.
    """
    peer = scope.get("client") or ("unknown", 0)
    address = str(peer[0])
    hops = [hop.strip() for value in _forwarded_for(scope) for hop in value.split(",")]
    while hops and _is_trusted(address, proxies):
        address = hops.pop()
    return address[:64]


def client_info_reader(proxies: tuple[Network, ...]) -> Callable[[Mapping[str, Any]], ClientInfo]:
    """Return a function that reads the client's address and user agent from an ASGI scope."""

    def read(scope: Mapping[str, Any]) -> ClientInfo:
        agent = next((value for name, value in scope["headers"] if name == b"user-agent"), b"").decode("latin-1")
        shown = "".join(letter for letter in agent[:200] if letter.isprintable())
        return ClientInfo(client_address(scope, proxies), shown)

    return read


def _group(address: str) -> str:
    parsed = _parse(address)
    if not isinstance(parsed, IPv6Address):
        return address
    return str(parsed.ipv4_mapped or IPv6Network((parsed, 64), strict=False))


def _forwarded_for(scope: Mapping[str, Any]) -> list[str]:
    return [value.decode("latin-1") for name, value in scope["headers"] if name == b"x-forwarded-for"]


def _is_trusted(address: str, proxies: tuple[Network, ...]) -> bool:
    parsed = _parse(address)
    return parsed is not None and any(parsed in network for network in proxies if network.version == parsed.version)


def _parse(address: str) -> _Address | None:
    try:
        return ip_address(address)
    except ValueError:
        return None
