"""Print a stream: the reply to standard output as it arrives, everything else to standard error."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

import typer

from retinue.cli.output import note, printable

if TYPE_CHECKING:
    from retinue_client.types import ChatChunk, ExecuteAgentChunk, StreamRunChunk

    Chunk = ChatChunk | ExecuteAgentChunk | StreamRunChunk


def print_stream(chunks: "Iterable[Chunk]") -> str | None:
    """Print a reply as it streams; return the conversation's id, if any."""
    conversation, at_start = None, True
    for chunk in chunks:
        if chunk.type == "text":
            typer.echo(printable(chunk.content), nl=False)
            at_start = chunk.content.endswith("\n")
            continue
        if not at_start:
            typer.echo()
            at_start = True
        if chunk.type == "tool_start":
            note(f"· {chunk.tool}")
        elif chunk.type == "waiting":
            note(f"Run {chunk.run_id} is waiting for a person to approve a tool call. See GET /api/v1/approvals.")
        elif chunk.type == "restart":
            note("The run was interrupted. Its output since the last tool call is repeated:")
        elif chunk.type == "done":
            conversation = getattr(chunk, "conversation_id", None)
    return conversation
