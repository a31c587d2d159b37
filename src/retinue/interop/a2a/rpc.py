"""The JSON-RPC binding: messages, methods, and the version that a client speaks."""

from collections.abc import AsyncGenerator, Callable, Mapping
from dataclasses import dataclass
from typing import TypeVar

import orjson
import structlog
from pydantic import ValidationError
from starlette.datastructures import Headers, QueryParams

from retinue.core.errors import InternalError, RetinueError, ValidationFailed
from retinue.core.http.validation_messages import describe_fields
from retinue.interop.a2a import v03
from retinue.interop.a2a.errors import INVALID_REQUEST, MethodNotFound, VersionNotSupported, error_body, rpc_error
from retinue.interop.a2a.events import TaskEvents
from retinue.interop.a2a.wire import Event, ProtocolObject, Task, event_fields

NEW, OLD = "1.0", "0.3"
_HEADER = "a2a-version"
_METHODS = frozenset(v03.METHODS.values()) | {"ListTasks"}

_log = structlog.get_logger()
P = TypeVar("P", bound=ProtocolObject)


def version_of(headers: Headers, query: QueryParams) -> str:
    """Return the version that a client speaks, without its patch number. A request without one is of 0.3."""
    version = headers.get(_HEADER) or query.get("A2A-Version") or OLD
    return ".".join(version.strip().split(".")[:2])


def require_new(version: str) -> None:
    """Raise `VersionNotSupported` unless a client of HTTP+JSON speaks 1.0."""
    if version != NEW:
        raise VersionNotSupported(
            f"HTTP+JSON is served for A2A {NEW} only, and this request is of {version[:20]}. Send the header "
            f"A2A-Version: {NEW}. Clients of {OLD} use JSON-RPC."
        )


@dataclass(frozen=True, slots=True)
class Call:
    """A request. `method` is its name in 1.0."""

    id: str | int | None
    method: str
    params: Mapping[str, object]
    old: bool

    def read(self, model: type[P], translate: Callable[[v03.Json], object] = v03.read_params) -> P:
        """Return the parameters, after translating those of 0.3. Raises `ValidationFailed`."""
        try:
            return model.model_validate(translate(self.params) if self.old else self.params)
        except ValidationError as error:
            raise ValidationFailed(describe_fields(error)) from error

    def answer(self, result: object) -> dict[str, object]:
        """Return the response with a result in the form of the client's version."""
        return {"jsonrpc": "2.0", "id": self.id, "result": result}

    def result(self, result: Mapping[str, object]) -> dict[str, object]:
        """Return the response with a result, which names its kind only where the method can return several."""
        return self.answer(result)

    def event(self, event: Event) -> dict[str, object]:
        """Return the response with an event, or with the result of sending a message."""
        return self.result(v03.write_event(event) if self.old else event_fields(event))

    def task(self, task: Task) -> dict[str, object]:
        """Return the response with a task."""
        return self.result(v03.write_task(task) if self.old else task.fields())

    def error(self, error: RetinueError) -> dict[str, object]:
        """Return the response with an error."""
        return {"jsonrpc": "2.0", "id": self.id, "error": rpc_error(error)}

    async def frames(self, task: TaskEvents, history_length: int | None = None) -> AsyncGenerator[bytes]:
        """Yield the events of a task."""
        try:
            async for event in task.events(history_length):
                yield _frame(self.event(event))
        except RetinueError as error:
            yield _frame(self.error(error))
        except Exception:  # noqa: BLE001 - the stream has begun, so the gate cannot answer
            _log.exception("a2a.stream_failed")
            yield _frame(self.error(InternalError("")))


def read_call(body: Mapping[str, object], version: str) -> Call:
    """Return the request in a body. Raises `VersionNotSupported`, `MethodNotFound` and `ValidationFailed`."""
    method, params = body.get("method"), body.get("params")
    if version not in (NEW, OLD):
        raise VersionNotSupported(f"A2A {version[:20]} is not supported. Send A2A-Version: {NEW}, or {OLD}.")
    if not isinstance(method, str) or not isinstance(params, dict | None):
        raise ValidationFailed("method must be a string, and params an object.")
    old = version == OLD
    name = v03.METHODS.get(method) if old else method
    if name not in _METHODS:
        raise MethodNotFound(_unknown(method, old=old))
    return Call(id_of(body), name, params or {}, old)


def id_of(body: Mapping[str, object]) -> str | int | None:
    """Return the id of a request, or None if it has none."""
    value = body.get("id")
    return value if isinstance(value, str | int) and not isinstance(value, bool) else None


def invalid_request(message: str, code: int = INVALID_REQUEST) -> dict[str, object]:
    """Return the response to a body that is no request."""
    return {"jsonrpc": "2.0", "id": None, "error": {"code": code, "message": message}}


async def plain_frames(task: TaskEvents, history_length: int | None = None) -> AsyncGenerator[bytes]:
    """Yield the events of a task as HTTP+JSON has them."""
    try:
        async for event in task.events(history_length):
            yield _frame(event_fields(event))
    except RetinueError as error:
        yield b"event: error\n" + _frame(error_body(error))


def _unknown(method: str, *, old: bool) -> str:
    if old and method in _METHODS:
        return f"{method} is a method of A2A {NEW}. Send the header A2A-Version: {NEW} with it."
    if not old and method in v03.METHODS:
        return f"In A2A {NEW}, this method is {v03.METHODS[method]}. Clients of {OLD} leave out the header A2A-Version."
    return f"There is no method {method[:100]!r} in A2A {OLD if old else NEW}."


def _frame(message: Mapping[str, object]) -> bytes:
    return b"data: " + orjson.dumps(message) + b"\n\n"
