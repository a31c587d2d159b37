"""Amounts of money as people write them: decimal separators, words such as million, and currencies."""

import re
import unicodedata
from collections.abc import Mapping
from decimal import Decimal
from typing import NamedTuple

import babel
import regex
from babel.numbers import get_currency_precision, get_decimal_symbol, get_group_symbol, list_currencies

from retinue.sdk import ToolError

_SPACES = r"\s\u00a0\u202f\u2009"
_NUMBER = re.compile(rf"(?:(?<![\w.,])[.,])?\d[\d.,'\u2019\u066b\u066c{_SPACES}]*")
_GROUPS = re.compile(r"\d{1,3}(?:,\d{3})+|\d{1,2}(?:,\d{2})+,\d{3}")
"""Groups of three digits, or of two before the last three as in India."""
_SCALES: Mapping[str, tuple[int, ...]] = {
    "k": (3,), "thousand": (3,), "tsd": (3,), "tausend": (3,), "mille": (3,), "mil": (6, 3), "mila": (3,), "m": (6,),
    "mm": (6,), "mn": (6,), "mln": (6,), "mio": (6,), "million": (6,), "millions": (6,), "millionen": (6,),
    "millón": (6,), "millones": (6,), "milione": (6,), "milioni": (6,), "milhão": (6,), "milhões": (6,), "lakh": (5,),
    "lakhs": (5,), "crore": (7,), "crores": (7,), "cr": (7,), "b": (9,), "bn": (9,), "bln": (9,), "mrd": (9,),
    "md": (9,), "mds": (9,), "milliarde": (9,), "milliarden": (9,), "milliard": (9,), "milliards": (9,),
    "miliardo": (9,), "miliardi": (9,), "bilhão": (9,), "bilhões": (9,), "billón": (12,), "billones": (12,),
    "billionen": (12,), "bilione": (12,), "bilioni": (12,), "t": (12,), "tn": (12,), "trn": (12,), "trillion": (12,),
    "trillions": (12,), "billion": (9, 12), "billions": (9, 12), "万": (4,), "億": (8,), "亿": (8,), "兆": (12,),
}  # fmt: skip
"""Powers of ten of number words; billion is 10^9 in English, 10^12 in German, French and Spanish; mil is a million in
English, a thousand in Spanish and Portuguese.
"""
_LONG_SCALE = {"de", "fr", "es", "it", "pl", "nl", "sv", "da"}
_SYMBOLS: Mapping[str, tuple[str, ...]] = {
    "US$": ("USD",), "R$": ("BRL",), "C$": ("CAD",), "A$": ("AUD",), "NZ$": ("NZD",), "HK$": ("HKD",),
    "S$": ("SGD",), "MX$": ("MXN",), "CA$": ("CAD",), "€": ("EUR",), "₹": ("INR",), "₽": ("RUB",), "₩": ("KRW",),
    "₺": ("TRY",), "₴": ("UAH",), "₪": ("ILS",), "₫": ("VND",), "฿": ("THB",), "zł": ("PLN",), "Kč": ("CZK",),
    "Fr.": ("CHF",), "Fr": ("CHF",), "SFr.": ("CHF",), "円": ("JPY",), "元": ("CNY",), "$": ("USD", "CAD", "AUD"),
    "£": ("GBP", "EGP"), "¥": ("JPY", "CNY"), "￥": ("JPY", "CNY"), "kr": ("SEK", "NOK", "DKK"),
    "kr.": ("DKK", "SEK", "NOK"), "Rs": ("INR", "PKR"), "Rs.": ("INR", "PKR"), "dollar": ("USD", "CAD", "AUD"),
    "dollars": ("USD", "CAD", "AUD"), "dólares": ("USD", "CAD", "AUD"), "euro": ("EUR",), "euros": ("EUR",),
    "pound": ("GBP", "EGP"), "pounds": ("GBP", "EGP"), "yen": ("JPY",), "reais": ("BRL",), "real": ("BRL",),
    "franken": ("CHF",), "zloty": ("PLN",),
}  # fmt: skip
_COMMON = {"usd", "eur", "gbp", "chf", "jpy", "cny", "inr", "brl", "sek", "nok", "dkk", "pln", "czk", "cad", "aud"}
"""Codes that are also recognised in lower case; others, such as all and top, are words."""


class WrittenAmount(NamedTuple):
    """An amount, and the possible currencies of its symbol, most likely first."""

    value: Decimal
    currencies: tuple[str, ...]


def read_amount(text: str, place: babel.Locale | None) -> WrittenAmount:
    """Parse the only amount in a text, with the rules of a locale if one is given.

    Raises `ToolError` for no amount, for several amounts, and for digits that mean different numbers in different
    locales.
    """
    plain = "".join(str(unicodedata.decimal(sign, sign)) for sign in text)
    found = [match for match in _NUMBER.finditer(plain) if match[0].strip()]
    if not found:
        raise ToolError("There is no number in the text. Give one amount such as 1,299.00 USD.")
    if len(found) > 1:
        raise ToolError(f"The text has {len(found)} numbers. Give one amount in a text, such as 1,299.00 USD.")
    before, after = plain[: found[0].start()], plain[found[0].end() :]
    word, after = _split_scale(after)
    currencies = _currencies(f"{before} {after}")
    power = _power(word, place, currencies)
    if not word and (not found[0][0][-1].isspace() or after.startswith("T€")):
        _reject_glued_word(found[0][0], after)
    digits = regex.sub(rf"[{_SPACES}'\u2019\u066c]", "", found[0][0]).replace("\u066b", ",").rstrip(".,")
    digits = f"0{digits}" if digits[0] in ".," else digits
    value = _number(digits, place, currencies, power).scaleb(power)
    return WrittenAmount(-value if _is_negative(before, found[0][0], after) else value, currencies)


def _split_scale(after: str) -> tuple[str, str]:
    """Return the number word after a number, empty if there is none, and the text without it. T€ is not a trillion."""
    word = regex.match(r"\s*([万億亿兆])", after) or regex.match(r"\s*(?!T€)([^\W\d_]+)\.?(?!\w)", after)
    if word is None or word[1].lower() not in _SCALES:
        return "", after
    return word[1].lower(), after[word.end() :]


def _power(word: str, place: babel.Locale | None, currencies: tuple[str, ...]) -> int:
    """Return the power of ten of a number word. Cr is a crore after rupees; else it marks a credit."""
    if not word or (word == "cr" and "INR" not in currencies):
        return 0
    if word == "mil":
        if place is None and currencies != ("BRL",):
            raise ToolError(
                "mil is ambiguous: a million in English, a thousand in Spanish. Give locale, such as en-US."
            )
        return 6 if place is not None and place.language == "en" else 3
    long = place is not None and place.language in _LONG_SCALE
    return _SCALES[word][-1] if long else _SCALES[word][0]


def _reject_glued_word(number: str, after: str) -> None:
    """Raise `ToolError` if letters that are no currency follow the digits at once, as in 5x."""
    word = regex.match(r"\p{Latin}+[.$]?", after)
    if word and not _currencies(word[0]):
        raise ToolError(
            f"{word[0]} after {number.strip()} is neither a number word nor a currency. Write it as 5 million USD."
        )


def _number(digits: str, place: babel.Locale | None, currencies: tuple[str, ...], power: int) -> Decimal:
    if place is not None:
        return _in_locale(digits, place)
    marks = {mark: digits.count(mark) for mark in ".," if mark in digits}
    if len(marks) == 2:
        decimal = max(marks, key=digits.rfind)
        if marks[decimal] > 1:
            raise ToolError(f"{digits} is not a number: both . and , separate its groups. Write it as 1,234.56.")
        return _part(digits, decimal, "." if decimal == "," else ",")
    if not marks:
        return Decimal(digits)
    [(mark, count)] = marks.items()
    if count > 1:
        return _part(digits, "", mark)
    whole, _, rest = digits.partition(mark)
    if len(rest) == 3 and len(whole) <= 3 and whole != "0":
        # No currency of two decimals has amounts with three; before a word such as million, any number of decimals is
        # possible.
        if power or not currencies or any(get_currency_precision(code) > 2 for code in currencies):
            raise ToolError(
                f"{digits} is ambiguous: {whole}{rest} if {mark} separates thousands, {whole}.{rest} if it separates "
                "decimals. Give locale, such as en-US or de-DE."
            )
        return Decimal(whole + rest)
    return Decimal(f"{whole}.{rest}")


def _in_locale(digits: str, place: babel.Locale) -> Decimal:
    group, decimal = get_group_symbol(place), get_decimal_symbol(place)
    return _part(digits, decimal, group if group in ".," else "", str(place).replace("_", "-"))


def _part(digits: str, decimal: str, group: str, locale: str = "") -> Decimal:
    """Parse digits with a separator for decimals and one for groups; either may be missing."""
    whole, _, rest = digits.partition(decimal) if decimal else (digits, "", "")
    sound = rest.isdigit() or not rest
    if group and group in whole:
        sound = sound and bool(_GROUPS.fullmatch(whole.replace(group, ",")))
        whole = whole.replace(group, "")
    if not sound or not whole.isdigit():
        rule = f"not a number as {locale} writes it" if locale else "not a number"
        raise ToolError(f"{digits} is {rule}. Give its locale, such as en-US or de-DE.")
    return Decimal(f"{whole}.{rest or 0}")


def _is_negative(before: str, number: str, after: str) -> bool:
    """True for a minus before the number or its currency, or after it as in 45.10-, and for brackets. Fr. 5.- is not
    negative, and the dash in 12 - Coffee is no minus.
    """
    dash = regex.fullmatch(r"(?:.*[\s(])?[-\u2212\u2013]\s*[\p{L}\p{Sc}.]*\s*|.*[\p{L}\p{Sc}]\s*[-\u2212]\s*", before)
    rest = number[len(number.rstrip()) :] + after
    trailing = regex.match(r"[-\u2212]|\s*[-\u2212]\s*(?:\p{Sc}|[A-Z]{3})?\s*$", rest)
    trailing = trailing and not number.rstrip().endswith((".", ","))
    return bool(dash or trailing) or ("(" in before and ")" in after)


def _currencies(text: str) -> tuple[str, ...]:
    for code in regex.findall(r"(?<!\p{L})\p{L}{3}(?!\p{L})", text):
        if code.upper() in list_currencies() and (code.isupper() or code in _COMMON):
            return (code.upper(),)
    for symbol in sorted(_SYMBOLS, key=len, reverse=True):
        pattern = rf"(?<!\p{{L}}){regex.escape(symbol)}(?!\p{{L}})" if symbol[0].isalpha() else regex.escape(symbol)
        if regex.search(pattern, text, regex.IGNORECASE if symbol.islower() else 0):
            return _SYMBOLS[symbol]
    return ()
