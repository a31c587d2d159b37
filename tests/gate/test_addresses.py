"""The client's address behind proxies, which the limits count by."""

from ipaddress import ip_network
from typing import Any

import pytest

from retinue.gate.addresses import client_address, client_info_reader, peer_address

PROXIES = (ip_network("10.0.0.0/8"), ip_network("2001:db8:1::/48"))


def scope(peer: str | None, *forwarded: str, agent: str = "") -> dict[str, Any]:
    """Return the ASGI scope of a request from `peer` with `X-Forwarded-For` headers."""
    headers = [(b"x-forwarded-for", value.encode()) for value in forwarded]
    return {"client": peer and (peer, 4711), "headers": [*headers, (b"user-agent", agent.encode("latin-1"))]}


@pytest.mark.parametrize(
    ("peer", "forwarded", "address"),
    [
        ("192.0.2.1", [], "192.0.2.1"),
        ("192.0.2.1", ["198.51.100.1"], "192.0.2.1"),
        ("10.0.0.1", ["198.51.100.1"], "198.51.100.1"),
        ("10.0.0.1", ["203.0.113.66, 198.51.100.1"], "198.51.100.1"),
        ("10.0.0.1", ["198.51.100.1 , 10.0.0.2"], "198.51.100.1"),
        ("10.0.0.1", ["198.51.100.1", "10.0.0.2"], "198.51.100.1"),
        ("10.0.0.1", ["10.0.0.3, 10.0.0.2"], "10.0.0.3"),
        ("10.0.0.1", ["unknown"], "unknown"),
        ("10.0.0.1", [], "10.0.0.1"),
        ("2001:db8:1::7", ["198.51.100.1"], "198.51.100.1"),
        ("2001:db8:2::7", ["198.51.100.1"], "2001:db8:2::7"),
        ("10.0.0.1", ["x" * 65], "unknown"),
        ("10.0.0.1", ["203.0.113.66, _hidden"], "unknown"),
        ("10.0.0.1", ["198.51.100.8:4001"], "198.51.100.8"),
        ("10.0.0.1", ["198.51.100.8:4001, 10.0.0.2:80"], "198.51.100.8"),
        ("10.0.0.1", ["[2001:db8::1]:443"], "2001:db8::1"),
        ("10.0.0.1", ["[2001:db8::1]"], "2001:db8::1"),
        ("10.0.0.1", ["2001:db8::1"], "2001:db8::1"),
        ("10.0.0.1", ["2001:DB8:0::1%eth0"], "2001:db8::1"),
        ("10.0.0.1", ["198.51.100.1,, "], "198.51.100.1"),
        ("::ffff:10.0.0.1", ["::ffff:198.51.100.1"], "198.51.100.1"),
        (None, [], "unknown"),
    ],
)
def test_only_addresses_from_a_trusted_proxy_count(peer: str | None, forwarded: list[str], address: str) -> None:
    assert peer_address(scope(peer, *forwarded), PROXIES) == address


@pytest.mark.parametrize(
    ("peer", "counted"),
    [
        ("192.0.2.1", "192.0.2.1"),
        ("::ffff:192.0.2.1", "192.0.2.1"),
        ("2001:db8:5:6:7::8", "2001:db8:5:6::/64"),
        ("2001:db8:5:6::", "2001:db8:5:6::/64"),
        ("testclient", "testclient"),
    ],
)
def test_one_host_counts_once(peer: str, counted: str) -> None:
    assert client_address(scope(peer), ()) == counted


def test_a_user_agent_is_shown_without_control_characters_and_cut() -> None:
    read = client_info_reader(())
    assert read(scope("192.0.2.1", agent="a\tb\x7f" + "c" * 300)).user_agent == "ab" + "c" * 196
    assert read({"client": ("192.0.2.1", 1), "headers": []}).user_agent == ""
