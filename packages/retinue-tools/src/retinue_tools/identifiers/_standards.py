"""Shared by the tools for standard numbers."""

from typing import Annotated, Any

from stdnum.exceptions import InvalidChecksum, InvalidComponent, InvalidFormat, InvalidLength, ValidationError

from retinue.sdk import About

Country = Annotated[str, About("Two-letter country code (ISO 3166-1)", "DE", pattern="^[A-Za-z]{2}$", max_length=2)]
Valid = Annotated[bool, About("Whether the form and check digits are valid; not whether it was issued")]
Problem = Annotated[str, About("Problem description; empty if there is none")]

_PROBLEMS: dict[Any, str] = {
    InvalidChecksum: "The check digit is wrong: a digit was mistyped.",
    InvalidLength: "It has a wrong number of characters.",
    InvalidFormat: "It has characters or a shape that do not belong there.",
    InvalidComponent: "A part of it, such as the country or a date, does not exist.",
}


def judge(standard: Any, number: str) -> tuple[str | None, str]:
    """Return a number without separators, or None and the problem."""
    try:
        return str(standard.validate(number)), ""
    except ValidationError as error:
        return None, _PROBLEMS.get(type(error), "It is not valid.")
    except (ValueError, IndexError, KeyError):
        return None, _PROBLEMS[InvalidFormat]


def format_number(standard: Any, number: str) -> str:
    """Return the number in its usual format."""
    return str(standard.format(number)) if hasattr(standard, "format") else number
