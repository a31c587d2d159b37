"""Encodes the training requests with the model's first blocks."""

import asyncio
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

import aiohttp

from retinue.models.encoder import BLOCKS, PLACING, Encoded, Encoder
from retinue.models.gguf_truncation import shorten
from retinue.models.known_weights import cores, known_weights
from retinue.models.local_server import ServerOptions, load_encoder

_KEY, _TOGETHER, _TIMEOUT_S = "training", 16, 120.0
_TOLD_EVERY = 50


def encodings(weights_folder: Path, texts: Sequence[str]) -> Iterator[Encoded]:
    """Yield each text encoded, in order, and print progress: two cores encode five requests per second."""
    short = shorten(weights_folder / known_weights(PLACING).file_name, BLOCKS)
    options = ServerOptions("", _KEY, os.getpid(), str(short), slots=_TOGETHER, threads=cores())
    server = load_encoder(options)
    for count, start in enumerate(range(0, len(texts), _TOGETHER), 1):
        yield from asyncio.run(_encode(server.listening_address, texts[start : start + _TOGETHER]))
        if count % _TOLD_EVERY == 0:
            print(f"{count * _TOGETHER} of {len(texts)} texts encoded", flush=True)


async def _encode(address: str, texts: Sequence[str]) -> list[Encoded]:
    async with aiohttp.ClientSession() as session:
        encoder = Encoder(address, _KEY, session, timeout_s=_TIMEOUT_S)
        return await asyncio.gather(*map(encoder.encode, texts))
