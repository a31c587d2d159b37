"""The type of amounts in USD in requests: exact decimal strings."""

from decimal import Decimal
from typing import Annotated

from pydantic import AfterValidator, BeforeValidator

DIGITS = 9
"""Maximum digits before and after the decimal point."""


def _decimal(value: object) -> object:
    """Accept a number for a decimal string."""
    return f"{Decimal(str(value)):f}" if isinstance(value, int | float) and not isinstance(value, bool) else value


def _check(text: str) -> str:
    integer, _, fraction = text.partition(".")
    digits = [part for part in (integer, fraction) if part]
    if not integer or text.endswith(".") or not all(part.isascii() and part.isdecimal() for part in digits):
        raise ValueError('must be a decimal string, such as "0.50"')
    if max(map(len, digits)) > DIGITS:
        raise ValueError(f"can have at most {DIGITS} digits before and after the decimal point")
    return text


Dollars = Annotated[str, BeforeValidator(_decimal), AfterValidator(_check)]
"""A decimal string; a number is accepted, too."""
