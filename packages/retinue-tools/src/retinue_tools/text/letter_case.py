"""Letter case of names, headlines and titles, and acronyms."""

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import cycle
from typing import Annotated, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, Text, ToolError, tool
from retinue_tools.text._marks import MARK, WORD
from retinue_tools.text._word_lists import word_list

_HUMPS = (re.compile(r"(?<=[a-z0-9])(?=[A-Z])"), re.compile(r"(?<=[A-Z])(?=[A-Z][a-z])"))
_RUN = re.compile(WORD)
_WORD = re.compile(rf"{WORD}(?:['\u2019]{WORD})*")
_INITIAL = re.compile(rf".{MARK}*")

Style = Literal[
    "camel", "pascal", "snake", "constant", "kebab", "title", "sentence", "upper", "lower", "swap", "alternating",
    "alternating_capital_first",
]  # fmt: skip


class Cased(TypedDict):
    """A text in another case."""

    result: Annotated[str, About("Converted text")]


@tool(
    tags="case uppercase lowercase camelcase snakecase kebab title capitalize letters naming spongebob mocking",
    use_when=(
        "Convert 'user account id' to camelCase",
        "Make this headline uppercase",
        "Turn XMLHttpRequest into snake_case",
        "Capitalise every word of this title",
        "Alternate caps (sPoNgEbOb case) of this sentence",
        "All capitals",
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
    reply={
        "result": "{result}",
        "": "The text: {result}",
    },
)
def text_convert_case(
    text: Text,
    style: Annotated[
        Style, About("Target case; title and the following ones keep punctuation; alternating is sPoNgEbOb")
    ],
) -> Cased:
    """Convert a text to another letter case: camel, snake, kebab, title, sentence, upper, lower, alternating and more.

    Use it to rename identifiers or to change capitals. Returns the converted text.
    """
    if style in _WHOLE:
        return {"result": _WHOLE[style](text)}
    words = split_words(text)
    if not words:
        raise ToolError("The text has no letters or digits for a name.")
    return {"result": _JOINED[style](words)}


def split_words(text: str) -> list[str]:
    """Return the words of a phrase or of an identifier in any style."""
    for hump in _HUMPS:
        text = hump.sub(" ", text)
    return _RUN.findall(unicodedata.normalize("NFC", text.replace("'", "").replace("\u2019", "")))


def with_capitals_of(old: str, new: str) -> str:
    """Return the new word in capitals or capitalised if the old one is."""
    if old.isupper() and (len(old) > 1 or len(new) == 1):
        return new.upper()
    return new[:1].upper() + new[1:] if old[:1].isupper() else new


def _sentence(text: str) -> str:
    return re.sub(r"(^|[.!?]\s+)(\w)", lambda match: match[1] + match[2].upper(), text.lower())


def _alternate_case(text: str, *, capital_first: bool) -> str:
    """Alternate lower and upper case; characters that are not letters do not count."""
    turns = cycle((str.upper, str.lower) if capital_first else (str.lower, str.upper))
    return "".join(next(turns)(one) if one.isalpha() else one for one in text)


def _title(text: str) -> str:
    return _WORD.sub(lambda match: match[0][:1].upper() + match[0][1:].lower(), text)


_WHOLE: Mapping[str, Callable[[str], str]] = {
    "upper": str.upper,
    "lower": str.lower,
    "swap": str.swapcase,
    "title": _title,
    "sentence": _sentence,
    "alternating": partial(_alternate_case, capital_first=False),
    "alternating_capital_first": partial(_alternate_case, capital_first=True),
}

_JOINED: Mapping[str, Callable[[Sequence[str]], str]] = {
    "camel": lambda words: words[0].lower() + "".join(word.capitalize() for word in words[1:]),
    "pascal": lambda words: "".join(word.capitalize() for word in words),
    "snake": lambda words: "_".join(words).lower(),
    "constant": lambda words: "_".join(words).upper(),
    "kebab": lambda words: "-".join(words).lower(),
}

_ARTICLES = frozenset({"a", "an", "the"})
_CONJUNCTIONS = frozenset({"and", "but", "for", "nor", "or"})
_SHORT_PREPOSITIONS = frozenset({"as", "at", "by", "in", "of", "off", "on", "out", "per", "to", "up", "via"})
_PREPOSITIONS = _SHORT_PREPOSITIONS - {"off", "out", "up"} | frozenset(
    word_list(
        "about above across after against along among around before behind below beneath beside between beyond"
        " despite down during except from inside into like near onto over past since through throughout toward towards"
        " under underneath until unto upon versus vs with within without"
    )
)
_MINOR: Mapping[str, frozenset[str]] = {
    "ap": _ARTICLES | _CONJUNCTIONS | _SHORT_PREPOSITIONS - {"off", "out", "up"},
    "apa": _ARTICLES | _CONJUNCTIONS | {"as", "if", "so", "yet"} | _SHORT_PREPOSITIONS,
    "chicago": _ARTICLES | _CONJUNCTIONS | _PREPOSITIONS,
    "mla": _ARTICLES | _CONJUNCTIONS | {"so", "yet"} | _PREPOSITIONS,
}
Guide = Literal["ap", "apa", "chicago", "mla", "sentence"]


class Title(TypedDict):
    """A title capitalised by a style guide."""

    result: Annotated[str, About("The title")]


class Initials(TypedDict):
    """An acronym."""

    acronym: Annotated[str, About("Acronym in capitals")]
    candidates: Annotated[list[str], About("Acronyms that include the small words, and with dots")]


@tool(
    tags="title case headline capitalization ap apa chicago mla style guide heading sentence case",
    use_when=(
        "Capitalise this headline in AP style",
        "Write 'the lord of the rings: return of the king' in Chicago title case",
        "Which words of my paper's title are capitalised under APA 7?",
    ),
    examples=(
        Example(
            {
                "title": "train your mind for peak performance: a science-based approach for achieving your goals",
                "guide": "apa",
            },
            {"result": "Train Your Mind for Peak Performance: A Science-Based Approach for Achieving Your Goals"},
            source="APA Style, Title case capitalization, its example",
        ),
        Example(
            {"title": "FOUR THEORIES CONCERNING THE GOSPEL ACCORDING TO MATTHEW", "guide": "chicago"},
            {"result": "Four Theories Concerning the Gospel According to Matthew"},
            source="The Chicago Manual of Style, 17th edition, 8.160",
        ),
        Example(
            {"title": "walking through the iPhone's new NASA app", "guide": "ap"},
            {"result": "Walking Through the iPhone's New NASA App"},
            source="AP: prepositions of four or more letters are capitalised",
        ),
        Refusal({"title": "!", "guide": "mla"}, "contains no words"),
    ),
    reply={
        "result": "{result}",
        "": "The title: {result}",
    },
)
def text_apply_title_style(
    title: Annotated[str, About("Headline or title", "the lord of the rings", min_length=1, max_length=1000)],
    guide: Annotated[
        Guide, About("Style guide; 'sentence' capitalises only first words and words with inner capitals")
    ],
) -> Title:
    """Capitalise a headline (set its capitals) in the style of AP, APA, Chicago or MLA, or in sentence case.

    Names such as iPhone and NASA keep their capitals unless the whole title is in capitals. Returns the title.
    """
    matches = list(_WORD.finditer(title))
    if not matches:
        raise ToolError("The title contains no words.")
    text = title.lower() if title.isupper() else title
    result, end = "", 0
    for index, match in enumerate(matches):
        between = text[matches[index - 1].end() : match.start()] if index else ":"
        heads_compound = between != "-" and text[match.end() : match.end() + 1] == "-"
        opens = bool(re.search(r"[:.!?\u2014]", between)) or (heads_compound and guide != "sentence")
        ends = index == len(matches) - 1
        word = text[match.start() : match.end()]
        result += text[end : match.start()] + _style(word, guide, opens, ends)
        end = match.end()
    return {"result": result + text[end:]}


@tool(
    tags="acronym initials abbreviation initialism make name",
    use_when=(
        "Make an acronym of 'North Atlantic Treaty Organization'",
        "What are the initials of this committee's name?",
        "Shorten this project title to its first letters",
    ),
    examples=(
        Example(
            {"phrase": "Organization of the Petroleum-Exporting Countries"},
            {"acronym": "OPEC", "candidates": ["OOTPEC", "O.P.E.C."]},
            source="the organisation's own acronym",
        ),
        Refusal({"phrase": "of the"}, "only small words"),
    ),
    reply={
        "candidates": "The acronym is {acronym}; {candidates} would do too.",
        "": "The acronym is {acronym}.",
    },
)
def text_create_acronym(
    phrase: Annotated[str, About("A name of several words", "North Atlantic Treaty Organization", max_length=500)],
) -> Initials:
    """Make an acronym from the first letters of a name, without articles, conjunctions and prepositions.

    Returns the acronym, and forms with the small words or with dots.
    """
    words = _WORD.findall(unicodedata.normalize("NFC", phrase))
    chosen = [word for word in words if word.lower() not in _MINOR["mla"]]
    if not chosen:
        raise ToolError("The phrase contains only small words. Give the complete name.")
    initials = _initials(chosen)
    return {"acronym": "".join(initials), "candidates": ["".join(_initials(words)), ".".join(initials) + "."]}


def _initials(words: Sequence[str]) -> list[str]:
    """Return the first letters of words, in capitals, with their marks."""
    return [_INITIAL.findall(word)[0].upper() for word in words]


def _style(word: str, guide: Guide, opens: bool, ends: bool) -> str:
    if any(letter.isupper() for letter in word[1:]):
        return word
    capital = word[:1].upper() + word[1:]
    if guide == "sentence":
        return capital if opens else word.lower()
    is_minor = word.lower() in _MINOR[guide]
    is_last = ends and guide != "apa"
    return word.lower() if is_minor and not opens and not is_last else capital
