"""The table of API requests."""

import sqlalchemy as sa

from retinue.core.database.owned import Owned
from retinue.core.database.schema import BigInt, Instant, id_column, table

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
    sa.Column("run_id", BigInt),
    sa.Column("created_at", Instant, nullable=False),
    sa.Index(None, "account_id", "id"),
)
"""`route` is the path template, such as `/api/v1/agents/{id}`; null for unknown paths. `run_id` is the first run that
the request started.

Rows are written when requests end, so ids follow that order; `created_at` is the arrival time. There is only the
index that lists need, because each index slows down every request. Look-ups by request id scan the rows of one
account, whose number is limited.
"""

OWNED = (Owned(api_requests.c.account_id),)
