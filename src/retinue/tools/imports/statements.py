"""SQL statements for sources and their tools. All filter by the owning account."""

import sqlalchemy as sa

from retinue.auth.tables import accounts
from retinue.connections.tables import connections
from retinue.core.database.schema import BigInt
from retinue.core.database.statements import Statement
from retinue.tools.imports.authorization.tables import authorizations
from retinue.tools.imports.tables import imported_tools, sources

_OURS = sources.c.account_id == sa.bindparam("account", type_=BigInt)
_THIS = (sources.c.id == sa.bindparam("source", type_=BigInt), _OURS)
_THIS_SOURCES = (
    imported_tools.c.source_id == sa.bindparam("source", type_=BigInt),
    imported_tools.c.account_id == sa.bindparam("account", type_=BigInt),
)
_CONNECTION = (
    sa.select(connections.c.name)
    .where(connections.c.id == sources.c.connection_id, connections.c.account_id == sources.c.account_id)
    .correlate(sources)
    .scalar_subquery()
    .label("connection")
)
_GRANTED = (
    sa.select(authorizations.c.granted)
    .where(authorizations.c.source_id == sources.c.id)
    .correlate(sources)
    .scalar_subquery()
    .label("granted")
)
"""Null if the source needs no OAuth, false while a person must connect it."""

_STATUS = sa.case(
    (_GRANTED.element == sa.false(), sa.literal_column("'needs_authorization'", sa.String)),
    (
        (sources.c.kind == sa.literal_column("'mcp'")) & (sources.c.tools == sa.literal_column("0")),
        sa.literal_column("'pending'", sa.String),
    ),
    else_=sa.literal_column("'ready'", sa.String),
).label("status")
_COLUMNS = [
    *(
        sources.c[name]
        for name in (
            *("id", "kind", "name", "category", "base_url", "document_url", "trust_hints", "tools", "size"),
            "created_at",
        )
    ),
    _CONNECTION,
    _STATUS,
]

INSERT = Statement(
    sa.insert(sources).returning(sources.c.id),
    [
        *("account_id", "kind", "name", "category", "base_url", "document_url", "trust_hints", "credential"),
        *("connection_id", "tools", "size", "created_at"),
    ],
)
GET = Statement(sa.select(*_COLUMNS).where(*_THIS))
STORED = Statement(sa.select(*_COLUMNS, sources.c.credential, sources.c.connection_id, _GRANTED).where(*_THIS))
LOCK = Statement(sa.select(sources.c.size, sources.c.trust_hints).where(*_THIS).with_for_update())
"""Locks a source until the transaction ends."""

REPLACE = Statement(
    sa.update(sources)
    .where(*_THIS)
    .values(
        tools=sa.bindparam("held", type_=BigInt),
        size=sa.bindparam("bytes", type_=BigInt),
        document_url=sa.bindparam("document_url", type_=sa.Text),
        trust_hints=sa.bindparam("trusted", type_=sa.Boolean),
    )
    .returning(sources.c.id)
)
CONNECT = Statement(
    sa.update(sources)
    .where(*_THIS)
    .values(connection_id=sa.bindparam("connection", type_=BigInt), credential=None)
    .returning(sources.c.id)
)
LIST = Statement(
    sa.select(*_COLUMNS)
    .where(_OURS)
    .order_by(sources.c.id.desc())
    .limit(sa.bindparam("per_page", type_=sa.Integer))
    .offset(sa.bindparam("offset", type_=BigInt))
)
HELD = Statement(
    sa.select(
        sa.func.count().label("sources"),
        sa.cast(sa.func.coalesce(sa.func.sum(sources.c.tools), 0), BigInt).label("tools"),
        sa.cast(sa.func.coalesce(sa.func.sum(sources.c.size), 0), BigInt).label("size"),
    ).where(_OURS, sources.c.id != sa.bindparam("but", type_=BigInt))
)
"""The totals of an account's imports, without one source."""

DELETE = Statement(sa.delete(sources).where(*_THIS).returning(sources.c.size))
IDS = Statement(
    sa.select(
        sources.c.id,
        sa.select(imported_tools.c.id)
        .where(imported_tools.c.source_id == sources.c.id)
        .limit(1)
        .scalar_subquery()
        .label("tool"),
    )
    .where(_OURS)
    .order_by(sources.c.id)
)
"""Each source with the id of any one of its tools. Ids are never reused, and a refresh that changes anything gives
all tools of the source new ids, so these ids show whether an account's tools have changed.
"""

ADD_TOOL = Statement(sa.insert(imported_tools), ["source_id", "account_id", "name", "definition"])
TOOLS_OF = Statement(
    sa.select(imported_tools.c.name, imported_tools.c.definition).where(*_THIS_SOURCES).order_by(imported_tools.c.id)
)
TOOLS_PAGE = Statement(
    sa.select(imported_tools.c.definition)
    .where(*_THIS_SOURCES)
    .order_by(imported_tools.c.id)
    .limit(sa.bindparam("per_page", type_=sa.Integer))
    .offset(sa.bindparam("offset", type_=BigInt))
)
REMOVE_TOOLS = Statement(sa.delete(imported_tools).where(*_THIS_SOURCES))
ROUTE = Statement(
    sa.select(
        *(sources.c[name] for name in ("id", "name", "base_url", "credential", "connection_id")),
        accounts.c.sandbox,
        _GRANTED,
    )
    .join(imported_tools, imported_tools.c.source_id == sources.c.id)
    .join(accounts, accounts.c.id == sources.c.account_id)
    .where(_OURS, imported_tools.c.account_id == sources.c.account_id, imported_tools.c.name == sa.bindparam("tool"))
)
"""The address and the credential for calls of a tool."""

OF_CONNECTION = Statement(
    sa.select(sources.c.name)
    .where(_OURS, sources.c.connection_id == sa.bindparam("connection", type_=BigInt))
    .order_by(sources.c.name)
)
"""The sources that use a connection."""

ANY_CREDENTIAL = Statement(
    sa.select(sources.c.account_id, sources.c.credential)
    .where(sources.c.credential.is_not(None))
    .order_by(sources.c.id)
    .limit(1)
)
