"""The server's regular expressions, and texts that a careless pattern is slow on."""

import importlib
import pkgutil
import re
from collections.abc import Callable, Iterator, Mapping
from itertools import permutations
from re import _constants as opcodes
from re import _parser as parser
from types import ModuleType
from typing import Any

import retinue
import retinue_assistant

_ELSEWHERE = (
    "retinue.tools.speech.whisper",
    "retinue.sdk.transcription",
    "retinue.voice.worker",
    "retinue.migrations",
    "retinue.__main__",
)
"""Worker processes recognize speech under a timeout, and the media worker handles calls."""

_USUAL = " 1a,"
_MOST_CHARACTERS = 9
_CATEGORIES: Mapping[Any, str] = {
    opcodes.CATEGORY_DIGIT: "1",
    opcodes.CATEGORY_NOT_DIGIT: "a",
    opcodes.CATEGORY_WORD: "a",
    opcodes.CATEGORY_NOT_WORD: "-",
    opcodes.CATEGORY_SPACE: " ",
    opcodes.CATEGORY_NOT_SPACE: "a",
}


def server_patterns() -> dict[str, re.Pattern[str]]:
    """Return every compiled pattern in the modules of the server and of the assistant, by its qualified name."""
    found: dict[str, re.Pattern[str]] = {}
    for info in (
        *pkgutil.walk_packages(retinue.__path__, "retinue."),
        *pkgutil.walk_packages(retinue_assistant.__path__, "retinue_assistant."),
    ):
        if not info.name.startswith(_ELSEWHERE):
            module = importlib.import_module(info.name)
            found |= dict(_hold(module, info.name))
    return found


def _hold(module: ModuleType, name: str) -> Iterator[tuple[str, re.Pattern[str]]]:
    for key, value in list(vars(module).items()):
        yield from _within(value, f"{name}.{key}", 0)
        if isinstance(value, type) and value.__module__ == name:
            for field, held in list(vars(value).items()):  # Pydantic adds a signature when it is first read
                yield from _within(held, f"{name}.{key}.{field}", 0)


def _within(value: Any, place: str, depth: int) -> Iterator[tuple[str, re.Pattern[str]]]:
    if isinstance(value, re.Pattern):
        yield place, value if isinstance(value.pattern, str) else _for_text(value)
    elif isinstance(value, Mapping) and depth < 3:
        for key, held in value.items():
            yield from _within(held, f"{place}[{key!r}]", depth + 1)
            yield from _within(key, f"{place}.key", depth + 1)
    elif isinstance(value, tuple | list | set | frozenset) and depth < 3:
        for number, held in enumerate(value):
            yield from _within(held, f"{place}[{number}]", depth + 1)


def _for_text(pattern: re.Pattern[bytes]) -> re.Pattern[str]:
    return re.compile(pattern.pattern.decode("latin-1"), pattern.flags | re.ASCII)


def hostile_units(pattern: re.Pattern[str]) -> list[str]:
    """Return strings to repeat: characters from the pattern, pairs of them, and its literal words."""
    words, singles = _literals(parser.parse(pattern.pattern, pattern.flags))
    alphabet = list(dict.fromkeys([*_USUAL, *singles]))[:_MOST_CHARACTERS]
    pairs = ["".join(pair) for pair in permutations(alphabet, 2)]
    return [*alphabet, *pairs, *(word + mark for word in words for mark in ("", " ", "1", ","))]


def _literals(parsed: Any) -> tuple[list[str], list[str]]:
    """Return the runs of literal characters in a parsed pattern, and one character for each of its sets."""
    words, singles, run = [], [], ""
    for code, argument in parsed:
        if code is opcodes.LITERAL:
            run += chr(argument)
            continue
        if run:
            words.append(run)
            run = ""
        for inner in _parts(code, argument):
            more_words, more_singles = _literals(inner)
            words += more_words
            singles += more_singles
    words += [run] if run else []
    singles += [word[0] for word in words if len(word) == 1]
    return list(dict.fromkeys(words))[:_MOST_CHARACTERS], list(dict.fromkeys(singles))


def _parts(code: Any, argument: Any) -> Iterator[Any]:
    """Yield the operands of an operation, each as a list of operations."""
    if code is opcodes.IN:
        yield from ([one] for one in map(_member, argument) if one)
    elif code in (opcodes.MAX_REPEAT, opcodes.MIN_REPEAT, opcodes.POSSESSIVE_REPEAT):
        yield argument[2]
    elif code is opcodes.SUBPATTERN:
        yield argument[3]
    elif code is opcodes.BRANCH:
        yield from argument[1]
    elif code in (opcodes.ASSERT, opcodes.ASSERT_NOT):
        yield argument[1]
    elif code is opcodes.ATOMIC_GROUP:
        yield argument


def _member(member: tuple[Any, Any]) -> tuple[Any, int] | None:
    """Return one literal that a member of a set matches."""
    code, argument = member
    if code is opcodes.LITERAL:
        return opcodes.LITERAL, argument
    if code is opcodes.RANGE:
        return opcodes.LITERAL, argument[0]
    if code is opcodes.CATEGORY:
        return opcodes.LITERAL, ord(_CATEGORIES.get(argument, "a"))
    return None


Use = Callable[[re.Pattern[str], str], object]
USES: Mapping[str, Use] = {
    "finditer": lambda pattern, text: sum(1 for _ in pattern.finditer(text)),
    "search": lambda pattern, text: pattern.search(text),
}
