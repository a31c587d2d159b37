"""Every example and every refusal of every tool, through the real pool."""

import base64
import math
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from retinue.core.errors import ValidationFailed
from retinue.tools.base import Tool
from retinue.tools.catalogue import Catalogue
from retinue.tools.checking import ArgumentChecker
from retinue.tools.pool import ToolPool

pytestmark = pytest.mark.asyncio(loop_scope="module")


def cases(kind: str) -> list[Any]:
    return [
        pytest.param(tool, example, id=f"{tool.name}-{number}")
        for tool in Catalogue.load()
        for number, example in enumerate(tool.examples)
        if kind in example
    ]


def lent(example: dict[str, Any], folder: Path) -> dict[str, Path]:
    """The files that the arguments of an example name, written to a folder."""
    for name, content in example["files"].items():
        (folder / name).write_bytes(base64.b64decode(content))
    return {name: folder / name for name in example["files"]}


def among(wanted: Any, got: Any, tolerance: float) -> bool:
    """Whether the result holds all that is wanted."""
    if isinstance(wanted, dict):
        return all(name in got and among(value, got[name], tolerance) for name, value in wanted.items())
    if isinstance(wanted, list):
        return len(wanted) == len(got) and all(map(among, wanted, got, [tolerance] * len(got)))
    if isinstance(wanted, float):
        return math.isclose(wanted, got, rel_tol=tolerance, abs_tol=1e-12)
    return type(wanted) is type(got) and bool(wanted == got)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def workers() -> AsyncIterator[ToolPool]:
    tools = ToolPool(1)
    await tools.start()
    yield tools
    await tools.stop()


@pytest.mark.parametrize(("tool", "example"), cases("result"))
async def test_examples_come_true(
    tool: Tool, example: dict[str, Any], catalogue: Catalogue, workers: ToolPool, tmp_path: Path
) -> None:
    result = await workers.execute(tool, catalogue.check(tool, example["args"]), lent(example, tmp_path))
    assert among(example["result"], result, example["tolerance"]), result


@pytest.mark.parametrize(("tool", "example"), cases("result"))
async def test_results_keep_their_schema(
    tool: Tool, example: dict[str, Any], catalogue: Catalogue, workers: ToolPool, tmp_path: Path
) -> None:
    result = await workers.execute(tool, catalogue.check(tool, example["args"]), lent(example, tmp_path))
    assert result.keys() <= tool.result_schema["properties"].keys()
    ArgumentChecker(_result_as_input(tool)).check(result)


@pytest.mark.parametrize(("tool", "example"), cases("refusal"))
async def test_refusals_say_why(
    tool: Tool, example: dict[str, Any], catalogue: Catalogue, workers: ToolPool, tmp_path: Path
) -> None:
    args = catalogue.check(tool, example["args"])
    with pytest.raises(ValidationFailed) as refused:
        await workers.execute(tool, args, lent(example, tmp_path))
    assert example["refusal"] in refused.value.message


def _result_as_input(tool: Tool) -> Tool:
    fields = {name: getattr(tool, name) for name in tool.__slots__}
    return Tool(**{**fields, "input_schema": tool.result_schema})
