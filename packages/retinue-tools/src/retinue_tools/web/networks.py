"""IP networks."""

from ipaddress import IPv4Network, IPv6Network, ip_network
from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Cidr, Example, Refusal, ToolError, tool

_EXACT = 2**53


class Subnet(TypedDict):
    """A network and its bounds."""

    network: Annotated[str, About("The network in CIDR notation, host bits cleared")]
    version: Annotated[int, About("4 or 6")]
    netmask: Annotated[str, About("Mask of the network part")]
    wildcard: Annotated[str, About("Mask of the host part")]
    first_address: Annotated[str, About("Network address")]
    last_address: str
    broadcast_address: Annotated[str | None, About("Address of all hosts; IPv6 and networks of one or two have none")]
    first_host: Annotated[str, About("First address for a host")]
    last_host: Annotated[str, About("Last address for a host")]
    addresses: Annotated[int | str, About("All addresses; as text from 2^53 on")]
    usable_hosts: Annotated[int | str, About("Addresses for hosts; as text from 2^53 on")]
    private: Annotated[bool, About("Whether the network is not reachable from the whole internet")]


@tool(
    tags="ip ipv4 ipv6 cidr subnet netmask broadcast hosts address range",
    use_when=(
        "How many usable hosts has 172.16.8.0/21?",
        "What is the broadcast address of 10.1.2.3/20?",
        "Which netmask belongs to a /26 network?",
        "What is the first and last IP of this subnet?",
        "First and last host of a network in CIDR notation",
        "How many hosts are there in the subnet of 10.9.8.7/22?",
    ),
    examples=(
        Example(
            {"cidr": "172.16.8.0/21"},
            {
                "usable_hosts": 2046,
                "addresses": 2048,
                "netmask": "255.255.248.0",
                "broadcast_address": "172.16.15.255",
                "network": "172.16.8.0/21",
                "wildcard": "0.0.7.255",
                "first_address": "172.16.8.0",
                "last_address": "172.16.15.255",
            },
            source="RFC 4632, section 3.1: a /21 has 2,048 addresses, two of which are no hosts (RFC 922)",
        ),
        Example(
            {"cidr": "192.0.2.0/31"},
            {"usable_hosts": 2, "first_host": "192.0.2.0", "last_host": "192.0.2.1", "broadcast_address": None},
            source="RFC 3021: both addresses of a point-to-point link are hosts",
        ),
        Example(
            {"cidr": "2001:db8::/32"},
            {"version": 6, "addresses": "79228162514264337593543950336", "private": True},
            source="RFC 3849: the documentation prefix, 2^96 addresses",
        ),
        Refusal({"cidr": "172.16.8.0/33"}, "not a network"),
    ),
)
def network_calculate_subnet(cidr: Cidr) -> Subnet:
    """Calculate an IPv4 or IPv6 subnet from its CIDR notation.

    Use it for questions about netmask, broadcast address, address range or number of hosts. Returns the network, its
    masks, first and last address, first and last host, and how many addresses and usable hosts it has.
    """
    try:
        network = ip_network(cidr.strip(), strict=False)
    except ValueError as error:
        raise ToolError(f"{cidr} is not a network. Write it as 192.168.0.0/24 or 2001:db8::/32.") from error
    first, last = _hosts(network)
    return {
        "network": str(network),
        "version": network.version,
        "netmask": str(network.netmask),
        "wildcard": str(network.hostmask),
        "first_address": str(network[0]),
        "last_address": str(network[-1]),
        "broadcast_address": str(network[-1]) if last < network.num_addresses - 1 else None,
        "first_host": str(network[first]),
        "last_host": str(network[last]),
        "addresses": _number(network.num_addresses),
        "usable_hosts": _number(last - first + 1),
        "private": network.is_private,
    }


def _hosts(network: IPv4Network | IPv6Network) -> tuple[int, int]:
    """Positions of the first and the last host. IPv6 has no broadcast; its first address is the routers' (RFC 4291)."""
    size = network.num_addresses
    if size <= 2:
        return 0, size - 1
    return 1, size - 2 if network.version == 4 else size - 1


def _number(value: int) -> int | str:
    return value if value < _EXACT else str(value)
