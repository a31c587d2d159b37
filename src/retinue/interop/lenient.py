"""Requests whose unknown fields are ignored, as clients of these protocols expect."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from retinue.core.errors import ValidationFailed

Name = Annotated[str, Field(max_length=200)]


class Lenient(BaseModel):
    """A part of a request. Fields that it does not list are ignored."""

    model_config = ConfigDict(extra="ignore")


def unsupported_part(kind: str) -> ValidationFailed:
    """Return the error for a part of a message that the door does not read."""
    return ValidationFailed(
        f"Parts of type {kind[:40]!r} are not supported here. Send text, images, files or recordings, or leave the "
        "part out."
    )
