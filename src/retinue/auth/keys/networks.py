"""Parse and match the networks that an API key may be used from."""

from collections.abc import Iterable
from ipaddress import IPv6Address, ip_address, ip_network

from retinue.auth.caller import Network


def parse_networks(texts: Iterable[str]) -> tuple[Network, ...]:
    """Parse CIDRs or single addresses. Raises `ValueError` for any other text."""
    return tuple(ip_network(text, strict=False) for text in texts)


def is_within(address: str, networks: tuple[Network, ...]) -> bool:
    """Return True if an address lies in one of the networks. IPv4-mapped IPv6 addresses count as IPv4."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return False
    if isinstance(parsed, IPv6Address) and parsed.ipv4_mapped:
        parsed = parsed.ipv4_mapped
    return any(parsed in network for network in networks)
