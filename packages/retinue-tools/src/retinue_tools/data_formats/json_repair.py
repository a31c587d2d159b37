"""Repair of JSON with common mistakes of people and language models."""

import re
from typing import Annotated, Any

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.data_formats._values import Written, dump, plain

_FENCE = re.compile(r"```[\w-]*[ \t]*\n(.*?)(?:\n[ \t]*```|\Z)", re.DOTALL)
_SPACE = re.compile(r"(?:\s|\ufeff|//[^\n]*|#[^\n]*|/\*.*?(?:\*/|\Z))*", re.DOTALL)
_NUMBER = re.compile(
    r"[-+]?(?:0[xX][0-9a-fA-F]{1,200}|(?:[0-9]{1,400}\.?[0-9]{0,400}|\.[0-9]{1,400})(?:[eE][-+]?[0-9]{1,3})?)(?=[\s,\]}:/#]|\Z)"
)
_STRICT = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?")
_NAME = re.compile(r"[^\s,:{}\[\]\"']+")
_BARE = re.compile(r"[^\s,:{}\[\]\"'][^,{}\[\]\n\"']*")
_CODED = re.compile(r"\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2}))")
_QUOTES = {'"': '"', "'": "'", "\u201c": "\u201d", "\u2018": "\u2019", "`": "`"}
_WORDS = {
    "true": True, "True": True, "false": False, "False": False, "null": None, "None": None, "undefined": None,
    "NaN": None, "Infinity": None, "-Infinity": None,
}  # fmt: skip
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0", "\n": ""}


class Repaired(Written):
    """Repaired JSON."""

    value: Annotated[Any, About("Parsed value")]
    repairs: Annotated[list[str], About("Kinds of repairs; empty if the text was valid JSON")]


@tool(
    tags="json repair fix broken invalid json5 trailing comma single quotes comments truncated llm python dict",
    use_when=(
        "Fix this broken JSON: {name: 'Tea', price: 2.5,}",
        "Read the JSON out of this model's answer",
        "Turn a printed Python dict into JSON",
        "Close the brackets of this cut-off JSON",
    ),
    examples=(
        Example(
            {"text": "{// comment\n unquoted: 'and you can quote me', hex: 0xdecaf, half: .5, plus: +1, list: [1,],}"},
            {"value": {"unquoted": "and you can quote me", "hex": 912559, "half": 0.5, "plus": 1, "list": [1]}},
            source="the kitchen-sink example of the JSON5 specification",
        ),
        Example(
            {"text": "Here it is:\n```json\n{'ok': True, 'none': None}\n```\nDone."},
            {"text": '{\n  "ok": true,\n  "none": null\n}'},
            source="by hand",
        ),
        Example(
            {"text": '{"items": [{"id": 1}, {"id": 2, "name": "Te'},
            {"value": {"items": [{"id": 1}, {"id": 2, "name": "Te"}]}, "repairs": ["closed what was cut off"]},
            source="by hand",
        ),
        Example({"text": '{"a": [1, 2]}'}, {"value": {"a": [1, 2]}, "repairs": []}, source="by hand"),
        Refusal({"text": "no document here"}, "no object or list"),
    ),
    reply="The repaired JSON: {text}",
)
def json_repair_text(
    text: Annotated[
        str, About("Text that is almost JSON", "{name: 'Tea', price: 2.5,}", min_length=1, max_length=500_000)
    ],
) -> Repaired:
    """Repair almost-JSON: comments, single quotes, bare keys, trailing or missing commas, Python words, truncated ends.

    Use it for hand-written settings, JSON5, printed Python objects and answers of language models with surrounding
    prose. Returns the value, strict JSON text and the repairs.
    """
    reader = _Reader(text)
    value = reader.document()
    return {"text": dump(value), "value": plain(value), "repairs": list(reader.repairs)}


class _Reader:
    """A lenient parser of one value; `repairs` contains the repaired mistakes."""

    def __init__(self, text: str) -> None:
        self.repairs: dict[str, None] = {}
        fence = _FENCE.search(text)
        self.text = fence[1] if fence else text
        start = min((self.text.find(mark) for mark in "{[" if mark in self.text), default=-1)
        if start < 0:
            raise ToolError("The text contains no object or list: there is no { or [ in it.")
        if fence or self.text[:start].strip():
            self._note("removed the text around")
        self.at = start

    def document(self) -> Any:
        """Return the first object or list in the text."""
        value = self._value()
        if self._peek():
            self._note("removed the text around")
        return value

    def _note(self, repair: str) -> None:
        self.repairs[repair] = None

    def _peek(self) -> str:
        """Return the next character that is not whitespace or part of a comment; empty at the end."""
        space = _SPACE.match(self.text, self.at)
        if space and space.end() > self.at:
            if space[0].strip().strip("\ufeff"):
                self._note("removed comments")
            self.at = space.end()
        return self.text[self.at : self.at + 1]

    def _value(self) -> Any:
        mark = self._peek()
        if mark == "{":
            return self._object()
        if mark == "[":
            return self._list()
        return self._string(mark) if mark in _QUOTES else self._scalar()

    def _object(self) -> dict[str, Any]:
        self.at += 1
        members: dict[str, Any] = {}
        while not self._is_at_end("}"):
            name = self._name()
            members[name] = self._after_colon()
            self._separate("}")
        return members

    def _list(self) -> list[Any]:
        self.at += 1
        items: list[Any] = []
        while not self._is_at_end("]"):
            items.append(self._value())
            self._separate("]")
        return items

    def _is_at_end(self, close: str) -> bool:
        """Return whether the list or object ends here. A bracket of the wrong kind also ends it, and is not
        consumed.
        """
        mark = self._peek()
        while mark == ",":
            self._note("removed needless commas")
            self.at += 1
            mark = self._peek()
        if mark == close:
            self.at += 1
        elif mark in ("", "}", "]"):
            self._note("corrected brackets" if mark else "closed what was cut off")
        return mark in ("", "}", "]")

    def _separate(self, close: str) -> None:
        if self._peek() == ",":
            self.at += 1
            if self._peek() == close:
                self._note("removed trailing commas")
        elif self._peek() not in ("", "}", "]"):
            self._note("added missing commas")

    def _name(self) -> str:
        mark = self._peek()
        if mark in _QUOTES:
            return self._string(mark)
        self._note("quoted names")
        return self._match(_NAME)

    def _after_colon(self) -> Any:
        if self._peek() == ":":
            self.at += 1
            if self._peek() not in ("", ",", "}"):
                return self._value()
        self._note("added missing values")
        return None

    def _string(self, mark: str) -> str:
        """Parse a quoted text; the end of the document also closes it."""
        if mark != '"':
            self._note("changed quotes")
        close = _QUOTES[mark]
        parts, self.at = [], self.at + 1
        while self.at < len(self.text) and (char := self.text[self.at]) != close:
            parts.append(self._escape() if char == "\\" else char)
            self.at += 1
        if self.at >= len(self.text):
            self._note("closed what was cut off")
        self.at += 1
        return "".join(parts).encode("utf-16", "surrogatepass").decode("utf-16", "replace")

    def _escape(self) -> str:
        """Return the character of the escape at the position; the position moves to its last character."""
        coded = _CODED.match(self.text, self.at)
        if coded:
            self.at = coded.end() - 1
            return chr(int(coded[1] or coded[2], 16))
        self.at += 1
        char = self.text[self.at : self.at + 1]
        return _ESCAPES.get(char, char)

    def _scalar(self) -> Any:
        number = _NUMBER.match(self.text, self.at)
        if not number:
            return self._word()
        self.at = number.end()
        digits = number[0]
        if not _STRICT.fullmatch(digits):
            self._note("rewrote numbers")
        if "x" in digits.lower():
            return int(digits, 16)
        return int(digits) if digits.lstrip("+-").isdecimal() else float(digits)

    def _word(self) -> Any:
        word = self._match(_BARE).rstrip()
        if word not in ("true", "false", "null"):
            self._note("replaced words that JSON lacks" if word in _WORDS else "quoted bare words")
        return _WORDS.get(word, word)

    def _match(self, pattern: re.Pattern[str]) -> str:
        found = pattern.match(self.text, self.at)
        if not found:
            raise ToolError(
                f"Cannot parse the text from {self.text[self.at : self.at + 20]!r} on. Remove or correct it there."
            )
        self.at = found.end()
        return found[0]
