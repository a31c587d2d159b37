"""What of a tool's result a reply has to be given."""

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from retinue.models.stated import unstated


@pytest.mark.parametrize(
    ("reply", "result", "wanted"),
    [
        ("There are 2,046 hosts.", {"hosts": 2046}, ""),
        ("There are many hosts.", {"hosts": 2046}, "hosts: 2046"),
        ("It is 361.1 a month.", {"payment": 361.11}, ""),
        ("It is 361.2 a month.", {"monthly_payment": 361.11}, "monthly payment: 361.11"),
        ("It is 12046.", {"hosts": 2046}, "hosts: 2046"),
        ("The text is HELLO  world", {"text": "hello world", "changed": True, "note": None, "rest": ""}, ""),
        ("Done.", {"found": [{"name": "Ada"}, {"name": "Alan"}]}, "name: Ada; name: Alan"),
        ("The first of them is 1.", {"steps": [1, 2, 3, 4]}, ""),
        ("They are these.", {"steps": [1, 2, 3, 4]}, "steps: 1; steps: 2; steps: 3; steps: 4"),
        ("They are these.", {"steps": [*range(50)]}, ""),
        ("It is long.", {"text": "x" * 2000}, ""),
        ("It did not work.", {"error": "the number 5 is too large"}, ""),
    ],
)
def test_what_is_missing_is_added(reply: str, result: object, wanted: str) -> None:
    assert unstated(reply, "", [orjson.dumps(result).decode()]) == wanted


def test_what_the_question_says_is_nothing_new() -> None:
    result = '{"network":"10.0.0.0/8","hosts":16777214}'
    assert unstated("Many.", "How many hosts has 10.0.0.0/8?", [result]) == "hosts: 16777214"


@pytest.mark.parametrize("number", ["1e9999999", "9" * 100_000, "0." + "1" * 5000])
def test_numbers_beyond_reason_are_borne(number: str) -> None:
    assert unstated(f"About {number}.", number, ['{"hosts":2046}']) == "hosts: 2046"


def test_results_of_all_tools_are_looked_at() -> None:
    assert unstated("It is 5 and 7.", "", ['{"a":5}', '{"a":6}', "plain text"]) == "a: 6"


TEXT = st.text(st.characters(exclude_categories=["Cs"]))
NUMBERS = st.integers(-(2**63), 2**64 - 1) | st.floats(allow_nan=False, allow_infinity=False)
JSON = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXT,
    lambda inner: st.lists(inner) | st.dictionaries(TEXT, inner),
    max_leaves=20,
)


@given(TEXT, st.dictionaries(TEXT, JSON, max_size=4))
def test_nothing_is_missing_once_it_is_added(reply: str, result: object) -> None:
    told = [orjson.dumps(result).decode()]
    added = unstated(reply, "", told)
    assert unstated(f"{reply}\n\n{added}", "", told) == ""
