"""How often something repeats, in words, as a recurrence rule."""

from typing import Any

import pytest

from retinue_assistant.text_parsing.recurrence import stated_recurrence

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
