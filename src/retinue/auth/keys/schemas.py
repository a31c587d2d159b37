"""What callers send and see of API keys."""

from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, Field

from retinue.auth.caller import SCOPES
from retinue.auth.keys.networks import parse_networks
from retinue.core.envelope import Body, Changes, MonthlyBudget, Timestamp, View, absent

Mode = Literal["live", "test"]


def _check_scopes(scopes: list[str]) -> list[str]:
    if unknown := sorted(set(scopes) - SCOPES):
        raise ValueError(f"has no scopes {', '.join(unknown)}; there are {', '.join(sorted(SCOPES))}")
    return sorted(set(scopes))


def _networks(texts: list[str]) -> list[str]:
    try:
        return [str(network) for network in parse_networks(texts)]
    except ValueError as error:
        raise ValueError(f"must hold CIDRs such as 203.0.113.0/24 ({error})") from error


ScopeName = Annotated[str, Field(min_length=1, max_length=64)]
MonthlyTokens = Annotated[
    MonthlyBudget | None,
    Field(description="Tokens that its requests may use in a calendar month; null means any number."),
]
MonthlyCredits = Annotated[
    MonthlyBudget | None,
    Field(description="Credits that its requests may use in a calendar month; null means any number."),
]
Cidr = Annotated[str, Field(min_length=1, max_length=64)]
Networks = Annotated[
    Annotated[list[Cidr], Field(min_length=1, max_length=100), AfterValidator(_networks)] | None,
    Field(description="CIDRs that the key may be used from; null means anywhere."),
]


class KeyCreate(Body):
    """A new key."""

    name: str | None = Field("", max_length=100, description="What the key is for.")
    scopes: Annotated[list[ScopeName] | None, AfterValidator(lambda scopes: _check_scopes(scopes or ["*"]))] = Field(
        ["*"], min_length=1, max_length=50, description="What the key may do; `*` is everything."
    )
    mode: Mode | None = Field(None, description="A test key sees the sandbox. By default the mode of the caller.")
    networks: Networks = None
    expires_in_days: int | None = Field(None, ge=1, le=3650, description="Days until it expires; null means never.")
    monthly_tokens: MonthlyTokens = None
    monthly_credits: MonthlyCredits = None


class KeyUpdate(Changes):
    """The fields to change; `null` clears a budget or the networks. To change the scopes, make another key."""

    read_only: ClassVar[frozenset[str]] = frozenset(
        {"id", "prefix", "scopes", "mode", "created_at", "expires_at", "last_used_at", "successor_id"}
    )

    name: str = Field(default_factory=absent, max_length=100, description="What the key is for.")
    monthly_tokens: MonthlyTokens = Field(default_factory=absent)
    monthly_credits: MonthlyCredits = Field(default_factory=absent)
    networks: Networks = Field(default_factory=absent)
    id: Any = Field(default_factory=absent, description="Ignored.")
    prefix: Any = Field(default_factory=absent, description="Ignored.")
    scopes: Any = Field(default_factory=absent, description="Ignored.")
    mode: Any = Field(default_factory=absent, description="Ignored.")
    created_at: Any = Field(default_factory=absent, description="Ignored.")
    expires_at: Any = Field(default_factory=absent, description="Ignored.")
    last_used_at: Any = Field(default_factory=absent, description="Ignored.")
    successor_id: Any = Field(default_factory=absent, description="Ignored.")


class KeyRotate(Body):
    """How to replace a key."""

    overlap_days: int | None = Field(0, ge=0, le=7, description="Days for which the old key goes on working.")


class KeyView(View):
    """An API key. The key itself is shown when it is made, and never again."""

    id: int = Field(description="The key's id.")
    prefix: str = Field(description="How the key begins.")
    name: str = Field(description="What the key is for.")
    scopes: list[str] = Field(description="What the key may do.")
    mode: Mode = Field(description="`live`, or `test` for the sandbox.")
    networks: list[str] | None = Field(description="CIDRs that the key may be used from; null means anywhere.")
    created_at: Timestamp = Field(description="When it was made.")
    expires_at: Timestamp | None = Field(description="When it stops working; null means never.")
    last_used_at: Timestamp | None = Field(description="When it was last used, within five minutes.")
    successor_id: int | None = Field(description="The key that has replaced it since its rotation.")
    monthly_tokens: MonthlyTokens
    monthly_credits: MonthlyCredits


class KeySecretView(KeyView):
    """A new key, which is shown this once."""

    key: str = Field(description="The key. Keep it: it is never shown again.")


class KeyDeleted(View):
    """The id of what is gone."""

    id: int = Field(description="The key's id.")
    deleted: Literal[True]
