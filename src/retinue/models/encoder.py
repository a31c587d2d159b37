"""The client of the encoder, a llama.cpp server that returns the hidden states of a model's first blocks."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

import aiohttp
import orjson

from retinue.core.errors import Unavailable

ENCODER_WEIGHTS, BLOCKS = "0.5b", 12
"""The weights whose first blocks encode requests, and the number of blocks: middle layers represent the topic best."""

MOST_CHARACTERS = 700
"""Most characters to encode: the beginning of a request states its topic, and long data only takes time."""
_TIMEOUT_S = 10.0


@dataclass(frozen=True, slots=True)
class Encoded:
    """A text, the end of each of its tokens as a byte offset, and the hidden state of each token."""

    text: str
    ends: Sequence[int]
    states: Sequence[Sequence[float]]

    @property
    def embedding(self) -> list[float]:
        """The embedding of the text: the mean of its token states."""
        return [sum(axis) / len(self.states) for axis in zip(*self.states, strict=True)]

    def tokens(self, begin: int, end: int) -> tuple[int, int] | None:
        """Return the first and the last token of a character range; None if no token overlaps it."""
        first, last = (len(self.text[:place].encode("utf-8", "replace")) for place in (begin, end))
        starts = (0, *self.ends)
        found = [
            at for at, (start, stop) in enumerate(zip(starts, self.ends, strict=False)) if start < last and stop > first
        ]
        return (found[0], found[-1]) if found else None


class Encoder:
    """A client of llama.cpp's server at `address`. `timeout_s` limits each request, in seconds."""

    def __init__(
        self, address: str, key: str, session: aiohttp.ClientSession, *, timeout_s: float = _TIMEOUT_S
    ) -> None:
        self._address, self._session = address, session
        self._timeout = aiohttp.ClientTimeout(total=timeout_s)
        self._headers = {"Content-Type": "application/json", "Authorization": f"Bearer {key}"}

    async def encode(self, text: str) -> Encoded:
        """Encode a text. Raises `Unavailable`."""
        text = text[:MOST_CHARACTERS]
        try:
            states, tokenized = await asyncio.gather(
                self._post("/embeddings", {"input": text}),
                self._post("/tokenize", {"content": text, "with_pieces": True}),
            )
            return read_encoding(text, states[0]["embedding"], [token["piece"] for token in tokenized["tokens"]])
        except (aiohttp.ClientError, TimeoutError, ValueError, LookupError, TypeError) as error:
            raise Unavailable("The local model did not encode a text. Try again in 10 seconds.") from error

    async def _post(self, path: str, payload: dict[str, object]) -> Any:
        body, headers = orjson.dumps(payload), self._headers
        async with self._session.post(
            self._address + path, data=body, headers=headers, timeout=self._timeout
        ) as response:
            response.raise_for_status()
            return orjson.loads(await response.read())


def read_encoding(text: str, states: Sequence[Sequence[float]], pieces: Sequence[str | list[int]]) -> Encoded:
    """Build an `Encoded` from the server's answers. A piece is text, or a list of bytes if it splits a character.

    Raises `ValueError` if the numbers of states and pieces differ.
    """
    if not states or len(states) != len(pieces):
        raise ValueError(f"{len(states)} states of {len(pieces)} tokens")
    sizes = (len(piece.encode()) if isinstance(piece, str) else len(piece) for piece in pieces)
    return Encoded(text, tuple(accumulate(sizes)), states)
