"""Phone numbers and dates in running text, and masking of personal data."""

import re
from datetime import datetime
from typing import Annotated, Literal

import phonenumbers
from dateparser.search import search_dates
from typing_extensions import TypedDict

from retinue.sdk import About, Date, Example, Refusal, Text, ToolError, tool
from retinue_tools.text.masking import Region, known_region


class Phone(TypedDict):
    """A telephone number."""

    text: Annotated[str, About("Number as in the text")]
    e164: Annotated[str, About("E.164 format, such as +442079460958 (ITU-T E.164)")]
    international: Annotated[str, About("International format, such as +44 20 7946 0958")]
    region: Annotated[str | None, About("Two-letter region code; null if it has none")]
    position: Annotated[int, About("Start position, from 0")]


class Phones(TypedDict):
    """Phone numbers in a text."""

    phones: Annotated[list[Phone], About("In text order, at most 1,000")]


class FoundDate(TypedDict):
    """A date in a text."""

    text: Annotated[str, About("Date as in the text")]
    iso: Annotated[str, About("Date and time in ISO 8601; midnight if no time was given")]


class FoundDates(TypedDict):
    """Dates in a text."""

    dates: Annotated[list[FoundDate], About("In text order")]


@tool(
    tags="extract phone numbers telephone e164 international mobile contacts",
    use_when=(
        "Find the phone numbers in this mail and write them internationally",
        "Extract all UK telephone numbers from the text",
        "Which numbers can I call here, in E.164 format?",
    ),
    examples=(
        Example(
            {"text": "Call 020 7946 0958 or +1 650-253-0000, order 12345.", "region": "GB"},
            {
                "phones": [
                    {"text": "020 7946 0958", "e164": "+442079460958", "region": "GB", "position": 5},
                    {
                        "text": "+1 650-253-0000",
                        "e164": "+16502530000",
                        "international": "+1 650-253-0000",
                        "region": "US",
                    },
                ]
            },
            source="ITU-T E.164; Ofcom's range of numbers for drama; the sample number of libphonenumber",
        ),
        Refusal({"text": "a", "region": "ZZ"}, "not a region"),
    ),
    reply={
        "phones.1": "The telephone numbers: {phones}",
        "phones": "The telephone number is {phones.0.international}.",
        "": "There is no telephone number in the text.",
    },
    pace="normal",
)
def text_extract_phone_numbers(text: Text, region: Region) -> Phones:
    """Extract the valid telephone numbers of a text, with their international forms.

    Numbers without a country code are interpreted in the region. Returns them with their positions.
    """
    known_region(region)
    phones: list[Phone] = []
    for match in phonenumbers.PhoneNumberMatcher(text, region):
        if len(phones) == 1000:
            break
        phones.append(
            {
                "text": match.raw_string,
                "e164": phonenumbers.format_number(match.number, phonenumbers.PhoneNumberFormat.E164),
                "international": phonenumbers.format_number(match.number, phonenumbers.PhoneNumberFormat.INTERNATIONAL),
                "region": phonenumbers.region_code_for_number(match.number),
                "position": match.start,
            }
        )
    return {"phones": phones}


@tool(
    tags="extract dates times find natural language deadline calendar dateparser",
    use_when=(
        "Which dates are mentioned in this letter?",
        "When is the deadline in this text?",
        "Find 'next Friday' and '3 May 2026' in my notes",
    ),
    examples=(
        Example(
            {"text": "We met on 3 May 2026 and meet again on 14 July 2026 at 15:30.", "relative_to": "2026-01-01"},
            {"dates": [{"iso": "2026-05-03T00:00:00"}, {"iso": "2026-07-14T15:30:00"}]},
            source="by hand",
        ),
        Example(
            {"text": "Abgabe am 4.5.2026", "language": "de", "relative_to": "2026-01-01", "order": "DMY"},
            {"dates": [{"iso": "2026-05-04T00:00:00"}]},
            source="German order of dates",
        ),
        Refusal({"text": "2 May", "relative_to": "2026-13-01"}, "not a date"),
    ),
    reply={
        "dates.1": "The dates: {dates}",
        "dates": "The date is {dates.0.iso}.",
        "": "There are no dates in the text.",
    },
    credits=5,
    pace="long",
    memory_mb=1024,
)
def text_extract_dates(
    text: Annotated[str, About("Running text", "We meet on 3 May 2026.", min_length=1, max_length=5000)],
    relative_to: Date,
    language: Annotated[str, About("ISO 639-1 code of the text's language", pattern="^[a-z]{2}$", max_length=2)] = "en",
    order: Annotated[
        Literal["DMY", "MDY", "YMD"], About("Order of day, month and year in dates such as 3/4/2026")
    ] = "DMY",
) -> FoundDates:
    """Find the dates and times in running text, absolute ones and relative ones such as 'next Friday'.

    Relative dates are resolved from the given day. Returns each as written and in ISO 8601.
    """
    from_day = _midnight(relative_to)
    settings = {"RELATIVE_BASE": from_day, "DATE_ORDER": order, "RETURN_AS_TIMEZONE_AWARE": False}
    try:
        found = search_dates(text, languages=[language], settings=settings) or []
    except (ValueError, OverflowError, RecursionError) as error:
        raise ToolError(f"The dates cannot be parsed: {error}. Check the language.") from error
    # The library interprets short words such as "we" as weekdays.
    sound = [(part, moment) for part, moment in found if len(part) > 4 or re.search(r"\d", part)]
    return {"dates": [{"text": part, "iso": moment.isoformat(timespec="seconds")} for part, moment in sound]}


def _midnight(day: str) -> datetime:
    try:
        return datetime.fromisoformat(day)
    except ValueError as error:
        raise ToolError(f"{day} is not a date. Write it as 2026-11-21.") from error
