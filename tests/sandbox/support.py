"""Runs programs in sandboxes."""

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from retinue.sandbox.sandbox import ProgramResult
from retinue.sandbox.sandboxes import Sandboxes

PYTHON = "python3"


async def outcome(sandboxes: Sandboxes, command: str | Sequence[str], **options: Any) -> ProgramResult:
    """Run a program or a shell command. Returns its outcome."""
    words = ["/bin/sh", "-c", command] if isinstance(command, str) else command
    async with sandboxes.sandbox() as sandbox:
        return await sandbox.run(words, **options)


def processes_with(marker: str) -> list[int]:
    """Return the machine's processes whose command line contains a text."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if marker.encode() in (process / "cmdline").read_bytes():
                found.append(int(process.name))
    return found
