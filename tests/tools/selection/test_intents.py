"""Which tool a request means, by the requests of the past."""

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from retinue.language.text_features import features
from retinue.tools.selection.intents import IntentClassifier

ASKED = [
    ["how many days between 2026-01-15 and 2026-11-21", "days from 3 May 2024 to 1 June 2024"],
    ["what weekday is 2026-11-21", "which day of the week was 3 May 2024"],
    ["sha256 of 'swordfish'", "hash this text with md5: open sesame"],
]
TALK = ["how are you today", "what is a hash, in simple words", "tell me about the moon"]


@pytest.fixture(scope="module")
def intents() -> IntentClassifier:
    return IntentClassifier.of([map(features, asked) for asked in ASKED], map(features, TALK))


@pytest.mark.parametrize(
    ("request_", "tool"),
    [("days from March 14, 2023 to 2 Nov 2025?", 0), ("weekday of 1999-12-31", 1), ('md5 of "blue kettle"', 2)],
)
def test_the_tool_of_the_likest_requests_is_the_likeliest(intents: IntentClassifier, request_: str, tool: int) -> None:
    likelihoods, talk = intents.likelihoods(request_)
    assert max(range(3), key=likelihoods.__getitem__) == tool
    assert likelihoods[tool] > talk


def test_talk_is_likelier_where_a_request_is_like_it(intents: IntentClassifier) -> None:
    likelihoods, talk = intents.likelihoods("what is the moon, in simple words")
    assert talk > max(likelihoods)


@given(st.text(max_size=200))
def test_any_request_is_scored_the_same_after_keeping(intents: IntentClassifier, request_: str) -> None:
    kept = IntentClassifier.restore(orjson.loads(orjson.dumps(intents.store())))
    assert kept.likelihoods(request_) == intents.likelihoods(request_)


def test_without_tools_there_is_nothing_to_score() -> None:
    assert IntentClassifier.of([]).likelihoods("anything")[0] == []


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("days until 2026-12-24", "days until 24th of December 2026"),
        ("mean of 1, 2, 3", "mean of 23.4, 19.8, 25.1 and 7"),
        ("sort 'b a'", 'sort "the words"'),
        ("what is https://a.example/b", "what is https://retinue.example/x?y"),
        ("to octal: 0x1f3a9", "to octal: 0b1011"),
        ("what is 7f3a9d", "what is 77de01"),
    ],
)
def test_data_of_one_kind_is_alike(first: str, second: str) -> None:
    assert features(first) == features(second)
