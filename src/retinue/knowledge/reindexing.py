"""Makes the vectors of collections by another model, while searches use those from before."""

from collections.abc import Sequence

import structlog

from retinue.core.database.interface import Database, DatabaseUnavailable, Tx
from retinue.core.database.statements import Row
from retinue.core.errors import RetinueError
from retinue.core.runtime.clock import now
from retinue.core.runtime.executors import acting_for
from retinue.core.work.leased_worker import FairLeasedWorker
from retinue.core.work.leases import LeaseLost
from retinue.core.work.notifier import Notifier
from retinue.knowledge import statements as sql
from retinue.knowledge.chunking import text_to_embed
from retinue.knowledge.embedders import Embedder, is_included, stored_name
from retinue.knowledge.embedding import included_model
from retinue.providers.tables import EVERYBODY

_log = structlog.get_logger()

TOPIC = "knowledge_reindexing"

_INCLUDED_BATCH, _PROVIDER_BATCH = 8, 64
_WAIT_S = 60.0
"""Seconds until a provider that did not answer is asked again."""


async def reindex(tx: Tx, account_id: int) -> None:
    """Schedule the collections of an account, or of everybody, to be indexed again with the chosen model."""
    if account_id == EVERYBODY:
        await tx.run(sql.RETARGET_ALL, included=included_model())
    else:
        await tx.run(sql.RETARGET, account=account_id, included=included_model())


class ReindexWorker(FairLeasedWorker):
    """Works on collections, one of each account at a time."""

    leases, topic, at_once, per_account = sql.COLLECTION_LEASES, TOPIC, 2, 1

    def __init__(self, database: Database, notifier: Notifier, node: str, embedder: Embedder) -> None:
        super().__init__(database, notifier, node)
        self._embedder = embedder

    async def work(self, item: Row) -> None:
        """Make the missing vectors, then let searches use them."""
        acting_for.set(item.account_id)
        try:
            while not await self._use_if_complete(item):
                await self._make_missing(item)
        except (LeaseLost, DatabaseUnavailable):
            raise
        except RetinueError as error:
            _log.warning("knowledge.not_reindexed", collection=item.id, reason=error.message)
            await self._wait(item)
        except Exception:  # noqa: BLE001 - an operator reads the log; searches use the vectors from before
            _log.exception("knowledge.not_reindexed", collection=item.id)
            await self._wait(item)

    async def _make_missing(self, item: Row) -> None:
        """Make the vectors that are missing, in the order of the passages."""
        most = _INCLUDED_BATCH if is_included(item.target_model) else _PROVIDER_BATCH
        after = 0
        while rows := await self._missing(item, after, most):
            texts = [text_to_embed(row.title, row.section, row.text) for row in rows]
            vectors = await self._embedder.embed_passages(item.account_id, item.target_model, texts)
            await self._store(item, rows, vectors)
            after = rows[-1].id

    async def _missing(self, item: Row, after: int, most: int) -> list[Row]:
        model = stored_name(item.target_model)
        return await self._database.query(sql.WITHOUT_VECTORS, collection=item.id, after=after, most=most, model=model)

    async def _store(self, item: Row, rows: Sequence[Row], vectors: Sequence[bytes | None]) -> None:
        serving, model = stored_name(item.embedding_model), stored_name(item.target_model)

        async def store(tx: Tx) -> None:
            await _hold(tx, item)
            for row, vector in zip(rows, vectors, strict=True):
                place = sql.SET_VECTOR if row.other_model == serving else sql.SET_OTHER_VECTOR
                await tx.run(place, passage=row.id, model=model, new_vector=vector)

        await self._database.transact(store)

    async def _use_if_complete(self, item: Row) -> bool:
        """Let searches use the new vectors if none is missing. Documents that are indexed meanwhile wait for this."""
        model = stored_name(item.target_model)

        async def use(tx: Tx) -> bool:
            await _hold(tx, item)
            if await tx.all(sql.WITHOUT_VECTORS, collection=item.id, after=0, most=1, model=model):
                return False
            await tx.run(sql.USE_TARGET, collection=item.id, under=item.epoch, moment=now())
            return True

        return await self._database.transact(use)

    async def _wait(self, item: Row) -> None:
        key = {"collection": item.id, "under": item.epoch}
        await self._database.transact(lambda tx: tx.run(sql.WAIT_LONGER, **key, seconds=_WAIT_S))


async def _hold(tx: Tx, item: Row) -> None:
    if not await tx.run(sql.HOLD_COLLECTION, collection=item.id, under=item.epoch):
        raise LeaseLost
