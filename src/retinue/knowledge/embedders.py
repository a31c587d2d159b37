"""Make vectors by the model of a collection: the included one, or that of a provider."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING

import structlog

from retinue.core.database.interface import Database
from retinue.core.errors import RetinueError, Unavailable
from retinue.core.runtime.executors import run_on_compute_thread
from retinue.knowledge.embedding import (
    INCLUDED,
    READABLE,
    VERSION,
    embed,
    embed_query,
    included_model,
    pack_vectors,
    to_unit_vectors,
)
from retinue.models.embedding_models import Embedded, EmbeddingModels
from retinue.models.rerank_models import Reranked
from retinue.usage.ledger import UsageEntry, record

if TYPE_CHECKING:
    from retinue.knowledge.embedding import Floats

_log = structlog.get_logger()

_CHARACTERS = 4000
"""Characters of a text that a provider encodes."""


def is_included(model: str) -> bool:
    """Return whether a collection's model is the included one. An empty name means that it was not installed yet."""
    return model in ("", INCLUDED)


def stored_name(model: str) -> str:
    """Return the name of a collection's model that is stored with each vector."""
    return VERSION if is_included(model) else model


def readable_names(model: str) -> tuple[str, ...]:
    """Return the names of stored vectors that searches with a collection's model can use, the best first."""
    return READABLE if is_included(model) else (model,)


@dataclass(frozen=True)
class Embedder:
    """Makes vectors for accounts, and counts what they cost."""

    database: Database
    models: EmbeddingModels

    async def model_of(self, account_id: int, *, sandbox: bool) -> str:
        """Return the model of a new collection. Test keys always use the included one."""
        chosen = "" if sandbox else await self.models.choice_of(account_id)
        return chosen or included_model()

    async def embed_passages(self, account_id: int, model: str, texts: Sequence[str]) -> Sequence[bytes | None]:
        """Return the vectors of passages as they are stored; None without a model. Raises `RetinueError`."""
        if is_included(model):
            return await embed(texts) if included_model() else [None] * len(texts)
        found = await self._ask(account_id, model, texts)
        return await run_on_compute_thread(lambda: pack_vectors(to_unit_vectors(found.vectors)))

    async def embed_question(self, account_id: int, model: str, question: str) -> "Floats | None":
        """Return the vector of a question; None if there is none, so that the search is by words."""
        if is_included(model):
            return await embed_query(question) if included_model() else None
        try:
            found = await self._ask(account_id, model, [question], is_question=True)
        except RetinueError as error:
            _log.warning("knowledge.searched_by_words", model=model, reason=error.message)
            return None
        vector: Floats = (await run_on_compute_thread(to_unit_vectors, found.vectors))[0]
        return vector

    async def _ask(self, account_id: int, model: str, texts: Sequence[str], *, is_question: bool = False) -> Embedded:
        shortened = [text[:_CHARACTERS] for text in texts]
        found = await self.models.embed(account_id, model, shortened, is_question=is_question)
        if len({len(vector) for vector in found.vectors}) > 1:
            raise Unavailable(f"The embedding model {model} returned vectors of different lengths.")
        use = usage_of(found)
        await self.database.transact(lambda tx: record(tx, account_id, use))
        return found


def usage_of(found: Embedded | Reranked) -> UsageEntry:
    """Return what an answer counts in usage."""
    tokens, cost = found.tokens, found.cost
    unpriced = tokens if cost is None else 0
    return UsageEntry("chat", tokens=tokens, input_tokens=tokens, unpriced_tokens=unpriced, cost=cost or Decimal(0))
