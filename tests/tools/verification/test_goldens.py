"""Every example of every tool, through the API."""

import pytest

from retinue.tools.authoring.tool import Tool
from retinue.tools.verification.example_runner import ExampleRunner
from tests.support.catalogue import TOOLS
from tests.support.sampling import sample
from tests.tools.api import Api

BY_MODULE = [
    pytest.param(tool, id=tool.name, marks=pytest.mark.needs_program(*tool.needs))
    for tool in sorted(TOOLS, key=lambda tool: tool.module)
]
"""Tools of one module, and of one category, together: a worker then imports their libraries once."""


@pytest.mark.parametrize("tool", sample(BY_MODULE, every=10))
async def test_the_examples_of_each_tool_hold(tool: Tool, api: Api) -> None:
    assert await ExampleRunner(api).faults(tool) == []
