"""Start a program that the operator allows, confined to its own folder and the files that it may use.

The launcher reads one line of JSON from standard input (the fields of `LaunchOptions`), and the program reads the rest.
When
the server ends, however it ends, the program and every process of its process group end.
"""

import json
import os
import resource
import shutil
import signal
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from retinue.tools.execution.sandbox import confine_program, die_with_parent


@dataclass(frozen=True, slots=True)
class LaunchOptions:
    """`lifeline` is the read end of a pipe whose write end only the server has; `parent` is the server's
    process id. `home` is the program's own folder, `files` are others that it may use, and `user` is who it becomes
    if the server is root. If `required`, it does not start unless the kernel confines it.
    """

    command: list[str]
    environment: Mapping[str, str]
    memory_mb: int
    parent: int
    lifeline: int
    home: str
    files: Sequence[str]
    network: bool
    user: int
    required: bool


def main() -> None:
    """Read the start parameters from standard input, and execute the program."""
    with os.fdopen(0, "rb", buffering=0, closefd=False) as stdin:  # a buffer would swallow the program's input
        start = LaunchOptions(**json.loads(stdin.readline()))
    die_with_parent(start.parent, start.lifeline)
    most = start.memory_mb << 20
    resource.setrlimit(resource.RLIMIT_DATA, (most, most))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # Python ignores SIGPIPE, and the program would inherit that
    _confine(start)
    try:
        os.execvpe(start.command[0], start.command, start.environment)  # noqa: S606 - becoming it is the purpose
    except OSError as error:
        raise SystemExit(f"cannot run {start.command[0]}: {error.strerror}") from error


def _confine(start: LaunchOptions) -> None:
    os.chdir(start.home)
    found = shutil.which(start.command[0], path=start.environment.get("PATH"))
    missing = confine_program(
        _installation(Path(found)) if found else (), start.files, start.home, network=start.network, user=start.user
    )
    if missing and start.required:
        raise SystemExit(
            f"the kernel does not confine it ({'; '.join(missing)}); RETINUE_SANDBOX=require asks for that"
        )


def _installation(program: Path) -> Iterator[str]:
    """Yield the program, and its Python environment if it is in one."""
    yield from (str(program), str(program.resolve()))
    for environment in {program.parent.parent, program.resolve().parent.parent}:
        if (environment / "pyvenv.cfg").is_file() or any(environment.glob("lib/python3*/os.py")):
            yield str(environment)
