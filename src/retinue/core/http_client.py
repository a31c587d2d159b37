"""Connections to addresses that callers name: only to public ones, and to networks that the operator allows.

The address is checked when its socket is made, so it is the very one that is connected to: a name that resolves
differently the next time, and a redirect, meet the same check.
"""

import asyncio
import socket
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Any

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult
from yarl import URL

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

CONNECT_S = 5.0
"""How long a connection may take to come about, name and handshake apart."""

_KEEP_S = 15.0
_LOOKUPS = 16
"""Names that are looked up at once."""

_NAT64 = IPv6Network("64:ff9b::/96")
"""IPv6 addresses that stand for the IPv4 address in their last 32 bits (RFC 6052)."""

_CLOSED: tuple[Network, ...] = tuple(
    map(
        ip_network,
        (
            "168.63.129.16/32",  # the metadata service of a cloud, at a public address
            "192.88.99.0/24",  # 6to4 relays (RFC 7526)
            "64:ff9b:1::/48",  # translation within a site (RFC 8215)
            "fec0::/10",  # the former site-local addresses (RFC 3879)
            "5f00::/16",  # segment routing (RFC 9602)
        ),
    )
)
"""What Python's tables of special addresses do not hold in all versions."""


class AddressRefused(OSError):
    """The address is not one that callers may have the server connect to."""

    def __init__(self, address: str) -> None:
        super().__init__(f"{address} is not a public address, and the operator has not allowed its network")


class Guard:
    """Which addresses may be connected to. `allowed` are networks that may be although they are not public."""

    def __init__(self, allowed: Sequence[Network] = ()) -> None:
        self._allowed = tuple(allowed)

    def permits(self, address: Address) -> bool:
        """Whether the address, and each that it stands for, is public or allowed."""
        return all(self._is_open(meant) for meant in _meanings(address))

    def _is_open(self, address: Address) -> bool:
        if any(address in network for network in self._allowed):
            return True
        special = not address.is_global or address.is_multicast or address.is_reserved
        return not special and not any(address in network for network in _CLOSED)

    def check_literal(self, url: str) -> None:
        """Raise `AddressRefused` if the URL names an address outright, however it is spelled, that is not permitted."""
        address = literal_address(URL(url).raw_host or "")
        if address and not self.permits(address):
            raise AddressRefused(str(address))

    def socket(self, info: tuple[Any, ...]) -> socket.socket:
        """A socket for an entry of `getaddrinfo`, or `AddressRefused`."""
        family, kind, protocol, _, place = info
        if not self.permits(ip_address(place[0])):
            raise AddressRefused(place[0])
        return socket.socket(family, kind, protocol)


def _meanings(address: Address) -> Iterator[Address]:
    """The addresses that are reached by this one: itself, or the IPv4 address that is embedded in it."""
    if isinstance(address, IPv4Address):
        yield address
    elif address.ipv4_mapped:
        yield address.ipv4_mapped
    elif address in _NAT64:
        yield IPv4Address(int(address) & 0xFFFF_FFFF)
    else:
        yield address
        if address.sixtofour:
            yield address.sixtofour


def literal_address(host: str) -> Address | None:
    """The address that a URL's host spells out (decimal, octal, hexadecimal and short forms included), or None."""
    bare = host.strip("[]").rstrip(".")
    try:
        return ip_address(bare)
    except ValueError:
        pass
    try:
        return IPv4Address(socket.inet_aton(bare))
    except (OSError, UnicodeEncodeError):
        return None


class Names(AbstractResolver):
    """Looks names up on threads of its own: those that take long hold up nothing else that the process does."""

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(_LOOKUPS, thread_name_prefix="names")

    async def look_up(
        self, host: str, port: int, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[tuple[Any, ...]]:
        """The entries of `getaddrinfo` for a stream to a host, or `OSError`."""
        ask = partial(socket.getaddrinfo, host, port, family, socket.SOCK_STREAM, flags=socket.AI_ADDRCONFIG)
        return await asyncio.get_running_loop().run_in_executor(self._threads, ask)

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        """The addresses of a name, or `OSError`."""
        found = await self.look_up(host, port, family)
        return [
            ResolveResult(
                hostname=host, host=str(place[0]), port=port, family=kind, proto=protocol, flags=socket.AI_NUMERICHOST
            )
            for kind, _, protocol, _, place in found
        ]

    async def close(self) -> None:
        """Start no further look-ups."""
        self._threads.shutdown(wait=False, cancel_futures=True)


def guarded_session(guard: Guard, *, total_s: float, resolver: AbstractResolver | None = None) -> aiohttp.ClientSession:
    """A client that connects where `guard` permits: no proxies, no cookies, no decompression, `total_s` a request.

    Whoever reads an answer bounds how much of it is read.
    """
    connector = aiohttp.TCPConnector(
        limit=0, resolver=resolver or Names(), socket_factory=guard.socket, keepalive_timeout=_KEEP_S, ttl_dns_cache=60
    )
    return aiohttp.ClientSession(
        connector=connector,
        cookie_jar=aiohttp.DummyCookieJar(),
        timeout=aiohttp.ClientTimeout(total=total_s, sock_connect=CONNECT_S),
        auto_decompress=False,
        trust_env=False,
    )
