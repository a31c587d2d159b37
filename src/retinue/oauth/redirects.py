"""Validate and match redirect URIs."""

import re
from urllib.parse import urlencode, urlsplit

_LOOPBACK = {"127.0.0.1", "::1", "localhost"}
_URI = re.compile(r"[A-Za-z0-9._~:/?#\[\]@!$&'()*+,;=%-]+")
"""The characters of a URI (RFC 3986, section 2)."""
_HOST = re.compile(r"[a-z0-9.-]+|[0-9a-f:.]+")


def problem_of(uri: str) -> str | None:
    """Return why an app may not register a URI, or None if it may."""
    try:
        parts = urlsplit(uri)
        host = parts.hostname
        _ = parts.port
    except ValueError:
        return f"{uri[:100]!r} is not a URI"
    if not _URI.fullmatch(uri) or (host and not _HOST.fullmatch(host)):
        return f"{uri[:100]!r} has other characters than a URI. Escape them, and write the host in Punycode"
    if not host or "@" in parts.netloc:
        return f"{uri[:100]!r} has no host or contains user information"
    if parts.scheme != "https" and not (parts.scheme == "http" and host in _LOOPBACK):
        return f"{uri[:100]!r} must begin with https://, or with http:// and a loopback host"
    return f"{uri[:100]!r} must not have a fragment" if "#" in uri else None


def is_registered(uri: str, registered: list[str]) -> bool:
    """Return True if a URI is registered, character by character. Loopback hosts match any port (RFC 8252, 7.3)."""
    return uri in registered or (problem_of(uri) is None and _without_port(uri) in map(_without_port, registered))


def _without_port(uri: str) -> str:
    """Return a loopback URI without its port; return other URIs unchanged."""
    parts = urlsplit(uri)
    if parts.scheme != "http" or parts.hostname not in _LOOPBACK:
        return uri
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    return parts._replace(netloc=host).geturl()


def with_parameters(uri: str, parameters: dict[str, str]) -> str:
    """Add parameters to the query of a redirect URI."""
    return f"{uri}{'&' if urlsplit(uri).query else '?'}{urlencode(parameters)}"
