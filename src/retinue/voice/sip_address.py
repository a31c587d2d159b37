"""The called or calling side in the headers of a SIP message."""

import re

_ADDRESS = re.compile(r"<?sips?:([^@>;]*)@?([^>;]*)", re.IGNORECASE)


def user_of(header: str) -> str:
    """Return the user part of the address in a To header, such as `"Bell" <sip:agent-12@host>;tag=x`."""
    found = _ADDRESS.search(header)
    return found[1] if found else ""


def address_in(header: str) -> str:
    """Return the address of a From header, without display name and parameters."""
    found = _ADDRESS.search(header)
    return f"sip:{found[1]}@{found[2]}" if found and found[2] else header.replace("\x00", "")[:255]
