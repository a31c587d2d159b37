"""SQL statements for the workspace. All filter by the account that owns the records."""

import sqlalchemy as sa

from retinue.core.database.portable_sql import among, counted_words
from retinue.core.database.schema import BigInt, Instant
from retinue.core.database.statements import Statement
from retinue.workspace.tables import records, vectors, words

_ACCOUNT = sa.bindparam("account", type_=BigInt)
_KIND = sa.bindparam("kind", type_=sa.String)
_MOST = sa.bindparam("most", type_=sa.Integer)
_SKIPPED = sa.bindparam("skipped", type_=sa.Integer)
_RECORD = sa.bindparam("record", type_=BigInt)

_OURS = records.c.account_id == _ACCOUNT
_OF_KIND = (_OURS, records.c.kind == _KIND)
_WITHIN = (*_OF_KIND, records.c.parent == sa.bindparam("parent", type_=BigInt))
_IN_STATE = (*_WITHIN, records.c.state == sa.bindparam("state", type_=sa.String))
_THIS = (records.c.id == _RECORD, _OURS)
_VIEW = [
    records.c[name]
    for name in (
        "id", "kind", "parent", "name", "state", "at", "body", "size", "version", "untrusted", "created_at",
        "updated_at",
    )
]  # fmt: skip
_FIELDS = ("name", "state", "at", "body", "size", "untrusted")

NAMED = Statement(sa.select(*_VIEW).where(*_WITHIN, records.c.name == sa.bindparam("called", type_=sa.String)))
CHOSEN = Statement(sa.select(*_VIEW).where(among(records.c.id, "ids"), _OURS))
NEWEST = Statement(
    sa.select(*_VIEW).where(*_WITHIN).order_by(records.c.at.desc(), records.c.id.desc()).limit(_MOST).offset(_SKIPPED)
)
NEWEST_IDS = Statement(
    sa.select(records.c.id).where(*_WITHIN).order_by(records.c.at.desc(), records.c.id.desc()).limit(_MOST)
)
IN_STATE = Statement(
    sa.select(*_VIEW).where(*_IN_STATE).order_by(records.c.at, records.c.id).limit(_MOST).offset(_SKIPPED)
)
BETWEEN = Statement(
    sa.select(*_VIEW)
    .where(
        *_IN_STATE,
        records.c.at >= sa.bindparam("since", type_=Instant),
        records.c.at < sa.bindparam("until", type_=Instant),
    )
    .order_by(records.c.at, records.c.id)
    .limit(_MOST)
)
BY_NAME = Statement(
    sa.select(*_VIEW)
    .where(
        *_WITHIN,
        records.c.name >= sa.bindparam("first", type_=sa.String),
        records.c.name < sa.bindparam("last", type_=sa.String),
    )
    .order_by(records.c.name)
    .limit(_MOST)
    .offset(_SKIPPED)
)
AFTER = Statement(
    sa.select(*_VIEW)
    .where(_OURS, records.c.id > sa.bindparam("last", type_=BigInt))
    .order_by(records.c.id)
    .limit(_MOST)
)
COUNT = Statement(sa.select(sa.func.count().label("records")).select_from(records).where(*_WITHIN))
COUNT_KINDS = Statement(
    sa.select(
        records.c.kind,
        sa.func.count().label("records"),
        sa.cast(sa.func.sum(records.c.size), BigInt).label("size"),
    )
    .where(_OURS)
    .group_by(records.c.kind)
)
COUNT_KIND = Statement(sa.select(sa.func.count().label("records")).select_from(records).where(*_OF_KIND))

INSERT = Statement(
    sa.insert(records).returning(*_VIEW),
    ["account_id", "kind", "parent", *_FIELDS, "version", "created_at", "updated_at"],
)
REPLACE = Statement(
    sa.update(records)
    .where(*_THIS)
    .values(
        **{name: sa.bindparam(f"new_{name}", type_=records.c[name].type) for name in _FIELDS},
        version=records.c.version + 1,
        updated_at=sa.bindparam("moment", type_=Instant),
    )
    .returning(*_VIEW)
)
REMOVE = Statement(sa.delete(records).where(*_THIS))
REMOVE_WITHIN = Statement(
    sa.delete(records)
    .where(_OURS, records.c.id.in_(sa.select(records.c.id).where(*_WITHIN).limit(_MOST)))
    .returning(records.c.size)
)
REMOVE_BEFORE = Statement(
    sa.delete(records)
    .where(
        _OURS,
        records.c.id.in_(
            sa.select(records.c.id).where(*_IN_STATE, records.c.at < sa.bindparam("until", type_=Instant)).limit(_MOST)
        ),
    )
    .returning(records.c.size)
)


_documents = records.alias("documents")
RECORDS_AFTER = Statement(
    sa.select(records.c.id, records.c.account_id, records.c.kind, records.c.body, records.c.version)
    .add_columns(_documents.c.body.label("document"))
    .select_from(records.outerjoin(_documents, _documents.c.id == records.c.parent))
    .where(records.c.id > sa.bindparam("after", type_=BigInt))
    .order_by(records.c.id)
    .limit(_MOST)
)
"""The records of all accounts, each with the body of its parent, for the work that indexes them again."""
LOCK_RECORDS = Statement(
    sa.select(records.c.id, records.c.version)
    .where(among(records.c.id, "ids"))
    .order_by(records.c.id)
    .with_for_update()
)

_pairs = counted_words("pairs")
INDEX = Statement(
    sa.insert(words).from_select(
        ["account_id", "kind", "word", "record_id", "times", "length"],
        sa.select(_ACCOUNT, _KIND, _pairs.c.word, _RECORD, _pairs.c.times, sa.bindparam("length", type_=sa.Integer)),
    )
)
# Plus 0 keeps SQLite from scanning all rows of the account: it finds the few rows by their record.
UNINDEX = Statement(sa.delete(words).where(words.c.record_id == _RECORD, words.c.account_id + 0 == _ACCOUNT))
POSTINGS = Statement(
    sa.select(words.c.record_id, words.c.times, words.c.length)
    .where(words.c.account_id == _ACCOUNT, words.c.kind == _KIND, words.c.word == sa.bindparam("word", type_=sa.String))
    .order_by(words.c.record_id.desc())
    .limit(_MOST)
)

KEEP_VECTOR = Statement(sa.insert(vectors), ["record_id", "account_id", "kind", "signature", "vector"])
DROP_VECTOR = Statement(sa.delete(vectors).where(vectors.c.record_id == _RECORD, vectors.c.account_id == _ACCOUNT))
SIGNATURES = Statement(
    sa.select(vectors.c.record_id, vectors.c.signature)
    .where(vectors.c.account_id == _ACCOUNT, vectors.c.kind == _KIND)
    .order_by(vectors.c.record_id.desc())
    .limit(_MOST)
)
VECTORS = Statement(
    sa.select(vectors.c.record_id, vectors.c.vector).where(
        among(vectors.c.record_id, "ids"), vectors.c.account_id + 0 == _ACCOUNT
    )
)
