"""What callers send and see of OAuth apps and grants."""

from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, Field

from retinue.auth.caller import SCOPES
from retinue.core.envelope import Body, Changes, Timestamp, View, absent
from retinue.oauth.redirects import problem_of


def check_scopes(scopes: list[str]) -> list[str]:
    if unknown := sorted(set(scopes) - SCOPES):
        raise ValueError(f"has no scopes {', '.join(unknown)}; there are {', '.join(sorted(SCOPES))}")
    return sorted(set(scopes))


def check_redirect_uris(uris: list[str]) -> list[str]:
    for uri in uris:
        if problem := problem_of(uri):
            raise ValueError(problem)
    return uris


Name = Annotated[str, Field(min_length=1, max_length=100)]
Uris = Annotated[
    list[Annotated[str, Field(max_length=2000)]], Field(max_length=20), AfterValidator(check_redirect_uris)
]
Scopes = Annotated[
    list[Annotated[str, Field(max_length=64)]], Field(min_length=1, max_length=50), AfterValidator(check_scopes)
]
_READ_ONLY = ("id", "client_id", "public", "created_at", "updated_at")


class AppCreate(Body):
    """A new app."""

    name: Name = Field(description="What users see when they are asked for consent.")
    redirect_uris: Uris = Field(
        default_factory=list,
        description="Where users may be sent back to, compared character by character: https, or http on a loopback "
        "host, where any port will do. An app that only uses client credentials needs none.",
    )
    scopes: Scopes = Field(description="The most that the app may ask for.")
    public: bool = Field(False, description="A public client, such as a program on users' machines, has no secret.")


class AppUpdate(Changes):
    """The fields to change."""

    read_only: ClassVar[frozenset[str]] = frozenset(_READ_ONLY)

    name: Name = Field(default_factory=absent, description="What users see when they are asked for consent.")
    redirect_uris: Uris = Field(default_factory=absent, description="Where users may be sent back to.")
    scopes: Scopes = Field(default_factory=absent, description="The most that the app may ask for.")
    id: Any = Field(default_factory=absent, description="Ignored.")
    client_id: Any = Field(default_factory=absent, description="Ignored.")
    public: Any = Field(default_factory=absent, description="Ignored.")
    created_at: Any = Field(default_factory=absent, description="Ignored.")
    updated_at: Any = Field(default_factory=absent, description="Ignored.")


class AppView(View):
    """An OAuth app. Its secret is shown when it is made, and never again."""

    id: int = Field(description="The app's id.")
    client_id: str = Field(description="The client identifier of the protocol.")
    name: str = Field(description="What users see when they are asked for consent.")
    redirect_uris: list[str] = Field(description="Where users may be sent back to.")
    scopes: list[str] = Field(description="The most that the app may ask for.")
    public: bool = Field(description="Whether it is a public client, which has no secret.")
    created_at: Timestamp = Field(description="When it was made.")
    updated_at: Timestamp = Field(description="When it was last changed.")


class AppSecretView(AppView):
    """An app with its secret, which is shown this once."""

    client_secret: str | None = Field(description="The client secret; null for a public client.")


class AppDeleted(View):
    """The id of what is gone."""

    id: int = Field(description="The app's id.")
    deleted: Literal[True]


class GrantView(View):
    """What you have granted to an app."""

    id: int = Field(description="The grant's id.")
    client_id: str = Field(description="The app's client identifier.")
    app_name: str = Field(description="The app's name.")
    kind: Literal["code", "client"] = Field(
        description="`code` where you consented; `client` where your own app acts by its credentials."
    )
    scopes: list[str] = Field(description="What the app may do for you.")
    created_at: Timestamp = Field(description="When you granted it.")


class GrantDeleted(View):
    """The id of what is gone."""

    id: int = Field(description="The grant's id.")
    deleted: Literal[True]
