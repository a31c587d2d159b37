"""The rules of files and workspace records."""

from collections.abc import Mapping

import sqlalchemy as sa

from retinue.check.statements import count_of, counter, of_account
from retinue.core.database.schema import BigInt
from retinue.core.database.statements import Statement
from retinue.files.tables import files
from retinue.knowledge.tables import OPEN, documents, passages
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

_STORED = _sizes(files) + _sizes(records) + _sizes(sources) + _sizes(documents)
_served = (passages.c.document_id == documents.c.id) & (passages.c.version == documents.c.served)

RULES: Mapping[str, Statement] = {
    "the counter of files is wrong": count_of(files, "files"),
    "the counter of stored bytes is wrong": counter("stored_bytes", _STORED),
    "the counter of workspace records is wrong": count_of(records, "workspace_records"),
    "a word is found in a record of another account or kind": _misplaced_items(words),
    "a vector is of a record of another account or kind": _misplaced_items(vectors),
    "a document does not have as many passages as it says": Statement(
        sa.select(documents.c.id, documents.c.passages, sa.func.count(passages.c.id).label("found"))
        .join(passages, _served, isouter=True)
        .where(documents.c.status != sa.literal_column("'deleting'"))
        .group_by(documents.c.id, documents.c.passages)
        .having(sa.func.count(passages.c.id) != documents.c.passages)
    ),
    "a passage belongs to no document, or to one that is at rest and does not serve it": Statement(
        sa.select(passages.c.id)
        .join(documents, passages.c.document_id == documents.c.id, isouter=True)
        .where(sa.or_(documents.c.id.is_(None), sa.and_(~OPEN, passages.c.version != documents.c.served)))
    ),
    "a record's parent does not exist": Statement(
        sa.select(records.c.id, records.c.parent)
        .join(_above, (_above.c.id == records.c.parent) & (_above.c.account_id == records.c.account_id), isouter=True)
        .where(records.c.parent != 0, _above.c.id.is_(None))
    ),
}
