"""Connections to addresses that callers name: only to public ones, and to networks that the operator allows.

The address is checked when its socket is made, so it is the very one that is connected to: a name that resolves
differently the next time, and a redirect, meet the same check.
"""

import asyncio
import socket
from collections.abc import Sequence
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

_CLOSED: tuple[Network, ...] = tuple(
    map(
        ip_network,
        (
            "0.0.0.0/8",  # this network (RFC 791)
            "10.0.0.0/8",  # private use (RFC 1918)
            "100.64.0.0/10",  # shared address space (RFC 6598)
            "127.0.0.0/8",  # loopback (RFC 1122)
            "168.63.129.16/32",  # the metadata service of a cloud, at a public address
            "169.254.0.0/16",  # link-local, with the metadata services of most clouds (RFC 3927)
            "172.16.0.0/12",  # private use (RFC 1918)
            "192.0.0.0/24",  # protocol assignments (RFC 6890)
            "192.0.2.0/24",  # documentation (RFC 5737)
            "192.31.196.0/24",  # AS112 (RFC 7535)
            "192.52.193.0/24",  # AMT (RFC 7450)
            "192.88.99.0/24",  # 6to4 relays (RFC 7526)
            "192.168.0.0/16",  # private use (RFC 1918)
            "192.175.48.0/24",  # AS112 (RFC 7534)
            "198.18.0.0/15",  # benchmarking (RFC 2544)
            "198.51.100.0/24",  # documentation (RFC 5737)
            "203.0.113.0/24",  # documentation (RFC 5737)
            "224.0.0.0/4",  # multicast (RFC 5771)
            "240.0.0.0/4",  # reserved, with the broadcast address (RFC 1112, RFC 919)
            "::/3",  # loopback, translation within a site, discard only, the unassigned (RFC 4291, 8215, 6666)
            "2001::/23",  # protocol assignments, with Teredo, ORCHID and benchmarking (RFC 2928)
            "2001:db8::/32",  # documentation (RFC 3849)
            "2620:4f:8000::/48",  # AS112 (RFC 7534)
            "3fff::/20",  # documentation (RFC 9637)
            "4000::/2",  # segment routing at 5f00::/16, the unassigned (RFC 9602)
            "8000::/1",  # unique local, link-local, site-local, multicast, the unassigned (RFC 4193, 4291, 3879)
        ),
    )
)
"""Networks for special purposes, by the IANA registries for IPv4 and IPv6, and what is not global unicast (2000::/3).

The list is explicit because Python's own tables differ from version to version. IPv6 forms that stand for an IPv4
address are in `_EMBEDDED`.
"""

_EMBEDDED: tuple[tuple[IPv6Network, int], ...] = (
    (IPv6Network("::ffff:0:0/96"), 0),  # mapped (RFC 4291)
    (IPv6Network("64:ff9b::/96"), 0),  # NAT64 (RFC 6052)
    (IPv6Network("2002::/16"), 80),  # 6to4 (RFC 3056)
)
"""IPv6 networks whose addresses reach an IPv4 address, and how many bits come after that one."""


class AddressRefused(OSError):
    """The address is not one that callers may have the server connect to."""

    def __init__(self, address: str) -> None:
        super().__init__(f"{address} is not a public address, and the operator has not allowed its network")


class Guard:
    """Which addresses may be connected to. `allowed` are networks that may be although they are not public."""

    def __init__(self, allowed: Sequence[Network] = ()) -> None:
        self._allowed = tuple(allowed)

    def permits(self, address: Address) -> bool:
        """Whether the address, or the one that it stands for, is public or allowed."""
        return self._is_open(_effective_address(address))

    def _is_open(self, address: Address) -> bool:
        if any(address in network for network in self._allowed):
            return True
        return not any(address in network for network in _CLOSED)

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


def _effective_address(address: Address) -> Address:
    """The address that is reached by this one: itself, or the IPv4 address that is embedded in it."""
    for network, after in _EMBEDDED:
        if address in network:
            return IPv4Address(int(address) >> after & 0xFFFF_FFFF)
    return address


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
