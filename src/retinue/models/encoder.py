"""The client of the server that encodes texts: what the first blocks of a model make of them."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

import aiohttp
import orjson

from retinue.core.errors import Unavailable

_MOST_CHARACTERS = 700
"""The beginning of a request says what it is about; long data would only take time."""
_TIMEOUT = aiohttp.ClientTimeout(total=10.0)


@dataclass(frozen=True, slots=True)
class Encoded:
    """A text, the byte at which each of its tokens ends, and what the model makes of each."""

    text: str
    ends: Sequence[int]
    states: Sequence[Sequence[float]]

    @property
    def place(self) -> list[float]:
        """Where the text lies: the mean of its tokens' states."""
        return [sum(axis) / len(self.states) for axis in zip(*self.states, strict=True)]

    def tokens(self, begin: int, end: int) -> tuple[int, int] | None:
        """The first and the last token of some characters; None where there are none."""
        first, last = (len(self.text[:place].encode("utf-8", "replace")) for place in (begin, end))
        starts = (0, *self.ends)
        found = [
            at for at, (start, stop) in enumerate(zip(starts, self.ends, strict=False)) if start < last and stop > first
        ]
        return (found[0], found[-1]) if found else None


class Encoder:
    """Speaks with llama.cpp's server at `address`."""

    def __init__(self, address: str, key: str, session: aiohttp.ClientSession) -> None:
        self._address, self._session = address, session
        self._headers = {"Content-Type": "application/json", "Authorization": f"Bearer {key}"}

    async def encode(self, text: str) -> Encoded:
        """What the model makes of a text. Raises `Unavailable`."""
        text = text[:_MOST_CHARACTERS]
        try:
            states, told = await asyncio.gather(
                self._post("/embeddings", {"input": text}),
                self._post("/tokenize", {"content": text, "with_pieces": True}),
            )
            return read_encoding(text, states[0]["embedding"], [token["piece"] for token in told["tokens"]])
        except (aiohttp.ClientError, TimeoutError, ValueError, LookupError, TypeError) as error:
            raise Unavailable("The local model did not encode a text. Try again in 10 seconds.") from error

    async def _post(self, path: str, asked: dict[str, Any]) -> Any:
        body, headers = orjson.dumps(asked), self._headers
        async with self._session.post(self._address + path, data=body, headers=headers, timeout=_TIMEOUT) as response:
            response.raise_for_status()
            return orjson.loads(await response.read())


def read_encoding(text: str, states: Sequence[Sequence[float]], pieces: Sequence[str | list[int]]) -> Encoded:
    """A text with its tokens as the server tells them: a piece is text, or bytes where a character is cut in two.

    Raises `ValueError` where the server reported other tokens than it encoded.
    """
    if not states or len(states) != len(pieces):
        raise ValueError(f"{len(states)} states of {len(pieces)} tokens")
    sizes = (len(piece.encode()) if isinstance(piece, str) else len(piece) for piece in pieces)
    return Encoded(text, tuple(accumulate(sizes)), states)
