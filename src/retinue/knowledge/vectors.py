"""The search for the nearest vectors of a collection.

Memory holds one bit for each dimension: whether the vector is above the collection's centre there. The passages whose
bits differ least from those of a question are candidates, and the cosines of these are computed from their stored
vectors, which have one byte for each dimension. Collections that were used last stay in memory up to a limit.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple
from weakref import WeakValueDictionary

from retinue.core.database.interface import Database
from retinue.core.database.statements import Row
from retinue.core.runtime.executors import run_on_compute_thread
from retinue.knowledge import statements as sql

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from retinue.knowledge.embedding import Floats

NEAREST = 100
"""Number of passages that a search by meaning finds."""

LEAST_SIMILARITY = 0.1
"""Minimum cosine of a passage that a search by meaning finds."""

MOST_BYTES = 96 << 20
"""Maximum size of all collections in memory: 1,250,000 passages with the included model, 480,000 with 1,536
dimensions. A larger collection is loaded alone and in part; its other passages are found by their words.
"""

SCALE_BYTES = 4
_CANDIDATES = 500
_SAMPLE = 100
_PAGE = 5000
"""Passages that are read at once, or those of one document."""

_BLOCK = 16_384
_IDS = 16
"""Bytes of the ids of a passage and its document."""

_Key = tuple[Sequence[str], object, int]


@dataclass(frozen=True, slots=True)
class _Loaded:
    """The bits of a collection's vectors, in rows of 64 dimensions, with the ids of passages and their documents.

    `key` is the names of the vectors, when the collection began to use them, and their dimensions. `version` changes
    when the passages do. `served` are the versions of the documents, and `usual` is the mean cosine of two passages.
    """

    key: _Key
    version: object
    served: Mapping[int, int]
    ids: "NDArray[np.int64]"
    owners: "NDArray[np.int64]"
    bits: "NDArray[np.uint64]"
    centre: "Floats | None"
    usual: float = 0.0

    @property
    def size(self) -> int:
        return int(self.bits.nbytes + self.ids.nbytes + self.owners.nbytes)


class Nearest(NamedTuple):
    """The ids of passages with cosines, best first, and the mean cosine of two passages of the collection."""

    found: list[tuple[int, float]]
    usual: float


class VectorIndex:
    """Finds passages by meaning."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._cache: OrderedDict[int, _Loaded] = OrderedDict()
        self._loading: WeakValueDictionary[int, asyncio.Lock] = WeakValueDictionary()

    async def nearest(
        self,
        collection_id: int,
        version: object,
        model: tuple[Sequence[str], object],
        question: "Floats",
        others: Sequence[int] = (),
        documents: Sequence[int] | None = None,
    ) -> Nearest:
        """Return the passages of a collection that are nearest to a vector, and those whose ids are `others`.

        With `documents`, the nearest are only passages of these.

        `version` changes when the passages do; `model` is the names of the vectors that can be used, the best first,
        and when the collection began to use them. Vectors of another length than the question's are left out.
        """
        key = (*model, len(question))
        lock = self._loading.setdefault(collection_id, asyncio.Lock())
        async with lock:
            loaded = self._cache.get(collection_id)
            if loaded is None or loaded.key != key:
                loaded = _empty(key)
            if loaded.version != version:
                loaded = await self._refresh(collection_id, version, loaded)
                self._keep(collection_id, loaded)
        candidates = await run_on_compute_thread(_candidates, loaded, question, documents)
        rows = await self._read_vectors(list({*candidates, *others}), key)
        return Nearest(await run_on_compute_thread(_nearest, rows, question, frozenset(others)), loaded.usual)

    async def _refresh(self, collection_id: int, version: object, before: _Loaded) -> _Loaded:
        """Read the passages of documents that are new or have changed, and forget those of documents that are gone."""
        names, _, dimensions = key = before.key
        model = {"model": names[0], "models": list(names)}
        documents = await self._database.query(sql.SERVED, collection=collection_id)
        served = {row.id: row.served for row in documents}
        parts = [await run_on_compute_thread(_without_old, before, served)]
        room = MOST_BYTES // (dimensions // 8 + _IDS) - len(parts[0].ids)
        for batch in _batches(row for row in documents if before.served.get(row.id) != row.served):
            rows = await self._database.query(sql.VECTORS, documents=batch, **model) if room > 0 else []
            if usable := _usable(rows, dimensions)[: max(room, 0)]:
                parts.append(await run_on_compute_thread(_load, usable, parts[-1]))
            room -= len(usable)
        ids, owners, bits = await run_on_compute_thread(_join, parts)
        sample = await self._read_vectors(ids[:: -(-len(ids) // _SAMPLE) or 1].tolist(), key)
        usual = await run_on_compute_thread(_mean_cosine, sample)
        return _Loaded(key, version, served, ids, owners, bits, parts[-1].centre, usual)

    async def _read_vectors(self, ids: Sequence[int], key: _Key) -> list[tuple[int, bytes]]:
        names = list(key[0])
        rows = await self._database.query(sql.VECTORS_OF, ids=ids, model=names[0], models=names) if ids else []
        return [(row.id, row.vector) for row in _usable(rows, key[2])]

    def _keep(self, collection_id: int, loaded: _Loaded) -> None:
        self._cache[collection_id] = loaded
        self._cache.move_to_end(collection_id)
        while len(self._cache) > 1 and sum(one.size for one in self._cache.values()) > MOST_BYTES:
            self._cache.popitem(last=False)


def _empty(key: _Key) -> _Loaded:
    import numpy as np

    none = np.empty(0, dtype=np.int64)
    return _Loaded(key, None, {}, none, none, np.empty((-(-key[2] // 64), 0), dtype=np.uint64), None)


def _batches(documents: Iterable[Row]) -> Iterator[list[int]]:
    """Yield the ids of documents that have at most 5,000 passages together."""
    batch: list[int] = []
    size = 0
    for row in documents:
        if batch and size + row.passages > _PAGE:
            yield batch
            batch, size = [], 0
        batch.append(row.id)
        size += row.passages
    if batch:
        yield batch


def _usable(rows: Sequence[Row], dimensions: int) -> list[Row]:
    return [row for row in rows if row.vector and len(row.vector) == dimensions + SCALE_BYTES]


def _without_old(loaded: _Loaded, served: Mapping[int, int]) -> _Loaded:
    """Leave out the passages of documents that have changed or are gone."""
    import numpy as np

    old = [key for key, version in loaded.served.items() if served.get(key) != version]
    if not old:
        return loaded
    current = ~np.isin(loaded.owners, old)
    ids, owners, bits = loaded.ids[current], loaded.owners[current], loaded.bits[:, current]
    return _Loaded(loaded.key, loaded.version, served, ids, owners, bits, loaded.centre)


def _load(rows: Sequence[Row], before: _Loaded) -> _Loaded:
    """Return the bits of passages. The centre is the mean of the first ones of the collection."""
    import numpy as np

    vectors = _unpack([row.vector for row in rows])
    centre = vectors.mean(axis=0) if before.centre is None else before.centre
    ids = np.fromiter((row.id for row in rows), dtype=np.int64, count=len(rows))
    owners = np.fromiter((row.document_id for row in rows), dtype=np.int64, count=len(rows))
    return _Loaded(before.key, None, {}, ids, owners, _bits(vectors, centre), centre)


def _join(parts: Sequence[_Loaded]) -> "tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.uint64]]":
    import numpy as np

    ids, owners = np.concatenate([one.ids for one in parts]), np.concatenate([one.owners for one in parts])
    return ids, owners, np.concatenate([one.bits for one in parts], axis=1)


def _bits(vectors: "Floats", centre: "Floats") -> "NDArray[np.uint64]":
    """Return a bit for each dimension, 64 in a row, with a column for each vector."""
    import numpy as np

    packed = np.packbits(vectors > centre, axis=1)
    padded = np.pad(packed, ((0, 0), (0, -packed.shape[1] % 8)))
    return np.ascontiguousarray(padded.view(np.uint64).T)


def _candidates(loaded: _Loaded, question: "Floats", documents: Sequence[int] | None) -> list[int]:
    """Return the ids of the passages, in all or some documents, whose bits differ least from those of a question."""
    import numpy as np

    ids, bits_of_all = loaded.ids, loaded.bits
    if documents is not None:
        chosen = np.isin(loaded.owners, documents)
        ids, bits_of_all = ids[chosen], bits_of_all[:, chosen]
    count = len(ids)
    if count <= _CANDIDATES or loaded.centre is None:
        return [int(one) for one in ids]
    question_bits = _bits(question[None], loaded.centre)[:, 0]
    differing = np.zeros(count, dtype=np.uint16)
    for start in range(0, count, _BLOCK):
        for row, bits in zip(bits_of_all, question_bits, strict=True):
            differing[start : start + _BLOCK] += np.bitwise_count(row[start : start + _BLOCK] ^ bits)
    return [int(one) for one in ids[np.argpartition(differing, _CANDIDATES)[:_CANDIDATES]]]


def _unpack(stored: Sequence[bytes]) -> "Floats":
    """Return stored vectors as a matrix of 32-bit floats."""
    import numpy as np

    packed = np.frombuffer(b"".join(stored), dtype=np.uint8).reshape(len(stored), -1)
    scales = packed[:, :SCALE_BYTES].copy().view("<f4")
    vectors: Floats = packed[:, SCALE_BYTES:].view(np.int8).astype(np.float32) * scales
    return vectors


def _mean_cosine(rows: Sequence[tuple[int, bytes]]) -> float:
    """Return the mean cosine of two passages; 0 for a single one."""
    if len(rows) < 2:
        return 0.0
    sample = _unpack([vector for _, vector in rows])
    count = len(sample)
    return (float((sample @ sample.T).sum()) - count) / (count * (count - 1))


def cosines(rows: Sequence[tuple[int, bytes]], question: "Floats") -> list[tuple[int, float]]:
    """Return the ids of stored vectors with their cosines to a question, best first."""
    import numpy as np

    if not rows:
        return []
    values = _unpack([vector for _, vector in rows]) @ question
    return [(rows[at][0], float(values[at])) for at in np.argsort(-values, kind="stable")]


def _nearest(rows: Sequence[tuple[int, bytes]], question: "Floats", others: Set[int]) -> list[tuple[int, float]]:
    """Return the nearest vectors, and those of `others`, with cosines, best first."""
    return [
        (key, cosine)
        for place, (key, cosine) in enumerate(cosines(rows, question))
        if (place < NEAREST and cosine >= LEAST_SIMILARITY) or key in others
    ]
