"""Print a stream: the reply to standard output as it arrives, everything else to standard error.

On a terminal, the reply is rendered as Markdown, block by block.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Protocol

import typer
from rich.console import Console
from rich.live import Live
from rich.markdown import Markdown

from retinue.cli.output import note, on_terminal, printable

if TYPE_CHECKING:
    from retinue_client.types import ChatChunk, ExecuteAgentChunk, StreamRunChunk

    Chunk = ChatChunk | ExecuteAgentChunk | StreamRunChunk


class _ReplyPrinter(Protocol):
    """Prints a reply that arrives in pieces."""

    def add(self, text: str) -> None:
        """Print a piece of the reply."""

    def end(self) -> None:
        """End the line, so that something else can be printed. More pieces may follow."""


class PlainReply:
    """Prints the reply as it is."""

    def __init__(self) -> None:
        self._at_start = True

    def add(self, text: str) -> None:
        """See `_ReplyPrinter`."""
        typer.echo(printable(text), nl=False)
        self._at_start = text.endswith("\n")

    def end(self) -> None:
        """See `_ReplyPrinter`."""
        if not self._at_start:
            typer.echo()
        self._at_start = True


class MarkdownReply:
    """Renders Markdown: each block is printed when it is complete, and redrawn until then."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._unfinished = ""
        self._live: Live | None = None

    def add(self, text: str) -> None:
        """See `_ReplyPrinter`."""
        if self._live is None:
            self._live = Live(console=self._console, transient=True, refresh_per_second=10)
            self._live.start()
        complete, self._unfinished = split_blocks(self._unfinished + printable(text))
        if complete.strip():
            self._console.print(_render(complete))
        self._live.update(_render(self._unfinished))

    def end(self) -> None:
        """See `_ReplyPrinter`."""
        if self._live is None:
            return
        self._live.stop()
        self._live = None
        if self._unfinished.strip():
            self._console.print(_render(self._unfinished))
        self._unfinished = ""


def split_blocks(text: str) -> tuple[str, str]:
    """Split Markdown after its last complete block. A blank line ends a block, except within a block of code."""
    end, at, fenced = 0, 0, False
    for line in text.splitlines(keepends=True):
        at += len(line)
        if line.lstrip().startswith(("```", "~~~")):
            fenced = not fenced
        if not fenced and not line.strip() and line.endswith("\n"):
            end = at
    return text[:end], text[end:]


def _render(text: str) -> Markdown:
    return Markdown(text, hyperlinks=False)


def print_stream(chunks: "Iterable[Chunk]") -> str | None:
    """Print a reply as it streams; return the conversation's id, if any."""
    reply: _ReplyPrinter = MarkdownReply(Console()) if on_terminal() else PlainReply()
    try:
        return _follow(chunks, reply)
    finally:
        reply.end()


def _follow(chunks: "Iterable[Chunk]", reply: _ReplyPrinter) -> str | None:
    conversation = None
    for chunk in chunks:
        if chunk.type == "text":
            reply.add(chunk.content)
            continue
        reply.end()
        if chunk.type == "tool_start":
            note(f"· {chunk.tool}")
        elif chunk.type == "tool_end":
            if getattr(chunk, "status", "") == "failed":
                note(f"· {chunk.tool} failed")
            for file_id in getattr(chunk, "files", None) or ():
                note(f"· Its file: retinue files download {file_id}")
        elif chunk.type == "waiting":
            note(f"Run {chunk.run_id} waits for an approval or an answer. See: retinue approvals list")
        elif chunk.type == "restart":
            note("The run was interrupted. Its output since the last tool call is repeated:")
        elif chunk.type == "done":
            conversation = getattr(chunk, "conversation_id", None)
    return conversation
