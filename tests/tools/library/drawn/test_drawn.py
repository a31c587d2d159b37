"""Calls of tools with answers from sources other than the tools.

The tools were drawn by lot (`random.seed(20261126)`), except those in `formulas` and `corrections`.
"""

from dataclasses import asdict

import pytest

from retinue.sdk import Example, Refusal
from retinue.tools.authoring.tool import Tool
from retinue.tools.verification.example_runner import ExampleRunner
from tests.support.catalogue import CATALOGUE
from tests.support.sampling import sample
from tests.tools.api import Api
from tests.tools.library.drawn import (
    code,
    corrections,
    data,
    documents,
    finance,
    formulas,
    geo_and_graphs,
    mathematics,
    media,
    science,
    security,
    statistics,
    text,
    times_and_numbers,
    web,
    workspace,
)

TABLES = (
    *(
        code,
        data,
        documents,
        finance,
        formulas,
        geo_and_graphs,
        mathematics,
        media,
        science,
        security,
        statistics,
        text,
    ),
    *(times_and_numbers, web, workspace, corrections),
)
CALLS = [
    pytest.param(CATALOGUE.get(name), call, id=name, marks=pytest.mark.needs_program(*CATALOGUE.get(name).needs))
    for table in TABLES
    for name, call in table.CALLS
]


@pytest.mark.parametrize(("tool", "call"), sample(CALLS, every=5))
async def test_the_answer_is_that_of_another_source(tool: Tool, call: Example | Refusal, api: Api) -> None:
    assert await ExampleRunner(api).fault(tool, asdict(call)) is None
