"""Reads a provider's list of its models."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from retinue.models.base import Modality
from retinue.models.streams import MalformedStream

_MODALITIES: dict[str, Modality] = {"text": "text", "image": "image", "file": "pdf", "pdf": "pdf", "audio": "audio"}


@dataclass(frozen=True, slots=True)
class ModelListing:
    """A model that a provider lists. None stands for what the list does not say."""

    id: str
    context_tokens: int | None = None
    max_output_tokens: int | None = None
    input: frozenset[Modality] | None = None


def read_listing(
    answer: object, read_model: Callable[[Mapping[str, object]], ModelListing] | None = None
) -> list[ModelListing]:
    """Read the models of an answer: a list, or an object with a list as `data` or `models`. Raises
    `MalformedStream`.
    """
    models = answer
    if isinstance(answer, dict):  # Ollama sends null where it has no models.
        models = next((answer[name] or [] for name in ("data", "models") if name in answer), None)
    if not isinstance(models, list):
        raise MalformedStream("a list of models that is none")
    found = ((read_model or _read_model)(model) for model in models if isinstance(model, dict))
    return [listing for listing in found if listing.id]


def _read_model(model: Mapping[str, object]) -> ModelListing:
    """Read one model of an OpenAI-compatible list. Limits are in fields that differ by provider."""
    top, architecture = model.get("top_provider"), model.get("architecture")
    top = top if isinstance(top, dict) else {}
    kinds = architecture.get("input_modalities") if isinstance(architecture, dict) else None
    found = frozenset(_MODALITIES[kind] for kind in kinds if kind in _MODALITIES) if isinstance(kinds, list) else None
    return ModelListing(
        str(model.get("id") or model.get("name") or ""),
        limit(model, "context_length", "context_window", "max_model_len", "max_context_length"),
        limit(top, "max_completion_tokens") or limit(model, "max_completion_tokens", "max_output_tokens"),
        found or None,
    )


def limit(model: Mapping[str, object], *names: str) -> int | None:
    """Return the first of these fields that is a positive number."""
    limits = (model.get(name) for name in names)
    return next((limit for limit in limits if isinstance(limit, int) and limit > 0), None)
