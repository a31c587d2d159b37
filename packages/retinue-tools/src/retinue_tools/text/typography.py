"""Typography: quotation marks, dashes, spaces, superscript and subscript characters."""

import re
from collections.abc import Mapping
from typing import Annotated, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, Text, ToolError, tool

_QUOTES: Mapping[str, tuple[str, str, str, str]] = {
    "english_us": ("\u201c", "\u201d", "\u2018", "\u2019"),
    "english_uk": ("\u2018", "\u2019", "\u201c", "\u201d"),
    "german": ("\u201e", "\u201c", "\u201a", "\u2018"),
    "swiss": ("\u00ab", "\u00bb", "\u2039", "\u203a"),
    "french": ("\u00ab\u202f", "\u202f\u00bb", "\u201c", "\u201d"),
    "spanish": ("\u00ab", "\u00bb", "\u201c", "\u201d"),
    "polish": ("\u201e", "\u201d", "\u00ab", "\u00bb"),
    "swedish": ("\u201d", "\u201d", "\u2019", "\u2019"),
}
"""Outer and inner quotation marks, opening and closing."""
_PLAIN = {
    "\u201c": '"', "\u201d": '"', "\u201e": '"', "\u00ab": '"', "\u00bb": '"', "\u2018": "'", "\u2019": "'",
    "\u201a": "'", "\u2039": "'", "\u203a": "'", "\u2032": "'", "\u2033": '"', "\u2013": "-", "\u2014": "--",
    "\u2212": "-", "\u2010": "-", "\u2011": "-", "\u2026": "...", "\u00a0": " ", "\u202f": " ", "\u2009": " ",
    "\u200a": " ", "\u00d7": "x",
}  # fmt: skip
_SIGNS = (
    (re.compile(r"\.\.\."), "\u2026"),
    (re.compile(r"(?<=\w)\s*---\s*(?=\w)"), "\u2014"),
    (re.compile(r"(?<![\w-])(\d+)\s*-{1,2}\s*(?=\d+(?![\w-]))"), "\\1\u2013"),
    (re.compile(r"(?<=\s)--?(?=\s)"), "\u2013"),
    (re.compile(r"(?<=\w)--(?=\w)"), "\u2014"),
    (re.compile(r"(?<=\d)\s*x\s*(?=\d)"), "\u00a0\u00d7\u00a0"),
    (re.compile(r"\(c\)", re.IGNORECASE), "\u00a9"),
    (re.compile(r"\(tm\)", re.IGNORECASE), "\u2122"),
)

Usage = Literal["english_us", "english_uk", "german", "swiss", "french", "spanish", "polish", "swedish", "plain"]


class Typeset(TypedDict):
    """A text with typographic marks."""

    result: Annotated[str, About("The text")]
    changed: Annotated[int, About("Number of changed quotation marks and other signs")]


@tool(
    tags="typography smart quotes curly straight quotes dashes ellipsis apostrophe em dash guillemets publishing",
    use_when=(
        "Turn straight quotes into curly quotes",
        "Set this text with German quotation marks",
        "Replace smart quotes and dashes with plain ASCII",
        "Fix the dashes and ellipses of my manuscript",
    ),
    examples=(
        Example(
            {"text": "\"It's 'so' late,\" he said -- pages 10-12... the '90s", "usage": "english_us"},
            {
                "result": "\u201cIt\u2019s \u2018so\u2019 late,\u201d he said \u2013"
                " pages 10\u201312\u2026 the \u201990s",
                "changed": 9,
            },
            source="The Chicago Manual of Style, 6.115 and 6.117: marks and apostrophes; counted by hand",
        ),
        Example(
            {"text": 'Er sagte "Ja".', "usage": "german"}, {"result": "Er sagte \u201eJa\u201c."}, source="Duden, K 8"
        ),
        Example(
            {"text": "\u201cA\u201d \u2013 b\u2026", "usage": "plain"},
            {"result": '"A" - b...', "changed": 4},
            source="by hand",
        ),
        Example(
            {"text": "2026-11-21", "usage": "english_uk"},
            {"result": "2026-11-21", "changed": 0},
            "a date keeps hyphens",
        ),
        Refusal({"text": "a", "usage": "klingon"}, "usage"),
    ),
    reply={
        "result": "{result}",
        "": "The text: {result}",
    },
)
def text_fix_typography(
    text: Text, usage: Annotated[Usage, About("Typographic convention; plain converts back to ASCII")]
) -> Typeset:
    """Set quotation marks, apostrophes, dashes and ellipses by the typographic conventions of a country, or make them
    plain ASCII.

    Opening and closing marks are distinguished by the surrounding text. Dates keep their hyphens. Returns the text and
    the number of changes.
    """
    if usage == "plain":
        changed = sum(one in _PLAIN for one in text)
        return {"result": "".join(_PLAIN.get(one, one) for one in text), "changed": changed}
    count = 0
    for pattern, sign in _SIGNS:
        text, replaced = pattern.subn(sign, text)
        count += replaced
    text, quoted = _quote(text, _QUOTES[usage])
    return {"result": text, "changed": count + quoted}


def _quote(text: str, marks: tuple[str, str, str, str]) -> tuple[str, int]:
    """Replace straight marks by those of a convention. Returns the text and the number of changes."""
    opening, closing, inner_opening, inner_closing = marks
    steps = (
        (r"(?<=\d)'(?=\s?\d{1,2}\")", "\u2032"),
        (r"(?<=\u2032\d)\"|(?<=\u2032\d\d)\"", "\u2033"),
        (r"(?<=\w)'(?=\w)|(?<!\w)'(?=\d\ds?\b)|(?<!\w)'(?=(?:tis|twas|em|til|cause)\b)", "\u2019"),
        (r"(?<![^\s(\[{\u2013\u2014'\"\u2018\u201c\u201e\u00ab-])\"(?=\S)", opening),
        (r"\"", closing),
        (r"(?<![^\s(\[{\u2013\u2014\"\u201c\u201e\u00ab\u202f\u201d-])'(?=\S)", inner_opening),
        (r"'", inner_closing),
    )
    count = 0
    for pattern, mark in steps:
        text, replaced = re.subn(pattern, mark, text, flags=re.IGNORECASE)
        count += replaced
    return text, count


_BASE_LINE = "0123456789+-=()"
_LOWERED, _RAISED = "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾"
_TABLES = {"subscript": str.maketrans(_BASE_LINE, _LOWERED), "superscript": str.maketrans(_BASE_LINE, _RAISED)}
_BACK = str.maketrans(_LOWERED + _RAISED, _BASE_LINE * 2)
_POWER = re.compile(r"\^\(?([+-]?\d+)\)?")


class RaisedText(TypedDict):
    """A text with superscripts or subscripts."""

    text: str


@tool(
    tags="subscript superscript unicode digits chemical formula exponent power small numbers raised lowered",
    use_when=(
        "Turn the digits of H2SO4 into subscripts",
        "Write x^2 + y^3 with superscript numbers",
        "Make CO₂ plain ASCII",
    ),
    examples=(
        Example({"text": "H2SO4", "style": "subscript"}, {"text": "H₂SO₄"}, source="Unicode U+2080 to U+2089"),
        Example({"text": "x^2 + y^-13", "style": "superscript"}, {"text": "x² + y⁻¹³"}, source="Unicode"),
        Example({"text": "CO₂", "style": "plain"}, {"text": "CO2"}, source="Unicode"),
        Refusal({"text": "abc", "style": "subscript"}, "no digits"),
    ),
    reply={
        "text": "{text}",
        "": "The text: {text}",
    },
)
def text_write_scripts(
    text: Annotated[str, About("Text with digits", "H2SO4", min_length=1, max_length=100_000)],
    style: Annotated[
        Literal["subscript", "superscript", "plain"], About("superscript raises the text after ^, or all digits")
    ],
) -> RaisedText:
    """Convert (turn) digits to Unicode subscripts or superscripts, or back to plain digits.

    Use it for formulas and powers in unformatted text.
    """
    if style == "plain":
        return {"text": text.translate(_BACK)}
    if not re.search(r"\d", text):
        raise ToolError("The text has no digits.")
    table = _TABLES[style]
    if style == "superscript" and "^" in text:
        return {"text": _POWER.sub(lambda match: match[1].translate(table), text)}
    return {"text": re.sub(r"\d", lambda match: match[0].translate(table), text)}
