"""SQL statements for sources and for the documents that belong to them."""

import sqlalchemy as sa

from retinue.connections.tables import connections
from retinue.core.database.newest_first import newest_first
from retinue.core.database.portable_sql import among, unix_now
from retinue.core.database.schema import BigInt, Instant, Json
from retinue.core.database.statements import Statement
from retinue.core.work.fair_leases import PLACES, FairLeases
from retinue.core.work.leases import LEASE_S
from retinue.knowledge.tables import DUE, documents, sources

_ACCOUNT = sa.bindparam("account", type_=BigInt)
_COLLECTION = sa.bindparam("collection", type_=BigInt)
_SOURCE = sa.bindparam("source", type_=BigInt)
_MOMENT = sa.bindparam("moment", type_=Instant)
_ROUND = sa.bindparam("round_now", type_=BigInt)

_OF_COLLECTION = (sources.c.collection_id == _COLLECTION, sources.c.account_id == _ACCOUNT)
_THIS = (sources.c.id == _SOURCE, *_OF_COLLECTION)
_VISIBLE = documents.c.status != sa.literal_column("'deleting'")
_SYNCED = (documents.c.source_id.is_not(None), _VISIBLE)
_OF_SOURCE = (documents.c.source_id == _SOURCE, *_SYNCED)
_WORKED_ON = documents.c.status.in_([sa.literal_column(f"'{status}'") for status in ("queued", "reading", "indexing")])
_FAILED = documents.c.status == sa.literal_column("'failed'")


def _number(*conditions: sa.ColumnElement[bool]) -> sa.ScalarSelect[int]:
    these = (documents.c.source_id == sources.c.id, *_SYNCED, *conditions)
    return sa.select(sa.func.count()).where(*these).correlate(sources).scalar_subquery()


_HIDDEN = ("epoch", "attempts", "lease_owner", "lease_until", "round", "site", "connection_id")
_CONNECTION = (
    sa.select(connections.c.name)
    .where(connections.c.id == sources.c.connection_id, connections.c.account_id == sources.c.account_id)
    .correlate(sources)
    .scalar_subquery()
)
_VIEW = (
    *(column for column in sources.c if column.name not in _HIDDEN),
    _CONNECTION.label("connection"),
    _number().label("documents"),
    _number(_WORKED_ON).label("pending"),
    _number(_FAILED).label("failed"),
)
_SETTINGS = ("location", "connection_id", "include", "exclude", "max_pages", "max_depth", "schedule")

INSERT = Statement(
    sa.insert(sources).returning(sources.c.id),
    [
        "account_id", "collection_id", "kind", *_SETTINGS, "status", "round", "created_at", "updated_at", "lease_until",
    ],
)  # fmt: skip
OF_CONNECTION = Statement(
    sa.select(sources.c.id, sources.c.location).where(
        sources.c.connection_id == sa.bindparam("connection", type_=BigInt), sources.c.account_id + 0 == _ACCOUNT
    )
)
COUNT = Statement(sa.select(sa.func.count().label("held")).select_from(sources).where(*_OF_COLLECTION))
GET = Statement(sa.select(*_VIEW).where(*_THIS))
LIST = newest_first(sa.select(*_VIEW), sources.c.id, *_OF_COLLECTION)
LOCK = Statement(sa.select(sources).where(*_THIS).with_for_update())
UPDATE = Statement(
    sa.update(sources)
    .where(*_THIS)
    .values(
        {name: sa.bindparam(f"new_{name}", type_=sources.c[name].type) for name in _SETTINGS} | {"updated_at": _MOMENT}
    )
)
QUEUE = Statement(
    sa.update(sources)
    .where(*_THIS)
    .values(
        status="queued",
        error=None,
        epoch=sources.c.epoch + 1,
        attempts=0,
        lease_owner=None,
        lease_until=PLACES["normal"],
    )
)
"""Begins a synchronization. A worker that has claimed the source loses its lease."""
DELETE = Statement(sa.delete(sources).where(*_THIS))
DELETE_OF_COLLECTION = Statement(sa.delete(sources).where(*_OF_COLLECTION))

RELEASE_DOCUMENTS = Statement(
    sa.update(documents).where(*_OF_SOURCE).values(source_id=None, location=None, seen=None, links=None)
)
"""Makes the documents of a source ordinary ones."""
_DELETING: dict[str, object] = {
    "status": "deleting", "epoch": documents.c.epoch + 1, "attempts": 0, "lease_owner": None, "lease_until": 0.0,
}  # fmt: skip
DELETE_DOCUMENTS = Statement(sa.update(documents).where(*_OF_SOURCE).values(**_DELETING))
DELETE_MISSING = Statement(sa.update(documents).where(*_OF_SOURCE, documents.c.round < _ROUND).values(**_DELETING))
"""Deletes the documents that the last synchronization has not found."""

LEASES = FairLeases(sources, open_work=DUE, claimed={})
_CLAIMED = (sources.c.id == _SOURCE, sources.c.epoch == sa.bindparam("under", type_=BigInt))
_UNCLAIMED: dict[str, object] = {"attempts": 0, "lease_owner": None}
HOLD = Statement(sa.update(sources).where(*_CLAIMED).values(lease_until=unix_now() + LEASE_S))
SET_SITE = Statement(sa.update(sources).where(*_CLAIMED).values(site=sa.bindparam("found", type_=Json)))
BEGUN = Statement(
    sa.update(sources)
    .where(*_CLAIMED)
    .values(status="syncing", error=None, round=_ROUND, lease_until=unix_now(), **_UNCLAIMED)
)
LOOK_AGAIN = Statement(
    sa.update(sources)
    .where(*_CLAIMED)
    .values(lease_until=unix_now() + sa.bindparam("seconds", type_=sa.Double), **_UNCLAIMED)
)
END = Statement(
    sa.update(sources)
    .where(*_CLAIMED)
    .values(
        status=sa.bindparam("outcome", type_=sa.String),
        error=sa.bindparam("reason", type_=sa.Text),
        last_synced_at=sa.func.coalesce(sa.bindparam("synced", type_=Instant), sources.c.last_synced_at),
        next_sync_at=sa.bindparam("next", type_=Instant),
        lease_until=sa.bindparam("due", type_=sa.Double),
        **_UNCLAIMED,
    )
)
_READ = sa.select(documents.c.id).where(documents.c.source_id == sources.c.id, *_SYNCED, _WORKED_ON)
SETTLE = Statement(
    sa.update(sources)
    .where(
        sources.c.id == _SOURCE,
        sources.c.status == sa.literal_column("'syncing'"),
        sources.c.lease_owner.is_(None),
        ~_READ.correlate(sources).exists(),
    )
    .values(lease_until=0.0)
)
"""Makes a source due whose documents have all been read."""
PROGRESS = Statement(
    sa.select(
        sa.func.count().label("found"),
        sa.cast(sa.func.coalesce(sa.func.sum(sa.case((_WORKED_ON, 1), else_=0)), 0), BigInt).label("pending"),
    ).where(*_OF_SOURCE, documents.c.round == _ROUND)
)
GET_SCOPE = Statement(sa.select(sources).where(sources.c.id == _SOURCE))
LOCK_SCOPE = Statement(sa.select(sources).where(sources.c.id == _SOURCE).with_for_update())

KNOWN = Statement(
    sa.select(documents.c.id, documents.c.location, documents.c.round, documents.c.status, documents.c.seen).where(
        *_OF_SOURCE, among(documents.c.location, "places")
    )
)
INSERT_FOUND = Statement(
    sa.insert(documents),
    [
        "account_id", "collection_id", "title", "source", "text", "metadata", "status", "passages", "served", "size",
        "created_at", "updated_at", "lease_until", "source_id", "location", "round", "depth", "seen",
    ],
)  # fmt: skip
_NAMED = documents.c.id == sa.bindparam("document", type_=BigInt)
REQUEUE_FOUND = Statement(
    sa.update(documents)
    .where(_NAMED, _VISIBLE)
    .values(
        status="queued",
        error=None,
        epoch=documents.c.epoch + 1,
        attempts=0,
        lease_owner=None,
        lease_until=PLACES["low"],
        round=_ROUND,
        depth=sa.bindparam("links_away", type_=sa.Integer),
        source=sa.bindparam("new_source", type_=Json),
        text=sa.bindparam("new_text", type_=sa.Text),
        seen=sa.bindparam("new_seen", type_=Json),
    )
)
KEEP_FOUND = Statement(sa.update(documents).where(_NAMED, _VISIBLE).values(round=_ROUND))
_INDEXING = (_NAMED, documents.c.epoch == sa.bindparam("under", type_=BigInt), _WORKED_ON)
SET_LINKS = Statement(sa.update(documents).where(*_INDEXING).values(links=sa.bindparam("new_links", type_=Json)))
UNCHANGED = Statement(
    sa.update(documents)
    .where(*_INDEXING)
    .values(
        status="ready",
        error=None,
        attempts=0,
        lease_owner=None,
        lease_until=0.0,
        seen=sa.bindparam("new_seen", type_=Json),
    )
)
GONE = Statement(sa.update(documents).where(*_INDEXING).values(**_DELETING))
