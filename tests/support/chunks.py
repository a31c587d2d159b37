"""The result of a stream's chunks, however the stream was divided."""

from collections.abc import Sequence
from typing import Any

Chunk = dict[str, Any]


def merge(chunks: Sequence[Chunk]) -> list[Chunk]:
    """Join adjacent text chunks: where a stream is divided is arbitrary."""
    found: list[Chunk] = []
    for chunk in chunks:
        if found and found[-1]["type"] == chunk["type"] == "text":
            found.append({"type": "text", "content": found.pop()["content"] + chunk["content"]})
        else:
            found.append(chunk)
    return found


def interpret(chunks: Sequence[Chunk]) -> list[Chunk]:
    """Join text chunks, and drop the text before each `restart`."""
    found: list[Chunk] = []
    for chunk in chunks:
        if chunk["type"] != "restart":
            found = merge([*found, chunk])
        elif found and found[-1]["type"] == "text":
            found.pop()
    return found
