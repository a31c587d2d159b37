"""Request and response schemas of connections."""

from typing import Annotated, Any, Literal

from pydantic import Field

from retinue.connections.kinds import KindName
from retinue.core.http.envelope import IGNORED, Body, Changes, Timestamp, View, absent

Name = Annotated[str, Field(min_length=1, max_length=64, pattern=r"^[a-z][a-z0-9-]*$")]
_SETTINGS = "Public settings, with the schema of the kind. See GET /connections/kinds."
_SECRET = "Secret, with the schema of the kind. It is stored encrypted and never shown."  # noqa: S105 - a description


class ConnectionCreate(Body):
    """Request body for creating a connection."""

    name: Name = Field(
        description="Name used in arguments of tools and in sources: lower-case letters, digits and hyphens."
    )
    kind: KindName = Field(description="Kind of connection.")
    settings: dict[str, Any] = Field(default_factory=dict, max_length=20, description=_SETTINGS)
    secret: dict[str, Any] = Field(max_length=20, repr=False, description=_SECRET)


class ConnectionUpdate(Changes):
    """Request body for replacing the settings, the secret, or both."""

    settings: dict[str, Any] = Field(default_factory=absent, max_length=20, description=_SETTINGS)
    secret: dict[str, Any] = Field(default_factory=absent, max_length=20, repr=False, description=_SECRET)
    id: object = IGNORED
    name: object = Field(default_factory=absent, description="Ignored. The name cannot be changed.")
    kind: object = Field(default_factory=absent, description="Ignored. The kind cannot be changed.")
    created_at: object = IGNORED
    updated_at: object = IGNORED
    last_used_at: object = IGNORED
    last_test: object = IGNORED


class ConnectionTestView(View):
    """The outcome of a test."""

    ok: bool = Field(description="Whether the server accepted the secret.")
    message: str = Field(description="Response of the server.")
    tested_at: Timestamp = Field(description="Time of the test.")


class ConnectionView(View):
    """A connection. Its secret is never shown."""

    id: int = Field(description="ID of the connection.")
    name: str = Field(description="Name used in arguments of tools and in sources.")
    kind: KindName = Field(description="Kind of connection.")
    settings: dict[str, Any] = Field(description="Public settings. The fields depend on the kind.")
    created_at: Timestamp = Field(description="Time at which the object was created.")
    updated_at: Timestamp = Field(description="Time at which the object was last updated.")
    last_used_at: Timestamp | None = Field(
        description="Time at which a tool or a source last used the connection, accurate to the minute."
    )
    last_test: ConnectionTestView | None = Field(description="Outcome of the last test since the last change.")


class ConnectionDeleted(View):
    """ID of the deleted object."""

    id: int = Field(description="ID of the connection.")
    deleted: Literal[True]


class ConnectionKindView(View):
    """A kind of connection."""

    kind: KindName = Field(description="Name of the kind.")
    description: str = Field(description="Kind of connection.")
    testable: bool = Field(description="Whether POST /connections/{id}/test supports this kind.")
    settings: dict[str, Any] = Field(description="JSON Schema of the settings.")
    secret: dict[str, Any] = Field(description="JSON Schema of the secret.")
