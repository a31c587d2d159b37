"""Sandboxes for tests."""

from pathlib import Path

import pytest

from retinue.bubbles.bubbles import Bubbles


@pytest.fixture
async def bubbles(tmp_path: Path) -> Bubbles:
    """A manager that runs one program at a time."""
    made = Bubbles(1, tmp_path / "bubbles", lambda: None, patience_s=0.5)
    await made.start()
    return made
