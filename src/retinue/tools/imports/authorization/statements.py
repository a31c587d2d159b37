"""SQL statements for the authorizations of MCP servers."""

import sqlalchemy as sa

from retinue.core.database.schema import BigInt, Instant
from retinue.core.database.statements import Statement
from retinue.tools.imports.authorization.tables import authorizations

_T = authorizations.c
_THIS = (
    _T.source_id == sa.bindparam("source", type_=BigInt),
    _T.account_id == sa.bindparam("account", type_=BigInt),
)
_UNCHANGED = _T.version == sa.bindparam("known_version", type_=BigInt)

GET = Statement(sa.select(authorizations).where(*_THIS))
INSERT = Statement(sa.insert(authorizations), ["source_id", "account_id", "granted", "challenge", "version"])
DELETE = Statement(sa.delete(authorizations).where(*_THIS))
REQUIRE = Statement(
    sa.update(authorizations)
    .where(*_THIS, _UNCHANGED)
    .values(
        granted=sa.false(),
        challenge=sa.bindparam("required", type_=_T.challenge.type),
        client=sa.bindparam("kept", type_=_T.client.type),
        version=_T.version + 1,
        refreshing_until=None,
    )
)
"""Says that a person must connect the source again, unless its tokens have changed in the meantime."""

BEGIN = Statement(
    sa.update(authorizations)
    .where(*_THIS)
    .values(pending=sa.bindparam("begun", type_=sa.Text), pending_key=sa.bindparam("key", type_=sa.Text))
)
BY_KEY = Statement(
    sa.select(authorizations).where(
        _T.pending_key == sa.bindparam("key", type_=sa.Text), _T.account_id == sa.bindparam("account", type_=BigInt)
    )
)
CONSUME = Statement(
    sa.update(authorizations)
    .where(*_THIS, _T.pending_key == sa.bindparam("key", type_=sa.Text))
    .values(pending=None, pending_key=None)
)
"""Ends an authorization that has begun: each can be finished once."""

GRANT = Statement(
    sa.update(authorizations)
    .where(*_THIS)
    .values(
        granted=sa.true(),
        client=sa.bindparam("described", type_=_T.client.type),
        secret=sa.bindparam("sealed", type_=sa.Text),
        expires_at=sa.bindparam("until", type_=Instant),
        version=_T.version + 1,
        refreshing_until=None,
    )
)
CLAIM = Statement(
    sa.update(authorizations)
    .where(
        *_THIS,
        _UNCHANGED,
        _T.granted,
        sa.or_(_T.refreshing_until.is_(None), _T.refreshing_until < sa.bindparam("moment", type_=Instant)),
    )
    .values(refreshing_until=sa.bindparam("until", type_=Instant))
)
"""Makes one process the one that refreshes the tokens."""

RELEASE = Statement(sa.update(authorizations).where(*_THIS, _UNCHANGED).values(refreshing_until=None))
RENEW = Statement(
    sa.update(authorizations)
    .where(*_THIS, _UNCHANGED)
    .values(
        secret=sa.bindparam("sealed", type_=sa.Text),
        expires_at=sa.bindparam("until", type_=Instant),
        version=_T.version + 1,
        refreshing_until=None,
    )
)
