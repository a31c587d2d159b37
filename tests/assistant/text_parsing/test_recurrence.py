"""How often something repeats, in words, as a recurrence rule."""

from datetime import date
from typing import Any

import pytest

from retinue_assistant.text_parsing.recurrence import first_occurrence, stated_recurrence

SCHEMA: dict[str, Any] = {
    "properties": {"title": {"type": "string"}, "repeats": {"type": "string", "description": "Recurrence as an RRULE"}},
    "required": ["title"],
}


@pytest.mark.parametrize(
    ("request_", "rule"),
    [
        ("Yoga every Monday and Thursday at 18:00", "FREQ=WEEKLY;BYDAY=MO,TH"),
        ("Remind me every Sunday at 10 to water the plants", "FREQ=WEEKLY;BYDAY=SU"),
        ("Stand-up every weekday at 9", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR"),
        ("Put 'do the till' into my calendar every Friday from 2026-12-04T17:00", "FREQ=WEEKLY;BYDAY=FR"),
        ("Stretch each morning", "FREQ=DAILY"),
        ("Bins every other week on Tuesday", "FREQ=WEEKLY;INTERVAL=2;BYDAY=TU"),
        ("Clean the filter every 3 months", "FREQ=MONTHLY;INTERVAL=3"),
        ("Review every fortnight", "FREQ=WEEKLY;INTERVAL=2"),
        ("Pay the rent monthly", "FREQ=MONTHLY"),
        ("Lunch with Ana weekly on Fridays", "FREQ=WEEKLY;BYDAY=FR"),
        ("Anniversary every year", "FREQ=YEARLY"),
        ("Yoga every Monday until June", ""),
        ("Yoga every Monday, eight times", ""),
        ("Meet every first Monday of the month", ""),
        ("Weekly call every Monday", ""),
        ("Lunch on Monday", ""),
        ("Add FREQ=DAILY, not every Monday", ""),
    ],
)
def test_a_rhythm_in_words_is_a_rule(request_: str, rule: str) -> None:
    assert stated_recurrence(request_, SCHEMA) == ({"repeats": rule} if rule else {})


def test_only_a_tool_with_an_optional_rule_gets_one() -> None:
    required = {**SCHEMA, "required": ["title", "repeats"]}
    assert stated_recurrence("Yoga every Monday", required) == {}
    assert stated_recurrence("Yoga every Monday", {"properties": {"title": {"type": "string"}}}) == {}


@pytest.mark.parametrize(
    ("request_", "start"),
    [
        ("Team meeting every second Wednesday at 14:00", "2026-12-02T14:00"),
        ("Yoga every Monday and Thursday at 14:00", "2026-12-03T14:00"),
        ("Yoga every Monday at 14:00", "2026-12-07T14:00"),
        ("Stretch every day at 14:00", "2026-12-01T14:00"),
        ("Yoga every Monday from 2025-01-06 at 14:00", "2025-01-03T14:00"),
        ("Yoga every Monday in March at 14:00", "2025-01-03T14:00"),
        ("Pay the rent monthly", "2025-01-03T14:00"),
        ("Lunch at 14:00", "2025-01-03T14:00"),
    ],
)
def test_a_repetition_without_a_date_begins_on_its_next_day(request_: str, start: str) -> None:
    when = {"type": "string", "description": "Date or time in ISO 8601"}
    schema = {**SCHEMA, "properties": {**SCHEMA["properties"], "start": when}}
    found = {"title": "Yoga", "start": "2025-01-03T14:00"}
    assert first_occurrence(found, schema, request_, date(2026, 11, 30)) == {**found, "start": start}
    assert first_occurrence({"title": "Yoga"}, schema, request_, date(2026, 11, 30)) == {"title": "Yoga"}
