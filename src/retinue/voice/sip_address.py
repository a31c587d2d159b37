"""The called or calling side in the headers of a SIP message."""

import re
from urllib.parse import unquote

_ADDRESS = re.compile(r"<?(?:sips?|tel):([^@>;]*)(?:;[^@>]*(?=@))?@?([^>;]*)", re.IGNORECASE)
_NUMBER = re.compile(r"[+0-9\s().-]+")
_SEPARATORS = re.compile(r"[\s().-]")
"""Visual separators of phone numbers (RFC 3966, section 5.1.1), and spaces."""


def user_of(header: str) -> str:
    """Return the user part of the address in a To or From header, such as `"Bell" <sip:agent-12@host>;tag=x`.

    It is without escapes and parameters, and a number is without separators.
    """
    found = _ADDRESS.search(header)
    return remove_separators(unquote(found[1]).replace("\x00", "")) if found else ""


def remove_separators(text: str) -> str:
    """Return a number without spaces, parentheses, dots and dashes, and any other text as it is."""
    return _SEPARATORS.sub("", text) if _NUMBER.fullmatch(text) else text


def address_in(header: str) -> str:
    """Return the address of a From header, without display name and parameters."""
    found = _ADDRESS.search(header)
    return f"sip:{found[1]}@{found[2]}" if found and found[2] else header.replace("\x00", "")[:255]


def names_phone(header: str) -> bool:
    """Return whether the address in a header says that it is that of a telephone number (RFC 3261, section 19.1.1)."""
    return user_of(header).startswith("+") or "user=phone" in header.lower()
