"""Laws of JsonLogic's operations."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from retinue_tools.code.jsonlogic import jsonlogic_evaluate_rule

SCALARS = st.none() | st.booleans() | st.integers(-1000, 1000) | st.text(max_size=5)


def phrase(rule: dict[str, Any], facts: dict[str, Any] | None = None) -> Any:
    return jsonlogic_evaluate_rule(rule, facts)["result"]


@given(SCALARS, SCALARS)
def test_not_and_is_or_of_nots(one: Any, other: Any) -> None:
    assert phrase({"!": [{"and": [one, other]}]}) == phrase({"or": [{"!": [one]}, {"!": [other]}]})


@given(st.lists(st.integers(-1000, 1000), max_size=10))
def test_a_filter_and_its_opposite_split_a_list(numbers: list[int]) -> None:
    positive = {">": [{"var": ""}, 0]}
    kept = phrase({"filter": [{"var": "n"}, positive]}, {"n": numbers})
    dropped = phrase({"filter": [{"var": "n"}, {"!": [positive]}]}, {"n": numbers})
    assert sorted(kept + dropped) == sorted(numbers)
    assert phrase({"some": [{"var": "n"}, positive]}, {"n": numbers}) == bool(kept)


@given(st.text(min_size=1, max_size=8).filter(lambda name: "." not in name), SCALARS)
def test_a_variable_is_the_fact_of_its_name(name: str, value: Any) -> None:
    assert phrase({"var": name}, {name: value}) == value
    assert phrase({"var": f"outer.{name}"}, {"outer": {name: value}}) == value
