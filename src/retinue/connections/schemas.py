"""What callers send and see of connections."""

from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from retinue.connections.kinds import KindName
from retinue.core.envelope import Body, Changes, Timestamp, View, absent

Name = Annotated[str, Field(min_length=1, max_length=64, pattern=r"^[a-z][a-z0-9-]*$")]
_SETTINGS = "What may be shown of it, as the kind has it: see GET /connections/kinds."
_SECRET = "What opens it, as the kind has it. It is kept encrypted, and never shown."  # noqa: S105 - a description


class ConnectionCreate(Body):
    """A new connection."""

    name: Name = Field(description="Names it in arguments of tools and in sources: lower-case letters, digits and -.")
    kind: KindName = Field(description="What it opens.")
    settings: dict[str, Any] = Field(default_factory=dict, max_length=20, description=_SETTINGS)
    secret: dict[str, Any] = Field(max_length=20, repr=False, description=_SECRET)


class ConnectionUpdate(Changes):
    """What to put in the place of the settings, of the secret, or of both."""

    read_only: ClassVar[frozenset[str]] = frozenset(
        ("id", "name", "kind", "created_at", "updated_at", "last_used_at", "last_test")
    )

    settings: dict[str, Any] = Field(default_factory=absent, max_length=20, description=_SETTINGS)
    secret: dict[str, Any] = Field(default_factory=absent, max_length=20, repr=False, description=_SECRET)
    id: Any = Field(default_factory=absent, description="Ignored.")
    name: Any = Field(default_factory=absent, description="Ignored: the name stays.")
    kind: Any = Field(default_factory=absent, description="Ignored: the kind stays.")
    created_at: Any = Field(default_factory=absent, description="Ignored.")
    updated_at: Any = Field(default_factory=absent, description="Ignored.")
    last_used_at: Any = Field(default_factory=absent, description="Ignored.")
    last_test: Any = Field(default_factory=absent, description="Ignored.")


class ConnectionTestView(View):
    """How a test ended."""

    ok: bool = Field(description="Whether the other side accepts the secret.")
    message: str = Field(description="What the other side said.")
    tested_at: Timestamp = Field(description="When it was tested.")


class ConnectionView(View):
    """A connection. Its secret is never shown."""

    id: int = Field(description="The connection's id.")
    name: str = Field(description="Names it in arguments of tools and in sources.")
    kind: KindName = Field(description="What it opens.")
    settings: dict[str, Any] = Field(description="What may be shown of it; the fields are the kind's own.")
    created_at: Timestamp = Field(description="When it was made.")
    updated_at: Timestamp = Field(description="When it was last changed.")
    last_used_at: Timestamp | None = Field(description="When a tool or a source last used it, to the minute.")
    last_test: ConnectionTestView | None = Field(description="How the last test since its last change ended.")


class ConnectionDeleted(View):
    """The id of what is gone."""

    id: int = Field(description="The connection's id.")
    deleted: Literal[True]


class ConnectionKindView(View):
    """A kind of connection."""

    kind: KindName = Field(description="Its name.")
    description: str = Field(description="What it opens.")
    testable: bool = Field(description="Whether POST /connections/{id}/test can try it.")
    settings: dict[str, Any] = Field(description="The JSON Schema of its settings.")
    secret: dict[str, Any] = Field(description="The JSON Schema of its secret.")
