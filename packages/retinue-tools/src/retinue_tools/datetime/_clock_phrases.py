"""Times of day as phrases in English, German, French, Spanish, Italian, Portuguese and Japanese."""

import re
from collections.abc import Iterator
from datetime import time
from typing import NamedTuple

from retinue.sdk import ToolError

_AT = r"(?:at|um|gegen|à|a las|a la|alle ore|alle|all'|às|as|om|kl\.?)"
_HALVES = r"(?P<half>[ap])\.?\s?m\b\.?"
_EVENING = (
    r"in the (?:afternoon|evening)|at night|nachmittags|abends|am (?:nachmittag|abend)|de l'après-midi|du soir"
    r"|de la (?:tarde|noche)|del pomeriggio|di sera|da (?:tarde|noite)"
)
_MORNING = r"in the morning|morgens|vormittags|du matin|de la mañana|del mattino|di mattina|da manhã"
_PART = rf"(?:\s+(?:(?P<late>{_EVENING})|(?P<early>{_MORNING})))?"
_CLOCKS = tuple(
    re.compile(rf"(?<![\w:.,/-]){pattern}{_PART}(?![\w:])", re.IGNORECASE)
    for pattern in (
        rf"(?:{_AT}\s*)?(?P<hour>\d{{1,2}})(?::|(?<=\d)h|\s?uhr\s?)(?P<minute>\d\d)(?::(?P<second>\d\d))?"
        rf"(?:\s?uhr|\s?h|\s?{_HALVES})?",
        rf"(?:{_AT}\s*)?(?P<hour>\d{{1,2}})\s?(?:{_HALVES}|uhr|o'?clock)",
        rf"{_AT}\s*(?P<hour>\d{{1,2}})(?:\s?(?:h|heures?|horas?|ore))?",
    )
)
_JAPANESE = re.compile(r"(?P<late>午後)?(?:午前)?(?P<hour>\d{1,2})時(?:(?P<minute>\d{1,2})分)?(?P<early>\b\B)?")
_HOURS = (
    "one/eins/ein", "two/zwei", "three/drei", "four/vier", "five/fünf", "six/sechs", "seven/sieben", "eight/acht",
    "nine/neun", "ten/zehn", "eleven/elf", "twelve/zwölf",
)  # fmt: skip
_NUMBERS = {word: number for number, words in enumerate(_HOURS, 1) for word in (*words.split("/"), str(number))}
_SPOKEN = re.compile(
    rf"(?<!\w)(?:(?:at|um)\s+)?(?:(?P<part>half|quarter|viertel)\s+(?P<way>past|to|nach|vor)|(?P<halb>halb))"
    rf"\s+(?P<word>{'|'.join(_NUMBERS)}){_PART}(?!\w)",
    re.IGNORECASE,
)
_NAMED = tuple(
    (re.compile(rf"(?<!\w)(?:at |um )?(?:{names})(?!\w)", re.IGNORECASE), hour)
    for names, hour in (
        ("noon|midday|mittags?|à midi|al mediodía|a mezzogiorno|ao meio-dia", 12),
        ("midnight|mitternacht|à minuit|a medianoche|a mezzanotte|à meia-noite", 0),
    )
)


_DAY_PART = re.compile(r"\b(?:to)?(?P<part>afternoon|evening|night)\b", re.IGNORECASE)
_FIRST_HOURS = {"afternoon": 1, "evening": 4, "night": 6}
"""The first hour after noon that belongs to a part of the day. Two at night is before sunrise."""


class Clock(NamedTuple):
    """A time of day, and the text without it. `halves` is whether the hour may be in either half of the day."""

    time: time
    rest: str
    halves: bool


def read_clock(text: str) -> Clock | None:
    """Parse the time of day in a text; None if there is none. Raises `ToolError` for invalid hours and minutes."""
    for start, end, hour, minute, halves in _find(text):
        if hour > 24 or minute > 59 or (hour == 24 and minute):
            raise ToolError(
                f"{text[start:end].strip()} in text is not a valid time of day. Write it as 14:30 or 2:30 pm."
            )
        rest = f"{text[:start]} {text[end:]}".strip(" ,")
        is_late = halves and _is_late(hour, rest)
        return Clock(time(hour % 24 + 12 * is_late, minute), rest, halves and not is_late)
    return None


def _is_late(hour: int, text: str) -> bool:
    """Return whether a text such as tonight or tomorrow afternoon puts an hour of the 12-hour clock after noon."""
    part = _DAY_PART.search(text)
    return part is not None and _FIRST_HOURS[part["part"].lower()] <= hour < 12


def _find(text: str) -> Iterator[tuple[int, int, int, int, bool]]:
    for pattern, hour in _NAMED:
        if match := pattern.search(text):
            yield (*match.span(), hour, 0, False)
    if match := _SPOKEN.search(text):
        hour, minute = _speak(match)
        yield (*match.span(), _in_half(match, hour), minute, not (match["late"] or match["early"]))
    for pattern in (*_CLOCKS, _JAPANESE):
        if match := pattern.search(text):
            groups = match.groupdict()
            hour = _in_half(match, int(match["hour"]))
            sure = groups.get("half") or groups["late"] or groups["early"] or int(match["hour"]) > 12
            yield (*match.span(), hour, int(match["minute"] or 0) if "minute" in groups else 0, not sure)


def _speak(match: re.Match[str]) -> tuple[int, int]:
    """Convert a spoken time: half past six is 6:30 and so is halb sieben; quarter to six is 5:45."""
    hour = _NUMBERS[match["word"].lower()]
    if match["halb"]:
        return (hour - 1) or 12, 30
    minutes = 30 if match["part"].lower() == "half" else 15
    return (hour, minutes) if match["way"].lower() in ("past", "nach") else ((hour - 1) or 12, 60 - minutes)


def _in_half(match: re.Match[str], hour: int) -> int:
    """Return the hour on the 24-hour clock."""
    half = (match.groupdict().get("half") or "").lower()
    if (half or match["late"] or match["early"]) and hour <= 12:
        return hour % 12 + (12 if half == "p" or match["late"] else 0)
    return hour
