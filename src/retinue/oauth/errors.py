"""The errors of the protocol: their bodies follow RFC 6749, section 5.2, and not the envelope of the API."""


class OAuthError(Exception):
    """A refusal at an endpoint of the protocol. `code` is one of RFC 6749, sections 4.1.2.1 and 5.2."""

    def __init__(self, code: str, description: str, status: int = 400) -> None:
        super().__init__(description)
        self.code = code
        self.description = description
        self.status = status


class UntrustedClient(Exception):
    """A client or a redirect URI that is unknown: the browser must not be sent there (RFC 6749, section 4.1.2.1)."""
