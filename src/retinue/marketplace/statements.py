"""SQL statements for the marketplace. Items are filtered by visibility, installations by account."""

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert

from retinue.auth.tables import users
from retinue.core.database.schema import BigInt, Instant, Json
from retinue.core.database.statements import Statement
from retinue.marketplace.tables import WAITING as AWAITS_REVIEW
from retinue.marketplace.tables import (
    InstallationRow,
    ItemBrief,
    ItemRow,
    SigningKey,
    installations,
    installs,
    items,
    keys,
    ratings,
)

AUTHOR = "Retinue"
"""The author of shipped items."""

_USER = sa.bindparam("user", type_=BigInt)
_ITEM = sa.bindparam("item", type_=BigInt)
_ACCOUNT = sa.bindparam("account", type_=BigInt)
_PER_PAGE = sa.bindparam("per_page", type_=sa.Integer)
_OFFSET = sa.bindparam("offset", type_=BigInt)
_OPERATOR = sa.exists().where(users.c.id == sa.bindparam("operator", type_=BigInt), users.c.operator)
_VISIBLE = (items.c.status == "published") | (items.c.user_id == _USER) | _OPERATOR
"""Users see published items and their own; operators see all, so that they can moderate.

The parameter `operator` is `Caller.operator_id`.
"""

_KIND = sa.bindparam("kind", type_=sa.String)
_OF_KIND = (_KIND == "") | (items.c.type == _KIND)
_WORDS = [sa.bindparam(f"word{number}", type_=sa.String) for number in range(6)]
_FITS = [items.c.search_text.like(word, escape="\\") for word in _WORDS]
_FILTERS = (_VISIBLE, _OF_KIND)
WORDS = len(_WORDS)
"""Maximum number of words of a search."""

_COLUMNS = [column for column in items.c if column.name not in ("readme", "manifest", "signature", "search_text")]
_LINES_BELOW = ("\n%\n%\n%", "\n%\n%", "\n%")
"""Patterns for the lines that follow the name, tags and description in `search_text`, which has four lines."""


def _weight(word: sa.BindParameter[str]) -> sa.ColumnElement[int]:
    """Weight a word: 4 in the name, 3 in the tags, 2 in the description, 1 in the readme."""
    places = [word + sa.literal_column(f"'{below}'", sa.String) for below in _LINES_BELOW]
    found = [items.c.search_text.like(place, escape="\\") for place in places]
    weights: list[sa.ColumnElement[int]] = [sa.literal_column(str(weight)) for weight in (4, 3, 2)]
    return sa.case(*zip(found, weights, strict=True), else_=sa.literal_column("1"))


_RELEVANCE = sum((_weight(word) for word in _WORDS[1:]), _weight(_WORDS[0]))
_ORDERS = {
    "relevance": (_RELEVANCE.desc(), items.c.installs.desc(), items.c.rating.desc(), items.c.id),
    "popular": (items.c.installs.desc(), items.c.rating.desc(), items.c.id),
    "newest": (items.c.id.desc(),),
    "rating": (items.c.rating.desc(), items.c.ratings_count.desc(), items.c.id),
}


def _list_in(order: str) -> Statement:
    """Build a statement for one page. An index of the order contains every column that chooses the page's items."""
    chosen = sa.select(items.c.id).where(*_FILTERS).order_by(*_ORDERS[order]).limit(_PER_PAGE).offset(_OFFSET)
    return Statement(sa.select(*_COLUMNS).where(items.c.id.in_(chosen.correlate(None))).order_by(*_ORDERS[order]))


def _search_in(order: str) -> Statement:
    found = sa.select(*_COLUMNS).where(*_FILTERS, *_FITS).order_by(*_ORDERS[order])
    return Statement(found.limit(_PER_PAGE).offset(_OFFSET))


def _count(*conditions: sa.ColumnElement[bool]) -> Statement:
    return Statement(sa.select(sa.func.count().label("held")).select_from(items).where(*conditions))


LISTS = {order: _list_in(order) for order in ("popular", "newest", "rating")}
SEARCHES = {order: _search_in(order) for order in _ORDERS}
COUNT, COUNT_FOUND = _count(*_FILTERS), _count(*_FILTERS, *_FITS)
_WAITS = (_OPERATOR, AWAITS_REVIEW)
WAITING: Statement[ItemBrief] = Statement(
    sa.select(*_COLUMNS).where(*_WAITS).order_by(items.c.id).limit(_PER_PAGE).offset(_OFFSET)
)
COUNT_WAITING = _count(*_WAITS)
GET: Statement[ItemRow] = Statement(sa.select(items).where(items.c.id == _ITEM, _VISIBLE))
OWN: Statement[ItemRow] = Statement(sa.select(items).where(items.c.id == _ITEM, items.c.user_id == _USER))
LIST_OWN: Statement[ItemBrief] = Statement(
    sa.select(*_COLUMNS).where(items.c.user_id == _USER).order_by(items.c.id.desc()).limit(_PER_PAGE).offset(_OFFSET)
)
COUNT_OWN = _count(items.c.user_id == _USER)
IS_OPERATOR = Statement(sa.select(users.c.id).where(_OPERATOR, users.c.id == _USER))
NAME = Statement(sa.select(users.c.name).where(users.c.id == _USER))

FIELDS = ("description", "version", "tier", "tags", "readme", "manifest", "signature", "search_text")
ADD = Statement(
    sa.insert(items).returning(items.c.id),
    ["slug", "user_id", "author", "type", "name", *FIELDS, "status", "created_at", "updated_at"],
)
_CONTENT = {
    **{name: sa.bindparam(name, type_=items.c[name].type) for name in FIELDS},
    "updated_at": sa.bindparam("moment", type_=Instant),
}
CHANGE = Statement(
    sa.update(items)
    .where(items.c.id == _ITEM, items.c.user_id == _USER)
    .values(**_CONTENT, status=sa.bindparam("status", type_=sa.String))
)
LOCK: Statement[ItemRow] = Statement(sa.select(items).where(items.c.id == _ITEM).with_for_update())
SET_DRAFT = Statement(sa.update(items).where(items.c.id == _ITEM).values(draft=sa.bindparam("draft", type_=Json)))
APPLY = Statement(sa.update(items).where(items.c.id == _ITEM).values(**_CONTENT))
MODERATE = Statement(sa.update(items).where(items.c.id == _ITEM).values(status=sa.bindparam("status", type_=sa.String)))
SHIPPED = Statement(
    sa.select(items.c.id, items.c.slug, items.c.type, items.c.version, items.c.manifest, items.c.signature).where(
        items.c.user_id.is_(None), items.c.author == AUTHOR
    )
)
"""Items of deleted users have no user either, so the author distinguishes the shipped ones."""
CHANGE_SHIPPED = Statement(sa.update(items).where(items.c.id == _ITEM, items.c.user_id.is_(None)).values(**_CONTENT))

KEY_OF_USER: Statement[SigningKey] = Statement(sa.select(keys).where(keys.c.user_id == _USER))
KEY: Statement[SigningKey] = Statement(sa.select(keys).where(keys.c.key_id == sa.bindparam("key", type_=sa.String)))
ANY_KEY: Statement[SigningKey] = Statement(sa.select(keys).limit(1))
ADD_KEY: Statement[SigningKey] = Statement(
    sa.insert(keys).returning(keys), ["key_id", "user_id", "private_key", "created_at"]
)

_RATED = (ratings.c.item_id == _ITEM, ratings.c.user_id == _USER)
REMOVE_RATING = Statement(sa.delete(ratings).where(*_RATED))
ADD_RATING = Statement(sa.insert(ratings), ["item_id", "user_id", "stars"])
_MEAN = sa.select(sa.func.coalesce(sa.func.avg(ratings.c.stars), 0.0)).where(ratings.c.item_id == _ITEM)
_RATINGS = sa.select(sa.func.count()).select_from(ratings).where(ratings.c.item_id == _ITEM)
SUM_RATINGS = Statement(
    sa.update(items)
    .where(items.c.id == _ITEM)
    .values(rating=sa.cast(_MEAN.scalar_subquery(), sa.Float), ratings_count=_RATINGS.scalar_subquery())
)
ADD_INSTALL = Statement(
    insert(installs).values(item_id=_ITEM, user_id=_USER).on_conflict_do_nothing(index_elements=["item_id", "user_id"])
)
COUNT_INSTALL = Statement(sa.update(items).where(items.c.id == _ITEM).values(installs=items.c.installs + 1))

ADD_INSTALLATION: Statement[InstallationRow] = Statement(
    sa.insert(installations).returning(installations),
    ["account_id", "item_id", "once", "type", "name", "version", "manifest", "installed", "created_at"],
)
_OWN = (
    installations.c.account_id == _ACCOUNT,
    installations.c.id == sa.bindparam("installation", type_=BigInt),
)
INSTALLATION: Statement[InstallationRow] = Statement(sa.select(installations).where(*_OWN))
INSTALLED_ONCE: Statement[InstallationRow] = Statement(
    sa.select(installations).where(installations.c.account_id == _ACCOUNT, installations.c.once == _ITEM)
)
INSTALLATIONS: Statement[InstallationRow] = Statement(
    sa.select(installations)
    .where(installations.c.account_id == _ACCOUNT)
    .order_by(installations.c.id.desc())
    .limit(_PER_PAGE)
    .offset(_OFFSET)
)
COUNT_INSTALLATIONS = Statement(
    sa.select(sa.func.count().label("held")).select_from(installations).where(installations.c.account_id == _ACCOUNT)
)
REMOVE_INSTALLATION = Statement(sa.delete(installations).where(*_OWN))
