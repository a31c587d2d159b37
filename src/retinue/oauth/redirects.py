"""Validate and match redirect URIs."""

import re
from urllib.parse import SplitResult, urlencode, urlsplit

_LOOPBACK = {"127.0.0.1", "::1", "localhost"}
_URI = re.compile(r"[A-Za-z0-9._~:/?#\[\]@!$&'()*+,;=%-]+")
"""The characters of a URI (RFC 3986, section 2)."""
_HOST = re.compile(r"[a-z0-9.-]+|[0-9a-f:.]+")
_PRIVATE_HOST = re.compile(r"[A-Za-z0-9._-]*")
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*")
_NEVER = frozenset({
    "about", "acct", "android-app", "blob", "chrome", "chrome-extension", "chrome-untrusted", "content", "data",
    "devtools", "edge", "facetime", "feed", "file", "filesystem", "ftp", "ftps", "geo", "gopher", "hcp", "help",
    "http", "https", "intent", "jar", "javascript", "ldap", "ldaps", "livescript", "mailto", "mhtml", "mms",
    "mocha", "moz-extension", "news", "nntp", "opera", "pkcs11", "resource", "res", "rtsp", "safari-extension",
    "search", "sftp", "shell", "sip", "sips", "skype", "sms", "smsto", "smb", "ssh", "steam", "tel", "telnet",
    "urn", "vbscript", "view-source", "vnc", "webcal", "wss", "ws", "wyciwyg", "xmpp",
})  # fmt: skip
"""Schemes that browsers execute, that open something else than an app of the client, or that have their own rules."""
_NEVER_PREFIXES = ("ms-", "search-", "x-apple")
"""Prefixes of schemes that belong to an operating system."""


def problem_of(uri: str, *, public: bool) -> str | None:
    """Return why an app may not register a URI, or None if it may. Only `public` clients may have private schemes."""
    try:
        parts = urlsplit(uri)
        _ = parts.port
    except ValueError:
        return f"{uri[:100]!r} is not a URI"
    if not _URI.fullmatch(uri) or not _is_host(parts):
        return f"{uri[:100]!r} has other characters than a URI. Escape them, and write the host in Punycode"
    if "#" in uri:
        return f"{uri[:100]!r} must not have a fragment"
    if "@" in parts.netloc:
        return f"{uri[:100]!r} contains user information"
    return _problem_of_scheme(uri, parts, public)


def _problem_of_scheme(uri: str, parts: SplitResult, public: bool) -> str | None:
    scheme = parts.scheme
    if scheme == "https" or (scheme == "http" and parts.hostname in _LOOPBACK):
        return None if parts.hostname else f"{uri[:100]!r} has no host"
    if not scheme or scheme in _NEVER or scheme.startswith(_NEVER_PREFIXES) or not _SCHEME.fullmatch(scheme):
        return f"{uri[:100]!r} must begin with https://, or with http:// and a loopback host"
    if not public:
        return (
            f"{uri[:100]!r} has a private-use scheme, which only public clients may use. Create the app as a public "
            "client, or begin the URI with https://"
        )
    return None if parts.netloc or parts.path.startswith("/") else f"{uri[:100]!r} has no host and no path"


def _is_host(parts: SplitResult) -> bool:
    """Return True if the host has the characters of one. Private-use schemes may have capitals there."""
    if parts.scheme in ("http", "https"):
        return not parts.hostname or bool(_HOST.fullmatch(parts.hostname))
    return bool(_PRIVATE_HOST.fullmatch(parts.netloc.rpartition("@")[2].partition(":")[0]))


def is_registered(uri: str, registered: list[str]) -> bool:
    """Return True if a URI is registered, character by character. Loopback hosts match any port (RFC 8252, 7.3)."""
    return uri in registered or (
        problem_of(uri, public=False) is None and _without_port(uri) in map(_without_port, registered)
    )


def _without_port(uri: str) -> str:
    """Return a loopback URI without its port; return other URIs unchanged."""
    parts = urlsplit(uri)
    if parts.scheme != "http" or parts.hostname not in _LOOPBACK:
        return uri
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    return parts._replace(netloc=host).geturl()


def destination(uri: str) -> str:
    """Return what the user sees of a redirect URI: its host, or the scheme that an app on the device handles."""
    parts = urlsplit(uri)
    return (
        parts.netloc if parts.scheme in ("http", "https") else f"{parts.scheme}:{parts.netloc and '//' + parts.netloc}"
    )


def with_parameters(uri: str, parameters: dict[str, str]) -> str:
    """Add parameters to the query of a redirect URI."""
    return f"{uri}{'&' if urlsplit(uri).query else '?'}{urlencode(parameters)}"
