"""Tools that exist only in the session in which a run takes place, such as a telephone call.

The code that starts the runs of a session hosts it, in the process that executes them. A run names the session and has
the descriptions of its tools in its options.
"""

import contextlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol

import orjson
from jsonschema_rs import Draft202012Validator

from retinue.core.errors import RetinueError
from retinue.core.runtime.clock import now
from retinue.models.base import ToolCall
from retinue.runs.run_journal import ToolOutcome
from retinue.runs.run_options import ClientTool, Run


@dataclass(frozen=True, slots=True)
class SessionResult:
    """The result of a tool. With a `reply`, the run ends with it: the model is not asked again."""

    result: Mapping[str, object]
    reply: str | None = None


class ToolHost(Protocol):
    """Executes the tools of one session."""

    async def call_tool(self, name: str, arguments: dict[str, object]) -> SessionResult:
        """Execute a tool. Raises `RetinueError` with a message for the model."""
        ...

    def reveal(self, text: str) -> str:
        """Return a text with the secrets of the session in place of their placeholders."""
        ...

    def conceal(self, text: str) -> str:
        """Return a text with placeholders in place of the secrets of the session."""
        ...


class ToolSessions:
    """The sessions that this process hosts."""

    def __init__(self) -> None:
        self._hosts: dict[str, ToolHost] = {}

    @contextlib.contextmanager
    def hosting(self, session: str, host: ToolHost) -> Iterator[None]:
        """Let `host` execute the tools of a session while the context is open."""
        self._hosts[session] = host
        try:
            yield
        finally:
            del self._hosts[session]

    async def execute(self, run: Run, call: ToolCall) -> ToolOutcome:
        """Execute a call of a tool that `find_session_tool` found."""
        tool, began = find_session_tool(run, call.name), now()
        host = self._hosts.get(run.options.session or "")
        if tool is None or host is None:
            return ToolOutcome({"error": f"{call.name} can only be used during the call, which is over."}, False, began)
        problem, arguments = _read_arguments(tool, call.arguments)
        if problem:
            return ToolOutcome({"error": problem}, False, began)
        try:
            outcome = await host.call_tool(call.name, arguments)
        except RetinueError as error:
            return ToolOutcome({"error": error.message}, False, began)
        return ToolOutcome(outcome.result, True, began, reply=outcome.reply)

    def reveal(self, run: Run, arguments: dict[str, object]) -> dict[str, object]:
        """Return the arguments of another tool with the secrets of the run's session."""
        host = self._hosts.get(run.options.session or "")
        return arguments if host is None else _replace_in(arguments, host.reveal)

    def conceal(self, run: Run, result: dict[str, object]) -> dict[str, object]:
        """Return the result of another tool without the secrets of the run's session."""
        host = self._hosts.get(run.options.session or "")
        return result if host is None else _replace_in(result, host.conceal)


def find_session_tool(run: Run, name: str) -> ClientTool | None:
    """Return a tool of the run's session, or None."""
    return next((tool for tool in run.options.session_tools if tool.name == name), None)


def _read_arguments(tool: ClientTool, text: str) -> tuple[str, dict[str, object]]:
    """Return what is wrong with the arguments, and the arguments if nothing is."""
    try:
        arguments = orjson.loads(text or "{}")
    except orjson.JSONDecodeError as error:
        return f"The arguments are not valid JSON: {error}.", {}
    for fault in Draft202012Validator(tool.parameters, offline=True).iter_errors(arguments):
        path = ".".join(map(str, fault.instance_path))
        return f"{path}: {fault.message}." if path else f"{fault.message}.", {}
    return "", arguments


def _replace_in(fields: Mapping[str, object], change: Callable[[str], str]) -> dict[str, object]:
    return {name: _replace(one, change) for name, one in fields.items()}


def _replace(value: object, change: Callable[[str], str]) -> object:
    """Apply `change` to every text and number in a JSON value."""
    if isinstance(value, str):
        return change(value)
    if type(value) is int and (text := change(str(value))) != str(value):
        return text
    if isinstance(value, Mapping):
        return _replace_in(value, change)
    return [_replace(one, change) for one in value] if isinstance(value, list) else value
