"""Request and response schemas of the do-not-call list."""

from typing import Annotated, Literal

from pydantic import Field

from retinue.core.http.envelope import Body, Timestamp, View
from retinue.voice.calls.phone_numbers import Country
from retinue.voice.do_not_call.tables import NOTE_CHARACTERS


class DoNotCallCreate(Body):
    """Request body for adding a number to the do-not-call list."""

    number: Annotated[
        str,
        Field(
            min_length=1,
            max_length=255,
            description="Phone number in any usual spelling, such as `+44 1632 960123`, or SIP URI. Without a country "
            "code, it belongs to `country`.",
        ),
    ]
    country: Country | None = None
    note: Annotated[str, Field(max_length=NOTE_CHARACTERS, description="Why the number is not called.")] | None = None


class DoNotCallView(View):
    """A number that is not called."""

    id: int = Field(description="ID of the entry.")
    number: str = Field(description="Phone number in E.164 format, or SIP URI.")
    note: str | None = Field(description="Why the number is not called.")
    created_at: Timestamp = Field(description="Time at which the number was added.")


class DoNotCallDeleted(View):
    """ID of the deleted entry."""

    id: int = Field(description="ID of the entry.")
    deleted: Literal[True]
