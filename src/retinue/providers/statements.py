"""SQL statements for providers, default models and local models."""

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert

from retinue.auth.tables import accounts, users
from retinue.core.database.schema import BigInt
from retinue.core.database.statements import Statement
from retinue.providers.tables import EVERYBODY, local_activations, model_defaults, providers

_ACCOUNT = sa.bindparam("account", type_=BigInt)
_OURS = providers.c.account_id == _ACCOUNT
_THIS = (providers.c.id == sa.bindparam("provider", type_=BigInt), _OURS)
_CHANGED = ("base_url", "secret", "secrets", "models", "shared", "plans", "enabled", "concurrency", "updated_at")
_NAME = sa.bindparam("name", type_=sa.String)

INSERT = Statement(sa.insert(providers).returning(providers), ["account_id", "name", "kind", "created_at", *_CHANGED])
GET = Statement(sa.select(providers).where(*_THIS))
LIST = Statement(
    sa.select(providers)
    .where(_OURS)
    .order_by(providers.c.id.desc())
    .limit(sa.bindparam("per_page", type_=sa.Integer))
    .offset(sa.bindparam("offset", type_=BigInt))
)
COUNT = Statement(sa.select(sa.func.count().label("held")).select_from(providers).where(_OURS))
LOCK = Statement(sa.select(providers).where(*_THIS).with_for_update())
UPDATE = Statement(
    sa.update(providers)
    .where(*_THIS)
    .values({name: sa.bindparam(f"new_{name}", type_=providers.c[name].type) for name in _CHANGED})
    .returning(providers)
)
DELETE = Statement(sa.delete(providers).where(*_THIS))

_PLAN = (
    sa.select(users.c.plan)
    .join(accounts, accounts.c.user_id == users.c.id)
    .where(accounts.c.id == _ACCOUNT)
    .scalar_subquery()
)
OWN = Statement(sa.select(providers).where(_OURS).order_by(providers.c.id))
SHARED = Statement(sa.select(providers, _PLAN.label("plan")).where(providers.c.shared).order_by(providers.c.name))
"""All shared providers, with the plan of the account `account`."""

SHARED_NAMED = Statement(sa.select(providers.c.id).where(providers.c.shared, providers.c.name == _NAME))
IS_OPERATOR = Statement(sa.select(users.c.id).where(users.c.id == sa.bindparam("user", type_=BigInt), users.c.operator))

_NEW_DEFAULT = insert(model_defaults)
SET_DEFAULT = Statement(
    _NEW_DEFAULT.on_conflict_do_update(
        index_elements=["account_id"],
        set_={name: _NEW_DEFAULT.excluded[name] for name in ("model", "fallbacks", "updated_at")},
    ),
    ["account_id", "model", "fallbacks", "updated_at"],
)
CLEAR_DEFAULT = Statement(
    sa.update(model_defaults).where(model_defaults.c.account_id == _ACCOUNT).values(model="", fallbacks=[])
)
_NEW_EMBEDDING = insert(model_defaults)
SET_EMBEDDING = Statement(
    _NEW_EMBEDDING.on_conflict_do_update(
        index_elements=["account_id"],
        set_={name: _NEW_EMBEDDING.excluded[name] for name in ("embedding", "updated_at")},
    ),
    ["account_id", "model", "fallbacks", "embedding", "updated_at"],
)
DEFAULTS = Statement(
    sa.select(model_defaults).where(model_defaults.c.account_id.in_([_ACCOUNT, sa.literal(EVERYBODY)]))
)

ANY_SECRET = Statement(
    sa.select(providers.c.account_id, providers.c.name, providers.c.secret).order_by(providers.c.id).limit(1)
)

_NEWEST = sa.select(local_activations).order_by(local_activations.c.id.desc()).limit(1)
ACTIVATE = Statement(sa.insert(local_activations).returning(local_activations.c.id), ["name", "state", "created_at"])
CHOICE = Statement(_NEWEST.where(local_activations.c.state != "failed"))
PROVEN_CHOICE = Statement(_NEWEST.where(local_activations.c.state == "ready"))
LAST_ACTIVATION = Statement(_NEWEST)
SETTLE = Statement(
    sa.update(local_activations)
    .where(local_activations.c.id == sa.bindparam("activation", type_=BigInt), local_activations.c.state == "loading")
    .values(state=sa.bindparam("new_state", type_=sa.String), error=sa.bindparam("new_error", type_=sa.Text))
)
"""Only the first server that loads the model, or fails to, decides."""
