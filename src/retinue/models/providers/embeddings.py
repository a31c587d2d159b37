"""Embeddings by the protocols of providers: OpenAI's `/embeddings`, and Gemini's `batchEmbedContents`.

https://platform.openai.com/docs/api-reference/embeddings/create
https://ai.google.dev/api/embeddings
"""

from collections.abc import Sequence
from dataclasses import dataclass

import aiohttp

from retinue.core.errors import ValidationFailed
from retinue.models.base import estimate_tokens
from retinue.models.providers.client import fetch_json
from retinue.models.providers.endpoint import Endpoint
from retinue.models.providers.errors import ErrorMessages
from retinue.models.providers.gemini import GeminiModel
from retinue.models.providers.openai import OpenAIModel
from retinue.providers.kinds import Kind

AT_ONCE = 64
"""Maximum number of texts in a request."""


@dataclass(frozen=True, slots=True)
class EmbeddedTexts:
    """The vectors of texts in order, and the tokens that they cost."""

    vectors: Sequence[Sequence[float]]
    tokens: int


async def embed_texts(
    kind: Kind,
    model: str,
    endpoint: Endpoint,
    session: aiohttp.ClientSession,
    texts: Sequence[str],
    errors: ErrorMessages,
    *,
    is_question: bool,
) -> EmbeddedTexts:
    """Return the vectors of texts: passages to find, or questions. Raises `RetinueError`."""
    if kind == "anthropic":
        raise ValidationFailed("The protocol of Anthropic has no embeddings. Choose a model of another provider.")
    ask = _ask_gemini if kind == "gemini" else _ask_openai
    try:
        found = await ask(model, endpoint, session, texts, errors, is_question)
    except (KeyError, TypeError, ValueError) as error:
        raise errors.for_garbled_data() from error
    if len(found.vectors) != len(texts) or not all(map(len, found.vectors)):
        raise errors.for_garbled_data()
    return found


async def _ask_openai(
    model: str,
    endpoint: Endpoint,
    session: aiohttp.ClientSession,
    texts: Sequence[str],
    errors: ErrorMessages,
    is_question: bool,
) -> EmbeddedTexts:
    body = {"model": model, "input": list(texts), "encoding_format": "float"}
    answer = await fetch_json(endpoint, session, "/embeddings", OpenAIModel.authorize(endpoint.key), body, errors)
    in_order = sorted(answer["data"], key=lambda one: int(one["index"]))
    usage = answer.get("usage") or {}
    counted = usage.get("total_tokens") or usage.get("prompt_tokens")
    return EmbeddedTexts([list(map(float, one["embedding"])) for one in in_order], _tokens(counted, texts))


async def _ask_gemini(
    model: str,
    endpoint: Endpoint,
    session: aiohttp.ClientSession,
    texts: Sequence[str],
    errors: ErrorMessages,
    is_question: bool,
) -> EmbeddedTexts:
    name = f"models/{model.removeprefix('models/')}"
    task = "RETRIEVAL_QUERY" if is_question else "RETRIEVAL_DOCUMENT"
    requests = [{"model": name, "taskType": task, "content": {"parts": [{"text": text}]}} for text in texts]
    path, authorization = f"/{name}:batchEmbedContents", GeminiModel.authorize(endpoint.key)
    answer = await fetch_json(endpoint, session, path, authorization, {"requests": requests}, errors)
    return EmbeddedTexts([list(map(float, one["values"])) for one in answer["embeddings"]], _tokens(None, texts))


def _tokens(counted: object, texts: Sequence[str]) -> int:
    """Return the tokens that a provider counted, or an estimate."""
    return counted if isinstance(counted, int) else sum(map(estimate_tokens, texts))
