"""Deletes what a user published, rated and installed. What other users have installed stays, without an author."""

import sqlalchemy as sa

from retinue.auth.tables import accounts
from retinue.core.database.interface import Tx
from retinue.core.database.owned import BATCH, DELETED_USER, Owned, Removed
from retinue.core.database.schema import BigInt
from retinue.core.database.statements import Statement
from retinue.marketplace.statements import SUM_RATINGS
from retinue.marketplace.tables import installations, installs, items, keys, ratings

_OWNER = sa.bindparam("owner", type_=BigInt)
_ITEM = items.c.id == sa.bindparam("item", type_=BigInt)
_USED_BY_OTHERS = (
    sa.exists()
    .where(installations.c.item_id == items.c.id, installations.c.account_id == accounts.c.id)
    .where(accounts.c.user_id != _OWNER)
)
_SOME_ITEMS = Statement(
    sa.select(items.c.id, _USED_BY_OTHERS.label("used_by_others")).where(items.c.user_id == _OWNER).limit(BATCH)
)
_REMOVE_ITEM = Statement(sa.delete(items).where(_ITEM))
_ANONYMISE_ITEM = Statement(sa.update(items).where(_ITEM).values(user_id=None, author=DELETED_USER, draft=None))
_ANONYMISE_KEYS = Statement(sa.update(keys).where(keys.c.user_id == _OWNER).values(user_id=None))


class _Ratings(Owned):
    async def remove(self, tx: Tx, owner: int) -> Removed:
        """Delete a batch of ratings, and compute the means of their items again."""
        rated = await tx.all(self.removal, owner=owner)
        for row in sorted(rated):  # In one order, so that two deletions do not wait for each other.
            await tx.run(SUM_RATINGS, item=row.item_id)
        return Removed(bool(rated))


class _Items(Owned):
    async def remove(self, tx: Tx, owner: int) -> Removed:
        """Delete a batch of items. Items that other users have installed lose their author instead."""
        rows = await tx.all(_SOME_ITEMS, owner=owner)
        for row in rows:
            await tx.run(_ANONYMISE_ITEM if row.used_by_others else _REMOVE_ITEM, item=row.id)
        return Removed(bool(rows))


class _SigningKeys(Owned):
    async def remove(self, tx: Tx, owner: int) -> Removed:
        """Separate the signing keys from the user: they verify the items that stay."""
        return Removed(await tx.run(_ANONYMISE_KEYS, owner=owner) > 0)


OWNED = (
    _Ratings(ratings.c.user_id, returning=ratings.c.item_id),
    _Items(items.c.user_id),
    _SigningKeys(keys.c.user_id, hidden=("private_key",)),
    Owned(installations.c.account_id),
    Owned(installs.c.user_id, exported=False),
)
