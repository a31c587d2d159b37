"""IP networks: subnets, ranges, splitting and merging."""

from collections.abc import Iterator, Sequence
from ipaddress import (
    IPv4Address,
    IPv4Network,
    IPv6Address,
    IPv6Network,
    collapse_addresses,
    ip_network,
    summarize_address_range,
)
from itertools import islice
from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Cidr, Example, Refusal, ToolError, tool
from retinue_tools.web.ip_addresses import IpAddress, Network, address_of, network_of

Networks = Annotated[
    list[Cidr], About("Networks or addresses", ["10.0.0.0/25", "10.0.0.128/25"], min_items=1, max_items=5000)
]


class Split(TypedDict):
    """The parts of a network."""

    subnets: Annotated[list[str], About("First parts, at most 1,000")]
    total: Annotated[str, About("Total number of subnets")]
    addresses_each: Annotated[str, About("Number of addresses in each")]


@tool(
    tags="ip subnet split divide network cidr prefix equal parts",
    use_when=(
        "Divide 10.0.0.0/22 into /24 networks.",
        "Split 192.168.0.0/24 into four equal subnets.",
        "How many /64 networks are in a /48?",
    ),
    examples=(
        Example(
            {"cidr": "10.0.0.0/22", "prefix": 24},
            {
                "total": "4",
                "subnets": ["10.0.0.0/24", "10.0.1.0/24", "10.0.2.0/24", "10.0.3.0/24"],
                "addresses_each": "256",
            },
            source="RFC 4632, section 3.1, by hand",
        ),
        Example({"cidr": "2001:db8::/48", "prefix": 64}, {"total": "65536"}, source="2^(64 - 48)"),
        Refusal({"cidr": "10.0.0.0/24", "prefix": 22}, "longer than 24"),
    ),
    reply="There are {total|subnet} of {addresses_each|address|addresses} each: {subnets}",
)
def ip_split_network(
    cidr: Cidr, prefix: Annotated[int, About("Prefix length of the parts", 26, minimum=0, maximum=128)]
) -> Split:
    """Divide an IPv4 or IPv6 network into equal subnets with a longer prefix.

    Use it to plan equal networks; for parts of different sizes use ip_plan_subnets. Returns up to 1,000 subnets.
    """
    network = network_of(cidr)
    if not network.prefixlen <= prefix <= network.max_prefixlen:
        raise ToolError(f"The prefix must be longer than {network.prefixlen} and at most {network.max_prefixlen}.")
    return {
        "subnets": [str(part) for part in islice(network.subnets(new_prefix=prefix), 1000)],
        "total": str(2 ** (prefix - network.prefixlen)),
        "addresses_each": str(2 ** (network.max_prefixlen - prefix)),
    }


class Need(TypedDict):
    """A required subnet."""

    name: Annotated[str, About("Purpose of the subnet", "office", min_length=1, max_length=100)]
    hosts: Annotated[int, About("Required number of hosts", 50, minimum=1, maximum=2**31)]


class Planned(TypedDict):
    """A planned subnet."""

    name: Annotated[str, About("Purpose of the subnet")]
    network: Annotated[str, About("The subnet")]
    hosts_wanted: Annotated[int, About("Required number of hosts")]
    hosts_possible: Annotated[int, About("Available number of hosts")]
    first_host: Annotated[str, About("First host address")]
    last_host: Annotated[str, About("Last host address")]


class Plan(TypedDict):
    """Division of a network."""

    subnets: Annotated[list[Planned], About("Subnets, largest first")]
    free: Annotated[list[str], About("Unused networks")]
    free_addresses: Annotated[int, About("Number of unused addresses")]


@tool(
    tags="vlsm subnet plan variable length hosts network design ipv4 addressing",
    use_when=(
        "Plan subnets of 192.168.1.0/24 for 60, 25 and 10 hosts.",
        "Divide my network by number of hosts per department.",
        "Which subnets do I need for 100 office PCs and 20 servers in 10.0.0.0/24?",
    ),
    examples=(
        Example(
            {
                "cidr": "192.168.1.0/24",
                "needs": [{"name": "link", "hosts": 2}, {"name": "office", "hosts": 60}, {"name": "lab", "hosts": 30}],
            },
            {
                "subnets": [
                    {"name": "office", "network": "192.168.1.0/26", "hosts_possible": 62, "first_host": "192.168.1.1"},
                    {"name": "lab", "network": "192.168.1.64/27", "hosts_possible": 30, "last_host": "192.168.1.94"},
                    {"name": "link", "network": "192.168.1.96/30", "hosts_possible": 2},
                ],
                "free": ["192.168.1.100/30", "192.168.1.104/29", "192.168.1.112/28", "192.168.1.128/25"],
                "free_addresses": 156,
            },
            source="by hand, largest first: 64 + 32 + 4 of 256 addresses",
        ),
        Refusal({"cidr": "10.0.0.0/29", "needs": [{"name": "a", "hosts": 7}]}, "do not fit"),
    ),
    reply={
        "subnets": "Still free: {free_addresses|address|addresses}. The subnets: {subnets}",
        "": "The network cannot be divided like that.",
    },
)
def ip_plan_subnets(
    cidr: Cidr,
    needs: Annotated[
        list[Need], About("Required subnets", [{"name": "office", "hosts": 60}], min_items=1, max_items=500)
    ],
) -> Plan:
    """Plan IPv4 subnets of different sizes for numbers of hosts (VLSM), without gaps and largest first.

    Use it to design the addressing of a network. Network and broadcast addresses are included; returns the unused
    networks.
    """
    network = network_of(cidr)
    if not isinstance(network, IPv4Network):
        raise ToolError("Plan IPv6 with equal subnets: a /64 has room for any number of hosts.")
    planned: list[Planned] = []
    position, end = int(network.network_address), int(network.broadcast_address) + 1
    for need in sorted(needs, key=lambda need: -need["hosts"]):
        size = 1 << (need["hosts"] + 1).bit_length()
        if position + size > end:
            raise ToolError(f"The subnets do not fit into {network}: there is no room from {need['name']} on.")
        subnet = IPv4Network((position, 33 - size.bit_length()))
        position += size
        planned.append(
            {
                "name": need["name"],
                "network": str(subnet),
                "hosts_wanted": need["hosts"],
                "hosts_possible": size - 2,
                "first_host": str(subnet[1]),
                "last_host": str(subnet[-2]),
            }
        )
    free = summarize_address_range(IPv4Address(position), IPv4Address(end - 1)) if position < end else ()
    return {"subnets": planned, "free": [str(part) for part in free], "free_addresses": end - position}


class Blocks(TypedDict):
    """A list of networks."""

    networks: Annotated[list[str], About("Networks in order, at most 5,000")]
    addresses: Annotated[str, About("Number of addresses in all of them")]


@tool(
    tags="ip range cidr convert blocks first last address cover",
    use_when=(
        "Which CIDR blocks cover 192.168.0.5 to 192.168.0.20?",
        "Convert the range 10.0.0.0-10.0.1.255 to CIDR.",
        "Write this IP range for a firewall rule.",
    ),
    examples=(
        Example(
            {"first": "192.168.0.5", "last": "192.168.0.20"},
            {
                "networks": [
                    "192.168.0.5/32",
                    "192.168.0.6/31",
                    "192.168.0.8/29",
                    "192.168.0.16/30",
                    "192.168.0.20/32",
                ],
                "addresses": "16",
            },
            source="by hand: 1 + 2 + 8 + 4 + 1 addresses",
        ),
        Refusal({"first": "10.0.0.2", "last": "10.0.0.1"}, "before the first"),
    ),
    reply="The range is covered by {networks}.",
)
def ip_convert_range(first: IpAddress, last: IpAddress) -> Blocks:
    """Convert a range of IP addresses to the fewest networks in CIDR notation that cover it exactly.

    Use it for firewall rules and routing tables. It supports IPv4 and IPv6; first and last address are included.
    """
    start, end = address_of(first), address_of(last)
    if start.version != end.version:
        raise ToolError("Both addresses must be of the same version, IPv4 or IPv6.")
    if int(end) < int(start):
        raise ToolError("The last address is before the first. Swap them.")
    return _blocks(list(_summarize(start, end)))


def _summarize(start: IPv4Address | IPv6Address, end: IPv4Address | IPv6Address) -> Iterator[Network]:
    if isinstance(start, IPv4Address):
        return summarize_address_range(start, IPv4Address(int(end)))
    return summarize_address_range(start, IPv6Address(int(end)))


def _blocks(networks: Sequence[Network]) -> Blocks:
    addresses = sum(network.num_addresses for network in networks)
    return {"networks": [str(network) for network in networks[:5000]], "addresses": str(addresses)}


@tool(
    tags="ip summarize aggregate merge networks cidr supernet routes collapse",
    use_when=(
        "Merge 10.0.0.0/25 and 10.0.0.128/25.",
        "Summarise this list of routes.",
        "Remove overlapping networks from my allow list.",
    ),
    examples=(
        Example(
            {
                "networks": [
                    "192.0.2.128/25",
                    "192.0.2.0/26",
                    "192.0.2.64/26",
                    "192.0.2.9",
                    "2001:db8::/33",
                    "2001:db8:8000::/33",
                ]
            },
            {"networks": ["192.0.2.0/24", "2001:db8::/32"]},
            source="RFC 4632, section 3.1, by hand",
        ),
        Refusal({"networks": ["10.0.0.0/24", "10.0.0"]}, "10.0.0 is not a network"),
    ),
    reply="Together they are {networks}.",
)
def ip_summarize_networks(networks: Networks) -> Blocks:
    """Merge IP networks and addresses into the fewest that cover the same: neighbours are joined, contained ones are
    removed.

    Use it to shorten allow lists and routing tables. IPv4 and IPv6 may be mixed.
    """
    found = [network_of(text) for text in networks]
    old = collapse_addresses(network for network in found if isinstance(network, IPv4Network))
    new = collapse_addresses(network for network in found if isinstance(network, IPv6Network))
    return _blocks([*old, *new])


_EXACT = 2**53


class Subnet(TypedDict):
    """A network with its bounds."""

    network: Annotated[str, About("Network in CIDR notation, with host bits cleared")]
    version: Annotated[int, About("4 or 6")]
    netmask: Annotated[str, About("Netmask")]
    wildcard: Annotated[str, About("Host mask (wildcard mask)")]
    first_address: Annotated[str, About("Network address")]
    last_address: str
    broadcast_address: Annotated[
        str | None, About("Broadcast address; none for IPv6 and networks of one or two addresses")
    ]
    first_host: Annotated[str, About("First host address")]
    last_host: Annotated[str, About("Last host address")]
    addresses: Annotated[int | str, About("Total number of addresses; as text from 2^53 on")]
    usable_hosts: Annotated[int | str, About("Number of usable hosts; as text from 2^53 on")]
    private: Annotated[bool, About("Whether the network is private")]


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
    reply={
        "broadcast_address": (
            "{network} has the netmask {netmask}, hosts from {first_host} "
            "to {last_host}, and the broadcast address "
            "{broadcast_address}."
        ),
        "": "{network} has hosts from {first_host} to {last_host}.",
    },
)
def network_calculate_subnet(cidr: Cidr) -> Subnet:
    """Calculate an IPv4 or IPv6 subnet from its CIDR notation.

    Use it for questions about netmask, broadcast address, address range or number of hosts. Returns the network, its
    masks, first and last address, first and last host, and the numbers of addresses and usable hosts.
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
    """Return the positions of the first and the last host. IPv6 has no broadcast; its first address is the routers'
    (RFC 4291).
    """
    size = network.num_addresses
    if size <= 2:
        return 0, size - 1
    return 1, size - 2 if network.version == 4 else size - 1


def _number(value: int) -> int | str:
    return value if value < _EXACT else str(value)
