"""Laws of networks: what is divided, joined or converted covers the same addresses."""

from ipaddress import IPv4Address, IPv4Network, ip_network
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from retinue_tools.web.ip_addresses import ip_check_membership, ip_describe_address, ip_generate_local_prefix
from retinue_tools.web.ip_networks import ip_convert_range, ip_plan_subnets, ip_split_network, ip_summarize_networks

ADDRESSES = st.integers(0, 2**32 - 1).map(IPv4Address)
NETWORKS = st.builds(
    lambda address, prefix: IPv4Network((address, prefix), strict=False), ADDRESSES, st.integers(8, 32)
)


@given(ADDRESSES, ADDRESSES)
def test_a_range_and_its_networks_hold_the_same_addresses(one: IPv4Address, other: IPv4Address) -> None:
    first, last = sorted((one, other))
    made = ip_convert_range(str(first), str(last))
    networks = [IPv4Network(network) for network in made["networks"]]
    assert networks[0][0] == first
    assert networks[-1][-1] == last
    assert all(int(after[0]) == int(before[-1]) + 1 for before, after in pairwise(networks))
    assert int(made["addresses"]) == int(last) - int(first) + 1


@given(st.lists(NETWORKS, min_size=1, max_size=20))
def test_a_summary_holds_every_network_and_nothing_twice(networks: list[IPv4Network]) -> None:
    made = [IPv4Network(network) for network in ip_summarize_networks([str(one) for one in networks])["networks"]]
    assert all(any(one.subnet_of(whole) for whole in made) for one in networks)
    assert sum(one.num_addresses for one in made) <= sum(one.num_addresses for one in networks)
    assert not any(one.overlaps(other) for one in made for other in made if one is not other)


@given(NETWORKS, st.integers(0, 8))
def test_parts_join_to_the_whole(network: IPv4Network, longer: int) -> None:
    prefix = min(network.prefixlen + longer, 32)
    parts = ip_split_network(str(network), prefix)["subnets"]
    assert ip_summarize_networks(parts)["networks"] == [str(network)]


@given(st.lists(st.integers(1, 2000), min_size=1, max_size=30))
def test_planned_subnets_are_large_enough_and_apart(hosts: list[int]) -> None:
    plan = ip_plan_subnets("10.0.0.0/8", [{"name": str(number), "hosts": count} for number, count in enumerate(hosts)])
    networks = [IPv4Network(subnet["network"]) for subnet in plan["subnets"]]
    assert all(subnet["hosts_possible"] >= subnet["hosts_wanted"] for subnet in plan["subnets"])
    assert not any(one.overlaps(other) for one in networks for other in networks if one is not other)
    assert sum(one.num_addresses for one in networks) + plan["free_addresses"] == 2**24


@given(ADDRESSES)
def test_an_address_is_found_by_each_of_its_forms(address: IPv4Address) -> None:
    facts = ip_describe_address(str(address))
    assert ip_describe_address(facts["integer"])["address"] == str(address)
    assert ip_describe_address(facts["hexadecimal"])["address"] == str(address)
    assert int(facts["binary"].replace(" ", ""), 2) == int(address)


@given(st.text(max_size=50))
def test_a_local_prefix_is_a_48_of_the_private_range(seed: str) -> None:
    prefix = ip_generate_local_prefix(1, seed)["prefix"]
    assert ip_network(prefix).prefixlen == 48
    assert ip_check_membership([prefix.removesuffix("/48")], ["fd00::/8"])["contained"] == 1
