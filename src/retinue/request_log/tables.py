"""Requests of the API."""

import sqlalchemy as sa

from retinue.core.owned import Owned
from retinue.core.schema import BigInt, Instant, id_column, table

api_requests = table(
    "api_requests",
    id_column(),
    sa.Column("account_id", BigInt, nullable=False),
    sa.Column("request_id", sa.String(128), nullable=False),
    sa.Column("method", sa.String(16), nullable=False),
    sa.Column("path", sa.String(500), nullable=False),
    sa.Column("route", sa.String(200)),
    sa.Column("status", sa.Integer, nullable=False),
    sa.Column("duration_ms", sa.Double, nullable=False),
    sa.Column("credential", sa.String(40), nullable=False),
    sa.Column("address", sa.String(64), nullable=False),
    sa.Column("error_code", sa.String(40)),
    sa.Column("error_message", sa.String(500)),
    sa.Column("created_at", Instant, nullable=False),
    sa.Index(None, "account_id", "id"),
)
"""`route` is the template of the path, such as `/api/v1/agents/{id}`; null where nothing is at the path.

Rows are written when requests end, so ids are in that order. `created_at` is when a request came. The only index is the
one that every list needs: each further one would cost every request. A request id is looked up among the rows of its
account, whose number is bounded.
"""

OWNED = (Owned(api_requests.c.account_id),)
