"""Where the requests of the past lie: what the encoder makes of them."""

import json
import os
import urllib.request
from collections.abc import Iterator, Sequence
from pathlib import Path

from retinue.models.directions import BLOCKS, PLACING
from retinue.models.encoder import shown
from retinue.models.known import cores, known_weights
from retinue.models.local_server import ServerOptions, load_encoder
from retinue.models.shortened import shortened

_KEY, _TOGETHER = "training", 16


def places(weights_folder: Path, texts: Sequence[str]) -> Iterator[list[float]]:
    """The place of each text, in their order."""
    short = shortened(weights_folder / known_weights(PLACING).file_name, BLOCKS)
    options = ServerOptions("", _KEY, os.getpid(), str(short), slots=_TOGETHER, threads=cores())
    server = load_encoder(options)
    for start in range(0, len(texts), _TOGETHER):
        yield from _placed(server.listening_address, [shown(text) for text in texts[start : start + _TOGETHER]])


def _placed(address: str, texts: Sequence[str]) -> list[list[float]]:
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {_KEY}"}
    asked = urllib.request.Request(f"{address}/v1/embeddings", json.dumps({"input": texts}).encode(), headers)
    with urllib.request.urlopen(asked) as response:
        found = json.load(response)["data"]
    return [one["embedding"] for one in sorted(found, key=lambda one: one["index"])]
