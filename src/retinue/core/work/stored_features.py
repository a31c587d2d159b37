"""Rebuilds features that the database stores, such as stems and vectors, when the code that makes them has changed.

Each feature has a version. A server that starts with another version than the stored one makes the feature of all rows
again, in batches in the order of their ids, in one process at a time. Searches use the features from before until their
turn. The id of the last row is stored with each batch, so a process that dies loses one batch at most.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial

import sqlalchemy as sa
import structlog
from sqlalchemy.dialects.postgresql import insert

from retinue.core.database.interface import Database, DatabaseUnavailable, Tx
from retinue.core.database.portable_sql import unix_now
from retinue.core.database.schema import BigInt, table
from retinue.core.database.statements import Row, Statement
from retinue.core.work.leases import LEASE_S, LeaseLost, lease_columns

_log = structlog.get_logger()

_PAUSE_S = 0.05
"""Seconds between two batches, so that other transactions go first."""

_LOOK_S = 30.0
"""Seconds until a feature that another process rebuilds, or that failed, is looked at again."""

stored_features = table(
    "stored_features",
    sa.Column("name", sa.String(40), primary_key=True),
    sa.Column("version", sa.String(100), nullable=False),
    sa.Column("target", sa.String(100)),
    sa.Column("after", BigInt, nullable=False, server_default="0"),
    *lease_columns(),
)
"""`version` is that of all rows. While a rebuild is under way, `target` is the new version, which the rows up to the id
`after` have.
"""

_NAME = stored_features.c.name == sa.bindparam("feature", type_=sa.String)
_TARGET = sa.bindparam("wanted", type_=sa.String)
_CLAIMED = (_NAME, stored_features.c.epoch == sa.bindparam("under", type_=BigInt))

_ADD = Statement(
    insert(stored_features)
    .values(name=sa.bindparam("feature", type_=sa.String), version="")
    .on_conflict_do_nothing(index_elements=["name"])
)
_GET = Statement(sa.select(stored_features).where(_NAME))
_CLAIM = Statement(
    sa.update(stored_features)
    .where(_NAME, stored_features.c.version != _TARGET, stored_features.c.lease_until < unix_now())
    .values(
        after=sa.case((stored_features.c.target == _TARGET, stored_features.c.after), else_=0),
        target=_TARGET,
        epoch=stored_features.c.epoch + 1,
        lease_owner=sa.bindparam("owner", type_=sa.String),
        lease_until=unix_now() + LEASE_S,
    )
    .returning(stored_features)
)
_ADVANCE = Statement(
    sa.update(stored_features)
    .where(*_CLAIMED)
    .values(after=sa.bindparam("last", type_=BigInt), lease_until=unix_now() + LEASE_S)
)
_RELEASE = Statement(sa.update(stored_features).where(*_CLAIMED).values(lease_owner=None, lease_until=0.0))
_FINISH = Statement(
    sa.update(stored_features)
    .where(*_CLAIMED)
    .values(version=_TARGET, target=None, after=0, lease_owner=None, lease_until=0.0)
)


@dataclass(frozen=True, slots=True)
class Batch:
    """Rows whose feature has been made again: the id of the last one, and the function that stores the features."""

    last: int
    write: Callable[[Tx], Awaitable[None]]


@dataclass(frozen=True)
class StoredFeature:
    """A feature of rows. `version` must change when the code that makes it returns other values.

    `make(database, after)` makes the feature of some rows with greater ids, in order. It returns None if none is left.
    """

    name: str
    version: str
    make: Callable[[Database, int], Awaitable[Batch | None]]


class FeatureRebuilder:
    """Rebuilds the features that other code has stored."""

    def __init__(self, database: Database, node: str, features: Sequence[StoredFeature]) -> None:
        self._database, self._node, self._features = database, node, features

    async def run(self) -> None:
        """Rebuild until all features have the version of this code."""
        outdated = await self.rebuild()
        while outdated:
            await asyncio.sleep(_LOOK_S)
            outdated = await self.rebuild()

    async def rebuild(self) -> list[str]:
        """Rebuild what no other process rebuilds. Returns the names of the features that still have another version."""
        for feature in await find_outdated(self._database, self._features):
            try:
                await self._rebuild(feature)
            except LeaseLost:
                _log.info("features.claim_lost", feature=feature.name)
            except DatabaseUnavailable as error:
                _log.warning("features.broken_off", feature=feature.name, reason=error.message)
            except Exception:  # noqa: BLE001 - an operator reads the log; searches use the features from before
                _log.exception("features.not_rebuilt", feature=feature.name)
        return [feature.name for feature in await find_outdated(self._database, self._features)]

    async def _rebuild(self, feature: StoredFeature) -> None:
        key = {"feature": feature.name, "wanted": feature.version}
        await self._database.transact(lambda tx: tx.run(_ADD, feature=feature.name))
        claim = await self._database.transact(lambda tx: tx.one(_CLAIM, **key, owner=self._node))
        if claim is None:
            return
        _log.info("features.rebuilding", feature=feature.name, version=feature.version, after=claim.after)
        claim_key = {"feature": feature.name, "under": claim.epoch}
        try:
            await self._make_all(feature, claim)
            await self._database.transact(lambda tx: tx.run(_FINISH, **claim_key, wanted=feature.version))
            _log.info("features.rebuilt", feature=feature.name, version=feature.version)
        except (LeaseLost, DatabaseUnavailable):
            raise
        except BaseException:
            await self._database.transact(lambda tx: tx.run(_RELEASE, **claim_key))
            raise

    async def _make_all(self, feature: StoredFeature, claim: Row) -> None:
        after = claim.after
        while batch := await feature.make(self._database, after):
            await self._database.transact(partial(_store, claim, batch))
            after = batch.last
            await asyncio.sleep(_PAUSE_S)


async def _store(claim: Row, batch: Batch, tx: Tx) -> None:
    if not await tx.run(_ADVANCE, feature=claim.name, under=claim.epoch, last=batch.last):
        raise LeaseLost
    await batch.write(tx)


async def find_outdated(database: Database, features: Sequence[StoredFeature]) -> list[StoredFeature]:
    """Return the features whose stored values are by another version of the code."""
    rows = {feature.name: await database.lookup(_GET, feature=feature.name) for feature in features}
    return [feature for feature in features if (row := rows[feature.name]) is None or row.version != feature.version]
