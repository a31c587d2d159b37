"""Validates URLs that callers supply."""

from yarl import URL


def web_address(text: str, instead: str) -> str:
    """Return the text if it is an http or https URL. Raises ValueError.

    Whether the server may connect to the address is checked on connection. `instead` tells the user what to do
    instead of putting a user name and password into the URL.
    """
    try:
        url = URL(text)
        fits = url.scheme in {"http", "https"} and url.raw_host and url.port
    except ValueError:
        fits = False
    if not fits or not text.isprintable() or " " in text or "\\" in text:
        raise ValueError("must be a URL such as https://example.com")
    if url.user is not None or url.password is not None:
        raise ValueError(f"must not contain a user or a password; {instead}")
    return text
