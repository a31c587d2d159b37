"""The measured servers, with their operations as requests."""

import os
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, Self

import aiohttp

from bench.figures import AGENTS
from bench.servers import Server, free_port

RETINUE = ".venv/bin/retinue"
MESSAGE = "Say a short sentence."


@dataclass(frozen=True)
class Call:
    """One request. `options` are passed to aiohttp."""

    method: str
    path: str
    options: dict[str, Any] = field(default_factory=dict)


Operation = Callable[[int], Call]
"""Returns the nth call of an operation."""


class Target(Protocol):
    """A server to measure. `prepare` sets `operations`; some servers have no `stream`."""

    name: str
    operations: dict[str, Operation]
    headers: dict[str, str]

    def start(self, folder: Path) -> Server:
        """Start the server with its data in `folder`."""
        ...

    async def prepare(self, session: aiohttp.ClientSession) -> None:
        """Create the records that the operations need."""
        ...


class Model:
    """The instant model alone: a lower bound for the others' streams."""

    name = "model"

    def __init__(self) -> None:
        self.headers: dict[str, str] = {}
        self.operations: dict[str, Operation] = {"execute": self._ask(False), "stream": self._ask(True)}

    def start(self, folder: Path) -> Server:
        """See `Target`."""
        port = free_port()
        here = {"PYTHONPATH": str(Path.cwd())}
        return Server([sys.executable, "-m", "bench.model", str(port)], port, folder, here, "/health")

    async def prepare(self, session: aiohttp.ClientSession) -> None:
        """See `Target`."""

    def _ask(self, stream: bool) -> Operation:
        body = {"model": "mock", "stream": stream, "messages": [{"role": "user", "content": MESSAGE}]}
        return lambda _: Call("POST", "/v1/chat/completions", {"json": body})


class Retinue:
    """This server with SQLite and default settings, except that rate limits are off."""

    name = "retinue"

    def __init__(self, model: dict[str, str], log_level: str, command: str) -> None:
        """`model` holds the settings of the model."""
        self._command = str(Path(command).absolute())
        self._env = {**model, "RETINUE_RATE_LIMITS": "off", "RETINUE_LOG_LEVEL": log_level}
        self.headers: dict[str, str] = {}
        self.operations: dict[str, Operation] = {}

    @classmethod
    def with_model_at(cls, url: str, log_level: str, command: str) -> Self:
        """Create a target that uses the model at a URL."""
        return cls({"RETINUE_MODEL_URL": url, "RETINUE_MODEL_NAME": "mock"}, log_level, command)

    @classmethod
    def with_local_model(cls, weights: str, folder: str, command: str) -> Self:
        """Create a target that runs a local model, whose weights are in `folder`."""
        return cls({"RETINUE_LOCAL_MODEL": weights, "RETINUE_WEIGHTS_DIR": folder}, "warning", command)

    def start(self, folder: Path) -> Server:
        """See `Target`."""
        port = free_port()
        env = {**self._env, "RETINUE_HOME": str(folder / "home"), "PORT": str(port)}
        server = Server([self._command, "serve"], port, folder, env, "/healthz")
        self._home = env
        self.headers = self.headers or self.new_key()
        return server

    def new_key(self, *options: str) -> dict[str, str]:
        """Return the headers of a new key on the last started server. `options` are those of `keys create`."""
        command = [self._command, "keys", "create", "--user", "owner@localhost", *options]
        env = {**os.environ, **self._home}
        told = subprocess.run(command, env=env, check=True, capture_output=True, text=True).stdout
        found = re.search(r"ak_(?:live|test)_\w+", told)
        assert found, told
        return {"Authorization": f"Bearer {found[0]}"}

    async def prepare(self, session: aiohttp.ClientSession) -> None:
        """See `Target`."""
        ids = []
        for _ in range(AGENTS):
            async with session.post("/api/v1/agents", json=_AGENT) as response:
                ids.append((await response.json())["data"]["id"])
        self.operations = {
            "create": lambda _: Call("POST", "/api/v1/agents", {"json": _AGENT}),
            "list": lambda _: Call("GET", "/api/v1/agents?per_page=20"),
            "get": lambda n: Call("GET", f"/api/v1/agents/{ids[n % AGENTS]}"),
            "execute": self._execute(ids, {"message": MESSAGE}),
            "stream": self._execute(ids, {"message": MESSAGE, "stream": True}),
            "tool": lambda _: Call("POST", "/api/v1/tools/text_convert_case/execute", {"json": {"args": _TOOL_ARGS}}),
        }

    def _execute(self, ids: list[int], body: dict[str, Any]) -> Operation:
        return lambda n: Call("POST", f"/api/v1/agents/{ids[n % AGENTS]}/execute", {"json": body})


_AGENT = {"agent_name": "bench", "agent_role": "generalist"}
_TOOL_ARGS = {"text": "XML HTTP request", "style": "pascal"}
"""For a tool that takes a few microseconds itself, so that the call measures the platform's overhead."""


class Agno:
    """Agno AgentOS on SQLite, without authentication, telemetry or an access log."""

    name = "agno"

    def __init__(self, model_url: str) -> None:
        self._model_url = model_url
        self.headers: dict[str, str] = {}
        self.operations: dict[str, Operation] = {}

    def start(self, folder: Path) -> Server:
        """See `Target`."""
        port = free_port()
        command = [sys.executable, "-m", "bench.agno_server", str(port), self._model_url]
        env = {"PYTHONPATH": str(Path.cwd()), "AGNO_TELEMETRY": "false"}
        return Server(command, port, folder, env, "/health")

    async def prepare(self, session: aiohttp.ClientSession) -> None:
        """See `Target`."""
        ids = []
        for number in range(AGENTS):
            async with session.post("/components", json=self._component(f"first-{number}")) as response:
                ids.append((await response.json())["component_id"])
        self.operations = {
            "create": lambda n: Call("POST", "/components", {"json": self._component(f"made-{n}")}),
            "list": lambda _: Call("GET", "/components?limit=20&component_type=agent"),
            "get": lambda n: Call("GET", f"/components/{ids[n % AGENTS]}"),
            "execute": self._run("false"),
            "stream": self._run("true"),
        }

    def _component(self, name: str) -> dict[str, Any]:
        config = {"name": name, "model": {"provider": "OpenAI", "id": "mock"}, "instructions": "You are terse."}
        return {"name": name, "component_type": "agent", "config": config}

    def _run(self, stream: str) -> Operation:
        def call(number: int) -> Call:
            form = aiohttp.FormData({"message": MESSAGE, "stream": stream})
            return Call("POST", f"/agents/bench-{number % AGENTS}/runs", {"data": form})

        return call
