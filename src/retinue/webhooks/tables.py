"""The tables of webhook endpoints and of the deliveries to them."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Protocol

import sqlalchemy as sa

from retinue.core.database.owned import Owned
from retinue.core.database.schema import BigInt, Instant, Json, id_column, table
from retinue.core.database.statements import Record
from retinue.core.work.events import ACCOUNT, queue_for_listeners
from retinue.core.work.leases import lease_columns
from retinue.oauth.tables import grants

endpoints = table(
    "webhook_endpoints",
    id_column(),
    sa.Column("account_id", BigInt, nullable=False),
    sa.Column("url", sa.Text, nullable=False),
    sa.Column("events", Json),
    sa.Column("description", sa.Text, nullable=False),
    sa.Column("enabled", sa.Boolean, nullable=False),
    sa.Column("disabled_reason", sa.Text),
    sa.Column("secret", sa.Text, nullable=False),
    sa.Column("old_secret", sa.Text),
    sa.Column("old_secret_until", Instant),
    sa.Column("failing_since", Instant),
    sa.Column("deliveries_count", BigInt, nullable=False, server_default="0"),
    sa.Column("grant_id", BigInt),
    sa.Column("run_id", BigInt),
    sa.Column("task", Json),
    sa.Column("created_at", Instant, nullable=False),
    sa.Column("updated_at", Instant, nullable=False),
    sa.Index(None, "account_id", "id"),
)
sa.Index(
    "ix_webhook_endpoints_run",
    endpoints.c.run_id,
    sqlite_where=endpoints.c.run_id.is_not(None),
    postgresql_where=endpoints.c.run_id.is_not(None),
)
"""`events` is null for all events. Both secrets are encrypted; the old one is set during a rotation.

`grant_id` is the OAuth grant of the app that chose the URL; null if the user did. `run_id` and `task` are those of push
notifications of A2A (`task_updates`), and null for the account's own endpoints.
"""

_LIVE_GRANT = sa.select(grants.c.revoked_at.is_(None)).where(grants.c.id == endpoints.c.grant_id).scalar_subquery()
AUTHORIZED = sa.func.coalesce(_LIVE_GRANT, endpoints.c.grant_id.is_(None), type_=sa.Boolean)
"""True while the app that chose the URL may act for the user. Without the app's grant, nothing is sent there.

PostgreSQL may read all grants for an EXISTS below an OR, so this looks up one.
"""

IN_FORCE = endpoints.c.enabled & AUTHORIZED
"""Endpoints that receive events."""

queue_for_listeners(sa.exists().where(endpoints.c.account_id == ACCOUNT, IN_FORCE))

deliveries = table(
    "webhook_deliveries",
    id_column(),
    sa.Column("public_id", sa.String(40), nullable=False, unique=True),
    sa.Column("endpoint_id", BigInt, sa.ForeignKey("webhook_endpoints.id", ondelete="CASCADE"), nullable=False),
    sa.Column("event_id", sa.String(40), nullable=False),
    sa.Column("event", sa.String(64), nullable=False),
    sa.Column("status", sa.String(16), nullable=False, server_default="pending"),
    sa.Column("log", Json, nullable=False),
    sa.Column("created_at", Instant, nullable=False),
    sa.Column("ended_at", Instant),
    *lease_columns(),
    sa.Index(None, "endpoint_id", "id"),
)
"""`status` is pending, delivered, failed or cancelled. `log` has one entry per attempt.

The lease of an unclaimed delivery ends when its next attempt is due.
"""

OPEN = deliveries.c.ended_at.is_(None)
"""Deliveries that have not ended."""

sa.Index(
    "ix_webhook_deliveries_open_due",
    deliveries.c.endpoint_id,
    deliveries.c.lease_until,
    sqlite_where=OPEN,
    postgresql_where=OPEN,
)

_ENDPOINTS = Owned(endpoints.c.account_id, hidden=("secret", "old_secret", "old_secret_until"))
OWNED = (Owned(deliveries.c.endpoint_id, _ENDPOINTS), _ENDPOINTS)


class EndpointRow(Record, Protocol):
    """An endpoint without its secrets. `authorized` is False once the app that chose the URL has lost its grant."""

    id: int
    account_id: int
    url: str
    events: Sequence[str] | None
    description: str
    enabled: bool
    disabled_reason: str | None
    old_secret_until: datetime | None
    failing_since: datetime | None
    created_at: datetime
    updated_at: datetime
    authorized: bool


class CountedEndpoint(EndpointRow, Protocol):
    """An endpoint with the number of its deliveries."""

    deliveries_count: int


class LockedEndpoint(CountedEndpoint, Protocol):
    """An endpoint with its encrypted secrets."""

    secret: str
    old_secret: str | None
    grant_id: int | None


class DeliveryRow(Record, Protocol):
    """A delivery without its attempts."""

    id: int
    public_id: str
    endpoint_id: int
    event_id: str
    event: str
    status: str
    created_at: datetime
    ended_at: datetime | None
    epoch: int
    attempts: int
    lease_owner: str | None
    lease_until: float


class LoggedDelivery(DeliveryRow, Protocol):
    """A delivery with its attempts."""

    log: Sequence[Mapping[str, object]]
