"""Logs callbacks of a test server's event loop that use much CPU time.

The watchdog of the server measures wall time, so a busy machine delays it. This measures the loop's thread alone.
"""

import asyncio
import time
from typing import Any
from unittest.mock import patch

import structlog

from retinue.core.runtime.log import request_id

LIMIT = "TESTS_LOOP_CPU_S"
"""An environment variable of test servers: the CPU seconds from which a callback is logged."""
EVENT = "loop.busy"

_log = structlog.get_logger()


def log_long_callbacks(limit_s: float) -> None:
    """Log every callback of asyncio's own loops that uses `limit_s` CPU seconds or more."""
    run = asyncio.Handle._run

    def measured(handle: asyncio.Handle) -> Any:
        context = handle._context  # type: ignore[attr-defined]  # not in typeshed
        request = context.get(request_id)
        began = time.thread_time()
        result = run(handle)
        if (took := time.thread_time() - began) >= limit_s:
            request = request or context.get(request_id)
            _log.warning(EVENT, cpu_s=round(took, 3), request_id=request, callback=repr(handle)[:500])
        return result

    patch.object(asyncio.Handle, "_run", measured).start()
