"""Where a request to sign in comes from."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ClientInfo:
    """The client's address, as the gate counts it, and what it says of itself."""

    address: str
    user_agent: str = ""
