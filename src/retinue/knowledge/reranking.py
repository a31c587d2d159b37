"""Reorders the best passages of a search by the reranker of their collections, if they have one."""

from collections.abc import Sequence
from dataclasses import dataclass

import structlog

from retinue.core.database.interface import Database
from retinue.core.errors import RetinueError
from retinue.knowledge.embedders import usage_of
from retinue.models.rerank_models import RerankModels
from retinue.usage.ledger import record

_log = structlog.get_logger()

RERANKED = 50
"""Passages that a reranker scores, or as many as the search asks for."""


@dataclass(frozen=True, slots=True)
class Reranking:
    """What a reranker did in a search: `applied` is False if the order is that from before, and `reason` says why."""

    model: str
    applied: bool
    reason: str | None = None


@dataclass(frozen=True)
class Reranker:
    """Calls the rerankers of collections, and counts what they cost."""

    database: Database
    models: RerankModels

    async def scores(
        self, account_id: int, model: str, question: str, texts: Sequence[str]
    ) -> tuple[Reranking, Sequence[float] | None]:
        """Return the scores of texts in order; None if the reranker fails, which ends no search."""
        try:
            found = await self.models.rerank(account_id, model, question, texts)
        except RetinueError as error:
            _log.warning("knowledge.not_reranked", model=model, reason=error.message)
            return Reranking(model, applied=False, reason=error.message), None
        use = usage_of(found)
        await self.database.transact(lambda tx: record(tx, account_id, use))
        return Reranking(model, applied=True), found.scores
