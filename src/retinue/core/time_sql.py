"""The database's own clock in SQL: leases compare instants of one clock, however many nodes there are."""

from typing import Any

import sqlalchemy as sa
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.functions import FunctionElement


class unix_now(FunctionElement[float]):  # noqa: N801 - reads as the SQL function it is
    """Seconds since 1970 by the database's clock, as a double."""

    type = sa.Double()
    inherit_cache = True


@compiles(unix_now, "sqlite")
def _sqlite(element: Any, compiler: Any, **options: Any) -> str:
    return "unixepoch('subsec')"


@compiles(unix_now, "postgresql")
def _postgresql(element: Any, compiler: Any, **options: Any) -> str:
    return "extract(epoch from clock_timestamp())::float8"
