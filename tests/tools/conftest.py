"""Parts that the tests of tools share."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from retinue.tools.catalogue import Catalogue
from retinue.tools.pool import ToolPool
from tests.tools.made_up import HERE


@pytest.fixture(scope="session")
def catalogue() -> Catalogue:
    """The project's own catalogue, compiled if need be."""
    return Catalogue.load()


@pytest.fixture
async def pool(tmp_path: Path) -> AsyncIterator[ToolPool]:
    """A pool of two workers that can import the nasty tools."""
    tools = ToolPool(2, paths=[str(HERE)], scratch=tmp_path / "scratch")
    await tools.start()
    yield tools
    await tools.stop()
