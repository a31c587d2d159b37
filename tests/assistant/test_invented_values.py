"""A call is made only with numbers, dates, addresses and texts that its request states."""

from datetime import date
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from retinue.models.base import Candidate, ToolOffer
from retinue_assistant.invented_values import invented_arguments, invented_texts, without_invented_options

TODAY = date(2026, 11, 29)
DAYS = ("2025-01-02", "2025-03-04", "2024-07-09", "2026-12-24")


def candidate(arguments: dict[str, str], *examples: tuple[str, dict[str, Any]]) -> Candidate:
    schema = {"type": "object", "properties": {one: {"type": kind} for one, kind in arguments.items()}}
    tool = ToolOffer("tool", "Does it.", {**schema, "required": [*arguments]})
    return Candidate(tool, 9.0, [(said, orjson.dumps(given).decode()) for said, given in examples])


CONVERT = candidate(
    {"amount": "number", "rate": "number"},
    *((f"Convert {n} USD at {r} to EUR", {"amount": n, "rate": r}) for n, r in [(5, 0.9), (20, 1.1), (7, 0.8), (3, 2)]),
)
ADD_DAYS = candidate(
    {"date": "string", "days": "integer"},
    *(
        (f"{days} days after {day}", {"date": day, "days": days})
        for day, days in zip(DAYS, (3, 10, 40, 7), strict=True)
    ),
)
SUNSET = candidate(
    {"date": "string", "lat": "number", "lon": "number"},
    *(
        (f"sunset at {n}, {n} on {day}", {"date": day, "lat": n, "lon": n})
        for n, day in zip((5, 6, 7, 8), DAYS, strict=True)
    ),
)
PAY = "We pay on Monday."
SIZE = candidate({"height": "number", "weight": "number"})
COMPARE = candidate(
    {"old": "string", "new": "string"},
    *((f"Compare '{old} is it then' and '{old}'", {"old": f"{old} is it then", "new": old}) for old in "abcd"),
)


@pytest.mark.parametrize(
    ("tool", "request_", "values", "invented"),
    [
        (CONVERT, "Convert 100 USD to EUR", {"amount": 100, "rate": 1}, ["rate"]),
        (CONVERT, "Convert 100 USD to EUR at 0.92", {"amount": 100, "rate": 0.92}, []),
        (CONVERT, "Convert 1.5 million USD at 0.92", {"amount": 1_500_000, "rate": 0.92}, []),
        (CONVERT, "Convert a dollar at 0.92", {"amount": 1, "rate": 0.92}, []),
        (CONVERT, "Convert my dollars", {"amount": 50, "rate": 0.9}, ["amount", "rate"]),
        (ADD_DAYS, "Can I return shoes after 40 days?", {"date": "2025-12-20", "days": 40}, ["date"]),
        (ADD_DAYS, "40 days after tomorrow", {"date": "2026-11-30", "days": 40}, []),
        (ADD_DAYS, "40 days after 17.03.2025", {"date": "2025-03-17", "days": 40}, []),
        (ADD_DAYS, "40 days after Easter", {"date": "2026-04-05", "days": 40}, []),
        (SUNSET, "sunset in Lisbon on 1 June 2026", {"date": "2026-06-01", "lat": 1.5, "lon": 2.5}, ["lat", "lon"]),
        (SUNSET, "sunset in Lisbon on 1 June 2026", {"date": "2026-06-01", "lat": 1, "lon": 1}, ["lat", "lon"]),
        (COMPARE, "Compare it with 'We pay on Monday.'", {"old": PAY, "new": PAY}, ["new"]),
        (COMPARE, "Compare Anna Fry with her sister", {"old": "Anna Fry", "new": "Anna Fry"}, ["new"]),
        (COMPARE, "Compare EUR", {"old": "EUR", "new": "EUR"}, []),
        (SIZE, "my weight at 175 cm", {"height": 175, "weight": 175}, ["weight"]),
        (SIZE, "175 cm and 175 kg", {"height": 175, "weight": 175}, []),
        (SIZE, "175 for both", {"height": 175, "weight": 175}, []),
        (COMPARE, "Compare 'We pay on Monday.' and 'We pay on Monday.'", {"old": PAY, "new": PAY}, []),
    ],
)
def test_values_that_a_request_does_not_state_are_invented(
    tool: Candidate, request_: str, values: dict[str, Any], invented: list[str]
) -> None:
    assert invented_arguments(request_, tool, values, TODAY) == invented


@given(st.integers(2, 10**6), st.integers(2, 10**6))
def test_stated_numbers_are_never_invented(amount: int, rate: int) -> None:
    request = f"Convert {amount} USD at {rate} to EUR"
    assert invented_arguments(request, CONVERT, {"amount": amount, "rate": rate}, TODAY) == []


def test_examples_that_do_not_state_a_value_allow_any() -> None:
    tool = candidate({"rate": "number"}, *((f"Convert {n} dollars", {"rate": 0.9}) for n in range(5)))
    assert invented_arguments("Convert 100 dollars", tool, {"rate": 0.9}, TODAY) == []


TASK = candidate(
    {"title": "string"},
    *((f"remind me to {what} on {day}", {"title": what, "due": day}) for what, day in zip("abcd", DAYS, strict=True)),
)
SPEED = candidate({}, *((f"how long for {n} km", {"distance_km": n, "to": "h"}) for n in (5, 20, 42, 100)))


@pytest.mark.parametrize(
    ("tool", "request_", "values", "kept"),
    [
        (TASK, "remind me to call", {"title": "call", "due": "2027-02-14"}, {"title": "call"}),
        (
            TASK,
            "remind me to call tomorrow",
            {"title": "call", "due": "2027-02-14"},
            {"title": "call", "due": "2026-11-30"},
        ),
        (
            TASK,
            "remind me on Friday to call",
            {"title": "call", "due": "2026-12-04"},
            {"title": "call", "due": "2026-12-04"},
        ),
        (SPEED, "how long is a marathon", {"distance_km": 1485, "to": "h"}, {"to": "h"}),
        (SPEED, "how long for half of 42 km", {"distance_km": 21}, {"distance_km": 21}),
    ],
)
def test_options_that_a_request_does_not_state_are_left_out(
    tool: Candidate, request_: str, values: dict[str, Any], kept: dict[str, Any]
) -> None:
    assert without_invented_options(request_, tool, values, TODAY) == kept


FEED = candidate(
    {},
    *(
        (f"headlines of <rss>{one}</rss>", {"text": f"<rss>{one}</rss>"})
        for one in ("the cold rain", "a b c", "sun", "no")
    ),
    *(
        (f"headlines of <p>{one} and so on</p>", {"text": f"<p>{one} and so on</p>"})
        for one in ("rain", "sun", "ice", "fog")
    ),
)
CARD = candidate(
    {},
    *(
        (f"card of {name} at {firm}", {"name": name, "organization": firm})
        for name, firm in zip(
            ("Ada", "Ben Cole", "Cleo", "Dan Frost", "Eve", "Finn Hale", "Gus", "Hana Ito"),
            ("Acme", "Bright Ltd", "Crane", "Delta Works", "Ember", "Foundry", "Grove Inc", "Harbour"),
            strict=True,
        )
    ),
)
POLICY = candidate({}, ("scripts of https://cdn.example only", {"sources": ["https://cdn.example"]}))


@pytest.mark.parametrize(
    ("tool", "request_", "values", "invented"),
    [
        (FEED, "Read the feed", {"text": "<p>News of the week and weather for everybody</p>"}, ["text"]),
        (FEED, "Read: news of the week", {"text": "News of the week"}, []),
        (FEED, "Read the feed", {"text": "News"}, []),
        (CARD, "card of Zoe Quinn", {"name": "Zoe Quinn", "organization": "Acme"}, ["organization"]),
        (CARD, "card of Zoe at the bakeries", {"name": "Zoe", "organization": "Bakery"}, []),
        (CARD, "card of Zoe", {"name": "Zoe", "organization": "ABC"}, []),
        (CARD, "card of Zoe", {"name": "Zoe", "organization": "Europe/London"}, []),
        (POLICY, "only scripts of my own site", {"sources": ["'self'", "https://my-site.example"]}, ["sources"]),
        (POLICY, "only scripts of CDN.example", {"sources": ["https://cdn.example"]}, []),
        (POLICY, "write to the boss", {"to": "boss@example.com"}, ["to"]),
        (POLICY, "the notes of the next release", {"version": "1.5.0"}, ["version"]),
        (POLICY, "the notes of 1.5.0", {"version": "1.5.0"}, []),
    ],
)
def test_texts_that_nobody_said_are_invented(
    tool: Candidate, request_: str, values: dict[str, Any], invented: list[str]
) -> None:
    assert invented_texts(request_, request_, tool, values) == invented


@given(st.text(max_size=80))
def test_texts_of_the_request_are_never_invented(text: str) -> None:
    assert invented_texts(f"Read: {text}", f"Read: {text}", FEED, {"text": text}) == []


@pytest.mark.parametrize(
    ("request_", "is_kept"),
    [
        ("Which calendar week is it now?", False),
        ("What's the time?", False),
        ("What time is it in Sydney?", True),
        ("time now in new york", True),
        ("Berlin time, please", True),
        ("current utc time", True),
    ],
)
def test_a_time_zone_needs_a_place(request_: str, is_kept: bool) -> None:
    tool = Candidate(
        ToolOffer("time_tell_now", "Tell the time.", {"properties": {"timezone": {"type": "string"}}}), 9.0
    )
    found = without_invented_options(request_, tool, {"timezone": "Australia/Sydney"}, TODAY)
    assert bool(found) is is_kept
