"""Redirect URIs: which an app may register, and which of a request are among them."""

from urllib.parse import urlencode, urlsplit

_LOOPBACK = {"127.0.0.1", "::1", "localhost"}


def problem_of(uri: str) -> str | None:
    """Why an app may not register a URI; None where it may."""
    try:
        parts = urlsplit(uri)
        host = parts.hostname
        _ = parts.port
    except ValueError:
        return f"{uri[:100]!r} is not a URI"
    if not host or "@" in parts.netloc:
        return f"{uri[:100]!r} has no host, or a user before it"
    if parts.scheme != "https" and not (parts.scheme == "http" and host in _LOOPBACK):
        return f"{uri[:100]!r} must begin with https://, or with http:// and a loopback host"
    return f"{uri[:100]!r} must have no fragment" if "#" in uri else None


def is_registered(uri: str, registered: list[str]) -> bool:
    """Whether a URI is registered, character by character. At a loopback host any port will do (RFC 8252, 7.3)."""
    return uri in registered or (problem_of(uri) is None and _without_port(uri) in map(_without_port, registered))


def _without_port(uri: str) -> str:
    """A loopback URI without its port; any other as it is."""
    parts = urlsplit(uri)
    if parts.scheme != "http" or parts.hostname not in _LOOPBACK:
        return uri
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    return parts._replace(netloc=host).geturl()


def with_parameters(uri: str, parameters: dict[str, str]) -> str:
    """A redirect URI with further parameters in its query."""
    return f"{uri}{'&' if urlsplit(uri).query else '?'}{urlencode(parameters)}"
