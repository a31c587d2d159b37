"""Write entries to the audit log."""

from dataclasses import dataclass
from typing import Literal

from retinue.auth.audit import statements as sql
from retinue.auth.caller import Caller
from retinue.core.database.interface import Tx
from retinue.core.runtime import log
from retinue.core.runtime.clock import now

Action = Literal[
    "user.created",
    "user.plan_changed",
    "user.suspended",
    "user.restored",
    "user.revoked",
    "user.promoted",
    "user.demoted",
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
    "publishable_key.created",
    "publishable_key.updated",
    "publishable_key.rotated",
    "publishable_key.revoked",
    "conversation.shared",
    "conversation.unshared",
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
    "provider.created",
    "provider.updated",
    "provider.deleted",
    "model_default.changed",
    "local_model.pulled",
    "local_model.activated",
    "local_model.deleted",
    "schedule.created",
    "schedule.updated",
    "schedule.deleted",
    "do_not_call.added",
    "do_not_call.removed",
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
"""Actions that concern the whole server. Their entries outlive the acting user and do not name that user."""


@dataclass(frozen=True, slots=True)
class Actor:
    """The user whose log receives the entry, the acting credential and its origin.

    Create it before the transaction: SQLite batches transactions of several requests, outside their context
    variables.
    """

    user_id: int | None
    credential: str
    sandbox: bool = False
    address: str | None = None
    request_id: str | None = None

    @classmethod
    def of_request(cls, user_id: int | None, credential: str, sandbox: bool = False) -> "Actor":
        """Create an actor with the client address and request id of the current request."""
        return cls(user_id, credential, sandbox, log.client_address.get(None), log.request_id.get(None))

    @classmethod
    def of_caller(cls, caller: Caller) -> "Actor":
        """Create an actor from a caller's credential."""
        return cls.of_request(caller.user_id, f"{caller.kind}:{caller.credential_id}", caller.sandbox)


def operator_on(user_id: int) -> Actor:
    """Create an actor for an operator who changes a user from the command line."""
    return Actor(user_id, "operator")


async def audit(tx: Tx, actor: Actor, action: Action, target: int | None = None, detail: str | None = None) -> None:
    """Add an entry.

    `target` is the id of the changed record. `detail` is cut to 200 characters and must not contain secrets.
    """
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
