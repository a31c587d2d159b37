"""The supervisor, with children that do not run a process."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from retinue.models.known_weights import known_weights
from retinue.models.llama_process import LlamaProcess
from retinue.models.supervisor import Supervisor


class FakeChild:
    """A server that ends when the test says so."""

    pid = 1

    def __init__(self) -> None:
        self.ended, self.closed = asyncio.Event(), asyncio.Event()

    async def wait_until_ended(self) -> str:
        await self.ended.wait()
        return "killed"

    async def retire(self, _patience_s: float) -> None:
        await self.close()

    async def close(self) -> None:
        self.closed.set()


async def test_a_server_that_dies_during_its_replacement_is_not_started_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    children: dict[str, FakeChild] = {}
    large_loads, large_may_serve = asyncio.Event(), asyncio.Event()

    async def launch(path: Path, *_args: object, **_options: Any) -> FakeChild:
        if path.name == known_weights("1.5b").file_name:
            large_loads.set()
            await large_may_serve.wait()
        return children.setdefault(path.name, FakeChild())

    monkeypatch.setattr(LlamaProcess, "launch", launch)
    supervisor = Supervisor(tmp_path, "local", 4, 4096)
    await supervisor.take_over("0.5b")
    small = children[known_weights("0.5b").file_name]
    (watch_small,) = asyncio.all_tasks() - {asyncio.current_task()}
    replacement = asyncio.create_task(supervisor.take_over("1.5b"))
    await large_loads.wait()
    small.ended.set()
    await small.closed.wait()
    large_may_serve.set()
    await asyncio.wait_for(asyncio.gather(replacement, watch_small), 120)
    assert supervisor.weights == "1.5b"
    supervisor.child = None  # The larger one dies before the smaller one has started again.
    await supervisor.take_over("0.5b", replace=False)
    assert supervisor.child is None
    await supervisor.stop()
