"""Writing entries of the audit log."""

from dataclasses import dataclass
from typing import Literal

from retinue.auth.audit import statements as sql
from retinue.auth.caller import Caller
from retinue.core import log
from retinue.core.clock import now
from retinue.core.database import Tx

Action = Literal[
    "user.created",
    "user.plan_changed",
    "user.suspended",
    "user.restored",
    "user.revoked",
    "user.promoted",
    "user.deleted",
    "account.updated",
    "password.changed",
    "totp.enabled",
    "totp.disabled",
    "totp.recovery_codes_renewed",
    "sign_in.succeeded",
    "sign_in.failed",
    "sign_in.link_created",
    "session.signed_out",
    "session.revoked",
    "session.others_revoked",
    "key.created",
    "key.updated",
    "key.rotated",
    "key.revoked",
    "webhook.created",
    "webhook.updated",
    "webhook.deleted",
    "webhook.secret_rotated",
    "webhook.secret_switched",
    "source.created",
    "source.updated",
    "source.refreshed",
    "source.deleted",
    "connection.created",
    "connection.updated",
    "connection.deleted",
    "schedule.created",
    "schedule.updated",
    "schedule.deleted",
    "app.created",
    "app.updated",
    "app.secret_rotated",
    "app.deleted",
    "grant.created",
    "grant.revoked",
    "item.published",
    "item.changed",
    "item.moderated",
    "item.installed",
    "item.uninstalled",
    "account.exported",
]


SYSTEM_ACTIONS: tuple[Action, ...] = ("item.moderated",)
"""What concerns everyone on the server: such entries outlive the user who acted, without saying who it was."""


@dataclass(frozen=True, slots=True)
class Actor:
    """Whose log an entry belongs to, and what acted, from where.

    Make it before the transaction: SQLite runs transactions of several requests together, outside their contexts.
    """

    user_id: int | None
    credential: str
    sandbox: bool = False
    address: str | None = None
    request_id: str | None = None

    @classmethod
    def of_request(cls, user_id: int | None, credential: str, sandbox: bool = False) -> "Actor":
        """With the address and the id of the request that is being answered."""
        return cls(user_id, credential, sandbox, log.client_address.get(None), log.request_id.get(None))

    @classmethod
    def of_caller(cls, caller: Caller) -> "Actor":
        """The credential of a caller."""
        return cls.of_request(caller.user_id, f"{caller.kind}:{caller.credential_id}", caller.sandbox)


def operator_on(user_id: int) -> Actor:
    """The operator's command line, which changes something of a user."""
    return Actor(user_id, "operator")


async def audit(tx: Tx, actor: Actor, action: Action, target: int | None = None, detail: str | None = None) -> None:
    """Add an entry. `target` is the id of the record that changes; `detail` is cut to 200 characters, and no secret."""
    await tx.run(
        sql.INSERT,
        user_id=actor.user_id,
        sandbox=actor.sandbox,
        action=action,
        target_id=target,
        detail=detail[:200] if detail else None,
        credential=actor.credential,
        address=actor.address,
        request_id=actor.request_id,
        created_at=now(),
    )
