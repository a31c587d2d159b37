"""Arguments of tools that the API would refuse are refused to the tool, too."""

from types import SimpleNamespace
from typing import Any

import pytest

from retinue.core.errors import ValidationFailed
from retinue.platform.platform_api import AccountPlatformApi

NOTHING: Any = None


@pytest.fixture
def platform() -> AccountPlatformApi:
    """The platform without parts."""
    caller: Any = SimpleNamespace(require=lambda scope: None)
    return AccountPlatformApi(caller, *[NOTHING] * 7)


@pytest.mark.parametrize(("message", "tools"), [("", None), ("a" * 200_000, None), ("a", ["no tool" * 100] * 1000)])
async def test_a_run_that_cannot_be_requested(
    platform: AccountPlatformApi, message: str, tools: list[str] | None
) -> None:
    with pytest.raises(ValidationFailed, match=r"message|tools"):
        await platform.begin_run(1, message, tools)


async def test_a_deployment_that_cannot_be_requested(platform: AccountPlatformApi) -> None:
    with pytest.raises(ValidationFailed, match="task"):
        await platform.deploy(1, "a" * 100_000, "parallel")
