"""Explanation of regular expressions in plain English."""

import re
from typing import Annotated

import regex
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool

_ESCAPES = {
    "d": "a digit", "D": "a character that is no digit", "w": "a letter, digit or underscore",
    "W": "a character that is no letter, digit or underscore", "s": "white space",
    "S": "a character that is no white space", "b": "a word boundary", "B": "a place that is no word boundary",
    "A": "the beginning of the text", "Z": "the end of the text", "z": "the end of the text", "n": "a line feed",
    "t": "a tab", "r": "a carriage return", "f": "a form feed", "v": "a vertical tab",
    "X": "a grapheme (what is seen as one character)", "R": "any line ending", "h": "horizontal white space",
    "K": "the place from which the match is kept",
}  # fmt: skip
_SIGNS = {
    ".": "any character except a line end", "^": "the beginning of the text (or line)",
    "$": "the end of the text (or line)", "|": "or",
}  # fmt: skip
_GROUPS = (
    (r"\(\?:", "a group that is not kept"),
    (r"\(\?=", "a place followed by"),
    (r"\(\?!", "a place not followed by"),
    (r"\(\?<=", "a place preceded by"),
    (r"\(\?<!", "a place not preceded by"),
    (r"\(\?>", "an atomic group, which is not tried again"),
    (r"\(\?#[^)]*\)", "a comment"),
)
_TOKEN = re.compile(
    r"(?P<group>\(\?(?:P?<(?P<name>[A-Za-z_]\w*)>|#[^)]*\)|:|=|!|<=|<!|>|P=\w+\)|P>\w+\)|[A-Za-z0-9]*(?:-[a-zA-Z]+)?[:)])|\()"
    r"|(?P<close>\))"
    r"|(?P<set>\[\^?\]?(?:\\.|\[:\w+:\]|[^\]\\])*\])"
    r"|(?P<escape>\\(?:[pP](?:\{[^}]*\}|.)|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|N\{[^}]*\}|k<\w+>|g<\w+>|\d{1,2}|.))"
    r"|(?P<sign>[.^$|])"
    r"|(?P<text>(?:[^\\()\[\].^$|*+?{](?![*+?]|\{\d))+|.)",
    re.DOTALL,
)
_REPEAT = re.compile(r"(?:[*+?]|\{(\d*)(,?)(\d*)\})([?+]?)")


class Part(TypedDict):
    """A part of a pattern."""

    part: Annotated[str, About("The part as written")]
    meaning: Annotated[str, About("Meaning of the part")]
    depth: Annotated[int, About("Nesting depth in groups")]


class Explained(TypedDict):
    """Explanation of a pattern."""

    parts: Annotated[list[Part], About("Parts in order")]
    explanation: Annotated[str, About("Explanation as indented lines")]
    groups: Annotated[int, About("Number of capturing groups")]
    group_names: Annotated[list[str], About("Names of the named groups")]


@tool(
    tags="regex explain regular expression describe understand meaning plain english",
    use_when=(
        r"What does the regex ^\d{3}-\d{4}$ mean?",
        "Explain this regular expression part by part",
        "Why does (?<!\\w)cat have a question mark in it?",
        "What is wrong with this regular expression?",
    ),
    examples=(
        Example(
            {"pattern": r"^(?P<y>\d{4})-[a-f]+?$"},
            {
                "parts": [
                    {"part": "^", "meaning": "the beginning of the text (or line)", "depth": 0},
                    {"part": "(?P<y>", "meaning": "group 1, named y:", "depth": 0},
                    {"part": r"\d{4}", "meaning": "a digit, exactly 4 times", "depth": 1},
                    {"part": ")", "meaning": "end of group 1", "depth": 0},
                    {"part": "-", "meaning": "the text '-'", "depth": 0},
                    {"part": "[a-f]+?", "meaning": "one of: a to f, once or more, as few as possible", "depth": 0},
                    {"part": "$", "meaning": "the end of the text (or line)", "depth": 0},
                ],
                "groups": 1,
                "group_names": ["y"],
            },
            source="the documentation of regular expressions in Python",
        ),
        Refusal({"pattern": "a)"}, "not a regular expression"),
    ),
    reply="The pattern means: {explanation}",
)
def text_explain_regex(
    pattern: Annotated[str, About("The regular expression", r"^\d{3}-\d{4}$", min_length=1, max_length=1000)],
) -> Explained:
    """Explain a regular expression part by part in plain English, with groups, repetitions and look-arounds.

    Returns the parts with their meanings and depths, and the groups. The pattern is checked first.
    """
    try:
        compiled = regex.compile(pattern)
    except (regex.error, ValueError, RecursionError, OverflowError) as error:
        raise ToolError(f"This is not a regular expression: {error}.") from error
    parts = _parts(pattern)
    lines = [f"{'  ' * part['depth']}{part['part']}  {part['meaning']}" for part in parts]
    return {
        "parts": parts,
        "explanation": "\n".join(lines),
        "groups": int(compiled.groups),
        "group_names": [str(name) for name in compiled.groupindex],
    }


def _parts(pattern: str) -> list[Part]:
    parts: list[Part] = []
    opened: list[str] = []
    place = number = 0
    while place < len(pattern):
        token = _TOKEN.match(pattern, place)
        if token is None:
            break
        opens = token["group"] is not None and not token[0].endswith(")")
        if opens and (token[0] == "(" or token["name"]):
            number += 1
        meaning = _group(token, number) if token["group"] else ""
        if token["close"]:
            meaning = f"end of {opened.pop() if opened else 'group'}"
        place, repeat, times = _repeat(pattern, token.end(), allowed=not opens)
        text = meaning or _meaning(token)
        parts.append(
            {"part": token[0] + repeat, "meaning": text + times + (":" if opens else ""), "depth": len(opened)}
        )
        if opens:
            opened.append(meaning.split(",")[0])
    return parts


def _repeat(pattern: str, place: int, *, allowed: bool) -> tuple[int, str, str]:
    """Return the end of a repetition, the repetition as written, and its description."""
    match = _REPEAT.match(pattern, place) if allowed else None
    if match is None or match[0] in {"{}", "{,}"}:
        return place, "", ""
    manner = {"?": ", as few as possible", "+": ", without giving back"}.get(match[4], "")
    plain = {"*": "any number of times", "+": "once or more", "?": "once or not at all"}
    words = plain.get(match[0][0]) or _times(match[1], match[2], match[3])
    return match.end(), match[0], f", {words}{manner}"


def _times(least: str, comma: str, most: str) -> str:
    if not comma:
        return f"exactly {least} times"
    return f"{least or 0} to {most} times" if most else f"{least or 0} times or more"


def _group(token: re.Match[str], number: int) -> str:
    if token["name"]:
        return f"group {number}, named {token['name']}"
    if token[0] == "(":
        return f"group {number}"
    for pattern, meaning in _GROUPS:
        if re.fullmatch(pattern, token[0]):
            return meaning
    if token[0].startswith("(?P="):
        return f"the same text as group {token[0][4:-1]}"
    return f"flags {token[0].strip('(?:)')}"


def _meaning(token: re.Match[str]) -> str:
    if token["set"]:
        return _set(token[0])
    if token["escape"]:
        return _escape(token[0])
    return _SIGNS.get(token[0]) or f"the text {token[0]!r}"


def _set(text: str) -> str:
    negated, inner = text.startswith("[^"), text[2:-1] if text.startswith("[^") else text[1:-1]
    pieces = []
    for match in re.finditer(r"(\\?.)-(\\?[^\]])|\\[pP]\{[^}]*\}|\\.|\[:\w+:\]|.", inner, re.DOTALL):
        if match[1]:
            pieces.append(f"{match[1]} to {match[2]}")
        else:
            pieces.append(_escape(match[0]) if match[0].startswith("\\") else match[0])
    return f"{'none' if negated else 'one'} of: {', '.join(pieces)}"


def _escape(text: str) -> str:
    kind = text[1]
    if kind in "pP":
        return f"a character {'without' if kind == 'P' else 'with'} the Unicode property {text[2:].strip('{}')}"
    if kind in "xuN" and len(text) > 2:
        return f"the character {text}"
    if kind.isdigit():
        return f"the same text as group {text[1:]}" if kind != "0" else "a null character"
    if kind in "kg" and len(text) > 2:
        return f"the same text as group {text[3:-1]}"
    return _ESCAPES.get(kind, f"the character {kind}")
