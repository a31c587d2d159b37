"""Numbers formatted for locales."""

import re
from decimal import Decimal, InvalidOperation, localcontext
from typing import Annotated, Literal

import babel
import babel.numbers
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.currency_texts import currency_text
from retinue_tools.data_formats._values import Written

_DIGITS = 700
"""Enough for every digit of a double, before and after the point."""

_SIGNS = r"(?:US|AU?|CA?|HK|MX|NT|NZ|R|SG?)?\$|[¢-¥֏؋฿៛\u20a0-\u20cf]|[%‰٪]"
"""Signs of currencies, such as € and US$, and of percent."""

Locale = Annotated[
    str, About("Locale as language and country", "de-DE", min_length=2, max_length=20, pattern="^[A-Za-z0-9_-]+$")
]


class Amount(TypedDict):
    """A parsed number."""

    value: Annotated[float, About("The number")]
    decimal: Annotated[str, About("Decimal digits, exactly as written")]


@tool(
    tags="number format locale currency percent thousands separator decimal comma compact",
    use_when=(
        "Write 1234567.891 the German way",
        "Format 1299.5 as euros for France",
        "Show 0.256 as percent in Swedish",
    ),
    examples=(
        Example({"number": 1234567.891, "locale": "de-DE"}, {"text": "1.234.567,891"}, source="Unicode CLDR, German"),
        Example(
            {"number": 1299.5, "locale": "en-US", "style": "currency", "currency": "EUR"},
            {"text": "€1,299.50"},
            source="Unicode CLDR, English",
        ),
        Example(
            {"number": 12345678.9, "locale": "en-IN", "decimals": 0},
            {"text": "1,23,45,679"},
            source="Unicode CLDR, Indian grouping",
        ),
        Example(
            {"number": 0.256, "locale": "en-US", "style": "percent"}, {"text": "26%"}, source="Unicode CLDR, English"
        ),
        Refusal({"number": 1, "locale": "xx-YY"}, "not a known locale"),
        Refusal({"number": 1, "locale": "en", "style": "currency"}, "Specify a currency"),
    ),
    reply={
        "text": "{text}",
        "": "The text: {text}",
    },
)
def number_format_locale(
    number: Annotated[float, About("The number", 1234567.891)],
    locale: Locale,
    style: Annotated[
        Literal["decimal", "percent", "currency", "scientific", "compact"], About("Kind of notation")
    ] = "decimal",
    currency: Annotated[
        str | None, About("ISO 4217 code, for the style currency", "EUR", pattern="^[A-Z]{3}$", max_length=3)
    ] = None,
    decimals: Annotated[
        int | None, About("Number of decimals; default: the usual number", 2, minimum=0, maximum=15)
    ] = None,
) -> Written:
    """Format a number in the style of a locale: decimal, percent, currency, scientific or compact.

    Use it for texts and invoices in other languages. Returns the text according to the Unicode CLDR; for percent, 0.256
    becomes 25.6 %.
    """
    place = _locale(locale)
    if style == "currency" and not currency:
        raise ToolError("Specify a currency by its ISO 4217 code, such as EUR.")
    with localcontext(prec=_DIGITS):
        return {"text": _format(Decimal(repr(number)), place, style, currency, decimals)}


@tool(
    tags="number parse locale decimal comma thousands read text currency",
    use_when=(
        "Read '1.234,56 €' as a number",
        "What number is 1'234.50 in Swiss notation?",
        "Is 1.000 in a German invoice one thousand or one?",
    ),
    examples=(
        Example(
            {"text": "1.234,56 \u20ac", "locale": "de-DE"},
            {"value": 1234.56, "decimal": "1234.56"},
            source="Unicode CLDR, German",
        ),
        Example(
            {"text": "-1\u202f234,5", "locale": "fr-FR"},
            {"value": -1234.5},
            source="Unicode CLDR, French: narrow space for groups",
        ),
        Example({"text": "(1,234.56)", "locale": "en-US"}, {"value": -1234.56}, source="accounting: a negative amount"),
        Refusal({"text": "1,23,4.5", "locale": "de-DE"}, "not a number"),
        Refusal({"text": "1.5 million", "locale": "en-US"}, "not a number"),
    ),
    reply="The number is {decimal}.",
)
def number_parse_locale(
    text: Annotated[
        str, About("Number as text, with or without a currency sign", "1.234,56 €", min_length=1, max_length=100)
    ],
    locale: Locale,
) -> Amount:
    """Parse a number written in the format of a locale, such as 1.234,56 in Germany.

    Use it to read amounts from documents of other countries. Returns the number and its exact decimal digits. Currency
    signs and codes, percent signs and spaces are ignored; brackets mean a negative amount.
    """
    place = _locale(locale)
    bare = _without_currency(text, place)
    group = babel.numbers.get_group_symbol(place)
    bare = bare.replace("\u2212", "-").replace("'", group if group == "\u2019" else "'")
    if group.isspace():
        bare = re.sub(r"\s", group, bare)
    try:
        value = babel.numbers.parse_decimal(bare, locale=place, strict=True)
    except (babel.numbers.NumberFormatError, InvalidOperation) as error:
        raise ToolError(f"{text!r} is not a number in {locale}. Check the locale and the grouping.") from error
    return {"value": float(value), "decimal": format(value, "f")}


def _without_currency(text: str, place: babel.Locale) -> str:
    """Return a signed number without currency and percent signs; empty if there is anything else in the text."""
    names = (*place.currency_symbols.values(), *babel.numbers.list_currencies())
    unit = "|".join((_SIGNS, *map(re.escape, sorted(names, key=len, reverse=True))))
    plain = re.sub("[\u061c\u200e\u200f]", "", text)
    plain = re.sub(rf"(?<![^\W\d])(?:{unit})(?![^\W\d])", " ", plain, flags=re.IGNORECASE).strip()
    found = re.fullmatch(r"(\()?\s*([-+\u2212]?)([\d.,'\u2019\s\u066b\u066c]+)(?(1)\))", plain)
    return f"{'-' if found[1] else ''}{found[2]}{found[3].strip()}" if found else ""


def _format(value: Decimal, place: babel.Locale, style: str, currency: str | None, decimals: int | None) -> str:
    numbers = babel.numbers
    if decimals is not None and style != "compact":
        value = round(value, decimals + 2 * (style == "percent"))
    if style == "currency":
        pattern = _pattern(place.currency_formats["standard"].pattern, decimals)
        text: str = currency_text(value, str(currency), place, pattern=None if decimals is None else pattern)
    elif style == "percent":
        text = numbers.format_percent(value, _pattern(place.percent_formats[None].pattern, decimals), locale=place)
    elif style == "scientific":
        text = numbers.format_scientific(value, locale=place, decimal_quantization=False)
    elif style == "compact":
        text = _compact(value, place, decimals)
    elif decimals is None:
        text = numbers.format_decimal(value, locale=place, decimal_quantization=False)
    else:
        text = numbers.format_decimal(value, _pattern(place.decimal_formats[None].pattern, decimals), locale=place)
    return text


def _compact(value: Decimal, place: babel.Locale, decimals: int | None) -> str:
    """Round before the unit is chosen, by default to one decimal below 10 units: 1.5M and 12M, and 1M for 999,999."""
    patterns = place.compact_decimal_formats["short"]["other"]
    magnitude = max((int(key) for key in patterns if int(key) <= abs(value)), default=0)
    pattern = patterns[str(magnitude)].pattern if magnitude else "0"
    unit = Decimal(magnitude) / 10 ** (pattern.count("0") - 1)
    digits = int(abs(value) < 10 * unit) if decimals is None else decimals
    if pattern != "0":
        value = round(value / unit, digits) * unit
    return str(babel.numbers.format_compact_decimal(value, locale=place, fraction_digits=digits))


def _locale(name: str) -> babel.Locale:
    try:
        return babel.Locale.parse(name.replace("-", "_"))
    except (babel.UnknownLocaleError, ValueError, TypeError) as error:
        raise ToolError(f"{name} is not a known locale. Write it as de-DE or fr.") from error


def _pattern(pattern: str, decimals: int | None) -> str:
    """Return a CLDR pattern with this number of decimals."""
    if decimals is None:
        return pattern
    return re.sub(r"(?<=0)(?:\.[0#]+)?(?![0#.,])", f".{'0' * decimals}" if decimals else "", pattern)
