"""The guarded client connects only to public addresses and to those the operator allows, whatever the name."""

import asyncio
import socket
import threading
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import Any

import aiohttp
import pytest
from aiohttp import web
from aiohttp.abc import AbstractResolver, ResolveResult
from hypothesis import given
from hypothesis import strategies as st

from retinue.core.network.http_client import (
    AddressGuard,
    AddressRefused,
    NameResolver,
    guarded_session,
    literal_address,
)
from retinue.core.runtime.executors import acting_for

CLOSED = AddressGuard()
PRIVATE = [
    "0.0.0.1", "10.0.0.1", "100.64.0.1", "127.0.0.1", "127.255.255.254", "168.63.129.16", "169.254.169.254",
    "172.16.0.1", "172.31.255.255", "192.0.0.1", "192.0.2.1", "192.168.0.1", "198.18.0.1", "224.0.0.1", "240.0.0.1",
    "255.255.255.255", "::", "::1", "::7f00:1", "fc00::1", "fd00:ec2::254", "fe80::1", "fec0::1", "ff02::1",
    "2001:db8::1", "2001::1", "::ffff:127.0.0.1", "::ffff:169.254.169.254", "2002:7f00:1::", "2002:a00:1::1",
    "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe", "64:ff9b:1::1", "192.0.0.192", "192.0.0.255", "192.31.196.1",
    "192.52.193.1", "192.88.99.1", "192.175.48.1", "198.19.255.255", "203.0.113.9", "239.255.255.250",
    "100.127.255.255",
    "100::1", "100:0:0:1::1", "2001:2::1", "2001:1ff::1", "2620:4f:8000::1", "3fff::1", "3fff:fff:ffff::1", "4000::1",
    "5f00::1", "8000::1", "fe00::1", "febf::1", "2002:c0a8:101::1", "2002:c000:c0::1", "::ffff:192.0.0.192",
    "64:ff9b::c000:c0", "1::1",
]  # fmt: skip
PUBLIC = [
    "1.1.1.1", "8.8.8.8", "172.32.0.1", "2606:4700:4700::1111", "::ffff:8.8.8.8", "64:ff9b::808:808",
    "11.0.0.1", "100.63.255.255", "100.128.0.1", "126.255.255.255", "169.253.1.1", "172.15.0.1", "191.255.255.255",
    "192.0.1.1", "192.167.1.1", "198.17.1.1", "198.20.0.1", "223.255.255.255", "2001:200::1", "2002:808:808::1",
    "2a00::1", "3ffe::1", "2620:4f:8001::1",
]  # fmt: skip


@pytest.mark.parametrize("text", PRIVATE)
def test_addresses_that_are_not_public_are_refused(text: str) -> None:
    assert not CLOSED.permits(ip_address(text))


@pytest.mark.parametrize("text", PUBLIC)
def test_public_addresses_are_permitted(text: str) -> None:
    assert CLOSED.permits(ip_address(text))


@given(st.ip_addresses(v=4) | st.ip_addresses(v=6, network="2000::/3") | st.ip_addresses(v=6, network="4000::/2"))
def test_special_addresses_are_refused(address: IPv4Address | IPv6Address) -> None:
    if not address.is_global or address.is_multicast or address.is_reserved:
        assert not CLOSED.permits(address)


@given(st.ip_addresses(v=4))
def test_an_embedded_address_is_judged_as_itself(address: IPv4Address) -> None:
    plain = CLOSED.permits(address)
    for embedded in (0xFFFF << 32 | int(address), 0x64FF9B << 96 | int(address)):
        assert CLOSED.permits(IPv6Address(embedded)) == plain
    assert not (CLOSED.permits(IPv6Address(0x2002 << 112 | int(address) << 80)) and not plain)


def test_only_allowed_networks_are_permitted() -> None:
    guard = AddressGuard([ip_network("10.1.0.0/16"), ip_network("fd00:1::/32")])
    assert [guard.permits(ip_address(text)) for text in ("10.1.2.3", "::ffff:10.1.2.3", "fd00:1::5")] == [True] * 3
    assert [guard.permits(ip_address(text)) for text in ("10.2.0.1", "fd00:2::5", "127.0.0.1")] == [False] * 3


@pytest.mark.parametrize(
    ("host", "meant"),
    [
        ("127.0.0.1", "127.0.0.1"),
        ("127.0.0.1.", "127.0.0.1"),
        ("2130706433", "127.0.0.1"),
        ("017700000001", "127.0.0.1"),
        ("0x7f.1", "127.0.0.1"),
        ("0177.0x0.1", "127.0.0.1"),
        ("[::1]", "::1"),
        ("example.com", None),
        ("", None),
        ("1.2.3.4.example.com", None),
        ("0x7f.0.0.g", None),
    ],
)
def test_spellings_of_addresses(host: str, meant: str | None) -> None:
    assert literal_address(host) == (ip_address(meant) if meant else None)


class NameServer(AbstractResolver):
    """A name server: each lookup of a name returns its next address, and the last one from then on."""

    def __init__(self, **names: list[str]) -> None:
        self.names = names
        self.asked = 0

    async def resolve(self, host: str, port: int = 0, family: Any = socket.AF_INET) -> list[ResolveResult]:
        """Look up a name."""
        self.asked += 1
        addresses = self.names[host.partition(".")[0]]
        address = addresses.pop(0) if len(addresses) > 1 else addresses[0]
        kind = socket.AF_INET6 if ":" in address else socket.AF_INET
        return [ResolveResult(hostname=host, host=address, port=port, family=kind, proto=0, flags=0)]

    async def close(self) -> None:
        """Do nothing: there is nothing to close."""


@asynccontextmanager
async def listening() -> AsyncIterator[tuple[int, list[str]]]:
    """A server on the loopback address that redirects to itself. Yields its port and the requested paths."""
    seen: list[str] = []

    async def take(request: web.Request) -> web.Response:
        seen.append(request.path)
        port = request.url.port
        return web.Response(status=302, headers={"Location": f"http://127.0.0.1:{port}/inside"}, text="x" * 100_000)

    app = web.Application()
    app.router.add_route("*", "/{path:.*}", take)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        yield runner.addresses[0][1], seen
    finally:
        await runner.cleanup()


async def refusal_of(session: aiohttp.ClientSession, url: str, **options: Any) -> str:
    """Return why a request is refused."""
    with pytest.raises(aiohttp.ClientConnectorError) as caught:
        await session.get(url, **options)
    assert isinstance(caught.value.os_error, AddressRefused)
    return str(caught.value.os_error)


@pytest.mark.parametrize("host", ["127.0.0.1", "0x7f000001", "0x7f.1", "localhost"])
async def test_loopback_is_refused_at_the_connection(host: str) -> None:
    async with listening() as (port, seen), guarded_session(CLOSED, total_s=5) as session:
        assert "not a public address" in await refusal_of(session, f"http://{host}:{port}/")
        assert seen == []


@pytest.mark.parametrize("host", ["2130706433", "0177.0.0.1", "127.1", "0"])
async def test_addresses_in_unusual_digits_are_no_addresses(host: str) -> None:
    async with listening() as (port, seen), guarded_session(CLOSED, total_s=5) as session:
        with pytest.raises(aiohttp.InvalidURL):
            await session.get(f"http://{host}:{port}/")
        assert seen == []


async def test_a_mapped_address_is_refused_at_the_connection() -> None:
    async with listening() as (port, seen), guarded_session(CLOSED, total_s=5) as session:
        await refusal_of(session, f"http://[::ffff:127.0.0.1]:{port}/")
        assert seen == []


async def test_a_name_is_judged_by_the_address_that_is_connected_to() -> None:
    names = NameServer(inside=["127.0.0.1"])
    async with listening() as (port, seen), guarded_session(CLOSED, total_s=5, resolver=names) as session:
        await refusal_of(session, f"http://inside.example:{port}/")
        assert (seen, names.asked) == ([], 1)


async def test_a_name_that_changes_its_address_is_judged_again() -> None:
    names = NameServer(rebinding=["127.0.0.1", "127.0.0.2"])
    guard = AddressGuard([ip_network("127.0.0.1/32")])
    async with listening() as (port, seen), guarded_session(guard, total_s=5, resolver=names) as session:
        connector = session.connector
        assert isinstance(connector, aiohttp.TCPConnector)
        first = await session.get(
            f"http://rebinding.example:{port}/first", allow_redirects=False, headers={"Connection": "close"}
        )
        assert first.status == 302
        await first.read()
        connector.clear_dns_cache()
        await refusal_of(session, f"http://rebinding.example:{port}/second")
        assert seen == ["/first"]


async def test_a_redirect_meets_the_same_check() -> None:
    names = NameServer(outside=["127.0.0.2"])
    guard = AddressGuard([ip_network("127.0.0.2/32")])
    server = socket.create_server(("127.0.0.2", 0))
    server.setblocking(False)
    port = server.getsockname()[1]

    async def redirect() -> None:
        loop = asyncio.get_running_loop()
        connection, _ = await loop.sock_accept(server)
        await loop.sock_recv(connection, 65_536)
        location = b"http://127.0.0.1:%d/inside" % inner
        await loop.sock_sendall(
            connection, b"HTTP/1.1 302 Found\r\nLocation: %b\r\nContent-Length: 0\r\n\r\n" % location
        )
        connection.close()

    async with listening() as (inner, seen), guarded_session(guard, total_s=5, resolver=names) as session:
        redirecting = asyncio.create_task(redirect())
        assert "127.0.0.1" in await refusal_of(session, f"http://outside.example:{port}/")
        await redirecting
        assert seen == []
    server.close()


async def test_proxies_of_the_environment_are_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    guard = AddressGuard([ip_network("127.0.0.1/32")])
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    async with listening() as (port, seen), guarded_session(guard, total_s=5) as session:
        async with session.get(f"http://127.0.0.1:{port}/plain", allow_redirects=False) as response:
            assert len(await response.content.read(1024)) <= 1024
        assert seen == ["/plain"]


async def test_a_request_has_an_end() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        guard = AddressGuard([ip_network("127.0.0.1/32")])
        async with guarded_session(guard, total_s=0.2) as session:
            with pytest.raises(TimeoutError):
                await session.get(f"http://127.0.0.1:{silent.getsockname()[1]}/")


async def test_names_that_do_not_answer_delay_their_own_account_only(monkeypatch: pytest.MonkeyPatch) -> None:
    go, answer = threading.Event(), [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("192.0.2.1", 80))]

    def look_up(host: str, *_: object, **__: object) -> list[Any]:
        if host == "slow.example":
            go.wait()
        return answer

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    names = NameResolver()

    async def look_up_as(account: int, host: str) -> Sequence[object]:
        acting_for.set(account)
        return await names.look_up(host, 80)

    slow = [asyncio.create_task(look_up_as(1, "slow.example")) for _ in range(100)]
    await asyncio.sleep(0)
    try:
        assert await asyncio.create_task(look_up_as(2, "quick.example")) == answer
        assert not any(task.done() for task in slow)
    finally:
        go.set()
    assert await asyncio.gather(*slow) == [answer] * 100
    await names.close()
