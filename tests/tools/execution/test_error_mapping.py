"""The errors of calls whose tool process ends before it answers."""

import signal

import pytest

from retinue.core.errors import InternalError, RetinueError, Unavailable, ValidationFailed
from retinue.tools.execution.error_mapping import crash_error, timeout_error
from tests.tools.made_up import make_tool

TOOL = make_tool("a_tool")


@pytest.mark.parametrize(
    ("status", "kind", "words"),
    [
        (-signal.SIGXCPU, Unavailable, f"exceeded its timeout of {TOOL.timeout_s:g} s"),
        (-signal.SIGABRT, ValidationFailed, f"more memory than a_tool may use ({TOOL.memory_mb} MiB)"),
        (-signal.SIGTRAP, ValidationFailed, "more memory"),
        (-signal.SIGILL, ValidationFailed, "more memory"),
        (-signal.SIGKILL, Unavailable, "stopped by another process"),
        (-signal.SIGSEGV, InternalError, "crashed"),
        (signal.SIGKILL, InternalError, "crashed"),
        (signal.SIGABRT, InternalError, "crashed"),
        (0, InternalError, "crashed"),
        (None, InternalError, "crashed"),
    ],
)
def test_the_status_of_a_process_shows_how_it_ended(status: int | None, kind: type[RetinueError], words: str) -> None:
    error = crash_error(TOOL, status)
    assert (type(error), words in error.message) == (kind, True), error.message


def test_imports_that_take_too_long_are_not_the_inputs_fault() -> None:
    assert "took too long to load" in timeout_error(TOOL, loaded=False).message
