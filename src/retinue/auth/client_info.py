"""The client behind a sign-in request."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ClientInfo:
    """The client's address, as the rate limiter counts it, and its User-Agent header."""

    address: str
    user_agent: str = ""
