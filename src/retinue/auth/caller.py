"""The authenticated caller and its permissions."""

from dataclasses import dataclass
from ipaddress import IPv4Network, IPv6Network
from typing import Literal

from retinue.auth.plans import Plan
from retinue.core.errors import InsufficientScope
from retinue.core.idempotency.keys import Claim

SCOPES = frozenset(
    {
        "agents:read",
        "agents:write",
        "chat:read",
        "chat:write",
        "tools:read",
        "tools:execute",
        "fleets:read",
        "fleets:write",
        "voice:read",
        "voice:write",
        "marketplace:read",
        "marketplace:write",
        "marketplace:publish",
        "usage:read",
        "*",
    }
)


CredentialKind = Literal["key", "session", "oauth", "publishable", "account"]
"""The kind of credential. `account` means that the server itself acts for an account, without a credential."""

SELF = "self"
"""Stands for this server among the origins of a publishable key."""

_NAMES = {"key": "an API key", "session": "a session token", "oauth": "an OAuth token"}

_FOR_VISITORS = (
    "A publishable key only opens the chat with its agent, at /agui. Use a secret API key on your own server for this "
    "request."
)

Network = IPv4Network | IPv6Network


@dataclass(frozen=True, slots=True)
class Caller:
    """An authenticated credential. `account_id` owns every record that the caller can access."""

    user_id: int
    account_id: int
    sandbox: bool
    credential: str
    """Names the credential in the per-minute rate limit, such as `key:17`."""
    plan_name: str
    plan: Plan
    scopes: frozenset[str]
    claim: Claim | None = None
    """The idempotency key of the request."""
    kind: CredentialKind = "account"
    credential_id: int = 0
    """The id of the API key, session or OAuth grant."""
    resource: str | None = None
    """The resource that an OAuth token is for: `api` or `mcp`. None for other credentials, which open both."""
    networks: tuple[Network, ...] = ()
    """The networks that the credential may be used from; empty means any."""
    origins: tuple[str, ...] | None = None
    """The origins of the pages that may use a publishable key, where `self` is this server. None for other kinds."""
    agent_id: int | None = None
    """The only agent that a publishable key opens."""

    @property
    def is_public(self) -> bool:
        """Whether this is a publishable key, which anonymous visitors use."""
        return self.kind == "publishable"

    @property
    def rate_window(self) -> str:
        """Names the hour and day windows of the rate limit. Visitors must not use up those of the account."""
        return f"visitors:{self.credential_id}" if self.is_public else f"account:{self.account_id}"

    @property
    def key_id(self) -> int | None:
        """The id of the API key; None for other credentials."""
        return self.credential_id if self.kind == "key" else None

    @property
    def operator_id(self) -> int | None:
        """The user whose rights as an operator the credential carries, if that user is one; None if it carries none.

        Only sessions and live keys with the scope `*` carry them. A user who consents to an app or limits the scopes of
        a key does not hand over the server.
        """
        is_unrestricted = self.kind in ("session", "key") and "*" in self.scopes and not self.sandbox
        return self.user_id if is_unrestricted else None

    def may(self, scope: str) -> bool:
        """Return True if the credential holds `scope`."""
        return scope in self.scopes or "*" in self.scopes

    def require(self, scope: str) -> None:
        """Raise `InsufficientScope` if the credential lacks `scope`."""
        if self.may(scope):
            return
        if self.is_public:
            raise InsufficientScope(_FOR_VISITORS)
        if self.kind == "oauth":
            raise InsufficientScope(
                f"This access token lacks the scope {scope}. Authorize the app again, with this scope.",
                scope,
            )
        raise InsufficientScope(
            f"This credential lacks the scope {scope}. Use a key that has it, or create one with --scopes {scope}.",
            scope,
        )

    def require_kind(self, kinds: frozenset[str]) -> None:
        """Raise `InsufficientScope` if the credential's kind is not in `kinds`. An empty set admits every kind."""
        if kinds and self.kind not in kinds:
            if self.is_public:
                raise InsufficientScope(_FOR_VISITORS)
            accepted = " or ".join(_NAMES[kind] for kind in sorted(kinds))
            raise InsufficientScope(f"This requires {accepted}. Sign in at /api/auth.php to get a session token.")
