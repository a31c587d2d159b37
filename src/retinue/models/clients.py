"""Builds the client of a model by its provider's protocol, and asks providers for their models."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import NamedTuple

import aiohttp

from retinue.models.base import Model
from retinue.models.providers import anthropic, gemini, openai, responses
from retinue.models.providers.catalogue import ModelListing
from retinue.models.providers.endpoint import Endpoint, ModelLimits
from retinue.providers.kinds import Kind


class _Protocol(NamedTuple):
    client: Callable[[str, str, Endpoint, aiohttp.ClientSession, ModelLimits], Model]
    list_models: Callable[[Endpoint, aiohttp.ClientSession], Awaitable[Sequence[ModelListing]]]


_PROTOCOLS: Mapping[Kind, _Protocol] = {
    "openai": _Protocol(openai.OpenAIModel, openai.list_models),
    "openai-responses": _Protocol(responses.ResponsesModel, responses.list_models),
    "anthropic": _Protocol(anthropic.AnthropicModel, anthropic.list_models),
    "gemini": _Protocol(gemini.GeminiModel, gemini.list_models),
}


def client_of(
    kind: Kind, origin: str, wire_name: str, endpoint: Endpoint, session: aiohttp.ClientSession, limits: ModelLimits
) -> Model:
    """Return the client of the model `wire_name`."""
    return _PROTOCOLS[kind].client(origin, wire_name, endpoint, session, limits)


async def list_models(kind: Kind, endpoint: Endpoint, session: aiohttp.ClientSession) -> Sequence[ModelListing]:
    """Ask a provider for its models. Raises `Unavailable`."""
    return await _PROTOCOLS[kind].list_models(endpoint, session)
