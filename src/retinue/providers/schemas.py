"""Request and response schemas of providers."""

from decimal import Decimal
from typing import Annotated, Literal

from pydantic import AfterValidator, BeforeValidator, Field

from retinue.auth.plans import PlanName
from retinue.connections.kinds import BaseAddress
from retinue.core.http.envelope import IGNORED, Body, Changes, Timestamp, View, absent
from retinue.providers.kinds import DEFAULT_PROVIDER, Kind

Input = Literal["text", "image", "pdf", "audio"]

MODEL_NAME = 100
"""Maximum characters of the name of a model, `provider/model-id`."""

_FORBIDDEN = frozenset({"host", "content-length", "content-type", "transfer-encoding", "connection"})


def _not_reserved(name: str) -> str:
    if name in (DEFAULT_PROVIDER, "local"):
        raise ValueError(f"must not be {name}, which names a provider of the server")
    return name


def _no_transport_headers(headers: dict[str, str]) -> dict[str, str]:
    if wrong := [name for name in headers if name.lower() in _FORBIDDEN]:
        raise ValueError(f"must not contain {wrong[0]}")
    return headers


def _decimal(value: object) -> object:
    """Accept a number where a decimal string is expected."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return f"{Decimal(str(value)):f}"
    return value


Name = Annotated[str, Field(pattern=r"^[a-z][a-z0-9-]{0,39}$"), AfterValidator(_not_reserved)]
Key = Annotated[str, Field(max_length=4096, pattern=r"^([!-~]([ -~]*[!-~])?)?$")]
_Value = Annotated[str, Field(max_length=4096, pattern=r"^[ -~]*$")]
Headers = Annotated[
    dict[Annotated[str, Field(max_length=100, pattern=r"^[A-Za-z0-9!#$%&'*+.^_`|~-]+$")], _Value],
    Field(max_length=20),
    AfterValidator(_no_transport_headers),
]
Query = Annotated[
    dict[Annotated[str, Field(min_length=1, max_length=100, pattern=r"^[!-~]+$")], _Value],
    Field(max_length=20),
]
Usd = Annotated[str, BeforeValidator(_decimal), Field(pattern=r"^[0-9]{1,6}(\.[0-9]{1,10})?$")]

_KEY = "API key. It is stored encrypted, sent only below `base_url`, and never shown."
_HEADERS = "Headers to add to each request. They are treated like the key."
_QUERY = "Query parameters to add to each request, such as `api-version`. They are treated like the key."
_MODELS = "Models to offer, with what to override of each. By default, the provider is asked for its list."
_SHARED = "Whether all accounts can use the provider. Only operators can set this."
_PLANS = "Plans whose accounts can use the shared provider. By default, all of them."
_ENABLED = "Whether the provider is used."
_CONCURRENCY = "Maximum number of concurrent requests. Defaults to RETINUE_MODEL_CONCURRENCY."
_BASE_URL = "Address of the API: everything before `/chat/completions`, `/responses`, `/messages` or `/models`."


class PriceSettings(Body):
    """Prices in USD per million tokens, as decimals. A number is accepted, too."""

    input: Usd = Field(description="Price of input tokens.")
    cached_input: Usd | None = Field(None, description="Price of input tokens that the provider read from its cache.")
    output: Usd = Field(description="Price of output tokens.")


class HostedModelSettings(Body):
    """A model of a provider. Missing values come from the table of known models."""

    id: Annotated[str, Field(min_length=1, max_length=MODEL_NAME - 2, pattern=r"^[!-~]+$")] = Field(
        description="Name of the model at the provider."
    )
    context_tokens: Annotated[int, Field(ge=1024, le=100_000_000)] | None = Field(
        None, description="Context window in tokens."
    )
    max_output_tokens: Annotated[int, Field(ge=1, le=100_000_000)] | None = Field(
        None, description="Maximum number of tokens of a reply."
    )
    input: Annotated[list[Input], Field(max_length=4)] | None = Field(None, description="What the model can read.")
    tools: bool | None = Field(None, description="Whether the model can call tools.")
    reasoning: bool | None = Field(None, description="Whether the model can reason before it replies.")
    price: PriceSettings | None = Field(None, description="Prices.")


Models = Annotated[list[HostedModelSettings], Field(max_length=200)]
PlanList = Annotated[list[PlanName], Field(min_length=1, max_length=4)]
Concurrency = Annotated[int, Field(ge=1, le=10_000)]


class ProviderCreate(Body):
    """Request body for adding a provider."""

    name: Name = Field(description="First part of the names of its models: lower-case letters, digits and hyphens.")
    kind: Kind = Field(
        description="Protocol: `openai` for Chat Completions of any server, `openai-responses`, `anthropic` for "
        "Messages, `gemini` for generateContent."
    )
    base_url: BaseAddress | None = Field(None, description=f"{_BASE_URL} Defaults to that of the kind's vendor.")
    key: Key | None = Field(None, repr=False, description=_KEY)
    headers: Headers | None = Field(None, repr=False, description=_HEADERS)
    query: Query | None = Field(None, repr=False, description=_QUERY)
    models: Models | None = Field(None, description=_MODELS)
    shared: bool = Field(False, description=_SHARED)
    plans: PlanList | None = Field(None, description=_PLANS)
    enabled: bool = Field(True, description=_ENABLED)
    concurrency: Concurrency | None = Field(None, description=_CONCURRENCY)


class ProviderUpdate(Changes):
    """Request body for changing a provider. `null` returns a field to its default."""

    base_url: BaseAddress | None = Field(default_factory=absent, description=_BASE_URL)
    key: Key | None = Field(default_factory=absent, repr=False, description=_KEY)
    headers: Headers | None = Field(default_factory=absent, repr=False, description=_HEADERS)
    query: Query | None = Field(default_factory=absent, repr=False, description=_QUERY)
    models: Models | None = Field(default_factory=absent, description=_MODELS)
    shared: bool = Field(default_factory=absent, description=_SHARED)
    plans: PlanList | None = Field(default_factory=absent, description=_PLANS)
    enabled: bool = Field(default_factory=absent, description=_ENABLED)
    concurrency: Concurrency | None = Field(default_factory=absent, description=_CONCURRENCY)
    id: object = IGNORED
    name: object = Field(default_factory=absent, description="Ignored. The name cannot be changed.")
    kind: object = Field(default_factory=absent, description="Ignored. The kind cannot be changed.")
    secrets: object = IGNORED
    created_at: object = IGNORED
    updated_at: object = IGNORED


class ModelPriceView(View):
    """Prices in USD per million tokens, as decimals."""

    input: str = Field(description="Price of input tokens.")
    cached_input: str | None = Field(
        description="Price of input tokens that the provider read from its cache; null without a discount."
    )
    output: str = Field(description="Price of output tokens.")


class ModelEntryView(View):
    """A configured model. Null values come from the table of known models."""

    id: str = Field(description="Name of the model at the provider.")
    context_tokens: int | None = Field(description="Context window in tokens.")
    max_output_tokens: int | None = Field(description="Maximum number of tokens of a reply.")
    input: list[Input] | None = Field(description="What the model can read.")
    tools: bool | None = Field(description="Whether the model can call tools.")
    reasoning: bool | None = Field(description="Whether the model can reason before it replies.")
    price: ModelPriceView | None = Field(description="Prices.")


class ProviderView(View):
    """A provider. Its key, headers and query are never shown."""

    id: int = Field(description="ID of the provider.")
    name: str = Field(description="First part of the names of its models.")
    kind: Kind = Field(description="Protocol.")
    base_url: str = Field(description="Address of the API.")
    secrets: list[str] = Field(description="Names of the stored secrets: `key`, `headers.NAME` and `query.NAME`.")
    models: list[ModelEntryView] | None = Field(
        description="Models to offer; null if the provider is asked for its list."
    )
    shared: bool = Field(description="Whether all accounts can use the provider.")
    plans: list[PlanName] | None = Field(description="Plans whose accounts can use the shared provider; null for all.")
    enabled: bool = Field(description="Whether the provider is used.")
    concurrency: int | None = Field(description="Maximum number of concurrent requests; null for the default.")
    created_at: Timestamp = Field(description="Time at which the object was created.")
    updated_at: Timestamp = Field(description="Time at which the object was last updated.")


class ProviderDeleted(View):
    """ID of the deleted object."""

    id: int = Field(description="ID of the provider.")
    deleted: Literal[True]


class ProviderTestRequest(Body):
    """Request body for testing a provider."""

    model: Annotated[str, Field(min_length=1, max_length=MODEL_NAME - 2)] | None = Field(
        None, description="Name of the model at the provider. By default, the first one that can chat."
    )


class ProviderTestView(View):
    """The outcome of a test."""

    ok: bool = Field(description="Whether the model replied.")
    model: str | None = Field(description="Model that was called; null if none was found.")
    ms: int = Field(description="Duration in milliseconds.")
    error: str | None = Field(description="Why the test failed; null if it did not.")


class HostedModelView(View):
    """A model that a provider lists."""

    id: str = Field(description="Name of the model at the provider.")
    context_tokens: int = Field(description="Context window in tokens.")
    max_output_tokens: int | None = Field(description="Maximum number of tokens of a reply; null if it is unknown.")
    input: list[Input] = Field(description="What the model can read.")
    tools: bool = Field(description="Whether the model can call tools.")
    reasoning: bool = Field(description="Whether the model can reason before it replies.")
    price: ModelPriceView | None = Field(description="Prices; null if they are unknown.")
