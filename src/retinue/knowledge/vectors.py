"""The vectors of collections in memory, and the search for the nearest ones.

Vectors have one byte for each dimension, and all of a collection are compared with a question. Collections that were
used last stay in memory up to a limit.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from retinue.core.database.interface import Database
from retinue.core.runtime.executors import run_on_compute_thread
from retinue.knowledge import statements as sql

NEAREST = 100
"""Number of passages that a search by meaning finds."""

LEAST_SIMILARITY = 0.1
"""Minimum cosine of a passage that a search by meaning finds."""

_MEMORY = 64 << 20
"""Maximum size of all vectors in memory, in bytes. A larger collection is loaded alone."""

MOST_BYTES = 512 * 200_000
"""Maximum size of the vectors of a collection that are compared: 200,000 passages with the included model, 66,000 with
1,536 dimensions. The others are found by their words.
"""

SCALE_BYTES = 4
_SAMPLE = 100
_PAGE = 5000
_BLOCK = 8192


@dataclass(frozen=True, slots=True)
class _Loaded:
    """The vectors of a collection. `stamp` changes when its passages do. `usual` is the mean cosine of two passages."""

    stamp: Any
    ids: Any
    scales: Any
    numbers: Any
    usual: float = 0.0

    @property
    def size(self) -> int:
        return int(self.numbers.nbytes + self.ids.nbytes + self.scales.nbytes)


class Nearest(NamedTuple):
    """The ids of passages with cosines, best first, and the mean cosine of two passages of the collection."""

    found: list[tuple[int, float]]
    usual: float


class VectorIndex:
    """Finds passages by meaning."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._kept: OrderedDict[int, _Loaded] = OrderedDict()
        self._loading: dict[int, asyncio.Lock] = {}

    async def nearest(self, collection_id: int, version: Any, model: str, question: Any) -> Nearest:
        """Return the passages of a collection that are nearest to a vector.

        `version` changes when the passages do. Vectors of another length than the question's are left out.
        """
        stamp = (version, model, len(question))
        lock = self._loading.setdefault(collection_id, asyncio.Lock())
        async with lock:
            loaded = self._kept.get(collection_id)
            if loaded is None or loaded.stamp != stamp:
                loaded = await self._load(collection_id, stamp)
                self._keep(collection_id, loaded)
        if not lock.locked():
            self._loading.pop(collection_id, None)
        if not len(loaded.ids):
            return Nearest([], 0.0)
        return Nearest(await run_on_compute_thread(nearest_vectors, loaded, question), loaded.usual)

    async def _load(self, collection_id: int, stamp: tuple[Any, str, int]) -> _Loaded:
        _, model, dimensions = stamp
        rows: list[tuple[int, bytes]] = []
        after = 0
        while len(rows) * dimensions < MOST_BYTES and (
            page := await self._database.query(
                sql.VECTORS, collection=collection_id, after=after, model=model, most=_PAGE
            )
        ):
            rows += [(row.id, row.vector) for row in page if row.vector and len(row.vector) == dimensions + SCALE_BYTES]
            after = page[-1].id
        return await run_on_compute_thread(load_vectors, stamp, rows)

    def _keep(self, collection_id: int, loaded: _Loaded) -> None:
        self._kept[collection_id] = loaded
        self._kept.move_to_end(collection_id)
        while len(self._kept) > 1 and sum(one.size for one in self._kept.values()) > _MEMORY:
            self._kept.popitem(last=False)


def load_vectors(stamp: Any, rows: Sequence[tuple[int, bytes]]) -> _Loaded:
    """Unpack vectors, given with their ids."""
    import numpy as np  # noqa: PLC0415 - see embedding

    ids = np.fromiter((key for key, _ in rows), dtype=np.int64, count=len(rows))
    whole = np.frombuffer(b"".join(vector for _, vector in rows), dtype=np.uint8).reshape(len(rows), -1)
    if not rows:
        return _Loaded(stamp, ids, ids, ids)
    scales = whole[:, :SCALE_BYTES].copy().view("<f4")[:, 0]
    numbers = whole[:, SCALE_BYTES:].copy().view(np.int8)
    return _Loaded(stamp, ids, scales, numbers, _mean_cosine(scales, numbers))


def _mean_cosine(scales: Any, numbers: Any) -> float:
    """Return the mean cosine of two passages, from an even sample; 0 for a single one."""
    import numpy as np  # noqa: PLC0415 - see embedding

    some = slice(None, None, -(-len(scales) // _SAMPLE))
    sample = numbers[some].astype(np.float32) * scales[some, None]
    count = len(sample)
    pairs = count * (count - 1)
    return (float((sample @ sample.T).sum()) - count) / pairs if pairs else 0.0


def nearest_vectors(loaded: _Loaded, question: Any) -> list[tuple[int, float]]:
    """Return the ids of the vectors that are nearest to a question, with cosines, best first."""
    import numpy as np  # noqa: PLC0415 - see embedding

    cosines = np.empty(len(loaded.ids), dtype=np.float32)
    for start in range(0, len(loaded.ids), _BLOCK):
        block = loaded.numbers[start : start + _BLOCK].astype(np.float32)
        cosines[start : start + _BLOCK] = block @ question
    cosines *= loaded.scales
    most = min(NEAREST, len(cosines))
    best = np.argpartition(-cosines, most - 1)[:most]
    best = best[np.argsort(-cosines[best], kind="stable")]
    return [(int(loaded.ids[at]), float(cosines[at])) for at in best if cosines[at] >= LEAST_SIMILARITY]
