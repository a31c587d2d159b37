"""`.venv/bin/python -m bench.protocols [SECONDS]`: measure the CPU time of calls by each protocol beside the API's own.

The operations of a group do the same work. They are loaded in turn by one worker, for SECONDS (5 by default) in each of
three rounds, on one server with a model that replies at once. The table has medians of CPU ms for each call, of the
server with its children, and the difference from the group's first operation, which is that of the API.
"""

import asyncio
import itertools
import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import Any

import aiohttp

from bench.load import measure
from bench.targets import MESSAGE, RETINUE, Call, Model, Operation, Retinue

ROUNDS = 3
_AGENT = {"agent_name": "bench", "agent_role": "generalist"}
_TOOL, _TOOL_ARGS = "text_convert_case", {"text": "XML HTTP request", "style": "pascal"}
_SAID = [{"role": "user", "content": MESSAGE}]
_MCP = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-06-18"}

_numbers = itertools.count()


def groups_for(agent: int) -> dict[str, dict[str, Operation]]:
    """Return the operations by group. All messages are answered by the agent with this id."""
    model = {"model": f"agent:{agent}"}
    api = f"/api/v1/agents/{agent}/execute"
    return {
        "a message": {
            "API": _post(api, {"message": MESSAGE}),
            "Chat Completions": _post("/v1/chat/completions", {**model, "messages": _SAID}),
            "Responses": _post("/v1/responses", {**model, "input": MESSAGE}),
            "Messages": _post(
                "/v1/messages", {**model, "max_tokens": 200, "messages": _SAID}, {"anthropic-version": "2023-06-01"}
            ),
            "MCP": _post("/mcp", _call(f"agent_{agent}", {"message": MESSAGE}), _MCP),
        },
        "a message in a new conversation": {
            "API": _post("/api/v1/chat", {"agent_id": agent, "message": MESSAGE}),
            "A2A": lambda _: _a2a(agent),
        },
        "a streamed message": {
            "API": _post(api, {"message": MESSAGE, "stream": True}),
            "Chat Completions": _post("/v1/chat/completions", {**model, "messages": _SAID, "stream": True}),
        },
        "a streamed message in a new conversation": {
            "API": _post("/api/v1/chat", {"agent_id": agent, "message": MESSAGE, "stream": True}),
            "AG-UI": lambda _: _agui(agent),
        },
        "a tool": {
            "API": _post(f"/api/v1/tools/{_TOOL}/execute", {"args": _TOOL_ARGS}),
            "MCP": _post("/mcp", _call("tools_execute", {"name": _TOOL, "arguments": _TOOL_ARGS}), _MCP),
        },
    }


def _post(path: str, body: dict[str, Any], headers: dict[str, str] | None = None) -> Operation:
    return lambda _: Call("POST", path, {"json": body, "headers": headers or {}})


def _call(tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    params = {"name": tool, "arguments": arguments}
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}


def _a2a(agent: int) -> Call:
    said = {"messageId": f"m-{next(_numbers)}", "role": "ROLE_USER", "parts": [{"text": MESSAGE}]}
    body = {"jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": {"message": said}}
    return Call("POST", f"/a2a/{agent}", {"json": body, "headers": {"A2A-Version": "1.0"}})


def _agui(agent: int) -> Call:
    number = next(_numbers)
    said = {"id": f"m-{number}", "role": "user", "content": MESSAGE}
    return Call("POST", f"/agui/{agent}", {"json": {"threadId": f"t-{number}", "runId": "r", "messages": [said]}})


async def run(seconds: float, folder: Path) -> None:
    """Measure all groups, and print the table."""
    model = Model()
    answering = model.start(folder / "model")
    target = Retinue.with_model_at(f"{answering.url}/v1", "info", RETINUE)
    server = target.start(folder / "retinue")
    try:
        async with aiohttp.ClientSession(server.url, headers=target.headers) as session:
            async with session.post("/api/v1/agents", json=_AGENT) as response:
                groups = groups_for((await response.json())["data"]["id"])
            for group, operations in groups.items():
                cpu: dict[str, list[float]] = {name: [] for name in operations}
                for _, (name, operation) in itertools.product(range(ROUNDS), operations.items()):
                    cpu[name].append((await measure(session, server, operation, 1, seconds)).cpu_ms)
                _print(group, {name: median(found) for name, found in cpu.items()})
    finally:
        server.stop()
        answering.stop()


def _print(group: str, cpu: dict[str, float]) -> None:
    first = next(iter(cpu.values()))
    print(f"\n| {group} | CPU ms | added |\n|---|---:|---:|")
    for name, found in cpu.items():
        print(f"| {name} | {found:.2f} | {found - first:+.2f} |")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="bench-protocols-") as scratch:
        asyncio.run(run(float(sys.argv[1]) if len(sys.argv) > 1 else 5.0, Path(scratch)))
