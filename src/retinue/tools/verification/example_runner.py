"""Verify tools: each example must hold, each refusal must occur, each result must match its schema.

`retinue tools prove` does this while a tool is being written; another runner verifies all tools through the API.
"""

import base64
import math
import secrets
import tempfile
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from ipaddress import ip_network
from pathlib import Path
from typing import Any, BinaryIO, Protocol

from retinue.connections.keyring import OpenedConnection
from retinue.connections.kinds import check_secret, check_settings
from retinue.core.errors import RetinueError, ValidationFailed
from retinue.core.network.http_client import AddressGuard
from retinue.core.runtime.ids import new_id
from retinue.files.file_access import named_files
from retinue.language.reply_templates import fill_template
from retinue.tools.authoring.tool import Tool
from retinue.tools.catalogue.argument_validation import ArgumentChecker
from retinue.tools.catalogue.typed_secrets import check_typed_secrets
from retinue.tools.execution.connection_arguments import named_connections, redaction_of, with_connections
from retinue.tools.execution.pool import ToolPool
from retinue.tools.execution.worker_group import PoolLimits
from retinue.tools.verification.mock_web_server import fill_marks, stand_ins

LOOPBACK = AddressGuard([ip_network("127.0.0.0/8")])
"""For the stand-in web servers of examples."""


class Executor(Protocol):
    """Runs the tools under test."""

    async def lend(self, name: str, content: bytes) -> str:
        """Add a file; returns its id."""
        ...

    async def connect(self, connection: Mapping[str, object]) -> int:
        """Create a connection with a name, a kind, settings and a secret; returns its id."""
        ...

    async def disconnect(self, connection_id: int) -> None:
        """Delete a connection."""
        ...

    async def execute(self, tool: str, args: Mapping[str, object]) -> dict[str, Any]:
        """Return the result of a call. Raises `ValidationFailed`."""
        ...

    async def name_of(self, file_id: str) -> str:
        """Return the name of a file that a tool created."""
        ...


def holds(expected: object, got: object, tolerance: float = 1e-9) -> bool:
    """Return whether a result contains everything that is `expected`. `tolerance` is relative, and for floats."""
    if isinstance(expected, Mapping):
        fields = expected.items()
        return isinstance(got, Mapping) and all(
            name in got and holds(part, got[name], tolerance) for name, part in fields
        )
    if isinstance(expected, list | tuple):
        return (
            isinstance(got, list)
            and len(expected) == len(got)
            and all(map(holds, expected, got, [tolerance] * len(got)))
        )
    if isinstance(expected, float):
        return isinstance(got, int | float) and math.isclose(expected, got, rel_tol=tolerance, abs_tol=1e-12)
    return type(expected) is type(got) and bool(expected == got)


@dataclass(frozen=True)
class ExampleRunner:
    """Verifies tools through an executor."""

    executor: Executor

    async def faults(self, tool: Tool) -> list[str]:
        """Return the violations of a tool, one sentence each."""
        faults = _find_missing_examples(tool)
        for number, example in enumerate(tool.examples, 1):
            if fault := await self.fault(tool, example):
                faults.append(f"{tool.name}, example {number}: {fault}")
        return faults

    async def fault(self, tool: Tool, example: Mapping[str, Any]) -> str | None:
        """Return the violation of an example, if any."""
        with stand_ins(example) as marks:
            return await self._fault(tool, fill_marks(example, marks))

    async def _fault(self, tool: Tool, example: Mapping[str, Any]) -> str | None:
        try:
            file_ids = {
                name: await self.executor.lend(name, base64.b64decode(text)) for name, text in example["files"].items()
            }
            example = {**fill_marks(example, file_ids), "files": {}}
            async with self._connect(example) as connected:
                for call in connected["before"]:
                    await self.executor.execute(call["tool"], call["args"])
                expected = self._refusal if "refusal" in connected else self._result
                return await expected(tool, connected)
        except RetinueError as failed:
            return f"failed with: {failed.message}"

    @asynccontextmanager
    async def _connect(self, example: Mapping[str, Any]) -> AsyncIterator[Mapping[str, Any]]:
        """Create the connections of an example, under names that are unique while it runs."""
        names = {name: f"proof-{secrets.token_hex(8)}" for name in example["connections"]}
        async with AsyncExitStack() as stack:
            for name, connection in example["connections"].items():
                created = await self.executor.connect({"name": names[name], **connection})
                stack.push_async_callback(self.executor.disconnect, created)
            yield fill_marks(example, names)

    async def _refusal(self, tool: Tool, example: Mapping[str, Any]) -> str | None:
        try:
            result = await self.executor.execute(tool.name, example["args"])
        except ValidationFailed as refused:
            return None if example["refusal"] in refused.message else f"refused with: {refused.message}"
        return f"wanted a refusal, got {result}"

    async def _result(self, tool: Tool, example: Mapping[str, Any]) -> str | None:
        result = await self.executor.execute(tool.name, example["args"])
        check_result(tool, result)
        created = named_files(tool.result_schema, result)
        names = {file_id: await self.executor.name_of(file_id) for file_id in created}
        if not holds(example["result"], fill_marks(result, names), example["tolerance"]):
            return f"wanted {example['result']}, got {result}"
        if tool.reply and not tool.alias_of and not fill_template(tool.reply, result, example["args"])[1]:
            return f"no sentence of reply fits {result}"
        for call in fill_marks(example["then"], {"{made}": created[0] if created else ""}):
            seen = await self.executor.execute(call["tool"], call["args"])
            if not holds(call["result"], seen, example["tolerance"]):
                return f"then {call['tool']}: wanted {call['result']}, got {seen}"
        return None


def check_result(tool: Tool, result: Mapping[str, object]) -> None:
    """Raise `ValidationFailed` unless the result matches its schema without extra fields."""
    schema = {**tool.result_schema, "additionalProperties": False}
    fields = {name: getattr(tool, name) for name in tool.__slots__}
    ArgumentChecker(Tool(**{**fields, "input_schema": schema})).check(result)


def _find_missing_examples(tool: Tool) -> list[str]:
    """Return the kinds of examples that a tool lacks. An alias has some of its tool's."""
    if tool.alias_of:
        return []
    arguments = tool.input_schema["properties"].values()
    proved = sum("result" in example for example in tool.examples)
    faults = []
    if proved < 2 and any("enum" in schema or "default" in schema for schema in arguments):
        faults.append(f"{tool.name} has an enum or a default and needs a second example")
    if arguments and not any("refusal" in example for example in tool.examples):
        faults.append(f"{tool.name} needs a refusal: an invalid input and a part of its error message")
    return faults


@dataclass(frozen=True)
class LocalExecutor:
    """An executor without a server: a pool of workers and a folder for files."""

    tools: Mapping[str, Tool]
    pool: ToolPool
    folder: Path
    names: dict[str, str] = field(default_factory=dict)
    connections: dict[int, OpenedConnection] = field(default_factory=dict)

    @classmethod
    @asynccontextmanager
    async def open(
        cls, tools: Mapping[str, Tool], python: str, *, confined: bool = False, time_factor: float = 1.0
    ) -> AsyncIterator["LocalExecutor"]:
        """Open one with its own pool, whose workers run in that Python. If `confined`, they must be confined."""
        pool = ToolPool(1, python=python, guard=LOOPBACK, limits=PoolLimits(time_factor=time_factor))
        pool.confinement.required = confined
        with tempfile.TemporaryDirectory() as folder:
            await pool.start()
            try:
                yield cls(tools, pool, Path(folder))
            finally:
                await pool.stop()

    async def lend(self, name: str, content: bytes) -> str:
        """Put a file into the folder."""
        self.names[file_id := new_id("file")] = name
        (self.folder / file_id).write_bytes(content)
        return file_id

    async def connect(self, connection: Mapping[str, Any]) -> int:
        """Store it in memory."""
        kind = connection["kind"]
        settings, secret = check_settings(kind, connection["settings"]), check_secret(kind, connection["secret"])
        number = max(self.connections, default=0) + 1
        self.connections[number] = OpenedConnection(connection["name"], kind, settings.model_dump(), secret)
        return number

    async def disconnect(self, connection_id: int) -> None:
        """Delete it from memory."""
        del self.connections[connection_id]

    async def execute(self, tool: str, args: Mapping[str, object]) -> dict[str, Any]:
        """Check and call."""
        entry = self.tools[tool]
        checked = ArgumentChecker(entry).check(args)
        check_typed_secrets(entry, checked)
        input_files = {name: self.folder / name for name in named_files(entry.input_schema, checked)}
        opened = {
            name: self._find_connection(str(checked[name])) for name in named_connections(entry.input_schema, checked)
        }
        result = await self.pool.execute(entry, with_connections(checked, opened), input_files, self._keep)
        return dict(redaction_of(opened).value(result))

    def _find_connection(self, name: str) -> OpenedConnection:
        for connection in self.connections.values():
            if connection.name == name:
                return connection
        raise ValidationFailed(f"You have no connection {name}.")

    async def name_of(self, file_id: str) -> str:
        """Return the name that the tool gave it."""
        return self.names[file_id]

    async def _keep(self, name: str, content: BinaryIO) -> str:
        return await self.lend(name, content.read())
