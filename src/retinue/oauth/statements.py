"""SQL statements for OAuth. Statements for callers filter by user."""

import sqlalchemy as sa

from retinue.auth.tables import accounts, users
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
    ["user_id", "client_id", "secret_hash", "name", "redirect_uris", "scopes", "created_at", "updated_at"],
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
BY_CLIENT_ID = Statement(sa.select(apps).where(apps.c.client_id == sa.bindparam("client_id", type_=sa.String)))

_UNUSED = ~sa.exists().where(grants.c.app_id == apps.c.id)
_STRANGERS = sa.select(apps.c.id).where(apps.c.user_id.is_(None), _UNUSED)
COUNT_STRANGERS = Statement(sa.select(sa.func.count().label("held")).select_from(_STRANGERS.subquery()))
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
_OWN_GRANTS = (grants.c.user_id == _USER, grants.c.revoked_at.is_(None))
_SHOWN = sa.select(
    grants.c.id, grants.c.kind, grants.c.scopes, grants.c.created_at, apps.c.client_id, apps.c.name.label("app_name")
).join(apps, apps.c.id == grants.c.app_id)
GRANTS = Statement(_SHOWN.where(*_OWN_GRANTS).order_by(grants.c.id.desc()).limit(_PAGE[0]).offset(_PAGE[1]))
COUNT_GRANTS = Statement(sa.select(sa.func.count().label("held")).select_from(grants).where(*_OWN_GRANTS))
OWN_GRANT = Statement(_SHOWN.where(*_OWN_GRANTS, grants.c.id == _GRANT))
REVOKE_OWN_GRANT = Statement(sa.update(grants).where(*_OWN_GRANTS, grants.c.id == _GRANT).values(revoked_at=_MOMENT))
REVOKE_GRANT = Statement(
    sa.update(grants).where(grants.c.id == _GRANT, grants.c.revoked_at.is_(None)).values(revoked_at=_MOMENT)
)

REVOKE_ALL_GRANTS = Statement(sa.update(grants).where(*_OWN_GRANTS).values(revoked_at=_MOMENT))
VOID_SECRETS = Statement(
    sa.update(apps).where(apps.c.user_id == _USER, apps.c.secret_hash.is_not(None)).values(secret_hash=_HASH)
)

ADD_CODE = Statement(sa.insert(codes), ["grant_id", "code_hash", "redirect_uri", "challenge", "expires_at"])
CODE = Statement(
    sa.select(codes, grants.c.app_id, grants.c.scopes, grants.c.revoked_at)
    .join(grants, grants.c.id == codes.c.grant_id)
    .where(codes.c.code_hash == _HASH)
)
USE_CODE = Statement(
    sa.update(codes).where(codes.c.code_hash == _HASH, codes.c.used_at.is_(None)).values(used_at=_MOMENT)
)

ADD_TOKEN = Statement(sa.insert(tokens), ["grant_id", "kind", "token_hash", "scopes", "created_at", "expires_at"])
TOKEN = Statement(
    sa.select(
        tokens,
        grants.c.app_id,
        grants.c.user_id,
        grants.c.revoked_at,
        apps.c.client_id,
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
REPLACE_TOKEN = Statement(
    sa.update(tokens).where(tokens.c.token_hash == _HASH, tokens.c.replaced_at.is_(None)).values(replaced_at=_MOMENT)
)
DELETE_TOKEN = Statement(sa.delete(tokens).where(tokens.c.token_hash == _HASH))

_OLD_TOKENS = sa.select(tokens.c.id).where(tokens.c.expires_at < _BEFORE).order_by(tokens.c.expires_at).limit(BATCH)
REMOVE_TOKENS = Statement(sa.delete(tokens).where(tokens.c.id.in_(_OLD_TOKENS)))
_OLD_CODES = sa.select(codes.c.id).where(codes.c.expires_at < _BEFORE).order_by(codes.c.expires_at).limit(BATCH)
REMOVE_CODES = Statement(sa.delete(codes).where(codes.c.id.in_(_OLD_CODES)))
