"""Finds the embedding models of providers by name, and calls them in batches, with retries."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal

import structlog

from retinue.core.errors import RetinueError, Unavailable, ValidationFailed
from retinue.models.base import Price, ProviderFailed
from retinue.models.failover import RetryPolicy
from retinue.models.hosting import HostedProvider
from retinue.models.providers.embeddings import AT_ONCE, EmbeddedTexts
from retinue.models.registry import Models

_log = structlog.get_logger()

ALIAS = "alfred-embedding"
"""The alias of the embedding model that the account or the operator chose."""

MOST_CHARACTERS = 100
"""Maximum length of the name of an embedding model."""


@dataclass(frozen=True, slots=True)
class Embedded:
    """The vectors of texts, the tokens that they cost, and what these cost in USD; None if that is unknown."""

    vectors: Sequence[Sequence[float]]
    tokens: int
    cost: Decimal | None


@dataclass(frozen=True)
class EmbeddingModels:
    """The embedding models of the providers that accounts see."""

    models: Models
    policy: RetryPolicy = field(default_factory=RetryPolicy)

    async def choice_of(self, account_id: int) -> str:
        """Return the name of the embedding model that an account uses; empty for the included one."""
        return (await self.models.view(account_id)).embedding

    async def names(self, account_id: int) -> list[str]:
        """Return the names of the embedding models that the providers of an account list."""
        hosts = self.models.hosts(await self.models.view(account_id))
        found = await asyncio.gather(*(host.embedding_models() for host in hosts))
        return [f"{host.name}/{one}" for host, ids in zip(hosts, found, strict=True) for one in ids]

    async def check(self, account_id: int, name: str) -> None:
        """Embed a word. Raises `ValidationFailed` if the account has no such model, or if it makes no embeddings."""
        if len(name) > MOST_CHARACTERS:
            raise ValidationFailed(f"embedding: names can have at most {MOST_CHARACTERS} characters.")
        try:
            await self.embed(account_id, name, ["ready"])
        except RetinueError as error:
            raise ValidationFailed(f"embedding: {name} makes no embeddings here. {error.message}") from error

    async def embed(self, account_id: int, name: str, texts: Sequence[str], *, is_question: bool = False) -> Embedded:
        """Return the vectors of texts. Raises `RetinueError`."""
        host, model = await self._find(account_id, name)
        vectors: list[Sequence[float]] = []
        tokens = 0
        for start in range(0, len(texts), AT_ONCE):
            found = await self._ask(account_id, host, model, texts[start : start + AT_ONCE], is_question)
            vectors += found.vectors
            tokens += found.tokens
        return Embedded(vectors, tokens, input_cost(host.info(model).price, tokens))

    async def _find(self, account_id: int, name: str) -> tuple[HostedProvider, str]:
        found = self.models.host(await self.models.view(account_id), name)
        if found is None:
            raise Unavailable(
                f"The embedding model {name} is no longer configured. Add its provider, or choose another one with PUT "
                "/api/v1/models/default."
            )
        return found

    async def _ask(
        self, account_id: int, host: HostedProvider, model: str, texts: Sequence[str], is_question: bool
    ) -> EmbeddedTexts:
        """Ask once, and again after a pause if the provider may answer then. A question is sent twice at most."""
        number = 0
        while True:
            try:
                return await host.embed(account_id, model, texts, is_question=is_question)
            except ProviderFailed as error:
                pause = self.policy.pause(number, error.retry_after) if error.may_retry else None
                if pause is None or (is_question and number):
                    raise
                _log.warning("embedding refused", model=model, reason=error.message)
            number += 1
            await asyncio.sleep(pause)


def input_cost(price: Price | None, tokens: int) -> Decimal | None:
    """Return what input tokens cost in USD; None without a price."""
    return None if price is None else Decimal(price.input) * tokens / 1_000_000
