"""Runs programs in sandboxes."""

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from retinue.bubbles.bubble import Ended
from retinue.bubbles.bubbles import Bubbles

PYTHON = "python3"


async def outcome(bubbles: Bubbles, command: str | Sequence[str], **options: Any) -> Ended:
    """Run a program or a shell command. Returns its outcome."""
    words = ["/bin/sh", "-c", command] if isinstance(command, str) else command
    async with bubbles.bubble() as bubble:
        return await bubble.run(words, **options)


def processes_with(marker: str) -> list[int]:
    """Return the machine's processes whose command line contains a text."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if marker.encode() in (process / "cmdline").read_bytes():
                found.append(int(process.name))
    return found
