"""Format numbers, prices and dates as readers of the page's language write them, by the rules of CLDR.

A start can do without Babel, so the functions import it.
"""

from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from functools import cache
from typing import TYPE_CHECKING

from retinue.language.translation import LANGUAGES, SOURCE, current_language

if TYPE_CHECKING:
    from babel import Locale


def load_locales() -> None:
    """Read the locale data of all languages, which takes some tenths of a second."""
    for language in LANGUAGES:
        token = current_language.set(language)
        format_number(0)
        format_day(date.min)
        current_language.reset(token)


def format_number(value: float | Decimal) -> str:
    """Format a number with all its digits, and separators between thousands."""
    from babel.numbers import format_decimal

    return str(format_decimal(value, locale=current_language.get(), decimal_quantization=False))


def format_fixed(value: float | Decimal, digits: int) -> str:
    """Format a number with `digits` digits after the decimal separator."""
    from babel.numbers import format_decimal

    return str(format_decimal(Decimal(f"{value:.{digits}f}"), f"#,##0.{'0' * digits}", current_language.get()))


def format_choices(choices: Sequence[str]) -> str:
    """Format choices as a list, such as "skip, queue or parallel"."""
    from babel.lists import format_list

    return str(format_list(choices, "or", current_language.get()))


def format_share(share: float) -> str:
    """Format a share with one digit: 0.125 becomes "12.5%"."""
    from babel.numbers import format_percent

    pattern = _locale(current_language.get()).percent_formats[None].pattern.replace("#,##0", "0.0")
    return str(format_percent(Decimal(f"{100 * share:.1f}") / 100, pattern, current_language.get()))


def format_usd(amount: Decimal, digits: int) -> str:
    """Format an amount of US dollars with `digits` digits after the decimal separator."""
    from babel.numbers import format_decimal

    pattern = _locale(current_language.get()).currency_formats["standard"].pattern
    pattern = pattern.replace("¤", "$").replace("0.00", f"0.{'0' * digits}")
    return str(format_decimal(amount, pattern, current_language.get()))


def format_day(day: date, *, with_year: bool = True) -> str:
    """Format a date, such as "29 Nov 2026"."""
    from babel.dates import format_date, format_skeleton

    if current_language.get() == SOURCE:  # CLDR has no order of day and month for all readers of English.
        return format_date(day, "d MMM y" if with_year else "d MMM", SOURCE)
    return format_skeleton("yMMMd" if with_year else "MMMd", day, locale=current_language.get())


@cache
def _locale(language: str) -> "Locale":
    from babel import Locale

    return Locale.parse(language)
