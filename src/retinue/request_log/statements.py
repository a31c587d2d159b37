"""The statements of the request log."""

import sqlalchemy as sa

from retinue.core.database.schema import BigInt, Instant
from retinue.core.database.statements import Statement
from retinue.core.work.retention import BATCH
from retinue.request_log.tables import api_requests

TRIMMED_AT_ONCE = 200
"""Rows that one transaction removes from a full log."""

_ACCOUNT = api_requests.c.account_id == sa.bindparam("account", type_=BigInt)
_method = sa.bindparam("wanted_method", type_=sa.String)
_path = sa.bindparam("wanted_path", type_=sa.String)
_credential = sa.bindparam("wanted_credential", type_=sa.String)
_request_id = sa.bindparam("wanted_request_id", type_=sa.String)
_FILTERS = (
    _ACCOUNT,
    api_requests.c.id < sa.bindparam("before", type_=BigInt),
    api_requests.c.status >= sa.bindparam("lowest", type_=sa.Integer),
    api_requests.c.status <= sa.bindparam("highest", type_=sa.Integer),
    sa.or_(_method.is_(None), api_requests.c.method == _method),
    sa.or_(_path.is_(None), api_requests.c.path == _path, api_requests.c.route == _path),
    sa.or_(_credential.is_(None), api_requests.c.credential == _credential),
    sa.or_(_request_id.is_(None), api_requests.c.request_id == _request_id),
    sa.or_(
        sa.bindparam("portal_too", type_=sa.Boolean).is_(sa.true()),
        api_requests.c.credential.not_like(sa.literal_column("'session:%'", sa.String)),
    ),
    api_requests.c.created_at >= sa.bindparam("since", type_=Instant),
    api_requests.c.created_at < sa.bindparam("until", type_=Instant),
)

INSERT = Statement(sa.insert(api_requests), [column.name for column in api_requests.c if column.name != "id"])
LIST = Statement(
    sa.select(api_requests)
    .where(*_FILTERS)
    .order_by(api_requests.c.id.desc())
    .limit(sa.bindparam("per_page", type_=sa.Integer))
    .offset(sa.bindparam("offset", type_=BigInt))
)
COUNT = Statement(sa.select(sa.func.count().label("requests")).select_from(api_requests).where(*_FILTERS))
LATEST = Statement(
    sa.select(api_requests)
    .where(_ACCOUNT, api_requests.c.request_id == sa.bindparam("request", type_=sa.String))
    .order_by(api_requests.c.id.desc())
    .limit(1)
)
"""The newest request with an `X-Request-ID`, since callers may reuse one."""

_OLDEST_KEPT = (
    sa.select(api_requests.c.id)
    .where(_ACCOUNT)
    .order_by(api_requests.c.id.desc())
    .limit(1)
    .offset(sa.bindparam("others", type_=BigInt))
    .scalar_subquery()
)
TRIM = Statement(
    sa.delete(api_requests).where(
        api_requests.c.id.in_(
            sa.select(api_requests.c.id)
            .where(_ACCOUNT, api_requests.c.id < _OLDEST_KEPT)
            .order_by(api_requests.c.id)
            .limit(TRIMMED_AT_ONCE)
        )
    )
)
"""Delete a batch of an account's oldest rows beyond the newest `others` + 1."""

OLDEST = Statement(
    sa.select(api_requests.c.id, api_requests.c.created_at)
    .where(api_requests.c.id > sa.bindparam("after", type_=BigInt))
    .order_by(api_requests.c.id)
    .limit(BATCH)
)
REMOVE_UNTIL = Statement(sa.delete(api_requests).where(api_requests.c.id <= sa.bindparam("last", type_=BigInt)))
