"""Starts one llama.cpp server process and connects clients to it."""

import asyncio
import contextlib
import os
import secrets
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

import aiohttp
import orjson
import structlog

from retinue.core.children import processes
from retinue.models.assistant import NOT_INSTALLED, JsonModel, installed_assistant
from retinue.models.base import Model, ModelRequest
from retinue.models.encoder import Encoder
from retinue.models.known_weights import cores
from retinue.models.local_server import ServerOptions
from retinue.models.providers.draft import RequestDraft
from retinue.models.providers.endpoint import LOCAL_ORIGIN, Endpoint, ModelLimits, Timeouts
from retinue.models.providers.openai import OpenAIModel

log = structlog.get_logger()

LOAD_S = 180.0
"""Seconds after which a load fails."""

_TIMEOUTS = Timeouts(connect=5.0, first_byte=180.0, total=1800.0)
_PROPS_TIMEOUT = aiohttp.ClientTimeout(total=30.0)
_INHERITED = ("PATH", "HOME", "LANG", "TMPDIR", "PYTHONPATH", "LD_LIBRARY_PATH", "GOMP_SPINCOUNT")
_KEPT_BYTES = 4096
_MAX_THREADS = 8


class LoadFailed(Exception):
    """The model did not load; the message says why."""


class LlamaModel(OpenAIModel):
    """A model behind a llama.cpp server."""

    def draft(self, request: ModelRequest, refused: frozenset[str]) -> RequestDraft:
        """Build the body of a request. In free text, words that were just written become less likely.

        Small models otherwise repeat a sentence until the output limit: one of four letters and stories did. A tool
        call and a reply that states a result have to repeat what was said, so they are left alone.
        """
        draft = super().draft(request, refused)
        if request.temperature and not request.tools and request.output_schema is None:
            draft.body |= {"repeat_penalty": 1.1, "repeat_last_n": 256}
        return draft


class LlamaProcess:
    """A llama.cpp server process and its client. Create it with `launch`."""

    def __init__(self, process: processes.Process) -> None:
        self.active = 0
        """Number of requests in progress."""
        self._process = process
        self._idle = asyncio.Event()
        self._idle.set()
        self._last_words = b""
        self._listening = asyncio.create_task(self._listen())
        self._session: aiohttp.ClientSession | None = None
        self.model: Model
        self.encoder: Encoder | None = None

    @classmethod
    async def launch(
        cls,
        path: Path | None,
        name: str,
        slots: int,
        slot_tokens: int,
        encoder: Path | None = None,
        *,
        may_call_tools: bool = False,
        rewrites: bool = True,
    ) -> "LlamaProcess":
        """Start a server for the weights at `path` and an encoder (both optional), and wait until they serve.

        With `may_call_tools`, the model calls tools natively if its chat template supports them. All others need the
        assistant; `rewrites` is for it. Raises `LoadFailed`.
        """
        if path and not may_call_tools and not installed_assistant():
            raise LoadFailed(NOT_INSTALLED)
        key = secrets.token_urlsafe(32)
        encoder_path = str(encoder) if encoder else ""
        threads = min(cores(), _MAX_THREADS)
        options = ServerOptions(str(path) if path else "", key, os.getpid(), encoder_path, slots, slot_tokens, threads)
        child = cls(await _start())
        try:
            child._connect(name, *await child._load(options), options)
            if may_call_tools and await child._has_tool_template(options.key):
                child.model = child._plain
            elif path:
                child.model = _with_assistant(child._plain, rewrites=rewrites)
        except BaseException:
            await child.close()
            raise
        return child

    @property
    def dead(self) -> bool:
        """True if the process has ended."""
        return self._process.returncode is not None

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    @contextmanager
    def in_use(self) -> Iterator[Model]:
        """Count one request as active while the context is open; yields the model."""
        self.active += 1
        self._idle.clear()
        try:
            yield self.model
        finally:
            self.active -= 1
            if not self.active:
                self._idle.set()

    async def wait_until_ended(self) -> str:
        """Wait until the process ends. Return its exit code and last output as a message."""
        await self._process.wait()
        return self._reason()

    async def retire(self, patience_s: float) -> None:
        """Wait at most `patience_s` for active requests to finish, then close."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._idle.wait(), patience_s)
        await self.close()

    async def close(self) -> None:
        """Kill the process and release its pipes and connections."""
        self._process.kill()
        await self._process.wait()
        self._listening.cancel()
        self._process.close()
        if self._session:
            await self._session.close()

    async def _load(self, options: ServerOptions) -> tuple[int | None, int | None]:
        """Send the options and wait for the ports of the model and of the encoder."""
        stdin, stdout = self._process.stdin, self._process.stdout
        if stdin is None or stdout is None:
            raise LoadFailed("its pipes are missing")
        try:
            stdin.write(orjson.dumps(asdict(options)) + b"\n")
            line = await asyncio.wait_for(stdout.readline(), LOAD_S)
            answer = orjson.loads(line)
            return answer["port"], answer["encoder_port"]
        except TimeoutError as error:
            raise LoadFailed(f"it did not load within {LOAD_S:.0f} seconds") from error
        except (ConnectionError, orjson.JSONDecodeError) as error:
            await self._process.wait()
            raise LoadFailed(self._reason()) from error
        except KeyError as error:
            raise LoadFailed(str(answer.get("error"))) from error

    def _connect(self, name: str, port: int | None, encoder_port: int | None, options: ServerOptions) -> None:
        # A pooled connection would hide from the server that the client closed a stream.
        connector = aiohttp.TCPConnector(force_close=True, limit=0)
        self._session = aiohttp.ClientSession(connector=connector)
        if encoder_port:
            self.encoder = Encoder(f"http://127.0.0.1:{encoder_port}", options.key, self._session)
        address = f"http://127.0.0.1:{port}/v1"
        if port is None:
            return
        self._address = f"http://127.0.0.1:{port}"
        endpoint, limits = Endpoint(address, options.key), ModelLimits(options.slot_tokens, timeouts=_TIMEOUTS)
        self._plain = LlamaModel(LOCAL_ORIGIN, name, endpoint, self._session, limits)

    async def _has_tool_template(self, key: str) -> bool:
        """Return whether the chat template of the weights has tools and calls, as llama.cpp finds by rendering it."""
        assert self._session  # noqa: S101 - it is connected
        try:
            headers = {"Authorization": f"Bearer {key}"}
            async with self._session.get(f"{self._address}/props", headers=headers, timeout=_PROPS_TIMEOUT) as response:
                found = orjson.loads(await response.read()).get("chat_template_caps", {})
                return bool(found.get("supports_tools") and found.get("supports_tool_calls"))
        except (aiohttp.ClientError, TimeoutError, orjson.JSONDecodeError) as error:
            raise LoadFailed(f"its chat template cannot be read: {error}") from error

    async def _listen(self) -> None:
        """Drain standard error, so that the pipe does not fill up. Store its end for the error message."""
        while self._process.stderr and (output := await self._process.stderr.read(_KEPT_BYTES)):
            self._last_words = (self._last_words + output)[-_KEPT_BYTES:]

    def _reason(self) -> str:
        words = " / ".join(self._last_words.decode(errors="replace").strip().splitlines()[-3:])
        return f"the process ended with code {self._process.returncode}" + (f": {words[:300]}" if words else "")


def _with_assistant(model: JsonModel, *, rewrites: bool) -> Model:
    if (assistant := installed_assistant()) is None:
        raise LoadFailed(NOT_INSTALLED)
    return assistant.wrap(model, rewrites=rewrites)


async def _start() -> processes.Process:
    """Start a server process that waits for its options. It inherits no secrets and receives no terminal signals."""
    try:
        return await processes.start(
            [sys.executable, "-m", "retinue.models.local_server"],
            stdin=processes.PIPE,
            stdout=processes.PIPE,
            stderr=processes.PIPE,
            env={name: os.environ[name] for name in _INHERITED if name in os.environ},
            niceness=processes.BACKGROUND,
        )
    except OSError as error:
        raise LoadFailed(f"its process did not start: {error.strerror}") from error
