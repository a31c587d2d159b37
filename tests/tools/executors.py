"""Executors that the tests of a file share: starting workers and importing libraries costs more than the calls.

A fixture with `scope="module"` needs `pytestmark = ON_ONE_LOOP` in its file.
"""

from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from retinue.tools.authoring.tool import Tool
from retinue.tools.execution.environment import ToolEnvironment
from retinue.tools.verification.example_runner import LocalExecutor
from tests.support.catalogue import TOOLS

ON_ONE_LOOP = pytest.mark.asyncio(loop_scope="module")
TIME_FACTOR = 20.0
"""How long a tool takes depends on the machine more than on the tool."""


@asynccontextmanager
async def open_executor(tools: Iterable[Tool], folder: Path) -> AsyncIterator[LocalExecutor]:
    """Open an executor that runs the tools in the environment that the server uses."""
    environment = ToolEnvironment.beside(folder)
    await environment.install()
    named = {tool.name: tool for tool in tools}
    async with LocalExecutor.open(named, str(environment.python), time_factor=TIME_FACTOR) as executor:
        yield executor


def tools_of(*modules: str) -> list[Tool]:
    """Return the tools of modules such as `text.lists`."""
    return [tool for tool in TOOLS if tool.module.removeprefix("retinue_tools.") in modules]
