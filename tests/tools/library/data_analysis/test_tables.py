"""Table tools: types of loaded columns, dates, and differences that the examples do not cover."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from retinue.tools.build_catalogue import compiled_tools
from retinue.tools.environment import ToolEnvironment
from retinue.tools.example_runner import Workshop

MODULES = ("rows",)


@pytest.fixture
async def workshop(tmp_path: Path) -> AsyncIterator[Workshop]:
    """Runs the tools in the environment that the server uses."""
    environment = ToolEnvironment.beside(tmp_path)
    await environment.install()
    tools = {tool.name: tool for tool in compiled_tools([f"data_analysis/{name}" for name in MODULES])}
    async with Workshop.open(tools, str(environment.python)) as shop:
        yield shop


@pytest.mark.parametrize(
    ("cells", "values"),
    [
        (["1234567890123456789", "1234567890123456790"], [1234567890123456789, 1234567890123456790]),
        (["9223372036854775807", "9223372036854775808"], ["9223372036854775807", "9223372036854775808"]),
        (["1234567890123456", "0.5"], ["1234567890123456", "0.5"]),
        (["+491701234567", "491701234567"], ["+491701234567", "491701234567"]),
        (["12E4", "13E5"], ["12E4", "13E5"]),
        (["-12", "1.5e3", "1E+05"], [-12.0, 1500.0, 100000.0]),
    ],
)
async def test_cells_that_a_number_would_change_stay_text(
    workshop: Workshop, cells: list[str], values: list[Any]
) -> None:
    file = await workshop.lend("ids.csv", "\n".join(["id", *cells]).encode())
    result = await workshop.execute("table_deduplicate", {"file": file})
    assert [row["id"] for row in result["rows"]] == values
