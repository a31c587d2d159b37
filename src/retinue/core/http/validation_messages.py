"""Describes all validation errors of a request in plain English."""

from collections.abc import Sequence

from pydantic import ValidationError
from pydantic_core import ErrorDetails

_TYPES = {
    "string_type": "must be a string",
    "int_type": "must be an integer",
    "int_parsing": "must be an integer",
    "int_from_float": "must be an integer",
    "float_type": "must be a number",
    "bool_type": "must be true or false",
    "list_type": "must be a list",
    "dict_type": "must be an object",
    "missing": "is required",
    "extra_forbidden": "is not a known field",
    "finite_number": "must be a finite number",
    "int_parsing_size": "is out of range",
}


_BOUNDS = {
    "string_too_short": "must have at least {min_length:,} characters",
    "string_too_long": "must have at most {max_length:,} characters",
    "literal_error": "must be one of {expected}",
    "greater_than_equal": "must be at least {ge}",
    "less_than_equal": "must be at most {le}",
    "too_long": "can have at most {max_length} items",
}
"""Reasons that name the bound. They are formatted with the problem's context."""


def describe(problems: Sequence[ErrorDetails]) -> str:
    """Describe all problems in one sentence that names every invalid field."""
    missing = [_name(p) for p in problems if p["type"] == "missing"]
    others = [f"{_name(p)} {reason(p)}" for p in problems if p["type"] != "missing"]
    parts = [f"Missing required fields: {', '.join(missing)}"] if missing else []
    return "; ".join(parts + sorted(set(others))) + "."


def describe_fields(error: ValidationError, *path: str) -> str:
    """Describe all problems of values that are in the body of a request, or at a path in it."""
    return describe([{**problem, "loc": ("body", *path, *problem["loc"])} for problem in error.errors()])


def _name(problem: ErrorDetails) -> str:
    location = [str(part) for part in problem["loc"][1:] if not str(part).startswith(("function-", "list["))]
    return ".".join(location)[:200] or "the body"


def reason(problem: ErrorDetails) -> str:
    """Return the reason of a problem without the field name, such as "must be a string"."""
    kind, context = problem["type"], problem.get("ctx", {})
    if kind in _TYPES:
        return _TYPES[kind]
    if kind == "value_error":
        return str(context["error"])
    if kind == "string_too_short" and context["min_length"] == 1:
        return "must not be empty"
    return _BOUNDS[kind].format(**context) if kind in _BOUNDS else str(problem["msg"])
