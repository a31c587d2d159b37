"""Formats JSON values as Markdown, inline or as blocks."""

import calendar
import math
import re
from collections.abc import Mapping, Sequence
from datetime import date
from types import MappingProxyType
from typing import Any

import orjson

_INLINE = 100
"""Most characters of an inline text."""
_FIELDS = 6
"""Most fields of an inline object."""
_DIGITS = 12
"""Significant digits of a number; further digits are floating-point noise."""
_WHOLE = 10.0**15
_MOMENT = re.compile(
    r"(?P<day>\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01]))T(?P<clock>\d\d:\d\d)(?P<seconds>:\d\d(?:\.\d+)?)?(?P<zone>Z|[-+]\d\d:\d\d)?"
)
_DAY = re.compile(r"(?P<day>[12]\d{3}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01]))")
_SIGNIFICANT, _DECIMALS = 6, 2
"""Digits of a number in a sentence. The result of the call has all of them."""
_GROUPED = 10_000
"""From this amount on, thousands have separators."""
_EMPTY: tuple[object, ...] = (None, "", [])
_TIMES = frozenset(("created_at", "updated_at"))
"""Columns of records that tables omit, and likewise the id of records with a title."""
_NAMED_VALUES = frozenset(("status", "priority", "weekday"))
"""Columns whose values are words of this server."""
_STEP = frozenset(("text", "done"))
"""The fields of a step of a checklist."""
_TITLES = frozenset(("title", "name", "text"))
_ZONES = {None: "", "Z": " UTC", "+00:00": " UTC"}

Json = Any


def fits_inline(value: Json) -> bool:
    """Return whether a value can be formatted inline."""
    match value:
        case str():
            return "\n" not in value and len(value) <= _INLINE
        case list():
            return all(map(_is_plain, value))
        case dict():
            return len(value) <= _FIELDS and all(map(_is_plain, value.values()))
        case _:
            return True


def inline(value: Json) -> str:
    """Format a value inline: numbers without noise, timestamps with a space before the time, lists with commas."""
    match value:
        case bool():
            return "yes" if value else "no"
        case str():
            return _moment(value)
        case list():
            return ", ".join(map(inline, value))
        case dict():
            return ", ".join(f"{_write_with_spaces(key)} {inline(one)}" for key, one in value.items())
        case None:
            return "none"
        case _:
            return str(_tidy(value))


def in_sentence(value: Json) -> str:
    """Format a value within a sentence: as inline, but with numbers rounded, and a date in words."""
    if isinstance(value, str) and (moment := split_moment(value)):
        day, clock = moment
        return f"{day.day} {calendar.month_name[day.month]} {day.year}{f' at {clock}' if clock else ''}"
    return inline(_round(value))


def split_moment(text: str) -> tuple[date, str] | None:
    """Return the date and the time ("" without one) of an ISO 8601 date; None for any other text."""
    if (moment := _MOMENT.fullmatch(text) or _DAY.fullmatch(text)) is None:
        return None
    return date.fromisoformat(moment["day"]), inline(text).removeprefix(moment["day"]).strip()


def _round(value: Json) -> Json:
    """Round a float to the digits that a person reads: six significant ones, but never to less than two decimals."""
    if not isinstance(value, float) or not value or not math.isfinite(value):
        return value
    return round(value, max(_DECIMALS, _SIGNIFICANT - 1 - math.floor(math.log10(abs(value)))))


def group_thousands(value: Json) -> str:
    """Write a number of things inline, from 10,000 on with separators."""
    if isinstance(value, int | float) and value >= _GROUPED:
        return f"{_round(value):,}".removesuffix(".0")
    return inline(_round(value))


def join_names(names: Sequence[str]) -> str:
    """Write names with commas, and "and" before the last."""
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))


def block(value: Json, as_json: bool, labels: Mapping[str, str] = MappingProxyType({})) -> str:
    """Format a value as a block: text, a table or a list, or JSON if `as_json`.

    `labels` are words of tables in another language.
    """
    if isinstance(value, str):
        return value if "\n" not in value else f"```\n{value}\n```"
    if as_json:
        return f"```json\n{orjson.dumps(_tidy(value), option=orjson.OPT_INDENT_2).decode()}\n```"
    return _check_list(value) or _table(_rows(value), labels) or "\n".join(_list(value))


def _check_list(value: Json) -> str:
    """Format steps that are done or not as a task list; empty for any other value."""
    if not isinstance(value, list) or not all(isinstance(one, dict) and one.keys() == _STEP for one in value):
        return ""
    return "\n".join(f"- [{'x' if step['done'] else ' '}] {inline(step['text'])}" for step in value)


def _list(value: Json, indent: str = "") -> list[str]:
    """Format nested values as the lines of a nested list."""
    pairs = value.items() if isinstance(value, dict) else (("", one) for one in value)
    lines: list[str] = []
    for key, one in pairs:
        name = f"{_write_with_spaces(key)}:" if key else ""
        if fits_inline(one) or isinstance(one, str):
            lines.append(f"{indent}- {name} {inline(one)}".replace("-  ", "- "))
        else:
            lines += [f"{indent}- {name}".rstrip(), *_list(one, indent + "  ")]
    return lines


def _is_plain(value: Json) -> bool:
    return not isinstance(value, list | dict) and fits_inline(value)


def _moment(text: str) -> str:
    if not (moment := _MOMENT.fullmatch(text)):
        return text
    seconds = moment["seconds"] if moment["seconds"] != ":00" else ""
    zone = _ZONES.get(moment["zone"], f" {moment['zone']}")
    return f"{moment['day']} {moment['clock']}{seconds or ''}{zone}"


def _write_with_spaces(key: str) -> str:
    """Write the name of a field with spaces. Names in capitals are data, such as variables."""
    return key.replace("_", " ") if key.islower() else key


def _tidy(value: Json) -> Json:
    """Convert whole floats to integers, and round other floats to the significant digits."""
    match value:
        case float():
            rounded = float(f"{value:.{_DIGITS}g}") if not value.is_integer() else value
            return int(rounded) if rounded.is_integer() and abs(rounded) < _WHOLE else rounded
        case list():
            return [_tidy(one) for one in value]
        case dict():
            return {key: _tidy(one) for key, one in value.items()}
        case _:
            return value


def _rows(value: Json) -> Json:
    """Return the fields of an object, or the lists in a list, as the rows of a table; any other value unchanged."""
    if isinstance(value, dict):
        return [{"": _write_with_spaces(key), "value": one} for key, one in value.items() if one not in _EMPTY]
    if isinstance(value, list) and all(isinstance(row, list) and all(map(_is_plain, row)) for row in value):
        return [{str(number): one for number, one in enumerate(row, 1)} for row in value]
    return value


def _table(value: Json, labels: Mapping[str, str]) -> str:
    """Format a list of flat objects as a Markdown table; empty for any other value.

    Names of columns are translated if all are known: others may be data of the user.
    """
    if not isinstance(value, list) or not all(map(_is_row, value)):
        return ""
    is_titled = all(row.keys() & _TITLES and row.keys() & _TIMES for row in value)
    omitted = {*_TIMES, "id"} if is_titled else _TIMES
    head = [
        *dict.fromkeys(key for row in value for key, one in row.items() if one not in _EMPTY and key not in omitted)
    ]
    rows = [[_cell(key, row.get(key), labels) for key in head] for row in value]
    if is_titled and len(head) == 1:
        return "\n".join(f"- {text}" for (text,) in rows)
    are_known = all(key in labels for key in head)
    names = [labels[key] if are_known else _write_with_spaces(key) for key in head]
    lines = [names, ["---"] * len(head), *rows]
    cells = [[cell.replace("|", "\\|") for cell in line] for line in lines]
    return "\n".join(f"| {' | '.join(line)} |" for line in cells)


def _cell(key: str, value: Json, labels: Mapping[str, str]) -> str:
    if value is None:
        return ""
    text = inline(value)
    return labels.get(text, text) if isinstance(value, bool) or key in _NAMED_VALUES else text


def _is_row(value: Json) -> bool:
    return isinstance(value, dict) and all(map(fits_inline, value.values()))
