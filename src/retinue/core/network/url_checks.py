"""Validates URLs that callers and operators supply."""

from yarl import URL


def web_address(text: str, instead: str) -> str:
    """Return the text if it is an http or https URL. Raises ValueError.

    Whether the server may connect to the address is checked on connection. `instead` tells the user what to do
    instead of putting a user name and password into the URL.
    """
    if not is_url(text, "http", "https"):
        raise ValueError("must be a URL such as https://example.com")
    url = URL(text)
    if url.user is not None or url.password is not None:
        raise ValueError(f"must not contain a user or a password; {instead}")
    return text


def is_url(text: str, *schemes: str) -> bool:
    """Return True for a URL of one of these schemes with a host, whose port is not 0."""
    try:
        url = URL(text)
        fits = url.scheme in schemes and bool(url.raw_host) and url.explicit_port != 0
    except ValueError:
        return False
    return fits and text.isprintable() and not set(" \\") & set(text)
