"""SQL statements for endpoints, filtered by the owning account, and for deliveries, filtered by endpoint."""

import sqlalchemy as sa

from retinue.core.database.newest_first import newest_first
from retinue.core.database.portable_sql import unix_now
from retinue.core.database.schema import BigInt, Instant
from retinue.core.database.statements import Statement
from retinue.core.work.events import events
from retinue.webhooks.tables import (
    AUTHORIZED,
    OPEN,
    CountedEndpoint,
    DeliveryRow,
    EndpointRow,
    LockedEndpoint,
    LoggedDelivery,
    deliveries,
    endpoints,
)

AT_ONCE_S = 0.001
"""How far in the past new work is due, because the embedded database's clock has a resolution of milliseconds."""

_OF_ACCOUNT = endpoints.c.account_id == sa.bindparam("account", type_=BigInt)
_OURS = _OF_ACCOUNT & endpoints.c.run_id.is_(None)
_ENDPOINT = endpoints.c.id == sa.bindparam("endpoint", type_=BigInt)
_THIS = (_ENDPOINT, _OURS)
_MOMENT = sa.bindparam("moment", type_=endpoints.c.updated_at.type)
_VIEW = [endpoints.c[name] for name in (
    "id", "account_id", "url", "events", "description", "enabled", "disabled_reason", "old_secret_until",
    "failing_since", "created_at", "updated_at",
)]  # fmt: skip

INSERT: Statement[EndpointRow] = Statement(
    sa.insert(endpoints).returning(*_VIEW, sa.true().label("authorized")),
    ["account_id", "url", "events", "description", "enabled", "secret", "grant_id", "created_at", "updated_at"],
)
_RUN = endpoints.c.run_id == sa.bindparam("run", type_=BigInt)
INSERT_FOR_RUN = Statement(
    sa.insert(endpoints).returning(endpoints.c.id),
    [
        "account_id", "url", "events", "description", "enabled", "secret", "grant_id", "run_id", "task", "created_at",
        "updated_at",
    ],
)  # fmt: skip
OF_RUN = Statement(sa.select(endpoints).where(_OF_ACCOUNT, _RUN).order_by(endpoints.c.id))
DELETE_OF_RUN = Statement(sa.delete(endpoints).where(_ENDPOINT, _OF_ACCOUNT, _RUN))

_AUTHORIZED = AUTHORIZED.label("authorized")
GET: Statement[CountedEndpoint] = Statement(sa.select(*_VIEW, _AUTHORIZED, endpoints.c.deliveries_count).where(*_THIS))
LOCK: Statement[LockedEndpoint] = Statement(
    sa.select(endpoints, _AUTHORIZED).where(*_THIS).with_for_update(of=endpoints)
)
LIST: Statement[EndpointRow] = Statement(
    sa.select(*_VIEW, _AUTHORIZED)
    .where(_OURS)
    .order_by(endpoints.c.id.desc())
    .limit(sa.bindparam("per_page", type_=sa.Integer))
    .offset(sa.bindparam("offset", type_=BigInt))
)
COUNT = Statement(sa.select(sa.func.count().label("held")).select_from(endpoints).where(_OURS))
DELETE = Statement(sa.delete(endpoints).where(*_THIS))

UPDATE_FIELDS = ("url", "events", "description", "enabled", "disabled_reason", "failing_since", "grant_id")
UPDATE = Statement(
    sa.update(endpoints)
    .where(*_THIS)
    .values(**{name: sa.bindparam(name, type_=endpoints.c[name].type) for name in UPDATE_FIELDS}, updated_at=_MOMENT)
)
ROTATE = Statement(
    sa.update(endpoints)
    .where(*_THIS)
    .values(
        secret=sa.bindparam("fresh", type_=sa.Text),
        old_secret=endpoints.c.secret,
        old_secret_until=sa.bindparam("until", type_=endpoints.c.old_secret_until.type),
        updated_at=_MOMENT,
    )
)
SWITCH = Statement(
    sa.update(endpoints).where(*_THIS).values(old_secret=None, old_secret_until=None, updated_at=_MOMENT)
)

ANY_SECRET = Statement(sa.select(endpoints.c.account_id, endpoints.c.secret).order_by(endpoints.c.id).limit(1))

COUNT_DELIVERIES = Statement(
    sa.update(endpoints)
    .where(_ENDPOINT)
    .values(deliveries_count=endpoints.c.deliveries_count + sa.bindparam("more", type_=BigInt))
)
"""Counts deliveries that the same transaction adds. Matches no row if the endpoint was deleted."""

_NEW = ("public_id", "endpoint_id", "event_id", "event", "created_at")
ADD_DELIVERY: Statement[LoggedDelivery] = Statement(
    sa.insert(deliveries)
    .values(
        **{name: sa.bindparam(name, type_=deliveries.c[name].type) for name in _NEW},
        log=[],
        lease_until=unix_now() - AT_ONCE_S,
    )
    .returning(deliveries)
)

CANCEL_WAITING = Statement(
    sa.update(deliveries)
    .where(deliveries.c.endpoint_id == sa.bindparam("endpoint", type_=BigInt), OPEN, deliveries.c.lease_owner.is_(None))
    .values(status="cancelled", ended_at=sa.bindparam("moment", type_=deliveries.c.ended_at.type), lease_until=0.0)
)
"""Cancels the pending deliveries of a disabled endpoint. Attempts in progress end by themselves."""

EVENT = Statement(
    sa.select(events.c.id, events.c.name, events.c.created_at, events.c.data).where(
        events.c.id == sa.bindparam("event", type_=sa.String)
    )
)

_OF_ENDPOINT = deliveries.c.endpoint_id == sa.bindparam("endpoint", type_=BigInt)
_LISTED = [column for column in deliveries.c if column.name != "log"]
LATEST_STATUSES = Statement(
    sa.select(deliveries.c.status, deliveries.c.created_at)
    .where(_OF_ENDPOINT)
    .order_by(deliveries.c.id.desc())
    .limit(sa.bindparam("most", type_=sa.Integer))
)
DELIVERIES: Statement[DeliveryRow] = newest_first(sa.select(*_LISTED), deliveries.c.id, _OF_ENDPOINT)
OLDEST_DELIVERIES: Statement[DeliveryRow] = newest_first(
    sa.select(*_LISTED), deliveries.c.id, _OF_ENDPOINT, backwards=True
)
_STATE, _NAME = (sa.bindparam(name, type_=sa.String) for name in ("state", "name"))
_SINCE, _UNTIL = (sa.bindparam(name, type_=Instant) for name in ("since", "until"))
_FOUND = (
    _OF_ENDPOINT,
    sa.or_(_STATE.is_(None), deliveries.c.status == _STATE),
    sa.or_(_NAME.is_(None), deliveries.c.event == _NAME),
    sa.or_(_SINCE.is_(None), deliveries.c.created_at >= _SINCE),
    sa.or_(_UNTIL.is_(None), deliveries.c.created_at < _UNTIL),
)
FIND_DELIVERIES: Statement[DeliveryRow] = newest_first(sa.select(*_LISTED), deliveries.c.id, *_FOUND)
COUNT_FOUND = Statement(sa.select(sa.func.count().label("found")).select_from(deliveries).where(*_FOUND))
DELIVERY: Statement[LoggedDelivery] = Statement(
    sa.select(deliveries).where(deliveries.c.public_id == sa.bindparam("delivery", type_=sa.String), _OF_ENDPOINT)
)
