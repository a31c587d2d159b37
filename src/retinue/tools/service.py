"""Execute tools for callers and for the runs of agents."""

import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from retinue.auth.caller import Caller
from retinue.connections.keyring import ConnectionKeyring, OpenedConnection
from retinue.core.database.interface import Database, Tx
from retinue.core.errors import InsufficientScope, RetinueError, ValidationFailed
from retinue.core.idempotency.keys import note_effect
from retinue.core.runtime.failpoints import crash_point
from retinue.core.work.events import emit
from retinue.files.file_access import FileAccess, named_files
from retinue.files.tool_outputs import ToolOutputs
from retinue.sandbox import system_requirements
from retinue.tools.authoring.tool import Tool
from retinue.tools.catalogue.imported_tool import A2aTool, ImportedTool, McpTool
from retinue.tools.catalogue.typed_secrets import check_typed_secrets
from retinue.tools.events import ToolExecuted, tool_use
from retinue.tools.execution import error_mapping, in_process_executor
from retinue.tools.execution.connection_arguments import open_connections, redact, redaction_of, with_connections
from retinue.tools.execution.output_files import Keep
from retinue.tools.execution.pool import ToolPool
from retinue.tools.execution.simulation import reaches_other_hosts, simulated_result
from retinue.tools.imports.a2a.calls import A2aCalls
from retinue.tools.imports.account_catalogue import AccountCatalogue, AnyCatalogue
from retinue.tools.imports.calls import ImportedCalls
from retinue.tools.imports.mcp.calls import McpCalls
from retinue.tools.imports.mcp.direct_answers import Answers
from retinue.tools.imports.mcp.elicitation import MOST_ANSWERS
from retinue.tools.imports.mcp.questions import InputRequired
from retinue.usage.budgets import Budgets
from retinue.usage.ledger import BudgetOwners, record
from retinue.usage.quotas import Quotas
from retinue.workspace.tool_context import Principal, RunAncestry, ToolContext

STARTED = "started"
"""The content of a claim, in place of the answer, while a tool runs that must not run twice."""


def check_plan(caller: Caller, tool: Tool) -> None:
    """Raise an error for a tool that the caller's plan does not include."""
    if not caller.plan.includes(tool.tier):
        plan = "professional" if tool.tier == "pro" else tool.tier
        raise InsufficientScope(
            f"The tool {tool.name} requires the plan {plan} or higher. Your plan is {caller.plan_name}."
        )


@dataclass(frozen=True, slots=True)
class CallFiles:
    """Files of one call that do not belong to the account.

    `files` are what it reads, by the names in its arguments. `keep` takes what it creates; None stores that in the
    account.
    """

    files: Mapping[str, Path] = field(default_factory=dict)
    keep: Keep | None = None


NOTHING = CallFiles()


@dataclass(frozen=True, slots=True)
class PreparedCall:
    """A call that is ready to run: its validated arguments, and the account's files and connections that they
    name.
    """

    args: Mapping[str, object]
    files: Mapping[str, Path]
    keep: Keep
    connections: Mapping[str, OpenedConnection] = field(repr=False)


@dataclass(frozen=True)
class ToolRunner:
    """Validates arguments and runs tools: in the pool, inside the server at a `context` of the account, or by a request
    to the API or MCP server that they were imported from.
    """

    directory: AccountCatalogue
    pool: ToolPool
    calls: ImportedCalls
    mcp_calls: McpCalls
    a2a_calls: A2aCalls
    file_access: FileAccess
    tool_outputs: ToolOutputs
    keyring: ConnectionKeyring
    context: Callable[[Principal], Awaitable[ToolContext]]

    async def execute(self, tool: Tool, args: Mapping[str, object], principal: Principal) -> dict[str, Any]:
        """The tool's result."""
        return await self.run(tool, await self.prepare(tool, args, principal.account_id), principal)

    async def run(self, tool: Tool, call: PreparedCall, principal: Principal) -> dict[str, object]:
        """Run a prepared call and return its result.

        Files that the tool creates belong to the account. Neither the result nor an error contains the secret of a
        connection. The sandbox does not run tools that reach other hosts.
        """
        if isinstance(tool, ImportedTool):
            return await self.calls.execute(tool, call.args, principal.account_id)
        if isinstance(tool, McpTool):
            keep = self.tool_outputs.of(principal.account_id)
            return await self.mcp_calls.execute(tool, call.args, principal.account_id, keep, principal.answers)
        if isinstance(tool, A2aTool):
            return await self.a2a_calls.execute(
                tool, call.args, principal.account_id, self.tool_outputs.of(principal.account_id)
            )
        if principal.sandbox and reaches_other_hosts(tool):
            return simulated_result(tool)
        if tool.inside:
            return await in_process_executor.execute(
                self.pool.with_time(tool), call.args, await self.context(principal)
            )
        args, waited_for = with_connections(call.args, call.connections), principal.waited_for
        executing = self.pool.execute(tool, args, call.files, call.keep, principal.account_id, waited_for=waited_for)
        return await redact(executing, redaction_of(call.connections))

    async def prepare(
        self, tool: Tool, args: Mapping[str, object], account_id: int, handover: CallFiles = NOTHING
    ) -> PreparedCall:
        """Validate the arguments, and find the files and connections of the account that they name.

        A tool whose programs are missing is refused before its files are looked up.
        """
        checked = self.directory.catalogue.check(tool, args)
        check_typed_secrets(tool, checked)
        if tool.needs and not tool.inside and (reason := system_requirements.describe_missing(tool.needs)):
            raise error_mapping.missing_program_error(tool, reason)
        named = named_files(tool.input_schema, checked)
        handed_over = handover.files
        paths = await self.file_access.paths(account_id, [one for one in named if one not in handed_over])
        files = {**paths, **handed_over}
        keep = handover.keep or self.tool_outputs.of(account_id)
        opened = await open_connections(self.keyring, account_id, tool.input_schema, checked)
        return PreparedCall(checked, files, keep, opened)


@dataclass(frozen=True)
class Tools:
    """The tools available to one caller."""

    caller: Caller
    database: Database
    toolbox: ToolRunner
    quotas: Quotas
    budgets: Budgets

    async def execute(
        self,
        name: str,
        args: Mapping[str, object],
        handover: CallFiles = NOTHING,
        answers: Answers | None = None,
    ) -> dict[str, Any]:
        """Run one tool. Every execution emits its event, and stores its answer in the request's claim.

        `answers` has those to questions of the tool's server. None if the caller cannot send any.
        """
        tool = await self.get(name)
        call = await self.toolbox.prepare(tool, args, self.caller.account_id, handover)
        await self.quotas.check_tools(self.caller)
        await self.budgets.check(self._spenders)
        await self._note_start(tool)
        began = time.perf_counter()
        try:
            ancestry = RunAncestry(key_id=self.caller.key_id)
            principal = Principal(self.caller.account_id, self.caller.scopes, ancestry, sandbox=self.caller.sandbox)
            result = await self._run(tool, call, principal, answers)
        except RetinueError:
            await self._tell(_event(tool, began, "error", 0), None)
            raise
        crash_point("tools.executed")
        event = _event(tool, began, "success", tool.credits)
        answer = {
            "tool": tool.name,
            "result": result,
            "execution_time_ms": event.execution_time_ms,
            "credits_used": event.credits_used,
        }
        await self._tell(event, answer)
        return answer

    async def _run(
        self, tool: Tool, call: PreparedCall, principal: Principal, answers: Answers | None
    ) -> dict[str, object]:
        fields = answers.first if answers else {}
        for _ in range(MOST_ANSWERS + 1):
            try:
                return await self.toolbox.run(tool, call, replace(principal, answers=fields))
            except InputRequired as asked:
                if answers is None:
                    raise
                fields = await answers.ask(asked)
        raise ValidationFailed(f"{tool.name} asked more than {MOST_ANSWERS} questions in one call.")

    async def admit(self, name: str) -> Tool:
        """The tool. Raises an error if it does not exist or the plan does not include it."""
        tool = await self.get(name)
        check_plan(self.caller, tool)
        return tool

    async def get(self, name: str) -> Tool:
        """The tool, or `NotFound`."""
        return await self.toolbox.directory.tool(self.caller.account_id, name)

    async def all(self) -> AnyCatalogue:
        """Every tool that the caller may see."""
        return await self.toolbox.directory.of(self.caller.account_id)

    @property
    def _spenders(self) -> BudgetOwners:
        return BudgetOwners(key_id=self.caller.key_id)

    async def _note_start(self, tool: Tool) -> None:
        """Record in the claim that a tool with effects has started: if the process dies, it must not run again."""
        claim = self.caller.claim
        if claim and not (tool.read_only or tool.idempotent):
            await self.database.transact(lambda tx: note_effect(tx, claim, {STARTED: tool.name}))

    async def _tell(self, event: ToolExecuted, answer: dict[str, object] | None) -> None:
        account_id = self.caller.account_id

        async def write(tx: Tx) -> None:
            await emit(tx, account_id, event)
            if answer:
                await note_effect(tx, self.caller.claim, answer)
            if not self.caller.sandbox:
                await record(tx, account_id, tool_use(event), spenders=self._spenders)
                tx.after_commit(lambda: self.quotas.touched.add(account_id))

        await self.database.transact(write)


def _event(tool: Tool, began: float, status: Literal["success", "error"], credits_used: int) -> ToolExecuted:
    return ToolExecuted(
        tool=tool.name,
        status=status,
        execution_time_ms=round((time.perf_counter() - began) * 1000),
        credits_used=credits_used,
        run_id=None,
        agent_id=None,
    )
