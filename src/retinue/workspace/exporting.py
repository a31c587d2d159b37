"""Export everything that an account stores, page by page."""

from collections.abc import AsyncIterator

from retinue.core.database.statements import Row
from retinue.workspace import statements as sql
from retinue.workspace.datetimes import NEVER, format_datetime
from retinue.workspace.records import Records

_PAGE = 200


async def count_kinds(records: Records) -> list[Row]:
    """Return the number of records of each kind, and their total size in bytes."""
    return await records.database.query(sql.COUNT_KINDS, account=records.account_id)


async def export_pages(records: Records) -> AsyncIterator[list[dict[str, object]]]:
    """Yield all records in order of creation."""
    last = 0
    while page := await records.database.query(sql.AFTER, account=records.account_id, last=last, most=_PAGE):
        last = page[-1].id
        yield [_line(row) for row in page]


def _line(row: Row) -> dict[str, object]:
    return {
        "key": row.id,
        "kind": row.kind,
        "parent": row.parent or None,
        "name": row.name,
        "state": row.state,
        "at": None if row.at == NEVER else format_datetime(row.at),
        "fields": row.body,
        "created_at": format_datetime(row.created_at),
        "updated_at": format_datetime(row.updated_at),
    }
