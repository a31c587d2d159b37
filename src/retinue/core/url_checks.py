"""Addresses on the web that callers name."""

from yarl import URL


def web_address(text: str, instead: str) -> str:
    """The text if it is an http or https address, or `ValueError`. Whether it may be reached is decided when it is.

    `instead` says what to do in place of writing a user and a password into it.
    """
    try:
        url = URL(text)
        fits = url.scheme in {"http", "https"} and url.raw_host and url.port
    except ValueError:
        fits = False
    if not fits or not text.isprintable() or " " in text or "\\" in text:
        raise ValueError("must be an address such as https://example.com/hook")
    if url.user is not None or url.password is not None:
        raise ValueError(f"may not hold a user or a password; {instead}")
    return text
