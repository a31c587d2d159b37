"""Structured text for the office tools: blocks of spans, parsed from Markdown (CommonMark and tables)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from markdown_it import MarkdownIt

from retinue_tools.documents._office_runs import xml_text

BlockKind = Literal["heading", "paragraph", "bullet", "number", "quote", "code", "rule", "table", "break"]

_MARKS = {"strong": "bold", "em": "italic", "s": "strike"}


@dataclass(frozen=True, slots=True)
class Span:
    """Text with one formatting."""

    text: str
    bold: bool = False
    italic: bool = False
    strike: bool = False
    code: bool = False
    link: str = ""


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph or table. `level` is that of a heading or the depth of a list; `starts` marks the first item of a
    list.
    """

    kind: BlockKind
    spans: Sequence[Span] = ()
    level: int = 1
    starts: bool = False
    rows: Sequence[Sequence[Sequence[Span]]] = ()

    @property
    def text(self) -> str:
        """Return its text without formatting."""
        return plain(self.spans)


def plain(spans: Sequence[Span]) -> str:
    """Return the text of spans."""
    return "".join(span.text for span in spans)


def markdown_blocks(markdown: str) -> list[Block]:
    """Parse the blocks of a Markdown text. HTML is treated as text, and pictures are replaced by their descriptions."""
    parser = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    reader = _Reader()
    for token in parser.parse(xml_text(markdown)):
        reader.take(token)
    return reader.blocks


class _Reader:
    """Processes the tokens of markdown-it and keeps its state."""

    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self._lists: list[BlockKind] = []
        self._quotes = 0
        self._item = self._starts = False
        self._heading = 0
        self._rows: list[list[Sequence[Span]]] | None = None

    def take(self, token: Any) -> None:
        """Process one token."""
        match token.type:
            case "inline":
                self._text(_spans(token.children or []))
            case "hr":
                self.blocks.append(Block("rule"))
            case "fence" | "code_block":
                self.blocks.append(Block("code", (Span(token.content.rstrip("\n"), code=True),)))
            case "heading_open" | "heading_close":
                self._heading = int(token.tag[1]) if token.nesting > 0 else 0
            case "blockquote_open" | "blockquote_close":
                self._quotes += token.nesting
            case _:
                self._list(token.type)
                self._table(token.type)

    def _list(self, kind: str) -> None:
        if kind in ("bullet_list_open", "ordered_list_open"):
            self._lists.append("bullet" if kind.startswith("bullet") else "number")
            self._starts = True
        elif kind in ("bullet_list_close", "ordered_list_close"):
            self._lists.pop()
        elif kind == "list_item_open":
            self._item = True

    def _table(self, kind: str) -> None:
        if kind == "table_open":
            self._rows = []
        elif kind == "tr_open" and self._rows is not None:
            self._rows.append([])
        elif kind == "table_close":
            self.blocks.append(Block("table", rows=self._rows or ()))
            self._rows = None

    def _text(self, spans: Sequence[Span]) -> None:
        if self._rows is not None:
            self._rows[-1].append(spans)
        elif self._heading:
            self.blocks.append(Block("heading", spans, self._heading))
        elif self._lists and self._item:
            self.blocks.append(Block(self._lists[-1], spans, len(self._lists), self._starts))
            self._item = self._starts = False
        else:
            self.blocks.append(Block("quote" if self._quotes else "paragraph", spans))


def _spans(tokens: Sequence[Any]) -> list[Span]:
    found: list[Span] = []
    look = Span("")
    for token in tokens:
        kind = token.type.removesuffix("_open").removesuffix("_close")
        if kind in _MARKS:
            look = replace(look, **{_MARKS[kind]: token.nesting > 0})
        elif kind == "link":
            look = replace(look, link=str(token.attrGet("href") or "") if token.nesting > 0 else "")
        elif kind in ("softbreak", "hardbreak"):
            found.append(replace(look, text=" " if kind == "softbreak" else "\n"))
        elif token.content:
            found.append(replace(look, text=token.content, code=kind == "code_inline"))
    return found
