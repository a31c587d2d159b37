"""Origins of web pages, as browsers write them."""

import re
from urllib.parse import urlsplit

_HOST = re.compile(
    r"(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?|\[[0-9a-f:]{2,45}\]"
)
_PORTS = {"http": 80, "https": 443}


def parse_origin(text: str) -> str:
    """Return the origin of an address, such as `https://shop.example`, as browsers send it. Raises `ValueError`."""
    parts = urlsplit(text.strip().lower())
    try:
        host = (parts.hostname or "").encode("idna").decode() if ":" not in (parts.hostname or "") else parts.hostname
        port = parts.port
    except ValueError as error:
        raise _refuse(text) from error
    host = f"[{host}]" if host and ":" in host else host or ""
    bare = parts.path in ("", "/") and not parts.query and not parts.fragment and "@" not in parts.netloc
    if parts.scheme not in _PORTS or not bare or not _HOST.fullmatch(host):
        raise _refuse(text)
    return f"{parts.scheme}://{host}" + (f":{port}" if port and port != _PORTS[parts.scheme] else "")


def _refuse(text: str) -> ValueError:
    return ValueError(
        f"{text[:100]!r} is not the origin of a page. Write the scheme and the host, such as https://shop.example"
    )
