"""The rules of files and workspace records."""

from collections.abc import Mapping

import sqlalchemy as sa

from retinue.check.statements import count_of, counter, of_account
from retinue.core.database.schema import BigInt
from retinue.core.database.statements import Statement
from retinue.files.tables import files
from retinue.tools.imports.tables import sources
from retinue.workspace.tables import records, vectors, words


def _sizes(table: sa.Table) -> sa.ScalarSelect[int]:
    """Compute the total size of an account's rows in bytes."""
    return of_account(table, sa.func.coalesce(sa.cast(sa.func.sum(table.c.size), BigInt), 0))


def _misplaced_items(table: sa.Table) -> Statement:
    """Find rows whose account or kind differs from that of their record."""
    record = records.c.id == table.c.record_id
    same = (records.c.account_id == table.c.account_id) & (records.c.kind == table.c.kind)
    return Statement(
        sa.select(table.c.record_id).join(records, record & same, isouter=True).where(records.c.id.is_(None))
    )


_above = records.alias("above")

RULES: Mapping[str, Statement] = {
    "the counter of files is wrong": count_of(files, "files"),
    "the counter of stored bytes is wrong": counter("stored_bytes", _sizes(files) + _sizes(records) + _sizes(sources)),
    "the counter of workspace records is wrong": count_of(records, "workspace_records"),
    "a word is found in a record of another account or kind": _misplaced_items(words),
    "a vector is of a record of another account or kind": _misplaced_items(vectors),
    "a record's parent does not exist": Statement(
        sa.select(records.c.id, records.c.parent)
        .join(_above, (_above.c.id == records.c.parent) & (_above.c.account_id == records.c.account_id), isouter=True)
        .where(records.c.parent != 0, _above.c.id.is_(None))
    ),
}
