"""Protocol errors. Their bodies follow RFC 6749, section 5.2, not the envelope of the API."""


class OAuthError(Exception):
    """An error response of a protocol endpoint. `code` is defined in RFC 6749, sections 4.1.2.1 and 5.2.

    `retry_after` is in seconds.
    """

    def __init__(self, code: str, description: str, status: int = 400, retry_after: int | None = None) -> None:
        super().__init__(description)
        self.code = code
        self.description = description
        self.status = status
        self.retry_after = retry_after


class UntrustedClient(Exception):
    """An unknown client or redirect URI. The browser must not be redirected there (RFC 6749, section 4.1.2.1)."""
