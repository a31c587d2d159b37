"""What the encoder makes of the requests of the past."""

import json
import os
import urllib.request
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from retinue.models.directions import BLOCKS, PLACING
from retinue.models.encoder import Encoded, encoded, shown
from retinue.models.known import cores, known_weights
from retinue.models.local_server import ServerOptions, load_encoder
from retinue.models.shortened import shortened

_KEY, _TOGETHER = "training", 16
_TOLD_EVERY = 50


def encodings(weights_folder: Path, texts: Sequence[str]) -> Iterator[Encoded]:
    """Each text, encoded, in their order; with word of how far it is: two cores encode five requests a second."""
    short = shortened(weights_folder / known_weights(PLACING).file_name, BLOCKS)
    options = ServerOptions("", _KEY, os.getpid(), str(short), slots=_TOGETHER, threads=cores())
    server = load_encoder(options)
    for count, start in enumerate(range(0, len(texts), _TOGETHER), 1):
        yield from _encoded(server.listening_address, [shown(text) for text in texts[start : start + _TOGETHER]])
        if count % _TOLD_EVERY == 0:
            print(f"{count * _TOGETHER} of {len(texts)} texts encoded", flush=True)


def _encoded(address: str, texts: Sequence[str]) -> Iterator[Encoded]:
    found = sorted(_asked(address, "/embeddings", {"input": texts}), key=lambda one: one["index"])
    for text, one in zip(texts, found, strict=True):
        told = _asked(address, "/tokenize", {"content": text, "with_pieces": True})
        yield encoded(text, one["embedding"], [token["piece"] for token in told["tokens"]])


def _asked(address: str, path: str, asked: dict[str, Any]) -> Any:
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {_KEY}"}
    with urllib.request.urlopen(
        urllib.request.Request(address + path, json.dumps(asked).encode(), headers)
    ) as response:
        return json.load(response)
