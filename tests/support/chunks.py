"""What the chunks of a stream come to, however they were divided."""

from collections.abc import Sequence
from typing import Any

Chunk = dict[str, Any]


def merge(chunks: Sequence[Chunk]) -> list[Chunk]:
    """The chunks with text that follows text as one: where it is divided is chance."""
    found: list[Chunk] = []
    for chunk in chunks:
        if found and found[-1]["type"] == chunk["type"] == "text":
            found.append({"type": "text", "content": found.pop()["content"] + chunk["content"]})
        else:
            found.append(chunk)
    return found


def interpret(chunks: Sequence[Chunk]) -> list[Chunk]:
    """What is left when each `restart` has taken away the text before it."""
    found: list[Chunk] = []
    for chunk in chunks:
        if chunk["type"] != "restart":
            found = merge([*found, chunk])
        elif found and found[-1]["type"] == "text":
            found.pop()
    return found
