"""Runs that are driven in this process: a scripted model, made-up tools, and a real journal in a real database."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import sqlalchemy as sa

from retinue.agents.tables import agents
from retinue.auth.tables import api_keys
from retinue.core.database.interface import Database
from retinue.core.database.schema import BigInt
from retinue.core.database.statements import Row, Statement
from retinue.core.work.notifier import Notifier
from retinue.models.base import TEXT_ONLY, Delta, Model, ModelRequest, TextDelta, ToolCall, ToolOffer, Usage
from retinue.runs import statements as sql
from retinue.runs.approvals.suspension import Suspension
from retinue.runs.execution.broadcast import RunStream, said_topic
from retinue.runs.execution.create_run import NewRun, RunCreator
from retinue.runs.execution.loop import AgentLoop
from retinue.runs.execution.nesting_limits import NestingLimits
from retinue.runs.execution.runner import Runner
from retinue.runs.execution.session_tools import ToolSessions
from retinue.runs.execution.tool_calls import ToolCalls
from retinue.runs.journal import Journal
from retinue.runs.run_options import Budget, RunOptions
from retinue.runs.tables import messages, runs
from retinue.tools.authoring.tool import Tool
from retinue.usage.budgets import Budgets
from retinue.workspace.tool_context import Principal
from tests.knowledge.recall import retriever_of
from tests.tools.made_up import make_tool

PATIENCE_S = 120
ANSWERED = Usage(10, 5)
Answer = Sequence[Delta] | Exception
Script = Callable[[ModelRequest], Answer]
Act = Callable[[dict[str, Any]], Awaitable[dict[str, Any]]]

_CLAIM = Statement(
    sa.update(runs)
    .where(runs.c.id == sa.bindparam("run", type_=BigInt))
    .values(epoch=runs.c.epoch + 1, status="running", lease_owner="node", lease_until=1e12)
    .returning(runs)
)


class ScriptedModel:
    """Answers with `answers` in order, or as a function of the request says."""

    name = "scripted"
    max_output_tokens: int | None = None
    input = TEXT_ONLY
    uses_resources = False

    def __init__(self, *answers: Answer, script: Script | None = None, window: int = 32_768) -> None:
        self.context_tokens = window
        self.requests: list[ModelRequest] = []
        self._answers = list(answers)
        self._script = script

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Delta]:
        """Generate one reply. See `Model`."""
        self.requests.append(request)
        answer = (
            self._answers.pop(0) if self._answers else self._script(request) if self._script else [TextDelta("Done.")]
        )
        if isinstance(answer, Exception):
            raise answer
        for delta in answer:
            yield delta
        if not any(isinstance(delta, Usage) for delta in answer):
            yield ANSWERED


def call(name: str, place: int = 0, arguments: str = "{}") -> ToolCall:
    """Return a model's tool call."""
    return ToolCall(f"call_{place}", name, arguments)


async def succeed(args: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments, as a tool's result."""
    return {"got": args}


@dataclass
class MadeUpTools:
    """Offers and executes tools that functions implement. See `ToolSelector` and `Toolbox`."""

    tools: Mapping[str, Tool]
    acts: Mapping[str, Act]
    executed: list[str] = field(default_factory=list)

    async def execute(self, tool: Tool, args: dict[str, Any], principal: Principal) -> dict[str, Any]:
        """See `Toolbox`."""
        self.executed.append(tool.name)
        return await self.acts[tool.name](args)

    async def to(self, *_: Any) -> list[ToolOffer]:
        """See `ToolSelector`."""
        return [ToolOffer(tool.name, tool.description, tool.input_schema) for tool in self.tools.values()]

    async def skills(self, run: Any) -> list[Any]:
        """See `ToolSelector`."""
        return []

    async def find(self, run: Any, name: str, *, offered: bool = True) -> Tool | None:
        """See `ToolSelector`."""
        return self.tools.get(name)

    async def refusal(self, run: Any, name: str) -> str:
        """See `ToolSelector`."""
        return f"There is no tool {name!r}."

    async def credits_of(self, run: Any, name: str) -> int:
        """See `ToolSelector`."""
        return self.tools[name].credits if name in self.tools else 0

    async def untrusted_source(self, run: Any, name: str, arguments: Any) -> str | None:
        """See `ToolSelector`."""
        return None


class Models:
    """Picks the one model."""

    def __init__(self, model: Model) -> None:
        self._model = model

    async def pick(self, *_: Any, **__: Any) -> Model:
        """See `ModelSource`."""
        return self._model


class StoredFiles:
    """Reads the files in `files`: their names, media types and contents."""

    def __init__(self, files: Mapping[str, tuple[str, str, bytes]]) -> None:
        self._files = files

    async def texts(self, account_id: int, ids: Sequence[str], room: int) -> dict[str, str]:
        """See `Attachments`."""
        return {file_id: f"[{self._files[file_id][0]}: not text]" for file_id in ids}

    async def names(
        self, account_id: int, ids: Sequence[str], media_types: Collection[str]
    ) -> dict[str, tuple[str, int]]:
        """See `Attachments`."""
        known = {file_id: self._files[file_id] for file_id in ids if file_id in self._files}
        return {one: (name, len(data)) for one, (name, kind, data) in known.items() if kind in media_types}

    async def contents(
        self, account_id: int, ids: Sequence[str], media_types: Collection[str], room: int
    ) -> dict[str, tuple[str, str, bytes]]:
        """See `Attachments`."""
        found: dict[str, tuple[str, str, bytes]] = {}
        for file_id in ids:
            file = self._files[file_id]
            if file[1] in media_types and len(file[2]) <= room:
                found[file_id] = file
                room -= len(file[2])
        return found


async def _note_nothing(*_: Any, **__: Any) -> None:
    """Replace the conversations and the quotas."""


class Driver:
    """Starts, kills and claims runs of one model."""

    def __init__(self, database: Database, model: Model, tools: Sequence[Tool] = (), **acts: Act) -> None:
        self.database = database
        found = {tool.name: tool for tool in tools}
        self.tools = MadeUpTools(found, {name: acts.get(name, succeed) for name in found})
        journal = Journal(database, Notifier(), _note_nothing, set())
        given: Any = self.tools
        budgets = Budgets(database, agents, api_keys)
        retriever = retriever_of(database)
        self.files: dict[str, tuple[str, str, bytes]] = {}
        files = StoredFiles(self.files)
        self.sessions = ToolSessions()
        calls = ToolCalls(Suspension(database), given, given, files, budgets, _note_nothing, retriever, self.sessions)
        loop = AgentLoop(journal, Models(model), given, given, calls, files, budgets, retriever)
        self.runner = Runner(loop, journal, journal.notifier)
        self.dispatch = RunCreator(journal, self.runner, journal.notifier, "node", NestingLimits(3, 10))

    async def begin(self, message: str = "Hello", *, attached: bool = True, **options: Any) -> RunStream:
        """Start a run, in this process."""
        conversation = options.pop("conversation_id", None)
        given = RunOptions(may_execute=True, sandbox=True, **{"budget": Budget(steps=2000, tokens=10**9), **options})
        new = NewRun(1, message, "m", given, None, conversation)
        if attached:
            row = await self.database.transact(lambda tx: self.dispatch.add_attached(tx, new))
            return self.dispatch.begin(row)
        return await self.claim((await self.database.transact(lambda tx: self.dispatch.background(tx, new))).id)

    async def claim(self, run_id: int) -> RunStream:
        """Take a run over, as a process does after another one died."""
        (row,) = await self.database.transact(lambda tx: tx.all(_CLAIM, run=run_id))
        return self.runner.begin(row)

    async def kill(self, live: RunStream) -> RunStream:
        """Stop a run without a word, and take it over."""
        await self.runner.drop(live.run.id)
        return await self.claim(live.run.id)

    async def run(self, message: str = "Hello", **options: Any) -> Row:
        """Carry out a run, and return its record."""
        return await self.end(await self.begin(message, **options))

    async def end(self, live: RunStream) -> Row:
        """Wait until a run has ended, and return its record."""
        async with asyncio.timeout(PATIENCE_S):
            await live.wait_until_ended()
        return await self.record(live.run.id)

    async def wait_for_result(self, live: RunStream, name: str) -> None:
        """Wait until a tool has ended, and its result is in the journal."""
        await self.wait_until(live, lambda rows: any(row.tool_name == name and row.state == "done" for row in rows))

    async def wait_for_row(self, live: RunStream, seq: int) -> None:
        """Wait until the journal has reached a row, or the run has ended."""
        async with asyncio.timeout(PATIENCE_S):
            with self.dispatch.notifier.waiting(said_topic(live.run.id)) as changed:
                while live.outcome is None and live.journal.seq < seq:
                    await changed.wait()
                    changed.clear()

    async def wait_until(self, live: RunStream, holds: Callable[[list[Row]], bool]) -> None:
        """Wait until something holds for the journal, or the run has ended."""
        async with asyncio.timeout(PATIENCE_S):
            with self.dispatch.notifier.waiting(said_topic(live.run.id)) as changed:
                while live.outcome is None and not holds(await self.rows(live.run.id)):
                    await changed.wait()
                    changed.clear()

    async def record(self, run_id: int) -> Row:
        """Return a run's record."""
        return await self.database.lookup(sql.GET, run=run_id, account=1)

    async def rows(self, run_id: int) -> list[Row]:
        """Return a run's journal."""
        every = Statement(sa.select(messages).where(messages.c.run_id == sa.bindparam("run", type_=BigInt)))
        return sorted(await self.database.query(every, run=run_id), key=lambda row: row.seq)


def tool(name: str, **fields: Any) -> Tool:
    """Return a made-up tool."""
    return make_tool(name, **fields)
