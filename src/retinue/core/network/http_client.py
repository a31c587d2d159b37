"""An HTTP client for caller-supplied URLs that connects only to public addresses and to networks the operator allows.

The check runs when a socket is created, on the address that the socket connects to. It therefore also covers
redirects and names that resolve differently the second time.
"""

import os
import socket
from collections.abc import Mapping, Sequence
from functools import partial
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

import aiohttp
from aiohttp import AddrInfoType
from aiohttp.abc import AbstractResolver, ResolveResult
from yarl import URL

from retinue.core.runtime.executors import FairExecutor

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

CONNECT_S = 5.0
"""Connection timeout in seconds, without name resolution and TLS handshake."""

_KEEP_S = 15.0
_LOOKUPS = 16
"""The maximum number of concurrent name look-ups. One account has at most half of them."""

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
"""Special-purpose networks from the IANA registries, and all of IPv6 outside global unicast (2000::/3).

The list is explicit because Python's own tables differ between versions. `_EMBEDDED` lists IPv6 networks that embed
an IPv4 address.
"""

_EMBEDDED: tuple[tuple[IPv6Network, int], ...] = (
    (IPv6Network("::ffff:0:0/96"), 0),  # mapped (RFC 4291)
    (IPv6Network("64:ff9b::/96"), 0),  # NAT64 (RFC 6052)
    (IPv6Network("2002::/16"), 80),  # 6to4 (RFC 3056)
)
"""IPv6 networks that embed an IPv4 address, with the number of bits after that address."""


_THIS_MACHINE = IPv4Address("127.0.0.1")


def connection_failure(error: OSError) -> str:
    """Return why a connection failed, without the address that asyncio adds."""
    return os.strerror(error.errno) if error.errno and error.errno > 0 else str(error.strerror or error)


class AddressRefused(OSError):
    """The server must not connect to this address on behalf of a caller."""

    def __init__(self, address: str) -> None:
        super().__init__(
            f"{address} is not a public address. The operator can allow its network with RETINUE_ALLOWED_NETWORKS"
        )


class AddressGuard:
    """Decides which addresses the server may connect to. `allowed` lists permitted networks that are not public."""

    def __init__(self, allowed: Sequence[Network] = ()) -> None:
        self._allowed = tuple(allowed)

    def permits(self, address: Address) -> bool:
        """Return True if the address, or the IPv4 address embedded in it, is public or allowed."""
        address = _effective_address(address)
        if any(address in network for network in self._allowed):
            return True
        return not any(address in network for network in _CLOSED)

    def check_literal(self, url: str) -> None:
        """Raise `AddressRefused` if the URL's host is a forbidden IP address in any notation, or the name localhost."""
        host = URL(url).raw_host or ""
        address = literal_address(host)
        if address and not self.permits(address):
            raise AddressRefused(host)

    def socket(self, info: AddrInfoType) -> socket.socket:
        """Create a socket for an entry of `getaddrinfo`. Raises `AddressRefused`."""
        family, kind, protocol, _, place = info
        if not self.permits(ip_address(place[0])):
            raise AddressRefused(place[0])
        return socket.socket(family, kind, protocol)


def _effective_address(address: Address) -> Address:
    """Return the IPv4 address embedded in an address, or the address itself."""
    for network, after in _EMBEDDED:
        if address in network:
            return IPv4Address(int(address) >> after & 0xFFFF_FFFF)
    return address


def literal_address(host: str) -> Address | None:
    """Parse a URL's host as an IP address, including decimal, octal, hexadecimal and short forms.

    Returns None for a name, except that localhost and the names below it stand for this machine (RFC 6761, section
    6.3).
    """
    bare = host.strip("[]").rstrip(".")
    if f".{bare.lower()}".endswith(".localhost"):
        return _THIS_MACHINE
    try:
        return ip_address(bare)
    except ValueError:
        pass
    try:
        return IPv4Address(socket.inet_aton(bare))
    except (OSError, UnicodeEncodeError):
        return None


class NameResolver(AbstractResolver):
    """Resolves names on its own threads, so that slow look-ups do not block other work or other accounts."""

    def __init__(self) -> None:
        self._threads = FairExecutor("a name look-up", _LOOKUPS, _LOOKUPS // 2)

    async def look_up(
        self, host: str, port: int, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> Sequence[AddrInfoType]:
        """Return the `getaddrinfo` entries for a TCP connection to a host. Raises `OSError`."""
        ask = partial(socket.getaddrinfo, host, port, family, socket.SOCK_STREAM, flags=socket.AI_ADDRCONFIG)
        return await self._threads.run(ask)

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        """Resolve a name to its addresses. Raises `OSError`."""
        found = await self.look_up(host, port, family)
        return [
            ResolveResult(
                hostname=host, host=str(place[0]), port=port, family=kind, proto=protocol, flags=socket.AI_NUMERICHOST
            )
            for kind, _, protocol, _, place in found
        ]

    async def close(self) -> None:
        """Cancel queued look-ups and accept no more."""
        self._threads.shutdown(wait=False)


def guarded_session(
    guard: AddressGuard,
    *,
    total_s: float,
    resolver: AbstractResolver | None = None,
    headers: Mapping[str, str] | None = None,
) -> aiohttp.ClientSession:
    """Create a client that connects only where `guard` permits. `total_s` is the timeout of a request in seconds.

    It uses no proxies, cookies or decompression, and sends `headers` with each request. The caller must limit the size
    of the responses it reads.
    """
    connector = aiohttp.TCPConnector(
        limit=0,
        resolver=resolver or NameResolver(),
        socket_factory=guard.socket,
        keepalive_timeout=_KEEP_S,
        ttl_dns_cache=60,
    )
    return aiohttp.ClientSession(
        connector=connector,
        cookie_jar=aiohttp.DummyCookieJar(),
        headers=headers,
        timeout=aiohttp.ClientTimeout(total=total_s, sock_connect=CONNECT_S),
        auto_decompress=False,
        trust_env=False,
    )
