"""Numbers in words, and parsing of number words."""

import re
from decimal import ROUND_HALF_UP, Decimal, localcontext
from typing import Annotated, Literal

import num2words
from text_to_num import text2num
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.text._word_lists import word_list

_UNITS = {
    word: value
    for value, word in enumerate(
        word_list(
            "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
            " seventeen eighteen nineteen"
        )
    )
}
_TENS = {
    word: 10 * value
    for value, word in enumerate(["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"], 2)
}
_SCALES = {
    "thousand": 3, "million": 6, "billion": 9, "trillion": 12, "quadrillion": 15, "quintillion": 18,
}  # fmt: skip
_ORDINALS = {
    "first": "one", "second": "two", "third": "three", "fifth": "five", "eighth": "eight", "ninth": "nine",
    "twelfth": "twelve",
}  # fmt: skip

_IN_OTHER_LANGUAGES = (
    ("de", "dreihundertzweiundvierzig", "342"), ("de", "minus zwölf Komma fünf", "-12.5"),
    ("de", "eine Million zweihunderttausend", "1200000"), ("fr", "quatre-vingt-dix-sept", "97"),
    ("es", "mil novecientos ochenta y cuatro", "1984"), ("it", "trecentoquarantadue", "342"),
    ("pt", "trezentos e quarenta e dois", "342"), ("nl", "driehonderdtweeënveertig", "342"),
)  # fmt: skip

Language = Literal[
    "ar", "de", "dk", "en", "en_IN", "es", "fr", "fr_CH", "he", "id", "it", "lt", "lv", "nl", "no", "pl", "pt_BR", "ru",
    "sl", "tr", "uk",
]  # fmt: skip


class Spelled(TypedDict):
    """A number in words."""

    words: Annotated[str, About("Number in words")]


class Read(TypedDict):
    """A number parsed from words."""

    number: Annotated[str, About("Exact number in digits")]
    value: Annotated[float, About("Value as a number, rounded from 2^53 on")]
    ordinal: Annotated[bool, About("Whether it is an ordinal such as twenty-first")]


@tool(
    tags="number to words spell out cheque check amount currency ordinal cardinal year num2words",
    use_when=(
        "Write 1234.56 dollars in words for a cheque",
        "Spell out 1999 as a year",
        "How is 42nd written in German words?",
        "Write 1,000,001 in words",
    ),
    examples=(
        Example({"number": "1000001"}, {"words": "one million and one"}, "British usage"),
        Example({"number": "1999", "form": "year"}, {"words": "nineteen ninety-nine"}, "usage of years"),
        Example({"number": "1905", "form": "year"}, {"words": "nineteen oh five"}, "usage of years"),
        Example({"number": "71", "language": "fr"}, {"words": "soixante et onze"}, "Académie française"),
        Example({"number": "21", "form": "ordinal", "language": "de"}, {"words": "einundzwanzigste"}, "Duden"),
        Example(
            {"number": "12.50", "form": "currency", "currency": "EUR"},
            {"words": "twelve euro, fifty cents"},
            "EU style: euro",
        ),
        Refusal({"number": "-3", "form": "ordinal"}, "cannot be written"),
        Refusal({"number": "12a"}, "number"),
    ),
    reply={
        "words": "{words}",
        "": "In words: {words}",
    },
)
def text_spell_number(
    number: Annotated[
        str,
        About(
            "Number in digits, with . for decimals",
            "1234.56",
            pattern=r"^-?[0-9]{1,30}(\.[0-9]{1,10})?$",
            max_length=42,
        ),
    ],
    form: Annotated[
        Literal["cardinal", "ordinal", "year", "currency"],
        About("Form of the number; ordinal and year require a whole number"),
    ] = "cardinal",
    language: Annotated[Language, About("Language of the words")] = "en",
    currency: Annotated[str, About("ISO 4217 code, for currency", "EUR", pattern="^[A-Z]{3}$", max_length=3)] = "EUR",
) -> Spelled:
    """Spell a number in words in one of 21 languages, as a cardinal, ordinal, year or amount of money.

    Use it for cheques, contracts and speech. Returns the words. Amounts of money exist in seven languages,
    with currencies that depend on the language.
    """
    value = Decimal(number)
    if form in {"ordinal", "year"} and value != value.to_integral_value():
        raise ToolError("An ordinal or a year must be a whole number.")
    if form == "currency" and language not in _WITH_CURRENCY:
        raise ToolError(f"Amounts of money in words exist only in {', '.join(_WITH_CURRENCY)}, not in {language}.")
    try:
        words = _spell(number, form, language, currency)
    except (NotImplementedError, ArithmeticError, ValueError, TypeError, KeyError, IndexError, AttributeError) as error:
        raise ToolError(
            f"{number} cannot be written as {form} in {language}. Try another form, size or currency."
        ) from error
    return {"words": " ".join(words.split())}


_POINT_WORDS = {
    "ar": "فاصلة", "de": "Komma", "dk": "komma", "en": "point", "en_IN": "point", "es": "punto", "fr": "virgule",
    "fr_CH": "virgule", "he": "נקודה", "id": "koma", "it": "virgola", "lt": "kablelis", "lv": "komats", "nl": "komma",
    "no": "komma", "pl": "przecinek", "pt_BR": "vírgula", "ru": "запятая", "sl": "celih", "tr": "virgül", "uk": "кома",
}  # fmt: skip
_MINUS_WORDS = {
    "ar": "سالب", "de": "minus", "dk": "minus", "en": "minus", "en_IN": "minus", "es": "menos", "fr": "moins",
    "fr_CH": "moins", "he": "מינוס", "id": "min", "it": "meno", "lt": "minus", "lv": "mīnus", "nl": "min",
    "no": "minus", "pl": "minus", "pt_BR": "menos", "ru": "минус", "sl": "minus", "tr": "eksi", "uk": "мінус",
}  # fmt: skip
_BEFORE_CHRIST = {
    "en": "BC", "en_IN": "BC", "de": "vor Christus", "es": "antes de Cristo", "fr": "avant Jésus-Christ",
    "fr_CH": "avant Jésus-Christ", "nl": "voor Christus", "pt_BR": "antes de Cristo",
}  # fmt: skip
_WITH_CURRENCY = ("en", "en_IN", "lt", "lv", "pl", "ru", "uk")
"""Languages in which num2words accepts a currency."""


def _spell(number: str, form: str, language: str, currency: str) -> str:
    if form == "currency":
        return _spell_money(Decimal(number), language, currency)
    if form == "year":
        return _spell_year(int(Decimal(number)), language)
    return _spell_cardinal(number, language) if form == "cardinal" else _num2words(int(Decimal(number)), form, language)


def _num2words(number: int, form: str, language: str) -> str:
    """Return the words of a whole number. Raises `ValueError` if num2words has none, as for large Turkish numbers."""
    if language == "tr" and form == "cardinal" and not number:
        return "s\u0131f\u0131r"
    words = str(num2words.num2words(number, to=form, lang=language))
    if not words.strip():
        raise ValueError
    return words


def _spell_cardinal(number: str, language: str) -> str:
    """Spell sign, whole part and each decimal separately, because num2words rounds decimals to a binary number and
    leaves out the sign of -0.5.
    """
    whole, _, decimals = number.removeprefix("-").partition(".")
    sign = [_MINUS_WORDS[language]] if Decimal(number) < 0 else []
    digits = [_num2words(int(digit), "cardinal", language) for digit in decimals.rstrip("0")]
    point = [_POINT_WORDS[language]] if digits else []
    return " ".join([*sign, _num2words(int(whole), "cardinal", language), *point, *digits])


def _spell_year(year: int, language: str) -> str:
    words = _num2words(abs(year), "year", language)
    words = _in_hundreds(abs(year), words) if language == "en" and 1000 <= abs(year) <= 9999 else words
    if year >= 0:
        return words
    era = _BEFORE_CHRIST.get(language)
    return f"{words} {era}" if era else f"{_MINUS_WORDS[language]} {words}"


def _spell_money(amount: Decimal, language: str, currency: str) -> str:
    """Spell an amount, rounded half up to hundredths, which all currencies of num2words have."""
    with localcontext(prec=60):  # The default of 28 digits is less than the number may have.
        rounded = amount.quantize(Decimal("0.01"), ROUND_HALF_UP)
        return str(num2words.num2words(rounded, to="currency", lang=language, currency=currency))


@tool(
    tags="words to number parse english numerals text digits convert",
    use_when=(
        "What is 'three hundred and forty-two thousand and six' in digits?",
        "Convert 'minus twelve point five' to a number",
        "Which number is the twenty-first?",
    ),
    examples=(
        Example(
            {"words": "Two million three hundred and five thousand and six"},
            {"number": "2305006", "value": 2305006.0, "ordinal": False},
            source="by hand",
        ),
        Example({"words": "minus twelve point oh five"}, {"number": "-12.05"}, source="by hand"),
        Example({"words": "one hundred twenty-first"}, {"number": "121", "ordinal": True}, source="by hand"),
        Example({"words": "nineteen eighty-four"}, {"number": "1984"}, source="usage of years"),
        Example({"words": "two and a half million"}, {"number": "2500000"}, source="by hand"),
        Example({"words": "three quarters"}, {"number": "0.75", "ordinal": False}, source="by hand"),
        *(
            Example({"words": words, "language": language}, {"number": number}, source="by hand")
            for language, words, number in _IN_OTHER_LANGUAGES
        ),
        Refusal({"words": "ein Apfel", "language": "de"}, "not a number in de"),
        Refusal({"words": "one banana"}, "banana"),
        Refusal({"words": "three four"}, "do not form a number"),
    ),
    reply="The number is {number}.",
)
def text_parse_number_words(
    words: Annotated[str, About("Number in words", "three hundred and forty-two", min_length=1, max_length=500)],
    language: Annotated[Literal["en", "de", "fr", "es", "it", "pt", "nl", "da"], About("Language of the words")] = "en",
) -> Read:
    """Read a number written in words, English by default: cardinals, ordinals, decimals, years, fractions, negatives.

    English scales are supported up to quintillion (short scale). In the other languages, whole numbers and decimals
    with the word for comma or point are supported. Returns the number in digits and as a value.
    """
    if language != "en":
        return _read_foreign(words, language)
    tokens = [token for token in re.split(r"[\s,\-\u2010-\u2013]+", words.lower().strip()) if token]
    negative = bool(tokens) and tokens[0] in {"minus", "negative"}
    tokens = tokens[1:] if negative else tokens
    if (fraction_read := _with_fraction(tokens)) is not None:
        digits = f"{fraction_read:f}"
        digits = digits.rstrip("0").rstrip(".") if "." in digits else digits
        number = f"{'-' if negative else ''}{digits}"
        return {"number": number, "value": float(number), "ordinal": False}
    whole, _, decimals = " ".join(tokens).partition(" point ")
    parts = whole.split()
    if not parts:
        raise ToolError("There are no number words. Write for example: forty-two.")
    last = _cardinal(parts[-1])
    ordinal = last != parts[-1]
    value = _whole([*parts[:-1], last])
    fraction = "".join(str(_digit(word)) for word in decimals.split())
    number = f"{'-' if negative and (value or fraction.strip('0')) else ''}{value}{'.' + fraction if fraction else ''}"
    return {"number": number, "value": float(number), "ordinal": ordinal}


_MINUS = {"de": "minus", "fr": "moins", "es": "menos", "it": "meno", "pt": "menos", "nl": "min", "da": "minus"}
_POINT = {
    "de": "komma", "fr": "virgule", "es": "coma|punto", "it": "virgola", "pt": "vírgula", "nl": "komma", "da": "komma",
}  # fmt: skip
_FRACTIONS = {"half": "0.5", "quarter": "0.25", "quarters": "0.25"}


def _read_foreign(words: str, language: str) -> Read:
    """Parse a number in words of another language; each word after the comma is a digit."""
    plain = " ".join(words.lower().split())
    negative = plain.startswith(f"{_MINUS[language]} ")
    whole, *decimals = re.split(rf" (?:{_POINT[language]}) ", plain.removeprefix(f"{_MINUS[language]} "), maxsplit=1)
    try:
        value = str(_foreign_whole(whole, language))
        digits = [str(text2num(word, language)) for word in " ".join(decimals).split()]
    except ValueError as error:
        raise ToolError(
            f"words is not a number in {language}: {words[:60]}. Check the spelling, or language."
        ) from error
    if any(len(digit) > 1 for digit in digits):
        raise ToolError("words must contain the decimals digit by digit.")
    number = f"{'-' if negative else ''}{value}{'.' if digits else ''}{''.join(digits)}"
    return {"number": number, "value": float(number), "ordinal": False}


def _foreign_whole(words: str, language: str) -> int:
    """Return the value of words; the library does not parse German words after a million."""
    large = re.fullmatch(r"(.+?) (million|milliarde)n?(?:en)? (.+)", words) if language == "de" else None
    if large is None:
        return int(text2num(words, language))
    count = 1 if large[1] in {"eine", "ein"} else int(text2num(large[1], language))
    return count * (10**6 if large[2] == "million" else 10**9) + _foreign_whole(large[3], language)


def _with_fraction(tokens: list[str]) -> Decimal | None:
    """Return the value of two and a half million, half a million, three quarters; None for words without such a
    fraction.
    """
    at = next((place for place, word in enumerate(tokens) if word in _FRACTIONS), None)
    if at is None:
        return None
    before = [word for word in tokens[:at] if word not in {"a", "an"}]
    scale = [word for word in tokens[at + 1 :] if word not in {"a", "an", "of"}]
    if any(word not in _SCALES and word not in {"hundred", "dozen"} for word in scale):
        raise ToolError(f"{' '.join(tokens)} is not a number. Write for example: two and a half million.")
    unit = Decimal(_whole(["one", *scale])) if scale else Decimal(1)
    if before and before[-1] == "and":
        return (_whole(before[:-1]) + Decimal(_FRACTIONS[tokens[at]])) * unit
    if "and" in before:
        *rest, count = before
        return (_whole(rest[: rest.index("and")]) + _whole([count]) * Decimal(_FRACTIONS[tokens[at]])) * unit
    return (_whole(before) if before else 1) * Decimal(_FRACTIONS[tokens[at]]) * unit


def _in_hundreds(year: int, words: str) -> str:
    """Return the usual words of an English year: nineteen ninety-nine, nineteen oh five; others unchanged."""
    century, rest = divmod(year, 100)
    if rest >= 10:
        return f"{num2words.num2words(century)} {num2words.num2words(rest)}"
    return f"{num2words.num2words(century)} oh {num2words.num2words(rest)}" if rest and century % 10 else words


def _whole(words: list[str]) -> int:
    """Return the value of cardinal words. `group` is what a scale word will multiply, `ceiling` is the limit for
    following words.
    """
    year = _year(words)
    if year is not None:
        return year
    total, group, room, highest = 0, 0, 1000, 10**21
    for word in words:
        if word == "and" or (word in {"a", "an"} and not group):
            group += word != "and"
            room = 0 if word != "and" else room
        elif word in _SCALES and group > 0 and 10 ** _SCALES[word] < highest:
            highest = 10 ** _SCALES[word]
            total, group, room = total + group * highest, 0, 1000
        elif word in {"hundred", "dozen", "score"} and 0 < group < 100:
            group *= {"hundred": 100, "dozen": 12, "score": 20}[word]
            room = 100 if word == "hundred" else 0
        else:
            value = _small(word)
            if value >= room or (value == 0 and len(words) > 1):
                raise ToolError(f"These words do not form a number: {' '.join(words)}.")
            group, room = group + value, 10 if value >= 20 else 0
    return total + group


def _small(word: str) -> int:
    if word in _TENS or word in _UNITS:
        return _TENS.get(word, _UNITS.get(word, 0))
    if word in _SCALES or word in {"hundred", "dozen", "score", "a", "an"}:
        raise ToolError(
            f"{word!r} is in a position where it does not form a number. Write for example: two thousand three hundred."
        )
    raise ToolError(f"{word!r} is not an English number word.")


def _year(words: list[str]) -> int | None:
    """Parse two consecutive numbers of at least 10: nineteen eighty-four, twenty ten."""
    if not all(word in _UNITS or word in _TENS for word in words):
        return None
    for cut in (1, 2):
        values = [_below_hundred(part) for part in (words[:cut], words[cut:])]
        if min(values) >= 10:
            return 100 * values[0] + values[1]
    return None


def _below_hundred(words: list[str]) -> int:
    """Return the value of one such word, or of tens with a unit; 0 for other words."""
    if len(words) == 1:
        return _small(words[0])
    is_sound = len(words) == 2 and words[0] in _TENS and 0 < _small(words[1]) < 10
    return _small(words[0]) + _small(words[1]) if is_sound else 0


def _digit(word: str) -> int:
    value = 0 if word in {"oh", "o", "nought", "naught"} else _UNITS.get(word, 10)
    if value > 9:
        raise ToolError(f"After 'point', write digit by digit; {word!r} is not a digit.")
    return value


def _cardinal(word: str) -> str:
    """Return the cardinal of an ordinal; other words are unchanged."""
    if word in _ORDINALS:
        return _ORDINALS[word]
    if word.endswith("ieth"):
        return word.removesuffix("ieth") + "y"
    bare = word.removesuffix("th")
    return bare if bare in _UNITS or bare in _SCALES or bare in {"hundred", "dozen"} else word
