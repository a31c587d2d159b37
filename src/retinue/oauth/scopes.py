"""Read the scopes that clients ask for (RFC 6749, section 3.3)."""

from collections.abc import Collection

from retinue.auth.caller import SCOPES
from retinue.oauth.errors import OAuthError

_OF_CLIENTS = frozenset({"address", "claudeai", "email", "offline_access", "openid", "phone", "profile"})
"""Scopes that programs send to every server: those of OpenID Connect, and that of Claude.

A request for nothing else counts as one without scopes.
"""


def read_known_scopes(requested: str, available: Collection[str]) -> set[str]:
    """Return the `requested` scopes that exist. Empty if the client leaves the choice to the server.

    Drops scopes that do not exist. Raises `OAuthError` invalid_scope if none is left of a request for particular
    scopes: a mistyped scope must not grant all `available` ones, which the error lists.
    """
    names = set(requested.split())
    known = names & SCOPES
    if not known and names - _OF_CLIENTS:
        raise OAuthError(
            "invalid_scope",
            f"None of the scopes in scope exists. Ask for some of these: {' '.join(sorted(available))}.",
        )
    return known


def grantable_scopes(allowed: list[str], requested: str) -> list[str]:
    """Return the `requested` scopes that an app may have, or all `allowed` ones if it asks for none.

    Ignores scopes that the app may not have. Raises `OAuthError` invalid_scope if none is left.
    """
    known = read_known_scopes(requested, allowed)
    granted = known if "*" in allowed else known & set(allowed)
    if known and not granted:
        raise _beyond(sorted(known), allowed)
    return sorted(granted) or allowed


def narrow_scopes(granted: list[str], requested: str) -> list[str]:
    """Return the `requested` scopes, or all `granted` ones if the client asks for none.

    Raises `OAuthError` invalid_scope for a scope that exceeds `granted` (RFC 6749, section 6).
    """
    known = read_known_scopes(requested, granted)
    if "*" not in granted and (beyond := sorted(known - set(granted))):
        raise _beyond(beyond, granted)
    return sorted(known) or granted


def _beyond(scopes: list[str], granted: list[str]) -> OAuthError:
    return OAuthError("invalid_scope", f"The scopes {', '.join(scopes)} exceed those granted: {' '.join(granted)}.")
