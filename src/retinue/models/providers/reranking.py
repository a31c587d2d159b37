"""Reranking by the `/rerank` endpoints of providers, which speak nearly the same JSON.

Cohere, Jina, Voyage, vLLM and others take `model`, `query` and `documents`; the answer has `results`, or `data` at
Voyage, each with an `index` and a `relevance_score`. Text Embeddings Inference takes `texts` instead of `documents` and
answers with a bare list of `index` and `score`. No limit is sent, because its name differs: all documents are scored.

https://docs.cohere.com/reference/rerank
https://jina.ai/reranker
https://docs.voyageai.com/reference/reranker-api
https://docs.vllm.ai/en/stable/serving/openai_compatible_server.html
https://huggingface.github.io/text-embeddings-inference
"""

import math
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypedDict

import aiohttp

from retinue.core.errors import ValidationFailed
from retinue.models.base import ProviderFailed, estimate_tokens
from retinue.models.providers.client import fetch_json
from retinue.models.providers.endpoint import Endpoint
from retinue.models.providers.errors import ErrorMessages
from retinue.models.providers.openai import OpenAIModel
from retinue.providers.kinds import Kind

_OTHER_FIELDS = (400, 422)
"""The statuses of servers that miss a field."""


class _Score(TypedDict, total=False):
    index: int
    relevance_score: float
    score: float


class _Scores(TypedDict, total=False):
    results: list[_Score]
    data: list[_Score]
    usage: object


Answer = _Scores | list[_Score]


@dataclass(frozen=True, slots=True)
class RerankedTexts:
    """A score for each text in order, higher for better ones, and the tokens that they cost.

    `wants_texts` says that the server takes `texts` instead of `documents`.
    """

    scores: Sequence[float]
    tokens: int
    wants_texts: bool


async def rerank_texts(
    kind: Kind,
    model: str,
    endpoint: Endpoint,
    session: aiohttp.ClientSession,
    question: str,
    texts: Sequence[str],
    *,
    wants_texts: bool,
    errors: ErrorMessages,
) -> RerankedTexts:
    """Return how well texts answer a question. `wants_texts` is that of an earlier answer. Raises `RetinueError`."""
    if kind not in ("openai", "openai-responses"):
        raise ValidationFailed(f"Providers of the kind {kind} have no reranker. Choose a model of another provider.")

    async def ask(body: Mapping[str, object]) -> Answer:
        authorization = OpenAIModel.authorize(endpoint.key)
        answer: Answer = await fetch_json(endpoint, session, "/rerank", authorization, body, errors)
        return answer

    cohere = {"model": model, "query": question, "documents": list(texts)}
    inference = {"query": question, "texts": list(texts), "truncate": True}
    try:
        answer = await ask(inference if wants_texts else cohere)
    except ProviderFailed as error:
        if wants_texts or error.http_status not in _OTHER_FIELDS:
            raise
        answer, wants_texts = await _ask_again(ask, inference, error), True
    try:
        return RerankedTexts(_scores(answer, len(texts)), _tokens(answer, question, texts), wants_texts)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise errors.for_garbled_data() from error


async def _ask_again(
    ask: Callable[[Mapping[str, object]], Awaitable[Answer]], body: Mapping[str, object], refusal: ProviderFailed
) -> Answer:
    """Send the other fields. If these are refused too, the first refusal says why."""
    try:
        return await ask(body)
    except ProviderFailed as error:
        raise refusal from error


def _scores(answer: Answer, count: int) -> list[float]:
    """Return the scores of an answer in the order of the texts. Raises `ValueError` if one is missing."""
    listed = answer if isinstance(answer, list) else answer["results"] if "results" in answer else answer["data"]
    scores = {
        int(one["index"]): float(one["relevance_score" if "relevance_score" in one else "score"]) for one in listed
    }
    if scores.keys() != set(range(count)) or not all(map(math.isfinite, scores.values())):
        raise ValueError("scores are missing")
    return [scores[at] for at in range(count)]


def _tokens(answer: Answer, question: str, texts: Sequence[str]) -> int:
    """Return the tokens that a provider counted, or an estimate."""
    usage = answer.get("usage") if isinstance(answer, dict) else None
    counted = usage.get("total_tokens") if isinstance(usage, dict) else None
    return counted if isinstance(counted, int) else sum(map(estimate_tokens, texts)) + estimate_tokens(question)
