"""The socket through which the operator's commands reach the running server."""

from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any, cast

import pytest

from retinue.control.client import MAX_LINE, ask_server, decode_answer
from retinue.control.commands import Operator
from retinue.control.listener import listening
from retinue.core.errors import Unavailable
from retinue.core.runtime.data_dir import DataDir

USERS = [{"email": f"user-{number}@example.com"} for number in range(MAX_LINE // 30)]


async def list_users(on: Operator, args: Mapping[str, Any]) -> Any:
    return USERS


@pytest.fixture
async def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[DataDir]:
    """A data folder whose socket lists many users."""
    made = DataDir(tmp_path / "home")
    made.create()
    monkeypatch.setattr("retinue.control.listener.COMMANDS", {"users.list": list_users})
    async with listening(made, cast(Operator, None)):
        yield made


async def test_an_answer_may_be_longer_than_a_request(home: DataDir) -> None:
    assert await ask_server(home, "users.list", {}) == USERS


async def test_a_request_that_is_too_long_is_refused(home: DataDir) -> None:
    with pytest.raises((Unavailable, ConnectionError)):
        await ask_server(home, "users.list", {"email": "x" * MAX_LINE})


@pytest.mark.parametrize("line", [b"", b'{"result": [1,'])
def test_an_incomplete_answer_says_that_the_server_has_gone(line: bytes) -> None:
    with pytest.raises(Unavailable, match="closed the connection"):
        decode_answer(line)
