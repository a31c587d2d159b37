"""Remove credentials of this server from text that is logged or stored."""

import re

_CREDENTIAL = r"(ak_(?:live|test)_[A-Za-z0-9]{8}|sess|link|aat|aac|art|acs|room)_[A-Za-z0-9_-]{32,}"
_URL_USER = re.compile(r"([A-Za-z0-9+.-]{1,20}://)[^\s/?#@]{0,500}(?:@[^\s/?#@]{0,500}){0,3}@")
"""The user and the password of a URL (RFC 3986, 3.2.1), up to the last `@` before the path."""

_IN_TEXT, _IN_BYTES = re.compile(_CREDENTIAL), re.compile(_CREDENTIAL.encode())


def hide_secrets(text: str) -> str:
    """Truncate API keys, tokens of sessions, apps and rooms, and sign-in links to their prefix."""
    return _IN_TEXT.sub(r"\1_…", text)


def hide_secrets_in(line: bytes) -> bytes:
    """Do the same in a line of UTF-8."""
    return _IN_BYTES.sub(r"\1_…".encode(), line)


def hide_url_users(text: str) -> str:
    """Replace the user and the password of each URL in `text` with asterisks."""
    return _URL_USER.sub(r"\1********@", text)
