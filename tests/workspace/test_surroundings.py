"""Arguments of tools that the API would refuse are refused to the tool, too."""

from types import SimpleNamespace
from typing import Any

import pytest

from retinue.core.errors import ValidationFailed
from retinue.surroundings import Surroundings

NOTHING: Any = None


@pytest.fixture
def around() -> Surroundings:
    """The platform without parts."""
    caller: Any = SimpleNamespace(require=lambda scope: None)
    return Surroundings(caller, *[NOTHING] * 6)


@pytest.mark.parametrize(("message", "tools"), [("", None), ("a" * 200_000, None), ("a", ["no tool" * 100] * 1000)])
async def test_a_run_that_cannot_be_requested(around: Surroundings, message: str, tools: list[str] | None) -> None:
    with pytest.raises(ValidationFailed, match=r"message|tools"):
        await around.begin_run(1, message, tools)


async def test_a_deployment_that_cannot_be_requested(around: Surroundings) -> None:
    with pytest.raises(ValidationFailed, match="task"):
        await around.deploy(1, "a" * 100_000, "parallel")
