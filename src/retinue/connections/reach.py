"""How far the secret of a connection goes. Only the standard library is imported here, as in `redaction`."""

from urllib.parse import unquote, urlsplit

_PORTS = {"http": 80, "https": 443}


def within(address: str, base: str) -> bool:
    """Whether a web address is that of `base` or lies below it: the same scheme, host and port, and its path."""
    try:
        given, reach = urlsplit(address), urlsplit(base)
        same = _origin(given.scheme, given.hostname, given.port) == _origin(reach.scheme, reach.hostname, reach.port)
    except ValueError:
        return False
    steps = unquote(given.path).replace("\\", "/").split("/")
    return same and not {".", ".."} & set(steps) and f"{given.path}/".startswith(f"{reach.path.rstrip('/')}/")


def _origin(scheme: str, host: str | None, port: int | None) -> tuple[str, str | None, int | None]:
    return scheme, host, port or _PORTS.get(scheme)
