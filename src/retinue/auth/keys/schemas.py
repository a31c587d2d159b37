"""Request and response schemas of API keys."""

from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from retinue.auth.caller import SCOPES
from retinue.auth.keys.networks import parse_networks
from retinue.core.http.dollars import Dollars
from retinue.core.http.envelope import EMPTY_IF_NULL, IGNORED, Body, Changes, MonthlyBudget, Timestamp, View, absent

Mode = Literal["live", "test"]


def _check_scopes(scopes: list[str]) -> list[str]:
    if unknown := sorted(set(scopes) - SCOPES):
        raise ValueError(f"contains unknown scopes: {', '.join(unknown)}. Valid scopes: {', '.join(sorted(SCOPES))}")
    return sorted(set(scopes))


def _networks(texts: list[str]) -> list[str]:
    try:
        return [str(network) for network in parse_networks(texts)]
    except ValueError as error:
        raise ValueError(f"must contain CIDRs such as 203.0.113.0/24 ({error})") from error


KeyName = Annotated[str, Field(max_length=100, description="Name of the key, such as its purpose.")]
ScopeName = Annotated[str, Field(min_length=1, max_length=64)]
_MONTHLY_COST = (
    "Maximum price in USD of the model calls of requests with this key per calendar month, as a decimal string; null "
    "means no limit. Calls whose price is unknown do not count."
)
MonthlyCost = Annotated[Dollars | None, Field(description=_MONTHLY_COST)]
MonthlyTokens = Annotated[
    MonthlyBudget | None,
    Field(
        description="Maximum number of tokens that requests with this key may use per calendar month; null means "
        "no limit."
    ),
]
MonthlyCredits = Annotated[
    MonthlyBudget | None,
    Field(
        description="Maximum number of credits that requests with this key may use per calendar month; null "
        "means no limit."
    ),
]
Cidr = Annotated[str, Field(min_length=1, max_length=64)]
Networks = Annotated[
    Annotated[list[Cidr], Field(min_length=1, max_length=100), AfterValidator(_networks)] | None,
    Field(description="CIDRs from which the key may be used; null means anywhere."),
]


class KeyCreate(Body):
    """Request body for creating an API key."""

    name: KeyName | None = ""
    scopes: Annotated[list[ScopeName] | None, AfterValidator(lambda scopes: _check_scopes(scopes or ["*"]))] = Field(
        ["*"], min_length=1, max_length=50, description="Scopes of the key. `*` grants full access."
    )
    mode: Mode | None = Field(
        None,
        description="Whether to create a live key or a test key, which works in the sandbox. Defaults to the "
        "caller's mode.",
    )
    networks: Networks = None
    expires_in_days: int | None = Field(
        None, ge=1, le=3650, description="Number of days until the key expires; null means never."
    )
    monthly_tokens: MonthlyTokens = None
    monthly_credits: MonthlyCredits = None
    monthly_cost_usd: MonthlyCost = None


class KeyUpdate(Changes):
    """Fields to update. `null` removes the name, a budget or the networks. To change the scopes, create another key."""

    name: Annotated[KeyName | None, EMPTY_IF_NULL] = Field(default_factory=absent)
    monthly_tokens: MonthlyTokens = Field(default_factory=absent)
    monthly_credits: MonthlyCredits = Field(default_factory=absent)
    monthly_cost_usd: MonthlyCost = Field(default_factory=absent)
    networks: Networks = Field(default_factory=absent)
    monthly_tokens_used: object = IGNORED
    monthly_credits_used: object = IGNORED
    monthly_cost_usd_used: object = IGNORED
    id: object = IGNORED
    prefix: object = IGNORED
    scopes: object = IGNORED
    mode: object = IGNORED
    created_at: object = IGNORED
    expires_at: object = IGNORED
    last_used_at: object = IGNORED
    successor_id: object = IGNORED


class KeyRotate(Body):
    """Request body for rotating an API key."""

    overlap_days: int | None = Field(0, ge=0, le=7, description="Number of days for which the old key keeps working.")


class KeyView(View):
    """An API key. The key itself is only shown when it is created."""

    id: int = Field(description="ID of the API key.")
    prefix: str = Field(description="First characters of the key.")
    name: str = Field(description="Name of the key, such as its purpose.")
    scopes: list[str] = Field(description="Scopes of the key.")
    mode: Mode = Field(description="`live`, or `test` for keys of the sandbox.")
    networks: list[str] | None = Field(description="CIDRs from which the key may be used; null means anywhere.")
    created_at: Timestamp = Field(description="Time at which the object was created.")
    expires_at: Timestamp | None = Field(description="Time at which the key stops working; null means never.")
    last_used_at: Timestamp | None = Field(description="Time at which the key was last used, accurate to five minutes.")
    successor_id: int | None = Field(description="ID of the key that replaced this one in a rotation.")
    monthly_tokens: MonthlyTokens
    monthly_credits: MonthlyCredits
    monthly_cost_usd: str | None = Field(description=_MONTHLY_COST)
    monthly_tokens_used: int = Field(description="Tokens that the key used in this calendar month (UTC).")
    monthly_credits_used: int = Field(description="Credits that the key used in this calendar month (UTC).")
    monthly_cost_usd_used: str = Field(
        description="Price in USD of the key's model calls in this calendar month (UTC), as a decimal string."
    )


class KeySecretView(KeyView):
    """A new API key with its secret, which is shown only once."""

    key: str = Field(description="The API key. Store it safely: it cannot be shown again.")


class KeyDeleted(View):
    """ID of the deleted object."""

    id: int = Field(description="ID of the API key.")
    deleted: Literal[True]
