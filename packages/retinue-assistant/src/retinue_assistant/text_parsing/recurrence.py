"""Reads how often something repeats: "every Monday" is FREQ=WEEKLY;BYDAY=MO (RFC 5545, section 3.3.10)."""

import re
from collections.abc import Mapping
from datetime import date, timedelta
from typing import Any

from retinue_assistant.references import mask_quotations
from retinue_assistant.text_parsing.iso_dates import MONTH_NAMES
from retinue_assistant.text_parsing.relative_dates import WEEKDAYS

_DAY = rf"(?:{'|'.join(WEEKDAYS)})s?"
_DAYS = rf"(?P<days>{_DAY}(?:(?:,| and|, and) {_DAY}){{0,6}})"
_EVERY = re.compile(
    rf"\b(?:every|each) (?:(?P<step>other|second|2nd|third|3rd|\d{{1,2}}) )?"
    rf"(?:{_DAYS}|(?P<unit>day|morning|noon|afternoon|evening|night|weekday|workday|week|fortnight|month|year)s?)\b"
    rf"(?: on (?P<on>{_DAY}))?",
    re.IGNORECASE,
)
_ADVERB = re.compile(rf"\b(?P<unit>daily|weekly|monthly|yearly|annually)\b(?: on (?P<on>{_DAY}))?", re.IGNORECASE)
_END = re.compile(
    r"\b(?:until|till|times|for (?:the next )?\d+ (?:day|week|month|year)s?|except|first|last)\b", re.IGNORECASE
)
"""Matches what a rule may need besides its rhythm."""
_FREQUENCIES = {
    "week": "WEEKLY",
    "weekly": "WEEKLY",
    "fortnight": "WEEKLY",
    "month": "MONTHLY",
    "monthly": "MONTHLY",
    "year": "YEARLY",
    "yearly": "YEARLY",
    "annually": "YEARLY",
}
"""How often something repeats, by the unit; all others mean days."""
_STEPS = {"other": 2, "second": 2, "2nd": 2, "third": 3, "3rd": 3}
_WORKDAYS = ("weekday", "workday")
_BY_DAY = re.compile(r"BYDAY=([A-Z,]+)")
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d")
_DATE = re.compile(
    rf"\d{{4}}-\d\d|\d[./]\d{{1,2}}[./]|\b(?:today|tomorrow|next|start(?:s|ing)?|from)\b|\b{MONTH_NAMES}(?!\w)",
    re.IGNORECASE,
)
"""Matches what names the first day."""


def stated_recurrence(request: str, schema: Mapping[str, Any]) -> dict[str, str]:
    """Return the recurrence rule that a request states in words, if the tool takes an optional one: a small model
    confuses the parts of a rule. Empty if the request states none, or more than a rhythm.
    """
    properties, required = schema.get("properties", {}), schema.get("required", ())
    names = [name for name, one in properties.items() if "RRULE" in one.get("description", "") and name not in required]
    if len(names) != 1:
        return {}
    words = mask_quotations(request)
    found = [*_EVERY.finditer(words), *_ADVERB.finditer(words)]
    if len(found) != 1 or _END.search(words) or "FREQ=" in request.upper():
        return {}
    return {names[0]: _rule(found[0].groupdict())}


def first_occurrence(found: Mapping[str, Any], schema: Mapping[str, Any], request: str, today: date) -> dict[str, Any]:
    """Return the arguments with the first day of a repetition, if the request states its rhythm and no date: the
    next such day. A small model copies the date of an example.
    """
    rule = next(iter(stated_recurrence(request, schema).values()), "")
    moments = [
        name for name, one in schema.get("properties", {}).items() if "Date or time" in one.get("description", "")
    ]
    value = str(found.get(moments[0], "")) if len(moments) == 1 else ""
    if not _MOMENT.match(value) or _DATE.search(request):
        return {**found}
    days = _BY_DAY.search(rule)
    if not (days or rule == "FREQ=DAILY"):
        return {**found}
    wanted = [number for number, day in enumerate(WEEKDAYS) if not days or day[:2].upper() in days[1].split(",")]
    first = min(today + timedelta(days=(number - today.weekday() - 1) % 7 + 1) for number in wanted)
    return {**found, moments[0]: f"{first}{value[10:]}"}


def _rule(found: Mapping[str, str | None]) -> str:
    unit = (found["unit"] or "").lower()
    step = str(found.get("step") or "").lower()
    count = _STEPS.get(step) or (int(step) if step.isdecimal() else 1)
    words = " ".join(filter(None, [found.get("days"), found["on"]])).lower()
    days = [day[:2].upper() for day in WEEKDAYS if day in words]
    if unit in _WORKDAYS:
        days = ["MO", "TU", "WE", "TH", "FR"]
    is_longer = _FREQUENCIES.get(unit) in ("MONTHLY", "YEARLY")
    frequency = "WEEKLY" if days and not is_longer else _FREQUENCIES.get(unit, "DAILY")
    interval = 2 * count if unit == "fortnight" else count
    parts = [f"FREQ={frequency}"]
    if interval > 1:
        parts.append(f"INTERVAL={interval}")
    if days:
        parts.append(f"BYDAY={','.join(days)}")
    return ";".join(parts)
