"""JSON that people and language models write almost right."""

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
    """JSON made whole."""

    value: Annotated[Any, About("The value that was read")]
    repairs: Annotated[list[str], About("What was mended, each kind once; empty if the text was JSON already")]


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
)
def json_repair_text(
    text: Annotated[
        str, About("Text that is almost JSON", "{name: 'Tea', price: 2.5,}", min_length=1, max_length=500_000)
    ],
) -> Repaired:
    """Repair almost-JSON: comments, single quotes, bare keys, trailing or missing commas, Python words, cut-off ends.

    Use it for hand-written settings, JSON5, printed Python objects and answers of language models with prose around.
    Returns the value, strict JSON text and what was mended.
    """
    reader = _Reader(text)
    value = reader.document()
    return {"text": dump(value), "value": plain(value), "repairs": list(reader.repairs)}


class _Reader:
    """Reads one value, forgiving what it can; `repairs` tells what it forgave."""

    def __init__(self, text: str) -> None:
        self.repairs: dict[str, None] = {}
        fence = _FENCE.search(text)
        self.text = fence[1] if fence else text
        start = min((self.text.find(mark) for mark in "{[" if mark in self.text), default=-1)
        if start < 0:
            raise ToolError("The text has no object or list: no { or [ is in it.")
        if fence or self.text[:start].strip():
            self._note("removed the text around")
        self.at = start

    def document(self) -> Any:
        """The first object or list of the text."""
        value = self._value()
        if self._peek():
            self._note("removed the text around")
        return value

    def _note(self, repair: str) -> None:
        self.repairs[repair] = None

    def _peek(self) -> str:
        """The next character that is no space or comment; empty at the end."""
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
        """Whether the list or object ends here; a bracket of the wrong kind ends it, too, and is left in place."""
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
        """The text between quotes; the end of the document closes it, too."""
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
        """What the escape at the position stands for; the position moves to its last character."""
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
            raise ToolError(f"Cannot read on at {self.text[self.at : self.at + 20]!r}. Remove or correct it there.")
        self.at = found.end()
        return found[0]
