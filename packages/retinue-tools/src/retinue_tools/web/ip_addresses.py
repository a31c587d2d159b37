"""IP addresses: properties and membership in networks."""

import hashlib
import secrets
from ipaddress import (
    IPv4Address,
    IPv4Network,
    IPv6Address,
    IPv6Network,
    ip_address,
    ip_network,
)
from itertools import islice
from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Cidr, Example, Refusal, ToolError, tool

Network = IPv4Network | IPv6Network
IpAddress = Annotated[str, About("IPv4 or IPv6 address", "192.0.2.1", min_length=2, max_length=49)]


class AddressFacts(TypedDict):
    """Properties of an address."""

    address: Annotated[str, About("Shortest form (RFC 5952)")]
    version: Annotated[int, About("4 or 6")]
    kind: Annotated[str, About("Purpose: public, private, loopback, link-local, multicast, reserved, other")]
    globally_reachable: Annotated[bool, About("Whether it is globally reachable")]
    full: Annotated[str, About("Unabbreviated form")]
    integer: Annotated[str, About("Decimal number")]
    hexadecimal: Annotated[str, About("Hexadecimal number")]
    binary: Annotated[str, About("Bits, in groups of eight")]
    reverse_name: Annotated[str, About("Name for reverse DNS look-ups")]
    embedded_ipv4: Annotated[str, About("Embedded IPv4 address, such as in 6to4 or mapped addresses")]


@tool(
    tags="ip address info convert integer hex binary private public reverse ipv4 ipv6 type",
    use_when=(
        "Is 172.20.1.1 a private address?",
        "Convert the IP 192.0.2.235 to an integer.",
        "Which IP address is 3221226219?",
        "Write out the IPv6 address 2001:db8::1 in full.",
    ),
    examples=(
        Example(
            {"address": "192.0.2.235"},
            {
                "integer": "3221226219",
                "hexadecimal": "0xc00002eb",
                "binary": "11000000 00000000 00000010 11101011",
                "reverse_name": "235.2.0.192.in-addr.arpa",
                "globally_reachable": False,
                "version": 4,
            },
            source="192·2^24 + 2·2^8 + 235 by hand; RFC 5737: a network for documentation",
        ),
        Example(
            {"address": "2001:DB8:0:0:1:0:0:1"},
            {"address": "2001:db8::1:0:0:1", "full": "2001:0db8:0000:0000:0001:0000:0000:0001", "kind": "private"},
            source="RFC 5952, section 4.2.3",
        ),
        Example({"address": "3221226219"}, {"address": "192.0.2.235"}, source="by hand"),
        Example({"address": "::ffff:8.8.8.8"}, {"embedded_ipv4": "8.8.8.8"}, source="RFC 4291, section 2.5.5.2"),
        Refusal({"address": "192.0.2.256"}, "not an IP address"),
    ),
    reply={
        "globally_reachable": (
            "{address} is a {kind} IPv{version} address, reachable from everywhere; as a number it is {integer}."
        ),
        "": (
            "{address} is a {kind} IPv{version} address, not reachable from the internet; as a number it is {integer}."
        ),
    },
)
def ip_describe_address(
    address: Annotated[str, About("IPv4 or IPv6 address, or its number", "192.0.2.1", min_length=1, max_length=49)],
) -> AddressFacts:
    """Describe an IP address: its purpose, whether it is public, and its forms as number, hexadecimal and binary.

    Use it to convert addresses or to see what range one belongs to. Numbers up to 2^32 - 1 are interpreted as IPv4.
    """
    found = address_of(address)
    digits = found.max_prefixlen // 4
    bits = f"{int(found):0{found.max_prefixlen}b}"
    return {
        "address": str(found),
        "version": found.version,
        "kind": _kind_of(found),
        "globally_reachable": found.is_global,
        "full": found.exploded,
        "integer": str(int(found)),
        "hexadecimal": f"0x{int(found):0{digits}x}",
        "binary": " ".join(bits[start : start + 8] for start in range(0, len(bits), 8)),
        "reverse_name": found.reverse_pointer,
        "embedded_ipv4": _embed(found),
    }


def address_of(text: str) -> IPv4Address | IPv6Address:
    plain = text.strip().strip("[]").partition("%")[0]
    try:
        if plain.isdecimal() and plain.isascii():
            return ip_address(int(plain))
        return IPv4Address(int(plain, 16)) if plain[:2].lower() == "0x" else ip_address(plain)
    except ValueError as error:
        raise ToolError(f"{text} is not an IP address. Write it as 192.0.2.1 or 2001:db8::1.") from error


def _kind_of(address: IPv4Address | IPv6Address) -> str:
    kinds = {
        "unspecified": address.is_unspecified,
        "loopback": address.is_loopback,
        "link-local": address.is_link_local,
        "multicast": address.is_multicast,
        "reserved": address.is_reserved,
        "private": address.is_private,
        "public": address.is_global,
    }
    return next((kind for kind, fits in kinds.items() if fits), "other")


def _embed(address: IPv4Address | IPv6Address) -> str:
    if isinstance(address, IPv4Address):
        return ""
    if address in IPv6Network("64:ff9b::/96"):
        return str(IPv4Address(int(address) & 0xFFFF_FFFF))
    return str(address.ipv4_mapped or address.sixtofour or (address.teredo or ("", ""))[1] or "")


def network_of(text: str) -> Network:
    try:
        return ip_network(text.strip(), strict=False)
    except ValueError as error:
        raise ToolError(f"{text} is not a network. Write it as 192.168.0.0/24 or 2001:db8::/32.") from error


class Membership(TypedDict):
    """Networks of an address."""

    address: Annotated[str, About("The address")]
    contained: Annotated[bool, About("Whether any of the networks contains it")]
    networks: Annotated[list[str], About("Networks that contain it, smallest first, as written")]


class Memberships(TypedDict):
    """Networks of addresses."""

    results: Annotated[list[Membership], About("One entry for each address, in order")]
    contained: Annotated[int, About("Number of addresses that belong to a network")]


@tool(
    tags="ip membership contains network allow list check address in cidr",
    use_when=(
        "Is 10.1.2.3 in 10.0.0.0/8?",
        "Which of these addresses are on the allow list?",
        "To which of my networks does this IP belong?",
    ),
    examples=(
        Example(
            {
                "addresses": ["10.1.2.3", "2001:db8::1", "8.8.8.8"],
                "networks": ["10.0.0.0/8", "10.1.0.0/16", "2001:db8::/32"],
            },
            {
                "contained": 2,
                "results": [
                    {"address": "10.1.2.3", "contained": True, "networks": ["10.1.0.0/16", "10.0.0.0/8"]},
                    {"address": "2001:db8::1", "contained": True, "networks": ["2001:db8::/32"]},
                    {"address": "8.8.8.8", "contained": False, "networks": []},
                ],
            },
            source="by hand, comparing prefixes",
        ),
        Refusal({"addresses": ["10.0.0.0/8"], "networks": ["10.0.0.0/8"]}, "not an IP address"),
    ),
    reply={
        "results.1": "{contained} of the addresses are in one of the networks: {results}",
        "contained": "Yes, {results.0.address} is in {results.0.networks}.",
        "": "No, {results.0.address} is in none of the networks.",
    },
)
def ip_check_membership(
    addresses: Annotated[list[IpAddress], About("Addresses", ["10.1.2.3"], min_items=1, max_items=1000)],
    networks: Annotated[list[Cidr], About("Networks", ["10.0.0.0/8"], min_items=1, max_items=1000)],
) -> Memberships:
    """Check for each IP address which networks contain it, smallest first.

    Use it to check allow lists, routes and the origin of log entries. IPv4 and IPv6 may be mixed.
    """
    known = sorted(((network_of(text), text) for text in networks), key=lambda pair: -pair[0].prefixlen)
    results: list[Membership] = []
    for text in addresses:
        address = address_of(text)
        fitting = [written for network, written in known if address in network]
        results.append({"address": text, "contained": bool(fitting), "networks": fitting})
    return {"results": results, "contained": sum(result["contained"] for result in results)}


class LocalPrefix(TypedDict):
    """A private IPv6 prefix."""

    prefix: Annotated[str, About("/48 prefix")]
    global_id: Annotated[str, About("40 random bits, hexadecimal")]
    subnets: Annotated[list[str], About("First /64 networks of the prefix")]


@tool(
    tags="ula ipv6 unique local address private prefix generate fd00 rfc4193",
    use_when=(
        "Generate a private IPv6 prefix for my home network.",
        "Give me a ULA /48 with three subnets.",
        "Which fd00::/8 prefix shall I use?",
    ),
    examples=(
        Example(
            {"seed": "retinue", "subnets": 2},
            {
                "prefix": "fd09:e9de:1616::/48",
                "subnets": ["fd09:e9de:1616::/64", "fd09:e9de:1616:1::/64"],
            },
            source="RFC 4193, section 3.2.2, with the last 40 bits of the SHA-1 of the seed",
        ),
        Example(
            {"seed": "abc", "subnets": 1},
            {"global_id": "6c9cd0d89d"},
            source="FIPS 180-4: SHA-1 of abc ends 6c9cd0d89d",
        ),
        Refusal({"subnets": 0}, "at least 1"),
    ),
    reply="The prefix is {prefix}, with the subnets {subnets}.",
    idempotent=False,
)
def ip_generate_local_prefix(
    subnets: Annotated[int, About("Number of /64 networks to list", minimum=1, maximum=256)] = 4,
    seed: Annotated[
        str | None, About("Text from which the prefix is derived; default: random", "my home", max_length=200)
    ] = None,
) -> LocalPrefix:
    """Generate a private IPv6 prefix (unique local address, RFC 4193) with its first subnets.

    Use it for a network that needs no public addresses. Without a seed, each call gives a different prefix.
    """
    if seed is None:
        random = secrets.token_bytes(5)
    else:
        random = hashlib.sha1(seed.encode("utf-8", "replace"), usedforsecurity=False).digest()[-5:]
    start = int.from_bytes(b"\xfd" + random + bytes(10), "big")
    prefix = IPv6Network((start, 48))
    return {
        "prefix": str(prefix),
        "global_id": random.hex(),
        "subnets": [str(part) for part in islice(prefix.subnets(new_prefix=64), subnets)],
    }
