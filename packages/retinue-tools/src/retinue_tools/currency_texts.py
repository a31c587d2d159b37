"""Amounts of money as text, where Babel departs from Unicode CLDR."""

import re
import unicodedata
from decimal import Decimal
from typing import Literal

from babel import Locale
from babel.numbers import format_currency, get_currency_precision, get_currency_symbol

CurrencyStyle = Literal["name", "standard", "accounting"]
"""How an amount is written: "12 euros", "€12" or "(€12)" for a negative one."""


def currency_text(
    amount: Decimal, currency: str, locale: Locale, style: CurrencyStyle = "standard", pattern: str | None = None
) -> str:
    """Format an amount, with the decimals of the pattern or else those of the currency."""
    if not pattern:
        # The plural of a currency's name depends on the displayed digits: "1 euro" in English, but "1.00 euros".
        amount = round(amount, get_currency_precision(currency))
    text = format_currency(amount, currency, pattern, locale=locale, format_type=style, currency_digits=not pattern)
    return text if style == "name" else _space(text, get_currency_symbol(currency, locale=locale))


def _space(text: str, symbol: str) -> str:
    """Insert a no-break space between digits and a symbol without a currency sign at that end (currencySpacing)."""
    if unicodedata.category(symbol[-1])[0] not in "SZ":
        text = re.sub(rf"({re.escape(symbol)})(?=\d)", "\\1\xa0", text)
    if unicodedata.category(symbol[0])[0] not in "SZ":
        text = re.sub(rf"(?<=\d)({re.escape(symbol)})", "\xa0\\1", text)
    return text
