"""Language tags, and the conventions of a language and region (Unicode CLDR)."""

import re
from datetime import date, time
from decimal import Decimal
from typing import Annotated, Any, Literal

from babel import Locale, UnknownLocaleError
from babel.dates import format_date, format_time
from babel.numbers import format_decimal, get_territory_currencies
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.currency_texts import currency_text

LocaleName = Annotated[
    str, About("Language and region", "de-CH", pattern="^[A-Za-z0-9_-]+$", min_length=2, max_length=40)
]


class Conventions(TypedDict):
    """Conventions of a locale."""

    locale: Annotated[str, About("Locale as parsed")]
    name: Annotated[str, About("English name")]
    own_name: Annotated[str, About("Name in its own language")]
    right_to_left: Annotated[bool, About("Whether it is written from right to left")]
    decimal_sign: Annotated[str, About("Decimal separator")]
    group_sign: Annotated[str, About("Thousands separator")]
    number_example: Annotated[str, About("1234567.89 in this locale")]
    currency: Annotated[str | None, About("Currency of the region")]
    currency_example: Annotated[str | None, About("1234.5 in the currency of the region")]
    short_date_pattern: Annotated[str, About("CLDR pattern of short dates")]
    date_examples: Annotated[list[str], About("31 December 2026 in short and long form")]
    time_example: Annotated[str, About("15:04 in this locale")]
    first_weekday: Annotated[str, About("First day of the week, in English")]
    weekend: Annotated[list[str], About("Days of the weekend, in English")]


_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")


@tool(
    tags="locale conventions date number currency format week first day cldr i18n",
    use_when=(
        "How are numbers and dates written in Switzerland?",
        "Which day does the week begin with in the US?",
        "What is the decimal separator in Brazil?",
    ),
    examples=(
        Example(
            {"locale": "de-DE"},
            {
                "decimal_sign": ",",
                "group_sign": ".",
                "number_example": "1.234.567,89",
                "currency": "EUR",
                "first_weekday": "monday",
                "short_date_pattern": "dd.MM.yy",
                "weekend": ["saturday", "sunday"],
            },
            source="CLDR, de",
        ),
        Example(
            {"locale": "en_US"},
            {"first_weekday": "sunday", "number_example": "1,234,567.89", "right_to_left": False, "currency": "USD"},
            source="CLDR, en-US",
        ),
        Refusal({"locale": "xx-YY"}, "no locale"),
    ),
    reply={
        "currency_example": (
            "In {name} a number is written {number_example} and an amount "
            "{currency_example}; the week begins on {first_weekday}."
        ),
        "": "In {name} a number is written {number_example}; the week begins on {first_weekday}.",
    },
)
def locale_describe_conventions(locale: LocaleName) -> Conventions:
    """Describe how numbers, money, dates and weeks are written in a language and region (CLDR).

    Use it to localise a program or a document. Returns the patterns, and an example of each.
    """
    known = _locale(locale)
    currencies = get_territory_currencies(known.territory) if known.territory else []
    currency = currencies[-1] if currencies else None
    day, hour = date(2026, 12, 31), time(15, 4)
    symbols = known.number_symbols.get(known.default_numbering_system) or known.number_symbols["latn"]
    return {
        "locale": str(known).replace("_", "-"),
        "name": known.get_display_name("en") or str(known),
        "own_name": known.display_name or str(known),
        "right_to_left": known.text_direction == "rtl",
        "decimal_sign": symbols["decimal"],
        "group_sign": symbols["group"],
        "number_example": format_decimal(1234567.89, locale=known),
        "currency": currency,
        "currency_example": currency_text(Decimal("1234.5"), currency, known) if currency else None,
        "short_date_pattern": known.date_formats["short"].pattern,
        "date_examples": [format_date(day, style, locale=known) for style in ("short", "long")],
        "time_example": format_time(hour, "short", locale=known),
        "first_weekday": _DAYS[known.first_week_day],
        "weekend": _weekend(known.weekend_start, known.weekend_end),
    }


def _weekend(first: int, last: int) -> list[str]:
    return [_DAYS[(first + step) % 7] for step in range((last - first) % 7 + 1)]


def _locale(name: str) -> Any:
    try:
        return Locale.parse(name.replace("-", "_"))
    except (UnknownLocaleError, ValueError, TypeError) as error:
        raise ToolError(f"There is no locale {name}. Write it as de-CH or pt-BR.") from error


class Translated(TypedDict):
    """A name in another language."""

    name: Annotated[str, About("Name in the target language")]
    symbol: Annotated[str | None, About("Currency symbol in that language")]


@tool(
    tags="translate country language currency name locale localized exonym cldr",
    use_when=(
        "What is Germany called in Japanese?",
        "Name of the currency CHF in French",
        "How do you say the language Swedish in Finnish?",
    ),
    examples=(
        Example({"code": "DE", "kind": "country", "language": "fr"}, {"name": "Allemagne"}, source="CLDR, fr"),
        Example({"code": "sv", "kind": "language", "language": "fi"}, {"name": "ruotsi"}, source="CLDR, fi"),
        Example(
            {"code": "USD", "kind": "currency", "language": "de"},
            {"name": "US-Dollar", "symbol": "$"},
            source="CLDR, de",
        ),
        Refusal({"code": "QQ", "kind": "country", "language": "fr"}, "no name"),
    ),
    reply={
        "symbol": "It is called {name}, with the symbol {symbol}.",
        "": "It is called {name}.",
    },
)
def locale_translate_name(
    code: Annotated[
        str, About("ISO code: DE, sv, USD, Cyrl", "DE", pattern="^[A-Za-z0-9-]+$", min_length=2, max_length=11)
    ],
    kind: Annotated[Literal["country", "language", "currency", "script"], About("Kind of the code")],
    language: LocaleName,
) -> Translated:
    """Give (translate) the name of a country, language, currency or script in another language (CLDR).

    Use it for lists of options in a localised program.
    """
    known = _locale(language)
    if kind == "language":
        key, names = code.lower().replace("-", "_"), known.languages
    elif kind == "script":
        key, names = code.title(), known.scripts
    else:
        key, names = code.upper(), known.territories if kind == "country" else known.currencies
    if key not in names:
        raise ToolError(f"There is no name of the {kind} {code} in {language}. Check the code.")
    symbol = known.currency_symbols.get(key) if kind == "currency" else None
    return {"name": names[key], "symbol": symbol}


_TAG = re.compile(
    r"(?P<language>[a-z]{2,3}|[a-z]{5,8})"
    r"(?P<extended>(?:-[a-z]{3}){0,3})"
    r"(?:-(?P<script>[a-z]{4}))?"
    r"(?:-(?P<region>[a-z]{2}|\d{3}))?"
    r"(?P<variants>(?:-(?:[a-z0-9]{5,8}|\d[a-z0-9]{3}))*)"
    r"(?P<extensions>(?:-[0-9a-wy-z](?:-[a-z0-9]{2,8})+)*)"
    r"(?:-x-(?P<private>[a-z0-9]{1,8}(?:-[a-z0-9]{1,8})*))?",
    re.IGNORECASE,
)
"""RFC 5646, section 2.1, without the grandfathered tags."""


class LanguageTag(TypedDict):
    """Parts of a language tag."""

    tag: Annotated[str, About("Usual letter case: zh-Hant-TW")]
    language: str
    script: str | None
    region: str | None
    variants: list[str]
    extensions: list[str]
    private: str | None


@tool(
    tags="bcp47 language tag locale ietf rfc5646 script region subtag parse zh-hant-tw en-gb hreflang",
    use_when=(
        "Take apart zh-Hant-TW: language, script, region",
        "Is en_gb a right language tag, and how is it written?",
        "Which region and variant has de-CH-1996?",
    ),
    examples=(
        Example(
            {"tag": "ZH-hant-tw"},
            {"tag": "zh-Hant-TW", "language": "zh", "script": "Hant", "region": "TW"},
            source="RFC 5646, sections 2.1.1 and appendix A",
        ),
        Example({"tag": "de-CH-1996"}, {"region": "CH", "variants": ["1996"]}, source="RFC 5646, appendix A"),
        Refusal({"tag": "a-DE"}, "not a language tag"),
    ),
    reply={
        "script": "{tag} is the language {language} in the script {script}, of the region {region}.",
        "region": "{tag} is the language {language} of the region {region}.",
        "script, tag": "{tag} is the language {language} in the script {script}.",
        "": "{tag} is the language {language}.",
    },
)
def language_tag_parse(
    tag: Annotated[str, About("Language tag", "zh-Hant-TW", min_length=1, max_length=200)],
) -> LanguageTag:
    """Parse a language tag (BCP 47, RFC 5646): language, script, region and variants, in the usual letter case.

    Use it for web pages and translations. It does not check whether the parts are registered.
    """
    match = _TAG.fullmatch(tag.strip().replace("_", "-"))
    if match is None:
        raise ToolError(f"{tag} is not a language tag. Write it as en, en-GB or zh-Hant-TW.")
    language, script, region = match["language"].lower(), match["script"], match["region"]
    variants, extensions = _parts(match["variants"]), re.findall(r"\w(?:-\w{2,})+", match["extensions"].lower())
    private = match["private"]
    subtags = [language, *_parts(match["extended"])]
    subtags += [script.title()] if script else []
    subtags += [region.upper()] if region else []
    subtags += [*variants, *extensions, *([f"x-{private.lower()}"] if private else [])]
    return {
        "tag": "-".join(subtags),
        "language": language,
        "script": script and script.title(),
        "region": region and region.upper(),
        "variants": variants,
        "extensions": extensions,
        "private": private and private.lower(),
    }


def _parts(text: str) -> list[str]:
    return [part.lower() for part in text.split("-") if part]
