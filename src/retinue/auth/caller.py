"""Who is calling, and what they may do."""

from dataclasses import dataclass

from retinue.auth.plans import Plan
from retinue.core.errors import InsufficientScope
from retinue.core.idempotency import Claim

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
        "usage:read",
        "*",
    }
)


@dataclass(frozen=True, slots=True)
class Caller:
    """An authenticated credential. `account_id` is the owner of every record that it can see."""

    user_id: int
    account_id: int
    sandbox: bool
    credential: str
    """Names the credential for its own minute window, such as `key:17`."""
    plan_name: str
    plan: Plan
    scopes: frozenset[str]
    claim: Claim | None = None
    """The idempotency key under which the request runs."""

    def may(self, scope: str) -> bool:
        """Whether the credential holds `scope`."""
        return scope in self.scopes or "*" in self.scopes

    def require(self, scope: str) -> None:
        """Refuse a credential without `scope`."""
        if not self.may(scope):
            raise InsufficientScope(
                f"This credential lacks the scope {scope}. Use a key that has it, or create one with --scopes {scope}."
            )
