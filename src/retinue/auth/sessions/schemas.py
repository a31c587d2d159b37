"""What callers see of sessions."""

from typing import Literal

from pydantic import Field

from retinue.core.envelope import Timestamp, View


class SessionView(View):
    """A sign-in. Its token is shown when it is made, and never again."""

    id: int = Field(description="The session's id.")
    address: str = Field(description="The address that signed in; an IPv6 address as its /64 network.")
    user_agent: str = Field(description="What the client said of itself.")
    current: bool = Field(description="Whether it is the session of this request.")
    created_at: Timestamp = Field(description="When it signed in.")
    last_used_at: Timestamp = Field(description="When it was last used, within five minutes.")
    expires_at: Timestamp = Field(description="When it ends unless it is used before.")


class SessionDeleted(View):
    """The id of what is gone."""

    id: int = Field(description="The session's id.")
    deleted: Literal[True]


class SessionsRevoked(View):
    """How many sessions have ended."""

    revoked: int = Field(description="Sessions that have ended.")
