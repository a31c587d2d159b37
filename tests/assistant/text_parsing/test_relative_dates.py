"""Days without a year, and those that depend on today, become dates; other texts stay."""

from datetime import date, datetime, time, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retinue.models.base import Candidate, ToolOffer
from retinue_assistant.text_parsing.relative_dates import (
    add_stated_date,
    add_stated_time,
    move_trailing_date,
    period_with_today,
    takes_dates,
    write_moments,
    write_named_days,
    write_relative_dates,
)

TODAY = date(2026, 11, 29)
DATE = {"type": "string", "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"}
MOMENT = {"type": "string", "description": "Date or time in ISO 8601", "examples": ["2026-12-01T09:30"]}
PERIOD = {"properties": {"start": DATE, "end": DATE, "unit": {"type": "string"}}, "required": ["start", "end"]}


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("until 25 December", "until 2026-12-25"),
        ("till the 1st of March", "till the 2027-03-01"),
        ("since 25 December", "since 2025-12-25"),
        ("until Feb. 29", "until 2028-02-29"),
        ("What weekday is tomorrow?", "What weekday is 2026-11-30?"),
        ("from the day before yesterday to 3 May 2027", "from 2026-11-27 to 2027-05-03"),
        ("until 31 June", "until 31 June"),
        ("May 5.5 kg pass?", "May 5.5 kg pass?"),
        ("in December 2026", "in December 2026"),
        ("between 1 January and 15 August 2026", "between 2026-01-01 and 2026-08-15"),
        ("December 20 to January 3, 2027", "2026-12-20 to 2027-01-03"),
        ("2 March \u2013 4 April 2025", "2025-03-02 \u2013 2025-04-04"),
        ("from 30 February to 4 March 2025", "from 30 February to 2025-03-04"),
        ("by Friday", "by 2026-12-04"),
        ("next Sunday", "2026-12-06"),
        ("since Friday", "since 2026-11-27"),
        ("last Sunday", "2026-11-22"),
        ("on Monday, 7 December 2026", "on Monday, 2026-12-07"),
        ("the last Friday of May 2027", "the last Friday of May 2027"),
        ("every two weeks on Friday", "every two weeks on Friday"),
        ("The Friday market", "The Friday market"),
        ("today is 2 June 2025", "today is 2025-06-02"),
        ("by the 15th", "by 2026-12-15"),
        ("on the 30th at 9", "on 2026-11-30 at 9"),
        ("by the 31st.", "by 2026-12-31."),
        ("since the 30th", "since 2026-10-30"),
        ("on the 4th floor", "on the 4th floor"),
        ("by the 15th century", "by the 15th century"),
        ("on the 32nd", "on the 32nd"),
    ],
)
def test_days_become_dates(text: str, written: str) -> None:
    assert write_relative_dates(text, TODAY) == written


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("How many days until Christmas?", "How many days until 2026-12-25?"),
        ("How many days are left this year?", "How many days are left until 2026-12-31?"),
        ("weeks since last Halloween", "weeks since last 2026-10-31"),
        ("How long till New Year's Eve?", "How long till 2026-12-31?"),
        ("What weekday is tomorrow?", "What weekday is 2026-11-30?"),
        ("And the day after tomorrow?", "And 2026-12-01?"),
        ("What day is it today?", "What day is it today?"),
        ("Is 'See you tomorrow' polite?", "Is 'See you tomorrow' polite?"),
        ("Note that I fly tomorrow", "Note that I fly tomorrow"),
        ("Plan a Christmas party", "Plan a Christmas party"),
        ("until Christmas 2030", "until 2030-12-25"),
        ("How many days until Easter 2027?", "How many days until 2027-03-28?"),
    ],
)
def test_named_days_become_dates(text: str, written: str) -> None:
    assert write_named_days(text, TODAY) == written


@given(st.dates(date(2000, 1, 1), date(2100, 1, 1)), st.dates(date(2000, 1, 1), date(2100, 1, 1)))
def test_the_nearest_day_is_meant(today: date, day: date) -> None:
    following = date.fromisoformat(write_relative_dates(f"until {day:%d %B}", today)[len("until ") :])
    last = date.fromisoformat(write_relative_dates(f"since {day:%d %B}", today)[len("since ") :])
    assert last <= today <= following
    assert {(following.month, following.day), (last.month, last.day)} == {(day.month, day.day)}
    assert max(following - today, today - last) < timedelta(days=366 * 8)


@pytest.mark.parametrize(
    ("request_", "period"),
    [
        ("How many weeks until 2026-12-24?", ("2026-11-29", "2026-12-24")),
        ("How old is someone born on 1990-05-17?", ("1990-05-17", "2026-11-29")),
        ("How many days are from 2026-01-01 until 2026-02-01?", None),
        ("List the 30 days that begin on 2026-12-01", None),
        ("How old am I?", None),
    ],
)
def test_today_completes_a_period(request_: str, period: tuple[str, str] | None) -> None:
    expected = dict(zip(("start", "end"), period, strict=True)) if period else {}
    assert period_with_today(request_, PERIOD, TODAY) == expected


def test_only_a_tool_with_two_dates_has_a_period() -> None:
    assert (
        period_with_today("How long until 2026-12-24?", {"properties": {"date": DATE}, "required": ["date"]}, TODAY)
        == {}
    )


def candidate_with(*examples: tuple[str, str], **properties: dict[str, Any]) -> Candidate:
    return Candidate(ToolOffer("tool", "Does it.", {"properties": properties, "required": []}), 9.0, list(examples))


def test_tools_with_dates_are_known_by_pattern_or_example() -> None:
    assert takes_dates(candidate_with(date=DATE))
    assert takes_dates(candidate_with(start=MOMENT))
    assert takes_dates(candidate_with(("mark 12 May as today", '{"today":"2026-05-12"}'), today=MOMENT))
    assert not takes_dates(candidate_with(word={"type": "string"}))
    assert not takes_dates(
        candidate_with(("when is tomorrow", '{"text":"tomorrow"}'), text={"type": "string"}, base=MOMENT)
    )


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("call on 2026-11-30 at 9", "call on 2026-11-30T09:00"),
        ("lunch 2026-11-30 at noon", "lunch 2026-11-30T12:00"),
        ("at 10.30 on 2026-11-30", "2026-11-30T10:30"),
        ("2026-11-30 at 31", "2026-11-30 at 31"),
        ("2026-11-30 at 1.5 times the price", "2026-11-30 at 1.5 times the price"),
    ],
)
def test_a_clock_time_joins_its_day_where_a_tool_takes_both(text: str, written: str) -> None:
    assert write_moments(text, candidate_with(start=MOMENT)) == written
    assert write_moments(text, candidate_with(day=DATE)) == text


@pytest.mark.parametrize(
    ("found", "moved"),
    [
        ({"title": "buy milk 2026-11-30"}, {"title": "buy milk", "due": "2026-11-30"}),
        ({"title": "pay, due by 2026-11-30T09:00."}, {"title": "pay", "due": "2026-11-30T09:00"}),
        ({"title": "pay 2026-11-30", "due": "2026-12-01"}, {"title": "pay 2026-11-30", "due": "2026-12-01"}),
        ({"title": "2026-11-30"}, {"title": "2026-11-30"}),
        ({"title": "a 2026-11-30", "notes": "b 2026-11-30"}, {"title": "a 2026-11-30", "notes": "b 2026-11-30"}),
    ],
)
def test_a_date_at_the_end_of_a_text_is_the_missing_date(found: dict[str, str], moved: dict[str, str]) -> None:
    schema = {"properties": {"title": {"type": "string"}, "due": MOMENT}, "required": ["title"]}
    assert move_trailing_date(found, schema) == moved


@pytest.mark.parametrize(
    ("request_", "found", "completed"),
    [
        ("call mum on 2026-12-04", {"title": "call mum"}, {"title": "call mum", "due": "2026-12-04"}),
        ("pills 2026-11-30T18:00", {"title": "pills", "due": "18:00"}, {"title": "pills", "due": "2026-11-30T18:00"}),
        ("call 2026-12-04", {"title": "call", "due": "2026-12-05"}, {"title": "call", "due": "2026-12-05"}),
        ("from 2026-12-04 to 2026-12-06", {"title": "holidays"}, {"title": "holidays"}),
        ("call mum", {"title": "call mum"}, {"title": "call mum"}),
    ],
)
def test_the_only_date_of_a_request_is_the_only_date_of_the_tool(
    request_: str, found: dict[str, str], completed: dict[str, str]
) -> None:
    schema = {"properties": {"title": {"type": "string"}, "due": MOMENT}, "required": ["title"]}
    assert add_stated_date(found, schema, request_) == completed
    assert add_stated_date(found, PERIOD, request_) == found


@pytest.mark.parametrize(
    ("request_", "found", "completed"),
    [
        ("It is 9:00 in Lisbon on 2026-06-01", "2026-06-01", "2026-06-01T09:00"),
        ("14:05 in New York on 2026-03-03 in UTC", "2026-03-03T00:00:00", "2026-03-03T14:05"),
        ("2026-03-03 in UTC", "2026-03-03", "2026-03-03"),
        ("from 9:00 to 17:00 on 2026-03-03", "2026-03-03", "2026-03-03"),
        ("14:05 on 2026-03-03", "2026-03-03T14:05", "2026-03-03T14:05"),
        ("2026-03-03 at UTC+05:30", "2026-03-03", "2026-03-03"),
        ("remind me on 2026-03-03T14:05 to call mum", "2026-03-03", "2026-03-03T14:05"),
        ("call mum at 17:00", "17:00", "2026-11-29T17:00"),
        ("call mum", "17:00", "17:00"),
        ("What time is it in Tokyo when it's 15:00 in New York?", "2025-03-14T15:00", "2026-11-29T15:00"),
        ("Friday 15:00 in New York", "2026-12-04T15:00", "2026-12-04T15:00"),
        ("3 May at 15:00", "2027-05-03T15:00", "2027-05-03T15:00"),
    ],
)
def test_a_date_and_a_clock_time_apart_from_it_are_one_moment(request_: str, found: str, completed: str) -> None:
    moment = MOMENT | {"description": "Date and time"}
    schema = {"properties": {"time": moment, "target": {"type": "string"}}, "required": ["time"]}
    assert add_stated_time({"time": found, "target": "UTC"}, schema, request_, TODAY)["time"] == completed


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("What is in my calendar this week?", "What is in my calendar from 2026-11-23 to 2026-11-30?"),
        ("What do I have to do next week?", "What do I have to do from 2026-11-30 to 2026-12-07?"),
        ("How much did I spend last week?", "How much did I spend from 2026-11-16 to 2026-11-22?"),
        ("How much did I spend last month?", "How much did I spend in October 2026?"),
        ("Report last month's expenses", "Report October 2026's expenses"),
        ("what is due in the last week of May?", "what is due in the last week of May?"),
        ('Is "see you next week" polite?', 'Is "see you next week" polite?'),
    ],
)
def test_weeks_and_months_of_a_question_become_dates(text: str, written: str) -> None:
    assert write_named_days(text, TODAY) == written


def test_months_near_the_end_of_a_year_belong_to_the_next_or_the_last() -> None:
    assert write_named_days("What is due next month?", date(2026, 12, 5)) == "What is due in January 2027?"
    assert write_named_days("What was due last month?", date(2027, 1, 5)) == "What was due in December 2026?"


def test_a_reminder_for_a_time_that_has_passed_is_for_tomorrow() -> None:
    schema = {"properties": {"due": MOMENT | {"description": "Date and time"}}}
    at_nine = datetime.combine(TODAY, time(21, 0))
    for clock, day in (("17:00", TODAY + timedelta(days=1)), ("22:00", TODAY)):
        found = add_stated_time({"due": clock}, schema, f"remind me at {clock}", TODAY, at_nine)
        assert found == {"due": f"{day}T{clock}"}
