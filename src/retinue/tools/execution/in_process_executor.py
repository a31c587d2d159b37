"""Run tools inside the server with the account's data, because they work with what the platform stores."""

import asyncio
import importlib
import traceback
from collections.abc import Awaitable, Callable, Mapping
from typing import TypeAlias

from retinue.core.errors import NotFound, RetinueError, disk_full
from retinue.core.runtime.executors import run_on_disk_thread
from retinue.tools.authoring.declare import ToolError, ToolUnavailable
from retinue.tools.authoring.tool import Tool
from retinue.tools.execution import error_mapping
from retinue.tools.execution.replies import Reply
from retinue.workspace.tool_context import ToolContext

_Function: TypeAlias = Callable[..., Awaitable[dict[str, object]]]


async def execute(tool: Tool, args: Mapping[str, object], context: ToolContext) -> dict[str, object]:
    """Call a tool with validated arguments and return its result.

    Raises the errors of a call in a worker: `ValidationFailed` if the tool refuses the arguments, `Unavailable` if it
    exceeds its time-out or a service it needs is unavailable, `InternalError` if the tool is at fault.
    `InsufficientScope` of the caller propagates.
    """
    if tool.needs and (reason := await context.sandboxes.missing(tool.needs)):
        raise error_mapping.missing_program_error(tool, reason)
    module = await run_on_disk_thread(importlib.import_module, tool.module)
    function: _Function = getattr(module, tool.function)
    try:
        async with asyncio.timeout(tool.timeout_s):
            reply = await _reply(function, tool.function_arguments(args), context)
    except TimeoutError:
        raise error_mapping.timeout_error(tool, loaded=True) from None
    return error_mapping.result(tool, reply)


async def _reply(function: _Function, args: Mapping[str, object], context: ToolContext) -> Reply:
    """Return the outcome of a call in the form of a worker's reply."""
    try:
        return {"kind": "result", "result": await function(context, **args)}
    except (ToolError, NotFound) as error:
        return {"kind": "refused", "message": str(error)}
    except ToolUnavailable as error:
        return {"kind": "unavailable", "message": str(error)}
    except (RetinueError, TimeoutError):
        raise
    except Exception as error:
        if full := disk_full(error):
            raise full from error
        place = "".join(traceback.format_tb(error.__traceback__, limit=-10))
        return {"kind": "bug", "detail": f"{place}{type(error).__name__}"}
