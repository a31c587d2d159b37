"""Remove credentials of this server from text that is logged or stored."""

import re

_CREDENTIAL = r"(ak_(?:live|test)_[A-Za-z0-9]{8}|sess|link|aat|aac|art|acs|room)_[A-Za-z0-9_-]{32,}"
_IN_TEXT, _IN_BYTES = re.compile(_CREDENTIAL), re.compile(_CREDENTIAL.encode())


def hide_secrets(text: str) -> str:
    """Truncate API keys, tokens of sessions, apps and rooms, and sign-in links to their prefix."""
    return _IN_TEXT.sub(r"\1_…", text)


def hide_secrets_in(line: bytes) -> bytes:
    """Do the same in a line of UTF-8."""
    return _IN_BYTES.sub(r"\1_…".encode(), line)
