"""Response schemas of sessions."""

from typing import Literal

from pydantic import Field

from retinue.core.http.envelope import Timestamp, View


class SessionView(View):
    """A session. Its token is only shown when it is created."""

    id: int = Field(description="ID of the session.")
    address: str = Field(description="IP address that signed in; IPv6 addresses as their /64 network.")
    user_agent: str = Field(description="`User-Agent` of the client.")
    current: bool = Field(description="Whether this is the session of the request.")
    created_at: Timestamp = Field(description="Time of the sign-in.")
    last_used_at: Timestamp = Field(description="Time at which the key was last used, accurate to five minutes.")
    expires_at: Timestamp = Field(description="Time at which the session ends if it is not used before.")


class SessionDeleted(View):
    """ID of the deleted object."""

    id: int = Field(description="ID of the session.")
    deleted: Literal[True]


class SessionsRevoked(View):
    """The number of ended sessions."""

    revoked: int = Field(description="Number of sessions that were ended.")
