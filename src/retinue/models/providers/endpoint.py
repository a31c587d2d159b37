"""Describes where a provider is and what one of its models takes."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from retinue.models.base import TEXT_ONLY, Modality

DEFAULT_ORIGIN = "default"
"""The origin of the provider that the operator configured with RETINUE_MODEL_URL."""

LOCAL_ORIGIN = "local"
"""The origin of the models that run on this machine."""

LISTED_ORIGIN = ""
"""The origin in errors of a provider that is asked for its models: the caller knows which one it is."""


@dataclass(frozen=True, slots=True)
class Timeouts:
    """Timeouts in seconds. `first_byte` is the read timeout: for the first byte and between two chunks."""

    connect: float = 5.0
    first_byte: float = 120.0
    total: float = 3600.0


REASONING = Timeouts(first_byte=600.0)
"""The timeouts of models that reason: many providers send nothing until the reasoning is over."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A provider's address: everything before `/chat/completions`, `/responses`, `/messages` or `/models`.

    `headers` and `query` are added to every request. `key`, `headers` and `query` are secret. A `direct` endpoint is
    reached without the proxy of the environment, which could connect to addresses that this server must not reach.
    """

    base_url: str
    key: str = field(default="", repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    query: Mapping[str, str] = field(default_factory=dict, repr=False)
    direct: bool = False


@dataclass(frozen=True, slots=True)
class ModelLimits:
    """What one model takes. `max_output_tokens` is None if it is unknown; `reasoning` says that it can reason."""

    context_tokens: int
    max_output_tokens: int | None = None
    input: frozenset[Modality] = TEXT_ONLY
    reasoning: bool = False
    timeouts: Timeouts = Timeouts()
