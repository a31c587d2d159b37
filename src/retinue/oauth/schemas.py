"""Request and response schemas of OAuth apps and grants."""

from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from retinue.auth.caller import SCOPES
from retinue.auth.display_names import problem_of_name
from retinue.core.http.envelope import IGNORED, Body, Changes, Timestamp, View, absent
from retinue.oauth.redirects import problem_of


def check_scopes(scopes: list[str]) -> list[str]:
    if unknown := sorted(set(scopes) - SCOPES):
        raise ValueError(f"contains unknown scopes: {', '.join(unknown)}. Valid scopes: {', '.join(sorted(SCOPES))}")
    return sorted(set(scopes))


def check_redirect_uris(uris: list[str]) -> list[str]:
    for uri in uris:
        if problem := problem_of(uri, public=True):  # the service knows whether the app is public
            raise ValueError(problem)
    return uris


def check_name(name: str) -> str:
    if problem := problem_of_name(name):
        raise ValueError(problem)
    return name


Name = Annotated[str, Field(min_length=1, max_length=100), AfterValidator(check_name)]
Uris = Annotated[
    list[Annotated[str, Field(max_length=2000)]], Field(max_length=20), AfterValidator(check_redirect_uris)
]
Scopes = Annotated[
    list[Annotated[str, Field(max_length=64)]], Field(min_length=1, max_length=50), AfterValidator(check_scopes)
]


class AppCreate(Body):
    """Request body for creating an OAuth app."""

    name: Name = Field(description="Name of the app, as shown on the consent page.")
    redirect_uris: Uris = Field(
        default_factory=list,
        description="Allowed redirect URIs, compared character by character. They must use https, or http on a "
        "loopback host, where any port is accepted. Public clients may also use a private-use scheme, such as "
        "`com.example.app:/callback`. Not required for apps that only use client "
        "credentials.",
    )
    scopes: Scopes = Field(description="Scopes that the app may request.")
    public: bool = Field(
        False,
        description="Whether the app is a public client, such as a program on users' machines. Public clients "
        "have no secret.",
    )


class AppUpdate(Changes):
    """Fields to update. Omitted fields keep their values."""

    name: Name = Field(default_factory=absent, description="Name of the app, as shown on the consent page.")
    redirect_uris: Uris = Field(default_factory=absent, description="Allowed redirect URIs.")
    scopes: Scopes = Field(default_factory=absent, description="Scopes that the app may request.")
    id: object = IGNORED
    client_id: object = IGNORED
    public: object = IGNORED
    created_at: object = IGNORED
    updated_at: object = IGNORED


class AppView(View):
    """An OAuth app. Its secret is only shown when it is created."""

    id: int = Field(description="ID of the app.")
    client_id: str = Field(description="Client identifier (RFC 6749).")
    name: str = Field(description="Name of the app, as shown on the consent page.")
    redirect_uris: list[str] = Field(description="Allowed redirect URIs.")
    scopes: list[str] = Field(description="Scopes that the app may request.")
    public: bool = Field(description="Whether the app is a public client, which has no secret.")
    created_at: Timestamp = Field(description="Time at which the object was created.")
    updated_at: Timestamp = Field(description="Time at which the object was last updated.")


class AppSecretView(AppView):
    """An OAuth app with its secret, which is shown only once."""

    client_secret: str | None = Field(description="Client secret; null for a public client.")


class AppDeleted(View):
    """ID of the deleted object."""

    id: int = Field(description="ID of the app.")
    deleted: Literal[True]


class GrantView(View):
    """The permissions that you granted to an app."""

    id: int = Field(description="ID of the grant.")
    client_id: str = Field(description="Client identifier of the app.")
    app_name: str = Field(description="Name of the app.")
    kind: Literal["code", "client"] = Field(
        description="`code` if you consented; `client` if your own app uses client credentials."
    )
    scopes: list[str] = Field(description="Scopes granted to the app.")
    created_at: Timestamp = Field(description="Time at which you granted the permissions.")


class GrantDeleted(View):
    """ID of the deleted object."""

    id: int = Field(description="ID of the grant.")
    deleted: Literal[True]
