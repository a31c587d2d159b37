"""The tool that the documentation shows is a tool."""

import importlib
from pathlib import Path

import pytest

from retinue.tools.authoring.declare import declarations
from retinue.tools.authoring.schema_from_function import entry
from retinue.tools.execution.pool import ToolPool
from retinue.tools.verification.example_runner import LOOPBACK, ExampleRunner, LocalExecutor
from tests.docs.blocks import ROOT, blocks


async def test_the_tool_in_the_documentation_holds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (shown,) = (block.text for block in blocks(ROOT / "docs/tools.md") if block.language == "python")
    folder = tmp_path / "library" / "identifiers"
    folder.mkdir(parents=True)
    (folder / "dice.py").write_text(shown)
    monkeypatch.syspath_prepend(str(folder.parent))
    before = len(declarations)
    importlib.import_module("identifiers.dice")
    tool = entry(declarations.pop())
    assert len(declarations) == before
    pool = ToolPool(1, paths=[str(folder.parent)], guard=LOOPBACK)
    await pool.start()
    try:
        assert await ExampleRunner(LocalExecutor({tool.name: tool}, pool, tmp_path)).faults(tool) == []
    finally:
        await pool.stop()
