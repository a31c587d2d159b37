"""Text of Rich Text Format (RTF) files."""

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from retinue.sdk import ToolError

_TOKEN = re.compile(
    rb"(?P<open>\{)|(?P<close>\})|\\'(?P<hex>[0-9A-Fa-f]{2})|\\(?P<word>[A-Za-z]{1,32})(?P<number>-?[0-9]{1,10})? ?"
    rb"|\\(?P<symbol>[^A-Za-z])|(?P<line>[\r\n]+)|(?P<text>[^\\{}\r\n]+)|(?P<stray>\\)",
    re.DOTALL,
)
_SKIPPED = frozenset(
    b"fonttbl colortbl stylesheet info pict object themedata datastore header footer headerl headerr headerf footerl "
    b"footerr footerf listtable listoverridetable rsidtbl generator latentstyles xmlnstbl fldinst bkmkstart bkmkend "
    b"filetbl revtbl nonshppict shpinst mmathPr".split()
)
"""Groups without document text."""

_WORDS = {
    b"par": "\n", b"line": "\n", b"sect": "\n\n", b"page": "\n\n", b"row": "\n", b"cell": "\t", b"tab": "\t",
    b"emdash": "—", b"endash": "\u2013", b"bullet": "•", b"lquote": "\u2018", b"rquote": "\u2019", b"ldblquote": "“",
    b"rdblquote": "”", b"emspace": " ", b"enspace": " ",
}  # fmt: skip
_SYMBOLS = {b"\\": "\\", b"{": "{", b"}": "}", b"~": "\u00a0", b"_": "\u2011", b"\n": "\n", b"\r": "\n"}
_DEEPEST = 500
_PAGES = {b"mac": "mac_roman", b"pc": "cp437", b"pca": "cp850"}


@dataclass(slots=True)
class _State:
    """State of a group: whether its text is ignored, and the number of fallback characters of a Unicode one."""

    skipped: bool = False
    fallback: int = 1


@dataclass(slots=True)
class _Reader:
    """Parses tokens (RTF 1.9.1). `owed` is the number of fallback characters still to skip."""

    page: str = "cp1252"
    owed: int = 0
    starred: bool = False
    states: list[_State] = field(default_factory=lambda: [_State()])
    bytes_read: bytearray = field(default_factory=bytearray)

    def read(self, content: bytes) -> Iterator[str]:
        for token in _TOKEN.finditer(content):
            if token["hex"] and not self.states[-1].skipped:
                self._byte(int(token["hex"], 16))
                continue
            yield self._decode_pending()
            yield self._text(token)
        yield self._decode_pending()

    def _byte(self, value: int) -> None:
        if self.owed:
            self.owed -= 1
        else:
            self.bytes_read.append(value)

    def _decode_pending(self) -> str:
        """Decode the bytes written as hexadecimal so far: in East Asian code pages two bytes form a character."""
        text = self.bytes_read.decode(self.page, "replace")
        self.bytes_read.clear()
        return text

    def _text(self, token: re.Match[bytes]) -> str:
        state = self.states[-1]
        if token["open"]:
            if len(self.states) > _DEEPEST:
                raise ToolError("The RTF file is nested too deeply.")
            self.states.append(_State(state.skipped, state.fallback))
            self.owed = 0
        elif token["close"]:
            if len(self.states) > 1:
                self.states.pop()
            self.owed, self.starred = 0, False
        elif token["word"]:
            return self._word(token["word"], token["number"])
        elif token["symbol"] == b"*":
            self.starred = True
        elif not state.skipped:
            return self._plain(token)
        return ""

    def _plain(self, token: re.Match[bytes]) -> str:
        text = (
            _SYMBOLS.get(token["symbol"], "")
            if token["symbol"]
            else (token["text"] or b"").decode(self.page, "replace")
        )
        left_out = min(self.owed, len(text))
        self.owed -= left_out
        return text[left_out:]

    def _word(self, word: bytes, number: bytes | None) -> str:
        state = self.states[-1]
        if word in _SKIPPED or self.starred:
            state.skipped, self.starred = True, False
        elif word == b"uc" and number is not None:
            state.fallback = max(0, min(int(number), 100))
        elif word == b"ansicpg" and number is not None:
            self.page = _code_page(number)
        elif word in _PAGES:
            self.page = _PAGES[word]
        elif word == b"u" and number is not None and not state.skipped:
            self.owed = state.fallback
            return _utf16(int(number))
        elif word in _WORDS and not state.skipped:
            return _WORDS[word]
        return ""


def rtf_text(content: bytes) -> str:
    """Return the text of an RTF file: paragraphs on separate lines, cells separated by tabs. Raises `ToolError`."""
    if not content.lstrip().startswith(b"{\\rtf"):
        raise ToolError("The file is not RTF. file_detect_type detects its type.")
    text = "".join(_Reader().read(content)).encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    lines = (line.rstrip() for line in text.replace("\0", "").split("\n"))
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip("\n")


def _utf16(number: int) -> str:
    """Return a UTF-16 unit, written as a signed 16-bit number; pairs are combined later."""
    return chr(number % 65536) if -32768 <= number < 65536 else "\ufffd"


def _code_page(number: bytes) -> str:
    try:
        return codecs.lookup(f"cp{int(number)}").name
    except LookupError:
        return "cp1252"
