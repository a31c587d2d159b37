"""Becomes a program that the operator allows: `python -m retinue.tools.imports.mcp.launcher`.

It reads one line of JSON from standard input (the fields of `Start`); what follows there is for the program. That ends
with the server, however the server ends, and ends every process of its process group.
"""

import json
import os
import resource
import signal
from collections.abc import Mapping
from dataclasses import dataclass

from retinue.tools.sandbox import die_with_parent


@dataclass(frozen=True, slots=True)
class Start:
    """`lifeline` is the reading end of a pipe whose writing end only the server has, `parent` the server's id."""

    command: list[str]
    environment: Mapping[str, str]
    memory_mb: int
    parent: int
    lifeline: int


def main() -> None:
    """Take what is to be started from standard input, and become it."""
    with os.fdopen(0, "rb", buffering=0, closefd=False) as given:  # a buffer would swallow what is for the program
        start = Start(**json.loads(given.readline()))
    die_with_parent(start.parent, start.lifeline)
    most = start.memory_mb << 20
    resource.setrlimit(resource.RLIMIT_DATA, (most, most))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # Python ignores it, and what is ignored stays so in the program
    try:
        os.execvpe(start.command[0], start.command, start.environment)  # noqa: S606 - becoming it is the purpose
    except OSError as error:
        raise SystemExit(f"cannot run {start.command[0]}: {error.strerror}") from error


if __name__ == "__main__":
    main()
