"""SQL statements for OAuth. Statements for callers filter by user."""

import sqlalchemy as sa

from retinue.auth.tables import accounts, users
from retinue.core.database.portable_sql import among
from retinue.core.database.schema import BigInt, Instant, Json
from retinue.core.database.statements import Statement
from retinue.core.work.retention import BATCH
from retinue.oauth.tables import apps, codes, grants, tokens

_USER = sa.bindparam("user", type_=BigInt)
_MOMENT = sa.bindparam("moment", type_=Instant)
_HASH = sa.bindparam("hash", type_=sa.LargeBinary)
_APP = sa.bindparam("app", type_=BigInt)
_GRANT = sa.bindparam("grant", type_=BigInt)
_OWN_APP = (apps.c.id == _APP, apps.c.user_id == _USER)
_PAGE = (sa.bindparam("per_page", type_=sa.Integer), sa.bindparam("offset", type_=BigInt))
_BEFORE = sa.bindparam("before", type_=Instant)

ADD_APP = Statement(
    sa.insert(apps).returning(apps.c.id),
    [
        "user_id",
        "client_id",
        "secret_hash",
        "name",
        "redirect_uris",
        "scopes",
        "registered_from",
        "metadata_url",
        "created_at",
        "updated_at",
    ],
)
APPS = Statement(
    sa.select(apps).where(apps.c.user_id == _USER).order_by(apps.c.id.desc()).limit(_PAGE[0]).offset(_PAGE[1])
)
COUNT_APPS = Statement(sa.select(sa.func.count().label("held")).where(apps.c.user_id == _USER))
APP = Statement(sa.select(apps).where(*_OWN_APP))
LOCK_APP = Statement(sa.select(apps).where(*_OWN_APP).with_for_update())
ANY_APP = Statement(sa.select(apps).where(apps.c.id == _APP))
UPDATE_APP = Statement(
    sa.update(apps)
    .where(*_OWN_APP)
    .values(
        name=sa.bindparam("name", type_=sa.String),
        redirect_uris=sa.bindparam("redirect_uris", type_=Json),
        scopes=sa.bindparam("scopes", type_=Json),
        updated_at=_MOMENT,
    )
)
SET_SECRET = Statement(sa.update(apps).where(*_OWN_APP).values(secret_hash=_HASH, updated_at=_MOMENT))
DELETE_APP = Statement(sa.delete(apps).where(*_OWN_APP))
BY_METADATA_URL = Statement(sa.select(apps).where(apps.c.metadata_url == sa.bindparam("url", type_=sa.String)))
REFRESH_APP = Statement(
    sa.update(apps)
    .where(apps.c.id == _APP)
    .values(
        name=sa.bindparam("name", type_=sa.String),
        redirect_uris=sa.bindparam("redirect_uris", type_=Json),
        updated_at=_MOMENT,
    )
)
BY_CLIENT_ID = Statement(sa.select(apps).where(apps.c.client_id == sa.bindparam("client_id", type_=sa.String)))

_UNUSED = ~sa.exists().where(grants.c.app_id == apps.c.id)
_STRANGERS = sa.select(apps.c.id).where(apps.c.user_id.is_(None), _UNUSED)
_ADDRESS = apps.c.registered_from == sa.bindparam("address", type_=sa.String)
_OF_ADDRESS = _STRANGERS.where(_ADDRESS, apps.c.created_at >= sa.bindparam("since", type_=Instant))
COUNT_STRANGERS = Statement(sa.select(sa.func.count().label("held")).select_from(_STRANGERS.subquery()))
COUNT_STRANGERS_OF_ADDRESS = Statement(sa.select(sa.func.count().label("held")).select_from(_OF_ADDRESS.subquery()))
_BUSIEST = (
    sa.select(apps.c.registered_from)
    .where(apps.c.user_id.is_(None), _UNUSED)
    .group_by(apps.c.registered_from)
    .order_by(sa.func.count().desc())
    .limit(1)
    .scalar_subquery()
)
_OLDEST = _STRANGERS.where(apps.c.registered_from.is_not_distinct_from(_BUSIEST)).order_by(apps.c.id).limit(1)
REMOVE_STRANGER_OF_BUSIEST = Statement(sa.delete(apps).where(apps.c.id.in_(_OLDEST)))
"""Removes the oldest self-registered app without a grant of the address that has most of them."""
REMOVE_STRANGERS = Statement(
    sa.delete(apps).where(apps.c.id.in_(_STRANGERS.where(apps.c.created_at < _BEFORE).limit(BATCH)))
)
"""Removes self-registered apps without a grant."""

ADD_GRANT = Statement(sa.insert(grants).returning(grants.c.id), ["app_id", "user_id", "kind", "scopes", "created_at"])
CLIENT_GRANT = Statement(
    sa.select(grants.c.id)
    .where(grants.c.app_id == _APP, grants.c.kind == "client", grants.c.revoked_at.is_(None))
    .limit(1)
)
CODE_GRANT = Statement(
    sa.select(grants.c.id, grants.c.scopes)
    .where(grants.c.app_id == _APP, grants.c.user_id == _USER, grants.c.kind == "code", grants.c.revoked_at.is_(None))
    .order_by(grants.c.id.desc())
    .limit(1)
    .with_for_update()
)
EXTEND_GRANT = Statement(
    sa.update(grants).where(grants.c.id == _GRANT).values(scopes=sa.bindparam("scopes", type_=Json), created_at=_MOMENT)
)
_OWN_GRANTS = (grants.c.user_id == _USER, grants.c.revoked_at.is_(None))
_GRANT_VIEW = sa.select(
    grants.c.id,
    grants.c.kind,
    grants.c.scopes,
    grants.c.created_at,
    sa.func.coalesce(apps.c.metadata_url, apps.c.client_id).label("client_id"),
    apps.c.name.label("app_name"),
    sa.select(sa.func.max(tokens.c.created_at))
    .where(tokens.c.grant_id == grants.c.id)
    .scalar_subquery()
    .label("last_token_at"),
).join(apps, apps.c.id == grants.c.app_id)
GRANTS = Statement(_GRANT_VIEW.where(*_OWN_GRANTS).order_by(grants.c.id.desc()).limit(_PAGE[0]).offset(_PAGE[1]))
COUNT_GRANTS = Statement(sa.select(sa.func.count().label("held")).select_from(grants).where(*_OWN_GRANTS))
OWN_GRANT = Statement(_GRANT_VIEW.where(*_OWN_GRANTS, grants.c.id == _GRANT))
REVOKE_OWN_GRANT = Statement(sa.update(grants).where(*_OWN_GRANTS, grants.c.id == _GRANT).values(revoked_at=_MOMENT))
REVOKE_ALL_GRANTS = Statement(sa.update(grants).where(*_OWN_GRANTS).values(revoked_at=_MOMENT))
VOID_SECRETS = Statement(
    sa.update(apps).where(apps.c.user_id == _USER, apps.c.secret_hash.is_not(None)).values(secret_hash=_HASH)
)

ADD_CODE = Statement(
    sa.insert(codes), ["grant_id", "code_hash", "redirect_uri", "challenge", "scopes", "resource", "expires_at"]
)
CODE = Statement(
    sa.select(codes, grants.c.app_id, grants.c.user_id, grants.c.revoked_at)
    .join(grants, grants.c.id == codes.c.grant_id)
    .where(codes.c.code_hash == _HASH)
)
LOCK_GRANT_OF_CODE = Statement(
    sa.select(grants.c.id)
    .join(codes, codes.c.grant_id == grants.c.id)
    .where(codes.c.code_hash == _HASH)
    .with_for_update(of=grants)
)
USE_CODE = Statement(
    sa.update(codes).where(codes.c.code_hash == _HASH, codes.c.used_at.is_(None)).values(used_at=_MOMENT)
)

ADD_TOKEN = Statement(
    sa.insert(tokens),
    ["grant_id", "family", "kind", "token_hash", "scopes", "resource", "created_at", "expires_at"],
)
TOKEN = Statement(
    sa.select(
        tokens,
        grants.c.app_id,
        grants.c.user_id,
        grants.c.revoked_at,
        sa.func.coalesce(apps.c.metadata_url, apps.c.client_id).label("client_id"),
        users.c.plan,
        users.c.suspended_at,
        accounts.c.id.label("account_id"),
    )
    .join(grants, grants.c.id == tokens.c.grant_id)
    .join(apps, apps.c.id == grants.c.app_id)
    .join(users, users.c.id == grants.c.user_id)
    .join(accounts, sa.and_(accounts.c.user_id == users.c.id, accounts.c.sandbox.is_(False)))
    .where(tokens.c.token_hash == _HASH)
)
LOCK_GRANT_OF_TOKEN = Statement(
    sa.select(grants.c.id)
    .join(tokens, tokens.c.grant_id == grants.c.id)
    .where(tokens.c.token_hash == _HASH)
    .with_for_update(of=grants)
)
"""Two requests with the same refresh token wait for each other here, so they must lock before they read the token."""
REPLACE_TOKEN = Statement(sa.update(tokens).where(tokens.c.token_hash == _HASH).values(replaced_at=_MOMENT))
_FAMILY = sa.bindparam("family", type_=BigInt)
REMOVE_FAMILY = Statement(sa.delete(tokens).where(tokens.c.family == _FAMILY))
_TOKENS_OF_GRANT = sa.exists().where(tokens.c.grant_id == grants.c.id)
_CODES_OF_GRANT = (
    sa.select(sa.func.count()).where(codes.c.grant_id == grants.c.id, codes.c.used_at.is_(None)).scalar_subquery()
)
"""A count, because PostgreSQL may read the whole table for an EXISTS below an OR."""
REVOKE_EMPTY_GRANT = Statement(
    sa.update(grants)
    .where(grants.c.id == _GRANT, grants.c.revoked_at.is_(None), ~_TOKENS_OF_GRANT, _CODES_OF_GRANT == 0)
    .values(revoked_at=_MOMENT)
)
DELETE_TOKEN = Statement(sa.delete(tokens).where(tokens.c.token_hash == _HASH))

_OLD_TOKENS = sa.select(tokens.c.id).where(tokens.c.expires_at < _BEFORE).order_by(tokens.c.expires_at).limit(BATCH)
REMOVE_TOKENS = Statement(sa.delete(tokens).where(tokens.c.id.in_(_OLD_TOKENS)))
_OLD_CODES = sa.select(codes.c.id).where(codes.c.expires_at < _BEFORE).order_by(codes.c.expires_at).limit(BATCH)
REMOVE_CODES = Statement(sa.delete(codes).where(codes.c.id.in_(_OLD_CODES)))
_GRANTS_AFTER = sa.select(grants.c.id).where(grants.c.id > sa.bindparam("after", type_=BigInt))
GRANT_IDS = Statement(_GRANTS_AFTER.order_by(grants.c.id).limit(BATCH))
_IS_DEAD = sa.or_(
    grants.c.revoked_at < _BEFORE,
    sa.and_(grants.c.kind == "code", grants.c.created_at < _BEFORE, ~_TOKENS_OF_GRANT, _CODES_OF_GRANT == 0),
)
REMOVE_DEAD_GRANTS = Statement(sa.delete(grants).where(among(grants.c.id, "ids"), _IS_DEAD))
"""Removes those of some grants that were revoked, or whose tokens have all expired, before an instant."""
