"""No regular expression of the server is slow on a hostile text. A chat message may have 10,000 characters."""

import re
import time
from collections.abc import Callable

import pytest

from tests.support.patterns import USES, hostile_units, server_patterns
from tests.support.sampling import sample

LONG, SHORT = 10_000, 1_000
BOUNDED = {
    "retinue.files.file_metadata._MEDIA_TYPE": 255,
    "retinue.language.language_detection._QUOTATION": 400,
    "retinue_assistant.splitting._BOUNDARY": 600,
    "retinue_assistant.splitting._NAMES": 600,
    "retinue_assistant.splitting.ASKING": 600,
    "retinue_assistant.references._QUOTATION": 600,
    "retinue_assistant.references._REFERENCE": 600,
    "retinue_assistant.splitting.DATA": 600,
    "retinue_assistant.splitting._LIST": 600,
    "retinue.reference.markdown._GUIDE": 255,
    "retinue.tools.authoring.schema_from_function._NAME": 255,
    "retinue.voice.speech.sentences._END": 1_001,
}
"""The maximum length of texts that these patterns match against."""

QUICK_S, SLOW_S, HOPELESS_S = 0.01, 0.3, 0.9
"""CPU seconds. Results below the first are ignored, none may exceed the second, and the third is not measured again."""

GROWTH = 4.0
"""How many times slower than linear growth a longer text may be."""

PATTERNS = server_patterns()


def seconds(use: Callable[[re.Pattern[str], str], object], pattern: re.Pattern[str], unit: str, size: int) -> float:
    """Return the CPU seconds for a hostile text of `size` characters."""
    text = hostile_text(unit, size)
    began = time.thread_time()
    use(pattern, text)
    return time.thread_time() - began


def hostile_text(unit: str, size: int) -> str:
    """Repeat a unit up to `size` characters, and add a character that never matches."""
    return (unit * (size // len(unit) + 1))[:size] + "\x00"


def fault(pattern: re.Pattern[str], longest: int) -> str | None:
    """Describe a text on which a pattern is too slow, or return None."""
    for unit in hostile_units(pattern):
        for name, use in USES.items():
            if max(seconds(use, pattern, unit, 30), seconds(use, pattern, unit, 300)) > SLOW_S:
                return f"{name} of {unit!r} at 300 characters"
            # A busy machine inflates even CPU times, but not each time.
            if all(is_slow(use, pattern, unit, longest) for _ in range(3)):
                return f"{name} of {unit!r} at {longest:,} characters"
            if not use(pattern, hostile_text(unit, 300)):
                break  # Where `finditer` finds nothing, `search` does the same work.
    return None


def is_slow(use: Callable[[re.Pattern[str], str], object], pattern: re.Pattern[str], unit: str, longest: int) -> bool:
    """Return whether the longest text takes too long, or much longer than its length explains."""
    took = seconds(use, pattern, unit, longest)
    if took < QUICK_S:
        return False
    if took > HOPELESS_S:
        return True
    shorter = min(seconds(use, pattern, unit, SHORT) for _ in range(3))
    allowed = min(SLOW_S, max(QUICK_S, GROWTH * shorter * longest / SHORT))
    return took > allowed and all(seconds(use, pattern, unit, longest) > allowed for _ in range(2))


def test_the_patterns_of_all_rooms_are_there() -> None:
    rooms = {place.split(".")[1] for place in PATTERNS}
    assert {"core", "files", "fleets", "gate", "models", "tools", "workspace"} <= rooms
    assert BOUNDED.keys() <= PATTERNS.keys()


@pytest.mark.parametrize("place", sample(sorted(PATTERNS), 3))
def test_a_pattern_is_quick_on_hostile_texts(place: str) -> None:
    assert fault(PATTERNS[place], BOUNDED.get(place, LONG)) is None


@pytest.mark.parametrize("careless", [r"\d[\d,]*(?<!,)x", r"\s*;", r"\(.*\)x"])
def test_a_careless_pattern_is_noticed(careless: str) -> None:
    assert fault(re.compile(careless), LONG) is not None
