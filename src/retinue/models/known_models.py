"""Windows, limits, abilities and prices of known hosted models.

The table `known_models.json` is written by `scripts/known_models.py`. A price depends on who serves the model, so
models are known by the host of their provider.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import Any
from urllib.parse import urlsplit

import orjson

from retinue.models.base import TEXT_ONLY, Modality, Price
from retinue.providers.kinds import Kind

_HOSTS = {
    "api.openai.com": "openai",
    "api.anthropic.com": "anthropic",
    "generativelanguage.googleapis.com": "gemini",
    "api.mistral.ai": "mistral",
    "api.deepseek.com": "deepseek",
    "api.x.ai": "xai",
    "api.groq.com": "groq",
    "openrouter.ai": "openrouter",
    "openai.azure.com": "azure",
    "services.ai.azure.com": "azure",
    "api.moonshot.ai": "moonshot",
    "api.moonshot.cn": "moonshot",
    "aliyuncs.com": "dashscope",
    "api.together.xyz": "together_ai",
    "api.fireworks.ai": "fireworks_ai",
    "api.cerebras.ai": "cerebras",
    "api.z.ai": "zai",
}
"""Hosts, or domains of hosts, and the service of the table that they stand for."""

_VENDORS = {
    "openai": "openai",
    "anthropic": "anthropic",
    "google": "gemini",
    "mistralai": "mistral",
    "deepseek": "deepseek",
    "x-ai": "xai",
}
"""The vendors in names of OpenRouter, such as `openai/gpt-5`, and their services. Prices there are its own."""

_INPUTS: Mapping[str, Modality] = {"i": "image", "p": "pdf", "a": "audio"}
_VERSION = re.compile(r"[-@](\d{8}|\d{4}-\d{2}-\d{2}|\d{3,4}|latest|preview[\w-]*)$")
"""The end of a name that fixes a version, such as `-20250929` or `-latest`."""


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """What a model takes and costs. The defaults are careful guesses for an unknown model."""

    context_tokens: int = 32_768
    max_output_tokens: int | None = None
    input: frozenset[Modality] = TEXT_ONLY
    tools: bool = True
    reasoning: bool = False
    price: Price | None = None


_UNKNOWN: Mapping[str, ModelInfo] = {
    "openai": ModelInfo(128_000, None, frozenset({"text", "image"})),
    "anthropic": ModelInfo(200_000, 8_192, frozenset({"text", "image", "pdf"})),
    "gemini": ModelInfo(1_000_000, 8_192, frozenset({"text", "image", "pdf", "audio"})),
}
"""What holds for every current chat model of these services, for models that are newer than the table."""


def model_info(kind: Kind, base_url: str, model: str) -> ModelInfo:
    """Return what is known of a provider's model, or careful defaults."""
    service, name = _service(urlsplit(base_url).hostname or ""), model.removeprefix("models/")
    if service == "openrouter":
        vendor, _, resold = name.partition("/")
        row = _find(_VENDORS.get(vendor, ""), resold.replace(".", "-")) or _find(_VENDORS.get(vendor, ""), resold)
        return replace(_read(row), price=None) if row else ModelInfo()
    if row := _find(service, name):
        return _read(row)
    return _UNKNOWN.get(service) or _UNKNOWN.get(kind if kind in ("anthropic", "gemini") else "", ModelInfo())


def _find(service: str, name: str) -> list[Any] | None:
    known = _table().get(service, {})
    return known.get(name) or known.get(_VERSION.sub("", name))


def _service(host: str) -> str:
    """Return the service at a host, or an empty text."""
    labels = host.split(".")
    domains = (".".join(labels[number:]) for number in range(len(labels)))
    return next((_HOSTS[domain] for domain in domains if domain in _HOSTS), "")


@cache
def _table() -> Mapping[str, Mapping[str, list[object]]]:
    """Load the table, which takes a few milliseconds. A server without hosted providers never does."""
    table: dict[str, dict[str, list[object]]] = orjson.loads(
        files(__package__).joinpath("known_models.json").read_bytes()
    )
    return table


def _read(row: list[Any]) -> ModelInfo:
    context, most, abilities, price, cached, output = row
    inputs: frozenset[Modality] = TEXT_ONLY | {_INPUTS[letter] for letter in abilities if letter in _INPUTS}
    priced = Price(price, output, cached) if price is not None and output is not None else None
    return ModelInfo(context, most, inputs, "t" in abilities, "r" in abilities, priced)
