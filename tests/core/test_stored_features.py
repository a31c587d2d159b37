"""The rebuilding of stored features: once, by one process at a time, and from where a process has died."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import structlog

from retinue.core.database.interface import Database, Tx
from retinue.core.runtime.data_dir import DataDir
from retinue.core.work import stored_features
from retinue.core.work.stored_features import Batch, FeatureRebuilder, StoredFeature, find_outdated
from retinue.migrations.database import open_database


@pytest.fixture
async def database(database_url: str | None, tmp_path: Path) -> AsyncIterator[Database]:
    """A migrated database."""
    opened = await open_database(database_url, DataDir(tmp_path))
    yield opened
    await opened.close()


@dataclass
class Shelf:
    """Makes the feature of ten rows, two at a time, and fails before the row `broken`."""

    broken: int = 0
    asked: list[int] = field(default_factory=list)
    stored: list[int] = field(default_factory=list)

    async def make(self, database: Database, after: int) -> Batch | None:
        """See `StoredFeature`."""
        self.asked.append(after)
        if after >= 10:
            return None
        if self.broken and after >= self.broken:
            raise ValueError("broken")

        async def write(tx: Tx) -> None:
            tx.after_commit(lambda: self.stored.append(after))

        return Batch(after + 2, write)

    def feature(self, version: str) -> StoredFeature:
        """Return the feature in a version."""
        return StoredFeature("shelf", version, self.make)


@pytest.fixture(autouse=True)
def _no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stored_features, "_PAUSE_S", 0.0)


async def test_a_rebuild_goes_on_where_it_broke_off(database: Database) -> None:
    shelf = Shelf(broken=4)
    with structlog.testing.capture_logs() as log:
        assert await FeatureRebuilder(database, "one", [shelf.feature("1")]).rebuild() == ["shelf"]
    assert "features.not_rebuilt" in {entry["event"] for entry in log}
    assert shelf.asked == [0, 2, 4]
    rest = Shelf()
    assert await FeatureRebuilder(database, "two", [rest.feature("1")]).rebuild() == []
    assert rest.asked == [4, 6, 8, 10]
    assert await find_outdated(database, [rest.feature("1")]) == []
    await FeatureRebuilder(database, "two", [rest.feature("2")]).rebuild()
    assert rest.asked[4:] == [0, 2, 4, 6, 8, 10]


async def test_many_processes_rebuild_once(database: Database) -> None:
    shelf = Shelf()
    features = [shelf.feature("1")]
    async with asyncio.timeout(120):
        await asyncio.gather(*(FeatureRebuilder(database, str(number), features).rebuild() for number in range(3)))
    assert shelf.stored == [0, 2, 4, 6, 8]
