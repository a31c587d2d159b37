"""Sandboxes for tests."""

from pathlib import Path

import pytest

from retinue.sandbox.sandboxes import Sandboxes


@pytest.fixture
async def sandboxes(tmp_path: Path) -> Sandboxes:
    """A manager that runs one program at a time."""
    made = Sandboxes(1, tmp_path / "bubbles", lambda: None, patience_s=0.5)
    await made.start()
    return made
