"""Parses the directives of the sandbox's test model from a message. `test_model` documents them."""

import re
from dataclasses import dataclass
from functools import lru_cache
from json import JSONDecodeError, JSONDecoder

MALFORMED = '{"broken": '
MAX_SLEEP_S = 60.0
MAX_PACE_S = 5.0
_REMEMBERED = 32

_START = re.compile(r"\[\[(?=(?:tool|bad-args|words|sleep|pace|fail-after):|fail\]\]|echo-history\]\])")
_TOOL = re.compile(r"tool:\s*(\w+)\s*")
_BAD_ARGS = re.compile(r"bad-args:\s*(\w+)\s*\]\]")
_NUMBER = re.compile(r"(words|sleep|pace|fail-after):\s*(\d{1,6}(?:\.\d{1,6})?)\s*\]\]")
_FLAG = re.compile(r"(fail|echo-history)\]\]")
_JSON = JSONDecoder()
_END = re.compile(r"\s{0,100}+\]\]")


@dataclass(slots=True)
class ScriptStep:
    """The behaviour of one model call. It ends with a tool call if `tool` is set, else with a reply."""

    sleep_s: float = 0.0
    pace_s: float = 0.0
    words: int | None = None
    fail_after: int | None = None
    echo_history: bool = False
    tool: str = ""
    arguments: str = "{}"


@dataclass(frozen=True, slots=True)
class Script:
    """The steps in order (at least one), and the message text without its directives."""

    steps: list[ScriptStep]
    text: str


@lru_cache(_REMEMBERED)
def parse(message: str) -> Script:
    """Parse a message. A malformed directive stays in the text. Cached: each step of a run parses it again."""
    steps, position = [ScriptStep()], 0
    text: list[str] = []
    while start := _START.search(message, position):
        text.append(message[position : start.start()])
        end = _directive(message, start.end(), steps)
        if end is None:
            text.append(start.group())
        position = end or start.end()
    text.append(message[position:])
    return Script(steps, "".join(text).strip())


def _directive(message: str, position: int, steps: list[ScriptStep]) -> int | None:
    """Apply the directive at `position` to the last step. Return its end, or None if there is no directive."""
    if found := _TOOL.match(message, position):
        return _tool(message, found, steps)
    if found := _BAD_ARGS.match(message, position):
        _end_step(steps, found[1], MALFORMED)
        return found.end()
    if found := _NUMBER.match(message, position):
        _set_number(steps[-1], found[1], float(found[2]))
        return found.end()
    if found := _FLAG.match(message, position):
        _set_flag(steps[-1], found[1])
        return found.end()
    return None


def _tool(message: str, found: re.Match[str], steps: list[ScriptStep]) -> int | None:
    """Parse the arguments as one JSON object, which may contain `]]`. Missing arguments mean an empty object."""
    start = end = found.end()
    if message.startswith("{", start):
        try:
            _, end = _JSON.raw_decode(message, start)
        except (JSONDecodeError, RecursionError):
            return None
    close = _END.match(message, end)
    if close is None:
        return None
    _end_step(steps, found[1], message[start:end] or "{}")
    return close.end()


def _end_step(steps: list[ScriptStep], tool: str, arguments: str) -> None:
    steps[-1].tool, steps[-1].arguments = tool, arguments
    steps.append(ScriptStep())


def _set_number(step: ScriptStep, name: str, value: float) -> None:
    match name:
        case "words":
            step.words = int(value)
        case "fail-after":
            step.fail_after = int(value)
        case "sleep":
            step.sleep_s = min(value, MAX_SLEEP_S)
        case _:
            step.pace_s = min(value, MAX_PACE_S)


def _set_flag(step: ScriptStep, name: str) -> None:
    if name == "fail":
        step.fail_after = 0
    else:
        step.echo_history = True
