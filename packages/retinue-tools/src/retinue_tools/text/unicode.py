"""Characters of a text: normal forms, properties, and hidden characters."""

import re
import unicodedata
from collections import Counter
from typing import Annotated, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, Text, ToolError, tool

_LOOKALIKES = dict(
    zip(
        "АВЕЅІЈКМНОРСТУХаеѕіјорсухһԁԛԝΑΒΕΖΗΙΚΜΝΟΡΤΥΧοαενρυ\u0131\u217c\u01c3\u2044\u2215\u0585\u0570\u057d",
        "ABESIJKMHOPCTYXaesijopcyxhdqwABEZHIKMNOPTYXoaevpuil!//ohu",
        strict=True,
    )
)
"""Letters of other scripts that look Latin (from Unicode Technical Standard 39, confusables)."""
_INVISIBLE = {
    "\u00ad": "soft hyphen", "\u034f": "combining grapheme joiner", "\u061c": "Arabic letter mark",
    "\u180e": "Mongolian vowel separator", "\u200b": "zero width space", "\u200c": "zero width non-joiner",
    "\u200d": "zero width joiner", "\u200e": "left-to-right mark", "\u200f": "right-to-left mark",
    "\u2060": "word joiner", "\u2061": "function application", "\u2062": "invisible times",
    "\u2063": "invisible separator", "\u2064": "invisible plus", "\ufeff": "byte order mark", "\u3164": "Hangul filler",
}  # fmt: skip
_DIRECTION = re.compile("[\u202a-\u202e\u2066-\u2069]")
_TAG = re.compile("[\U000e0000-\U000e007f]")

Problem = Literal["invisible", "direction_control", "tag", "control", "lookalike"]


class Normalized(TypedDict):
    """A text in a normal form."""

    result: Annotated[str, About("The text")]
    was_normal: Annotated[bool, About("Whether the text was already in this form")]
    characters_before: Annotated[int, About("Number of code points before")]
    characters_after: Annotated[int, About("Number of code points after")]


class Character(TypedDict):
    """A character."""

    character: Annotated[str, About("The character")]
    code_point: Annotated[str, About("Code point, such as U+00E9")]
    name: Annotated[str, About("Unicode name, or the kind if it has none")]
    category: Annotated[str, About("Unicode general category, such as Lu or Zs")]
    utf8_hex: Annotated[str, About("UTF-8 bytes")]
    html: Annotated[str, About("Numeric HTML reference")]
    decomposition: Annotated[str, About("Decomposition, if any")]


class Characters(TypedDict):
    """The characters of a text."""

    characters: Annotated[list[Character], About("Characters in order, or each once")]
    count: Annotated[int, About("Number of code points in the text")]
    unicode_version: Annotated[str, About("Version of the Unicode data")]


class Hidden(TypedDict):
    """A hidden or deceptive character."""

    position: Annotated[int, About("Position, from 0")]
    code_point: Annotated[str, About("Code point, such as U+200B")]
    kind: Annotated[Problem, About("Kind of problem")]
    name: Annotated[str, About("Unicode name of the character")]


class Suspicion(TypedDict):
    """Hidden and deceptive characters in a text."""

    found: Annotated[list[Hidden], About("Characters found, at most 500")]
    counts: Annotated[dict[str, int], About("Number by kind")]
    mixed_words: Annotated[list[str], About("Words that mix Latin with Cyrillic or Greek letters, at most 100")]
    hidden_message: Annotated[
        str, About("Text encoded in tag characters, if any: it is invisible and only readable for machines")
    ]
    cleaned: Annotated[str, About("Text without them, with look-alikes in mixed words replaced by Latin letters")]


@tool(
    tags="unicode normalize nfc nfd nfkc nfkd compose decompose ligature full width compatibility",
    use_when=(
        "Normalise this text to NFC",
        "Why are two words that look the same not equal?",
        "Turn ligatures and full-width letters into plain ones",
    ),
    examples=(
        Example(
            {"text": "\u1e9b\u0323", "form": "NFKC"},
            {"result": "\u1e69", "was_normal": False, "characters_before": 2, "characters_after": 1},
            source="Unicode Standard Annex 15, figure 6",
        ),
        Example({"text": "\ufb01", "form": "NFD"}, {"result": "\ufb01"}, source="Unicode Standard Annex 15, figure 6"),
        Example(
            {"text": "\u212b"}, {"result": "\u00c5"}, source="Unicode Standard Annex 15, figure 3: the ångström sign"
        ),
        Refusal({"text": "a", "form": "NFX"}, "form"),
    ),
    reply={
        "was_normal": "The text is in this form already: {result}",
        "args.form": "The text in {args.form}: {result}",
        "": "The text: {result}",
    },
)
def text_normalize_unicode(
    text: Text,
    form: Annotated[
        Literal["NFC", "NFD", "NFKC", "NFKD"],
        About("NFC composes, NFD decomposes; the K forms also replace ligatures, full-width letters and others"),
    ] = "NFC",
) -> Normalized:
    """Normalise (bring) a text to a Unicode normal form, so that equal text has equal code points.

    Returns the text, and whether it was already in that form.
    """
    result = unicodedata.normalize(form, text)
    return {
        "result": result,
        "was_normal": result == text,
        "characters_before": len(text),
        "characters_after": len(result),
    }


@tool(
    tags="unicode code point name category character inspect emoji utf-8 bytes html entity",
    use_when=(
        "What character is U+20AC?",
        "Which code points make up this emoji?",
        "Show the UTF-8 bytes and names of the characters of 'naïve'",
    ),
    examples=(
        Example(
            {"text": "\u20ac"},
            {
                "characters": [
                    {
                        "code_point": "U+20AC",
                        "name": "EURO SIGN",
                        "category": "Sc",
                        "utf8_hex": "e2 82 ac",
                        "html": "&#8364;",
                    }
                ]
            },
            source="Unicode Character Database; RFC 3629",
        ),
        Example(
            {"text": "\U0001f468\u200d\U0001f469", "distinct": True},
            {"count": 3, "characters": [{"name": "MAN"}, {"name": "ZERO WIDTH JOINER"}, {"name": "WOMAN"}]},
            source="Unicode Character Database",
        ),
        Refusal({"text": ""}, "text"),
    ),
    reply={
        "characters.1": "The {count|character}: {characters}",
        "": "It is {characters.0.code_point}, {characters.0.name}.",
    },
)
def text_inspect_unicode(
    text: Annotated[
        str, About("The characters, or code points written as U+20AC", "é€", min_length=1, max_length=2000)
    ],
    distinct: Annotated[bool, About("Whether to list each character only once")] = False,
) -> Characters:
    """List each character of a text with what it is: code point, Unicode name, category, UTF-8 bytes and HTML
    reference.

    A text that consists only of U+… notations is interpreted as these characters. Returns the characters in order.
    """
    points = [int(point, 16) for point in re.findall(r"[Uu]\+([0-9A-Fa-f]{4,6})", text)]
    if points and re.fullmatch(r"(?:\s*[Uu]\+[0-9A-Fa-f]{4,6}\b)+\s*", text):
        if any(point > 0x10FFFF or 0xD800 <= point <= 0xDFFF for point in points):
            raise ToolError("Code points must be U+0000 to U+10FFFF, and U+D800 to U+DFFF are not characters.")
        text = "".join(map(chr, points))
    characters = dict.fromkeys(text) if distinct else text
    return {
        "characters": [_character(one) for one in characters],
        "count": len(text),
        "unicode_version": unicodedata.unidata_version,
    }


@tool(
    tags="homoglyph confusable invisible zero width bidi trojan source hidden prompt injection spoof phishing clean",
    use_when=(
        "Does this text hide zero-width or invisible characters?",
        "Is the '\u0430' in this domain name Cyrillic?",
        "Remove hidden Unicode and look-alike letters from a prompt",
    ),
    examples=(
        Example(
            {"text": "p\u0430ypal\u200b \u202eabc"},
            {
                "found": [
                    {"position": 1, "code_point": "U+0430", "kind": "lookalike", "name": "CYRILLIC SMALL LETTER A"},
                    {"position": 6, "code_point": "U+200B", "kind": "invisible"},
                    {"position": 8, "code_point": "U+202E", "kind": "direction_control"},
                ],
                "mixed_words": ["p\u0430ypal"],
                "cleaned": "paypal abc",
            },
            source="Unicode Technical Standard 39: Cyrillic a looks like Latin a; UAX 9: U+202E overrides direction",
        ),
        Example(
            {"text": "ok\U000e0068\U000e0069", "keep_joiners": False},
            {"hidden_message": "hi", "cleaned": "ok"},
            source="Unicode: tag characters mirror ASCII at U+E0000",
        ),
        Refusal({"text": "a", "keep_joiners": "no"}, "keep_joiners"),
    ),
    reply={
        "hidden_message": "The text hides the message \u201c{hidden_message}\u201d: {found}",
        "found": "The text contains characters that deceive: {found}",
        "": "I found no hidden or deceptive characters in the text.",
    },
)
def text_detect_confusables(
    text: Text,
    keep_joiners: Annotated[bool, About("Whether to keep joiners, which emoji, Persian and Indic text need")] = True,
) -> Suspicion:
    """Find characters that deceive: invisible ones, direction controls, tag characters, and foreign look-alike letters.

    Use it for untrusted text, names, links and prompts. Returns the positions, words of mixed scripts, hidden messages,
    and a cleaned text.
    """
    mixed = {match.span(): match[0] for match in re.finditer(r"[^\W\d_]+", text) if _is_mixed(match[0])}
    inside = {position for start, end in mixed for position in range(start, end)}
    found: list[Hidden] = []
    cleaned: list[str] = []
    for position, one in enumerate(text):
        kind = _problem(one, position in inside, keep_joiners)
        if kind is None:
            cleaned.append(one)
            continue
        found.append({"position": position, "code_point": _point(one), "kind": kind, "name": _title(one)})
        cleaned.append(_LOOKALIKES[one] if kind == "lookalike" else "")
    spelled = "".join(chr(ord(one) - 0xE0000) for one in _TAG.findall(text) if 0xE0020 <= ord(one) < 0xE007F)
    return {
        "found": found[:500],
        "counts": dict(Counter(str(one["kind"]) for one in found)),
        "mixed_words": list(dict.fromkeys(mixed.values()))[:100],
        "hidden_message": spelled,
        "cleaned": "".join(cleaned),
    }


def _problem(one: str, in_mixed_word: bool, keep_joiners: bool) -> Problem | None:
    if one in _INVISIBLE:
        return None if keep_joiners and one in "\u200c\u200d" else "invisible"
    if _DIRECTION.match(one):
        return "direction_control"
    if _TAG.match(one):
        return "tag"
    if unicodedata.category(one) == "Cc" and one not in "\n\r\t":
        return "control"
    return "lookalike" if in_mixed_word and one in _LOOKALIKES else None


def _is_mixed(word: str) -> bool:
    scripts = {unicodedata.name(one, "").split(" ")[0] for one in word}
    return "LATIN" in scripts and bool(scripts & {"CYRILLIC", "GREEK", "ARMENIAN"})


def _character(one: str) -> Character:
    return {
        "character": one,
        "code_point": _point(one),
        "name": _title(one),
        "category": unicodedata.category(one),
        "utf8_hex": one.encode("utf-8", "replace").hex(" "),
        "html": f"&#{ord(one)};",
        "decomposition": unicodedata.decomposition(one),
    }


def _point(one: str) -> str:
    return f"U+{ord(one):04X}"


def _title(one: str) -> str:
    kinds = {"Cc": "control character", "Cn": "unassigned", "Co": "private use"}
    return unicodedata.name(one, "") or _INVISIBLE.get(one, kinds.get(unicodedata.category(one), "unnamed"))
