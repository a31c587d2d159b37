"""Start a program that the operator allows: `python -m retinue.tools.imports.mcp.launcher`.

The launcher reads one line of JSON from standard input (the fields of `Start`), and the program reads the rest. When
the server ends, however it ends, the program and every process of its process group end.
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
    """`lifeline` is the read end of a pipe whose write end only the server has; `parent` is the server's
    process id.
    """

    command: list[str]
    environment: Mapping[str, str]
    memory_mb: int
    parent: int
    lifeline: int


def main() -> None:
    """Read the start parameters from standard input, and execute the program."""
    with os.fdopen(0, "rb", buffering=0, closefd=False) as given:  # a buffer would swallow the program's input
        start = Start(**json.loads(given.readline()))
    die_with_parent(start.parent, start.lifeline)
    most = start.memory_mb << 20
    resource.setrlimit(resource.RLIMIT_DATA, (most, most))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # Python ignores SIGPIPE, and the program would inherit that
    try:
        os.execvpe(start.command[0], start.command, start.environment)  # noqa: S606 - becoming it is the purpose
    except OSError as error:
        raise SystemExit(f"cannot run {start.command[0]}: {error.strerror}") from error


if __name__ == "__main__":
    main()
