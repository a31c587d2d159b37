"""Durations in the unit of an argument."""

import pytest

from retinue_assistant.text_parsing.durations import convert_durations, without_unstated_durations


@pytest.mark.parametrize(
    ("request_", "found", "converted"),
    [
        ("200 a month for 5 years", {"months": 5, "monthly": 200}, {"months": 60, "monthly": 200}),
        ("200 a month for 5 years", {"months": 50}, {"months": 60}),
        ("for 5 years", {"months": 5, "years": 5}, {"months": 5, "years": 5}),
        ("call Ben in 2 days", {"minutes": 60}, {"minutes": 60}),
        ("what I did 3 days ago", {"hours": 8}, {"hours": 8}),
        ("5 years and 5 months", {"months": 5}, {"months": 5}),
        ("for 60 months", {"months": 60}, {"months": 60}),
        ("a call of 2 hours", {"minutes": 2}, {"minutes": 120}),
        ("a 2-week trip", {"days": 2}, {"days": 14}),
        ("wait 3 minutes", {"timeout_seconds": 3}, {"timeout_seconds": 180}),
        ("5 years", {"months": 5.5, "size": 5}, {"months": 5.5, "size": 5}),
        ("2 hours on 2 days", {"minutes": 2}, {"minutes": 2}),
        ("a loan over 48 months", {"years": 48}, {"years": 4}),
        ("a loan over 18 months", {"years": 18}, {"years": 1.5}),
        ("a loan over 48 months", {"years": 4}, {"years": 4}),
        ("a loan of 48 over 36 months", {"years": 48}, {"years": 48}),
        ("48 months", {"years": 48, "months": 48}, {"years": 48, "months": 48}),
        ("the date three weeks from today", {"days": 3}, {"days": 21}),
        ("the date in two weeks", {"days": 2}, {"days": 14}),
        ("the date in two weeks", {"days": 14}, {"days": 14}),
        ("the date in two months", {"days": 2}, {"days": 2}),
        ("12.5 years", {"months": 5}, {"months": 5}),
    ],
)
def test_a_duration_is_converted_to_the_unit_of_its_argument(
    request_: str, found: dict[str, float], converted: dict[str, float]
) -> None:
    assert convert_durations(found, request_) == converted


@pytest.mark.parametrize(
    ("request_", "kept"),
    [
        ("Put 'water the plants' into my calendar every Sunday from 2026-12-06T10:00", False),
        ("Lunch with Ana on 2026-12-06 at noon", False),
        ("Lunch with Ana every day at noon", False),
        ("Lunch with Ana at noon for an hour", True),
        ("Lunch with Ana from 12 to 13:30", True),
        ("A whole day with Ana on 2026-12-06", True),
        ("Lunch with Ana at noon, 1440", True),
    ],
)
def test_a_duration_that_nobody_states_is_left_out(request_: str, kept: bool) -> None:
    found = {"title": "Lunch", "minutes": 1440}
    stated = found if kept else {"title": "Lunch"}
    assert without_unstated_durations(found, ["title"], request_) == stated
    assert without_unstated_durations(found, ["minutes"], request_) == found
