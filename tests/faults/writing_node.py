"""A node with tools that have side effects, which the sandbox's test catalogue does not have.

`python -m tests.faults.writing_node begin` starts an agent's background run that calls both tools, and waits until it
ends. `resume` only waits. Both print the run and its steps as JSON. The environment is a server's.
"""

import asyncio
import sys
from collections.abc import Sequence
from typing import Any

import orjson

from retinue import server
from retinue.agents.schemas import AgentCreate, ExecuteRequest
from retinue.agents.service import Agents
from retinue.agents.work import AgentWork
from retinue.auth.caller import Caller
from retinue.core.runtime import log
from retinue.core.work.notifier import wait
from retinue.platform.platform import Platform
from retinue.runs.views import RunViews
from retinue.settings import Settings
from retinue.tools.catalogue.catalogue import Catalogue
from retinue.tools.execution.pool import ToolPool
from tests.tools.made_up import HERE, make_tool

REPEATABLE = make_tool("echo", read_only=False, idempotent=True)
ONCE_ONLY = make_tool("process_id", read_only=False, idempotent=False)
_EMAIL = "writer@example.com"


class WritingCatalogue(Catalogue):
    """A catalogue with only the two tools."""

    @classmethod
    def load(cls, *_: Any, **__: Any) -> Any:
        """See `Catalogue`."""
        return cls([orjson.dumps(tool) for tool in (REPEATABLE, ONCE_ONLY)])


def _pool(*args: Any, paths: Sequence[str] = (), **options: Any) -> ToolPool:
    """Create a pool that finds the two tools as well."""
    return ToolPool(*args, paths=[*paths, str(HERE)], **options)


async def _caller(platform: Platform, begin: bool) -> Caller:
    if begin:
        await platform.users_admin.create(_EMAIL)
    key = await platform.users_admin.create_key(_EMAIL, test=True)
    return await platform.credentials.authenticate(str(key))


async def _begin(platform: Platform, caller: Caller) -> None:
    tools = [REPEATABLE.name, ONCE_ONLY.name]
    agent = await platform.services.of(Agents, caller).create(AgentCreate(agent_name="writer", agent_role="generalist"))
    message = "".join(f"[[tool:{name}]]" for name in tools) + "[[words:3]]"
    request = ExecuteRequest(message=message, tools=tools, background=True)
    await platform.services.of(AgentWork, caller).execute_in_background(agent.id, request)


async def main(what: str) -> None:
    """Run a node until the run has ended."""
    async with server.running_platform(Settings()) as lifecycle:
        platform = lifecycle.platform
        caller = await _caller(platform, what == "begin")
        if what == "begin":
            await _begin(platform, caller)
        with platform.notifier.waiting("run:1") as ended:
            while (run := await platform.services.of(RunViews, caller).details(1)).ended_at is None:
                await wait(ended, 0.2)
        sys.stdout.write(run.model_dump_json())


if __name__ == "__main__":
    log.configure("info")
    vars(server).update(Catalogue=WritingCatalogue, ToolPool=_pool)
    asyncio.run(main(sys.argv[1]))
