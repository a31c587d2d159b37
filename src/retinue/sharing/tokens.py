"""Authenticate publishable keys."""

from dataclasses import dataclass

from retinue.auth.caller import SELF, Caller
from retinue.auth.plans import Plans
from retinue.core.database.interface import Database
from retinue.core.errors import AuthRequired
from retinue.core.runtime.clock import now
from retinue.sharing import statements as sql


@dataclass(frozen=True)
class PublishableTokens:
    """The publishable keys as a `TokenKind`. Such a key has no scopes: only operations for visitors admit it."""

    database: Database
    plans: Plans
    prefix: str = "ak_pub"

    async def find(self, token: str) -> Caller:
        """See `TokenKind`."""
        row = await self.database.lookup(sql.AUTHENTICATE, token=token[:40], moment=now())
        if row is None:
            raise AuthRequired(
                "This publishable key is unknown, expired or revoked. The owner of the agent can create another one in "
                "the portal."
            )
        return Caller(
            user_id=row.user_id,
            account_id=row.account_id,
            sandbox=row.sandbox,
            credential=f"publishable:{row.id}",
            plan_name=row.plan,
            plan=self.plans[row.plan],
            scopes=frozenset(),
            kind="publishable",
            credential_id=row.id,
            origins=(*row.origins, *((SELF,) if row.page_enabled else ())),
            agent_id=row.agent_id,
        )
