"""A worker process: imports tools and calls them, one request at a time, confined and limited.

It ends with the server, or when its standard input closes. Requests and replies are frames. A request names a module
to import, or in addition a function to call, its arguments and limits; or it has modules to compile. Every request gets
exactly one reply.
"""

import dataclasses
import errno
import importlib
import json
import math
import os
import resource
import shutil
import sys
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import orjson

from retinue.core.children import frames
from retinue.tools.authoring import output_file_api
from retinue.tools.authoring.declare import ToolError, ToolUnavailable
from retinue.tools.authoring.plugin_module import PluginModule, import_source
from retinue.tools.execution import sandbox
from retinue.tools.execution.replies import Reply
from retinue.tools.outbound import worker_sockets

_OUT_OF_RANGE = "Use less extreme arguments."
_TOO_DEEP = "The input is nested too deeply."
_TOO_LARGE = f"A number became too large to compute. {_OUT_OF_RANGE}"
_DISK_FULL = "The disk of the server is full. Try again once its operator has freed space."
_BEYOND_64_BITS = "Integer exceeds 64-bit range"
"""orjson's error for an integer that JSON readers could not read exactly."""
_PAGE = resource.getpagesize()


def main() -> None:
    """Run the worker. The last command-line argument is a JSON object with the launch options."""
    options = json.loads(sys.argv[-1])
    sandbox.die_with_parent(options["parent"], options["lifeline"])
    os.chdir(options["scratch"])
    statm = os.open("/proc/self/statm", os.O_RDONLY)
    unconfined = sandbox.confine_python(options["scratch"])
    worker_sockets.attach(options["channel"])
    requests, replies = _private_streams()
    _send(replies, orjson.dumps({"kind": "hello", "unconfined": unconfined}))
    while (encoded := frames.read(requests)) is not None:
        request = orjson.loads(encoded)
        if "name" in request:
            shutil.rmtree(output_file_api.OUTPUT_FOLDER, ignore_errors=True)
        reply = _answer(request, statm)
        # Before the reply: after it, the pool may put the next call's files into the folder.
        _clear(options["scratch"])
        _send(replies, reply)


def _send(replies: BinaryIO, reply: bytes) -> None:
    replies.write(frames.pack(reply))
    replies.flush()


def _private_streams() -> tuple[BinaryIO, BinaryIO]:
    """Move the pool's pipes to other descriptors, so that a tool's prints and reads do not touch them."""
    requests, replies = os.dup(0), os.dup(1)
    null = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(null, standard)
    os.close(null)
    return os.fdopen(requests, "rb"), os.fdopen(replies, "wb")


def _answer(request: dict[str, object], statm: int) -> bytes:
    """Return the encoded reply, including the memory in use afterwards."""
    try:
        reply = _reply(request, statm)
        reply["rss_mb"] = _pages(statm)[1] * _PAGE >> 20
        encoded = orjson.dumps(reply)
        if b"null" in encoded:
            _refuse_nan(reply)
    except MemoryError:
        return b'{"kind":"memory"}'
    except OverflowError as error:
        return orjson.dumps({"kind": "refused", "message": f"{error} {_OUT_OF_RANGE}"})
    except TypeError as error:
        if str(error) == _BEYOND_64_BITS:
            return orjson.dumps(
                {"kind": "refused", "message": f"The result does not fit into 64 bits. {_OUT_OF_RANGE}"}
            )
        return orjson.dumps({"kind": "bug", "detail": f"The result is not JSON: {error}"})
    if len(encoded) > frames.MOST_BYTES:
        return orjson.dumps({"kind": "refused", "message": "The result is longer than 16 MiB. Request less data."})
    return encoded


def _reply(request: dict[str, Any], statm: int) -> Reply:
    """Import a module or call a tool, and return the outcome."""
    try:
        if "name" not in request:
            return _compile(request["compile"]) if "compile" in request else _import(**request)
        function = getattr(sys.modules[request["module"]], request["name"])
        with _limits(request["memory_mb"], request["timeout_s"], statm):
            return {"kind": "result", "result": _object(function(**request["args"]))}
    except ToolError as error:
        return {"kind": "refused", "message": str(error)}
    except (ToolUnavailable, ConnectionError, TimeoutError) as error:
        return {"kind": "unavailable", "message": str(error) or "The tool timed out while waiting for a response."}
    except (RecursionError, OverflowError) as error:
        return {"kind": "refused", "message": _TOO_DEEP if isinstance(error, RecursionError) else _TOO_LARGE}
    except MemoryError:
        return {"kind": "memory"}
    except ImportError as error:
        return {"kind": "missing", "detail": str(error)}
    except BaseException as error:  # noqa: BLE001  a tool may raise anything, Rust's panics too, and the worker lives on
        return {"kind": "unavailable", "message": _DISK_FULL} if _is_disk_full(error) else _bug(error)


def _is_disk_full(error: BaseException) -> bool:
    """Return whether the file system of the scratch folder has no room or no inodes left."""
    return isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT)


def _compile(modules: list[dict[str, str]]) -> Reply:
    from retinue.tools.authoring.compile_module import compile_module  # noqa: PLC0415 - libraries of the server's Python

    return {"kind": "compiled", "outcomes": [compile_module(PluginModule(**module)) for module in modules]}


def _import(module: str, source: str) -> Reply:
    if source:
        import_source(module, source)
    else:
        importlib.import_module(module)
    return {"kind": "imported"}


def _bug(error: BaseException) -> Reply:
    """Return the error for the log: its place, and the beginning of its message, which may quote the tool's input."""
    place = "".join(traceback.format_tb(error.__traceback__, limit=-10))
    return {"kind": "bug", "detail": f"{place}{type(error).__name__}", "message": str(error)[:200]}


@contextmanager
def _limits(memory_mb: int, timeout_s: float, statm: int) -> Iterator[None]:
    """Limit what a call may add to the address space, and its processor time, in case the server cannot stop it."""
    _set_soft(resource.RLIMIT_AS, _pages(statm)[0] * _PAGE + (memory_mb << 20))
    _set_soft(resource.RLIMIT_CPU, math.ceil(time.process_time() + timeout_s) + 1)
    try:
        yield
    finally:
        _set_soft(resource.RLIMIT_AS, resource.RLIM_INFINITY)
        _set_soft(resource.RLIMIT_CPU, resource.RLIM_INFINITY)


def _set_soft(kind: int, value: int) -> None:
    hard = resource.getrlimit(kind)[1]
    resource.setrlimit(kind, (value if hard == resource.RLIM_INFINITY else min(value, hard), hard))


def _pages(statm: int) -> list[int]:
    """Return the pages of this process's address space, and its resident pages."""
    return [int(number) for number in os.pread(statm, 128, 0).split()[:2]]


def _object(result: object) -> dict[str, object]:
    if not isinstance(result, dict):
        raise TypeError(f"a tool must return a JSON object, not {type(result).__name__}")
    return result


def _refuse_nan(value: object) -> None:
    """Raise an error for NaN and infinities: orjson writes them as null, and JSON has neither."""
    try:
        json.dumps(value, allow_nan=False, default=_unfold)
    except ValueError as error:
        raise OverflowError("The result is not a finite number.") from error


def _unfold(value: object) -> object:
    """Convert what orjson can write and json cannot: dataclasses to their fields; other objects hold no number."""
    return dataclasses.asdict(value) if dataclasses.is_dataclass(value) and not isinstance(value, type) else str(value)


def _clear(scratch: str) -> None:
    """Delete the files of a call before the next, except output files that the platform has yet to store."""
    os.chdir(scratch)
    for item in os.scandir(scratch):
        if not item.is_dir(follow_symlinks=False):
            Path(item.path).unlink()
        elif item.name != output_file_api.OUTPUT_FOLDER:
            shutil.rmtree(item.path, ignore_errors=True)
