"""Finds the reranking models of providers by name, and calls them."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from retinue.core.errors import RetinueError, Unavailable, ValidationFailed
from retinue.models.embedding_models import MOST_CHARACTERS, input_cost
from retinue.models.registry import Models

_RERANK_S = 10.0
"""Seconds after which a search continues without the reranker."""


@dataclass(frozen=True, slots=True)
class Reranked:
    """The scores of texts in order, the tokens that they cost, and what these cost in USD; None if that is unknown."""

    scores: Sequence[float]
    tokens: int
    cost: Decimal | None


@dataclass(frozen=True)
class RerankModels:
    """The reranking models of the providers that accounts see."""

    models: Models

    async def check(self, account_id: int, name: str) -> None:
        """Rerank a word. Raises `ValidationFailed` if the account has no such model, or if it does not rerank."""
        if len(name) > MOST_CHARACTERS:
            raise ValidationFailed(f"reranker: names can have at most {MOST_CHARACTERS} characters.")
        try:
            await self.rerank(account_id, name, "ready", ["ready"])
        except RetinueError as error:
            raise ValidationFailed(f"reranker: {name} does not rerank here. {error.message}") from error

    async def rerank(self, account_id: int, name: str, question: str, texts: Sequence[str]) -> Reranked:
        """Return how well texts answer a question. Raises `RetinueError`."""
        found = self.models.host(await self.models.view(account_id), name)
        if found is None:
            raise Unavailable(
                f"The reranker {name} is no longer configured. Add its provider, or choose another one for the "
                "collection."
            )
        host, model = found
        try:
            async with asyncio.timeout(_RERANK_S):
                answer = await host.rerank(account_id, model, question, texts)
        except TimeoutError as error:
            raise Unavailable(f"The reranker {name} did not answer within {_RERANK_S:.0f} seconds.") from error
        return Reranked(answer.scores, answer.tokens, input_cost(host.info(model).price, answer.tokens))
