"""Laws of arrangements: what is listed is what is counted, and permutations undo each other."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retinue.tools.authoring.declare import ToolError
from retinue_tools.math.combinatorics import (
    Selection,
    combinatorics_analyze_permutation,
    combinatorics_count_selections,
    combinatorics_list_selections,
)
from retinue_tools.math.partitions import combinatorics_partition_integer, combinatorics_partition_set

ITEMS = st.lists(st.text("abcdef", min_size=1, max_size=3), min_size=1, max_size=5, unique=True)
KINDS: st.SearchStrategy[Selection] = st.sampled_from(
    ["permutations", "combinations", "permutations_with_repetition", "combinations_with_repetition"]
)
PERMUTATIONS = st.integers(1, 9).flatmap(lambda size: st.permutations(range(1, size + 1))).map(list)


@given(KINDS, ITEMS, st.integers(1, 5))
def test_all_selections_are_listed_once(kind: Selection, items: list[str], chosen: int) -> None:
    if chosen > len(items) and not kind.endswith("repetition"):
        with pytest.raises(ToolError, match="at most all items"):
            combinatorics_list_selections(kind, items, chosen, 5000)
        return
    found = combinatorics_list_selections(kind, items, chosen, 5000)
    assert len({tuple(one) for one in found["arrangements"]}) == int(found["count"])
    assert combinatorics_count_selections(kind, len(items), chosen)["count"] == found["count"]


@given(PERMUTATIONS)
def test_the_inverse_has_the_same_order_and_parity(permutation: list[int]) -> None:
    found = combinatorics_analyze_permutation(permutation)
    inverse = combinatorics_analyze_permutation(found["inverse"])
    assert inverse["inverse"] == permutation
    assert (inverse["order"], inverse["parity"]) == (found["order"], found["parity"])
    assert found["parity"] == ("odd" if found["inversions"] % 2 else "even")


@given(PERMUTATIONS)
def test_the_next_permutation_has_the_next_rank(permutation: list[int]) -> None:
    found = combinatorics_analyze_permutation(permutation)
    if found["next"] is None:
        assert permutation == sorted(permutation, reverse=True)
    else:
        assert int(combinatorics_analyze_permutation(found["next"])["rank"]) == int(found["rank"]) + 1


@given(st.integers(1, 25), st.none() | st.lists(st.integers(1, 12), min_size=1, max_size=5))
def test_partitions_add_up_and_are_as_many_as_counted(number: int, parts: list[int] | None) -> None:
    found = combinatorics_partition_integer(number, parts, 5000)
    assert all(sum(one) == number for one in found["partitions"])
    assert len({tuple(one) for one in found["partitions"]}) == int(found["count"])


@given(ITEMS, st.none() | st.integers(1, 5))
def test_set_partitions_hold_each_item_once(items: list[str], blocks: int | None) -> None:
    found = combinatorics_partition_set(items, blocks, 1000)
    assert len(found["partitions"]) == int(found["count"])
    assert all(sorted(item for block in one for item in block) == sorted(items) for one in found["partitions"])
