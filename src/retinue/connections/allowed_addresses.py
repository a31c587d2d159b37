"""Limit the addresses that a connection's secret is sent to.

This module imports only the standard library, as `redaction` does.
"""

from urllib.parse import unquote, urlsplit

_PORTS = {"http": 80, "https": 443}


def is_within(address: str, base: str) -> bool:
    """Return True if `address` has the same scheme, host and port as `base`, and lies at or below its path."""
    try:
        target, reach = urlsplit(address), urlsplit(base)
        same = _origin(target.scheme, target.hostname, target.port) == _origin(reach.scheme, reach.hostname, reach.port)
    except ValueError:
        return False
    steps = unquote(target.path).replace("\\", "/").split("/")
    return same and not {".", ".."} & set(steps) and f"{target.path}/".startswith(f"{reach.path.rstrip('/')}/")


def _origin(scheme: str, host: str | None, port: int | None) -> tuple[str, str | None, int | None]:
    return scheme, host, port or _PORTS.get(scheme)
