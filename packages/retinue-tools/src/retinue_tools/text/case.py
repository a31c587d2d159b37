"""Letter case of names and titles."""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import cycle
from typing import Annotated, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, Text, ToolError, tool

_HUMPS = (re.compile(r"(?<=[a-z0-9])(?=[A-Z])"), re.compile(r"(?<=[A-Z])(?=[A-Z][a-z])"))

Style = Literal[
    "camel", "pascal", "snake", "constant", "kebab", "title", "sentence", "upper", "lower", "swap", "alternating",
    "alternating_capital_first",
]  # fmt: skip


class Cased(TypedDict):
    """A text in another case."""

    result: Annotated[str, About("The converted text")]


@tool(
    tags="case uppercase lowercase camelcase snakecase kebab title capitalize letters naming spongebob mocking",
    use_when=(
        "Convert 'user account id' to camelCase",
        "Make this headline uppercase",
        "Turn XMLHttpRequest into snake_case",
        "Capitalise every word of this title",
        "Alternate caps (sPoNgEbOb case) of this sentence",
    ),
    examples=(
        Example(
            {"text": "XML HTTP request", "style": "pascal"}, {"result": "XmlHttpRequest"}, "Google Java Style, 5.3"
        ),
        Example({"text": "new customer ID", "style": "camel"}, {"result": "newCustomerId"}, "Google Java Style, 5.3"),
        Example(
            {"text": "XmlHttpRequest", "style": "snake"}, {"result": "xml_http_request"}, "the first one, reversed"
        ),
        Example({"text": "straße", "style": "upper"}, {"result": "STRASSE"}, "Unicode, SpecialCasing.txt"),
        Example({"text": "this is 1 joke", "style": "alternating"}, {"result": "tHiS iS 1 jOkE"}, "by hand"),
        Example({"text": "mocking", "style": "alternating_capital_first"}, {"result": "MoCkInG"}, "by hand"),
        Refusal({"text": "...", "style": "snake"}, "no letters or digits"),
    ),
)
def text_convert_case(
    text: Text,
    style: Annotated[
        Style, About("The case to convert to; from title on they keep punctuation; alternating is sPoNgEbOb")
    ],
) -> Cased:
    """Convert a text to another letter case: camel, snake, kebab, title, sentence, upper, lower, alternating and more.

    Use it to rename identifiers or to change capitals. Returns the converted text.
    """
    if style in _WHOLE:
        return {"result": _WHOLE[style](text)}
    words = split_words(text)
    if not words:
        raise ToolError("The text has no letters or digits to make a name of.")
    return {"result": _JOINED[style](words)}


def split_words(text: str) -> list[str]:
    """The words of a phrase or of an identifier in any style."""
    for hump in _HUMPS:
        text = hump.sub(" ", text)
    return re.findall(r"[^\W_]+", text.replace("'", "").replace("\u2019", ""))


def with_capitals_of(old: str, new: str) -> str:
    """The new word in capitals or with a capital letter where the old one is so."""
    if old.isupper() and (len(old) > 1 or len(new) == 1):
        return new.upper()
    return new[:1].upper() + new[1:] if old[:1].isupper() else new


def _sentence(text: str) -> str:
    return re.sub(r"(^|[.!?]\s+)(\w)", lambda match: match[1] + match[2].upper(), text.lower())


def _alternating(text: str, *, capital_first: bool) -> str:
    """Letters small and large in turn; what is no letter does not count."""
    turns = cycle((str.upper, str.lower) if capital_first else (str.lower, str.upper))
    return "".join(next(turns)(one) if one.isalpha() else one for one in text)


def _title(text: str) -> str:
    return re.sub(r"[^\W_]+(?:['\u2019][^\W_]+)*", lambda match: match[0][:1].upper() + match[0][1:].lower(), text)


_WHOLE: Mapping[str, Callable[[str], str]] = {
    "upper": str.upper,
    "lower": str.lower,
    "swap": str.swapcase,
    "title": _title,
    "sentence": _sentence,
    "alternating": partial(_alternating, capital_first=False),
    "alternating_capital_first": partial(_alternating, capital_first=True),
}

_JOINED: Mapping[str, Callable[[Sequence[str]], str]] = {
    "camel": lambda words: words[0].lower() + "".join(word.capitalize() for word in words[1:]),
    "pascal": lambda words: "".join(word.capitalize() for word in words),
    "snake": lambda words: "_".join(words).lower(),
    "constant": lambda words: "_".join(words).upper(),
    "kebab": lambda words: "-".join(words).lower(),
}
