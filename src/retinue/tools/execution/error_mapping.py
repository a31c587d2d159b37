"""Convert results and errors of worker calls to those of the API."""

import signal

import structlog

from retinue.core.errors import InternalError, LibrariesMissing, RetinueError, Unavailable, ValidationFailed
from retinue.tools.authoring.tool import Tool
from retinue.tools.execution.connection_arguments import KEYWORD
from retinue.tools.execution.replies import Reply

_log = structlog.get_logger()
_OUT_OF_MEMORY = {signal.SIGABRT, signal.SIGTRAP, signal.SIGILL}
"""The signals with which native libraries end their process when memory runs out; Python raises `MemoryError`."""


def result(tool: Tool, reply: Reply) -> dict[str, object]:
    """Return the result in a worker's reply. Raises the error that the reply contains."""
    match reply["kind"]:
        case "result":
            return reply["result"]
        case "refused":
            raise ValidationFailed(reply["message"])
        case "unavailable":
            raise Unavailable(reply["message"])
        case "memory":
            raise _too_large(tool)
        case "missing":
            _log.error("tool_library_missing", tool=tool.name, detail=reply["detail"])
            raise LibrariesMissing(
                f"{tool.name} cannot be used yet: the server is still installing libraries, which takes a few minutes "
                "after its first start. Try again in a minute."
            )
        case _:
            _log.error("tool_failed", tool=tool.name, detail=_detail(tool, reply))
            raise InternalError(
                f"{tool.name} failed because of a bug in the tool. Include the request id when you report it."
            )


def _too_large(tool: Tool) -> RetinueError:
    return ValidationFailed(
        f"The input needs more memory than {tool.name} may use ({tool.memory_mb} MiB). Send a smaller one."
    )


def _detail(tool: Tool, reply: Reply) -> str:
    """Return where a tool failed, and why; without the reason if that may quote a connection's secret."""
    holds_secrets = any(KEYWORD in part for part in tool.input_schema.get("properties", {}).values())
    detail, message = reply["detail"], reply.get("message")
    return f"{detail}: {message}" if message and not holds_secrets else str(detail)


def missing_program_error(tool: Tool, reason: str) -> RetinueError:
    """Return the error for a tool whose programs are missing on this machine."""
    return Unavailable(f"{tool.name} cannot be called: {reason}")


def crash_error(tool: Tool, status: int | None) -> RetinueError:
    """Return the error for a worker that ended during a call, by its exit status, negative for a signal."""
    _log.error("tool_worker_died", tool=tool.name, status=status)
    if status == -signal.SIGXCPU:
        return timeout_error(tool, loaded=True)
    if status is not None and -status in _OUT_OF_MEMORY:
        return _too_large(tool)
    if status == -signal.SIGKILL:
        return Unavailable(f"{tool.name} was stopped by another process. Try again shortly.")
    return InternalError(f"{tool.name} crashed. Include the request id when you report it.")


def timeout_error(tool: Tool, *, loaded: bool) -> RetinueError:
    """Return the error for a call that ran too long, or whose imports did."""
    if not loaded:
        return Unavailable(f"The libraries of {tool.name} took too long to load. Try again.")
    return Unavailable(f"{tool.name} exceeded its timeout of {tool.timeout_s:g} s. Send a smaller or simpler input.")
