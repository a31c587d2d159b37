"""Checks the `Host` header, so that pages of other sites cannot reach the server by DNS rebinding."""

import re
from collections.abc import Iterable, Mapping
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

from retinue.core.errors import ValidationFailed

_HOST = re.compile(r"[a-z0-9._-]{1,253}|\[[0-9a-f:.]{2,45}\]")
_WITHOUT_HOST = ("1.0", "1")
"""Versions of HTTP without a Host header, as ASGI and the web server write them."""
_MOST_KNOWN = 1000
"""Maximum number of headers whose check is remembered."""


class AllowedHosts:
    """The hosts that the server answers for."""

    def __init__(self, allowed: Iterable[str], public_url: str | None, listens_on: str) -> None:
        """Without `allowed`, a server that listens on a loopback address only answers for local names.

        Any other server then answers for every name, since operators choose what resolves to it.
        """
        names = {name.lower() for name in allowed}
        self._any = "*" in names or not (names or is_loopback(listens_on))
        self._names = names | {urlsplit(public_url or "").hostname or ""}
        self._known: set[bytes] = set()

    def check(self, scope: Mapping[str, Any]) -> None:
        """Raise `ValidationFailed` unless the request has one `Host` header, with a host of this server."""
        headers = [value for name, value in scope["headers"] if name == b"host" and value]
        if len(headers) == 1 and headers[0] in self._known:
            return
        if not headers and scope.get("http_version") in _WITHOUT_HOST:
            return  # HTTP/1.0 has no such header
        if len(headers) != 1:
            raise ValidationFailed("Send exactly one Host header.")
        host = _host_of(headers[0])
        if not _HOST.fullmatch(host):
            raise ValidationFailed("The Host header is not the name or the address of a host.")
        if not (self._any or _is_local(host) or any(_matches(host, name) for name in self._names)):
            raise ValidationFailed(
                f"This server does not answer for the host {host}. The operator can allow it with "
                f"RETINUE_ALLOWED_HOSTS={host}, or with RETINUE_PUBLIC_URL if users reach the server there."
            )
        if len(self._known) < _MOST_KNOWN:
            self._known.add(headers[0])


def is_loopback(address: str) -> bool:
    """Return True for a loopback address, or the name localhost."""
    try:
        return ip_address(address).is_loopback
    except ValueError:
        return address.lower() == "localhost"


def _host_of(header: bytes) -> str:
    text = header.decode("latin-1").strip().lower()
    host = text.partition("]")[0] + "]" if text.startswith("[") else text.rpartition(":")[0] or text
    return host.rstrip(".")


def _is_local(host: str) -> bool:
    """Return True for an IP address, a name without a dot and below `.localhost`: no public DNS serves these names."""
    try:
        return bool(ip_address(host.strip("[]")))
    except ValueError:
        return "." not in host or host.endswith(".localhost")


def _matches(host: str, name: str) -> bool:
    return host == name or (name.startswith("*.") and host.endswith(name[1:]))
