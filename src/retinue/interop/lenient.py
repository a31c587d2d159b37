"""Requests whose unknown fields are ignored, as clients of these protocols expect."""

from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from retinue.core.errors import ValidationFailed
from retinue.memory.tables import USER_CHARACTERS

Name = Annotated[str, Field(max_length=200)]


def read_user(value: object) -> str | None:
    """Return the name of a user, cut to its maximum length."""
    return (value.replace("\x00", "").strip()[:USER_CHARACTERS] or None) if isinstance(value, str) else None


UserName = Annotated[str | None, BeforeValidator(read_user)]
"""The user of the client's app, for agents that remember each user; None for what is no name."""


class Lenient(BaseModel):
    """A part of a request. Fields that it does not list are ignored."""

    model_config = ConfigDict(extra="ignore", defer_build=True)


def unsupported_part(kind: str) -> ValidationFailed:
    """Return the error for a part of a message that the endpoint does not read."""
    return ValidationFailed(
        f"Parts of type {kind[:40]!r} are not supported here. Send text, images, files or recordings, or leave the "
        "part out."
    )
