"""Describes all validation errors of a request in plain English."""

import re
from collections.abc import Iterable, Mapping, Sequence

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from retinue.core.http.pattern_words import PATTERN_WORDS

_TYPES = {
    "must be a string": ("string_type", "string_sub_type", "string_unicode", "bytes_type", "url_type"),
    "must be an integer": ("int_type", "int_parsing", "int_from_float"),
    "must be a number": ("float_type", "float_parsing", "decimal_type", "decimal_parsing"),
    "must be true or false": ("bool_type", "bool_parsing"),
    "must be a list": ("list_type", "tuple_type", "set_type", "frozen_set_type", "iterable_type"),
    "must be an object": ("dict_type", "mapping_type", "model_type", "model_attributes_type", "dataclass_type"),
}
"""Reasons about the JSON type of a value, with the types of errors that they describe."""

_RULES = {
    "is required": ("missing",),
    "is not a known field": ("extra_forbidden",),
    "is out of range": ("int_parsing_size",),
    "is nested too deeply": ("recursion_loop", "recursion_depth_exceeded"),
    "is read-only": ("frozen_field", "frozen_instance"),
    "must be a finite number": ("finite_number",),
    "must be null": ("none_required",),
    "must be valid JSON": ("json_type", "json_invalid"),
    "must be a UUID": ("uuid_type", "uuid_parsing", "uuid_version"),
    "must be a URL such as https://example.com": ("url_parsing", "url_syntax_violation", "url_scheme"),
    "must be an existing date in the format YYYY-MM-DD": (
        "date_type",
        "date_parsing",
        "date_from_datetime_parsing",
        "date_from_datetime_inexact",
    ),
    "must be an existing date and time such as 2026-11-30T09:30:00Z": (
        "datetime_type",
        "datetime_parsing",
        "datetime_object_invalid",
        "datetime_from_date_parsing",
    ),
    "must be a time such as 09:30:00": ("time_type", "time_parsing"),
    "must be a duration such as PT30M": ("time_delta_type", "time_delta_parsing"),
    "must be in the past": ("date_past", "datetime_past"),
    "must be in the future": ("date_future", "datetime_future"),
    "must be without an offset from UTC": ("timezone_naive",),
    "must be with an offset from UTC, such as Z": ("timezone_aware", "timezone_offset"),
    "must be plain ASCII text": ("string_not_ascii", "bytes_invalid_encoding"),
    "must have strings as keys": ("invalid_key",),
}
"""Other reasons that name no value of the schema."""

_BOUNDS = {
    "string_too_short": "must have at least {min_length:,} characters",
    "string_too_long": "must have at most {max_length:,} characters",
    "url_too_long": "must have at most {max_length:,} characters",
    "bytes_too_short": "must have at least {min_length:,} bytes",
    "bytes_too_long": "must have at most {max_length:,} bytes",
    "literal_error": "must be one of {expected}",
    "enum": "must be one of {expected}",
    "union_tag_invalid": "must have as {discriminator} one of {expected_tags}",
    "union_tag_not_found": "must have the field {discriminator}",
    "greater_than": "must be more than {gt}",
    "greater_than_equal": "must be at least {ge}",
    "less_than": "must be less than {lt}",
    "less_than_equal": "must be at most {le}",
    "multiple_of": "must be a multiple of {multiple_of}",
    "too_short": "must have at least {min_length:,} items",
    "too_long": "can have at most {max_length} items",
    "decimal_max_digits": "can have at most {max_digits} digits",
    "decimal_max_places": "can have at most {decimal_places} digits after the decimal point",
    "decimal_whole_digits": "can have at most {whole_digits} digits before the decimal point",
}
"""Reasons that name the bound. They are formatted with the problem's context."""

_REASONS = {kind: text for group in (_TYPES, _RULES) for text, kinds in group.items() for kind in kinds}
_CHOICES = frozenset(kind for kinds in _TYPES.values() for kind in kinds) | {"literal_error", "none_required"}
"""Types of errors by which a value chooses between the alternatives of a union."""

_PREDICATE = re.compile(r"(?:must|is|are|has|can|cannot|contains|names|needs|requires) ")
Location = Sequence[str | int]


def describe(problems: Sequence[ErrorDetails]) -> str:
    """Describe all problems in one sentence that names every invalid field."""
    problems = _without_other_alternatives(problems)
    missing = dict.fromkeys(_name(p) for p in problems if p["type"] == "missing")
    others = [p for p in problems if p["type"] != "missing"]
    reasons: dict[str, list[str]] = {}
    for problem in others:
        reasons.setdefault(_name(problem), []).append(reason(problem))
    parts = [_statement(name, text) for name, texts in reasons.items() for text in _merge(texts)]
    found = [f"Missing required fields: {', '.join(missing)}"] if missing else []
    text = "; ".join(found + sorted(set(parts)))
    is_sentence = bool(others) and not missing and not _name(others[0])
    return f"{text[:1].upper() if is_sentence else text[:1]}{text[1:].rstrip('.')}."


def describe_fields(error: ValidationError, *path: str) -> str:
    """Describe all problems of values that are in the body of a request, or at a path in it."""
    return describe([{**problem, "loc": ("body", *path, *problem["loc"])} for problem in error.errors()])


def field_location(problem: ErrorDetails, value: object) -> Location:
    """Return where the invalid value is in `value`, without the names of alternatives of a union."""
    steps: list[str | int] = []
    for index, step in enumerate(problem["loc"]):
        is_missing = problem["type"] == "missing" and index == len(problem["loc"]) - 1
        if isinstance(value, list) and isinstance(step, int):  # noqa: SIM114 - the types differ
            value = value[step]
        elif isinstance(value, Mapping) and step in value:
            value = value[step]
        elif not is_missing:
            continue
        steps.append(step)
    return steps


def reason(problem: ErrorDetails) -> str:
    """Return the reason of a problem without the field name, such as "must be a string"."""
    kind, context = problem["type"], problem.get("ctx", {})
    if kind in _REASONS:
        return _REASONS[kind]
    if kind in ("value_error", "assertion_error"):
        return str(context["error"])
    if kind in ("string_too_short", "too_short", "bytes_too_short") and context["min_length"] == 1:
        return "must not be empty"
    if kind == "string_pattern_mismatch":
        return PATTERN_WORDS.get(context["pattern"], "must be in the documented format")
    return _BOUNDS[kind].format(**context) if kind in _BOUNDS else "is invalid"


def _name(problem: ErrorDetails) -> str:
    location = [str(part) for part in problem["loc"][1:] if not str(part).startswith(("function-", "list["))]
    return ".".join(location)[:200]


def _statement(name: str, text: str) -> str:
    """Return the reason as a statement about a field. A reason with a subject of its own needs no other."""
    if _PREDICATE.match(text):
        return f"{name or 'the body'} {text}"
    return f"{name}: {text}" if name else text


def _without_other_alternatives(problems: Sequence[ErrorDetails]) -> list[ErrorDetails]:
    """Leave out the alternatives of a union that a value did not choose, if it has problems as another one."""
    chosen = {_steps(problem)[:depth] for problem in problems for depth in range(len(problem["loc"]))}
    chosen |= {_steps(problem) for problem in problems if problem["type"] not in _CHOICES}
    return [problem for problem in problems if problem["type"] not in _CHOICES or _steps(problem) not in chosen]


def _steps(problem: ErrorDetails) -> tuple[str, ...]:
    return tuple(map(str, problem["loc"]))


def _merge(reasons: Iterable[str]) -> list[str]:
    """Join the types that a union allows: "must be a string" and "must be a number" are one reason."""
    reasons = list(dict.fromkeys(reasons))
    types = [text.partition(" be ")[2] for text in _TYPES if text in reasons]
    if "a number" in types and "an integer" in types:
        types.remove("an integer")
    if not types:
        return reasons
    rest = [text for text in reasons if text not in _TYPES]
    choice = " or ".join(filter(None, (", ".join(types[:-1]), types[-1])))
    return [*rest, f"must be {choice}"]
