"""Running programs in bubbles."""

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from retinue.bubbles.bubble import Ended
from retinue.bubbles.bubbles import Bubbles

PYTHON = "python3"


async def outcome(bubbles: Bubbles, command: str | Sequence[str], **options: Any) -> Ended:
    """How a program, or a shell's command, ended."""
    words = ["/bin/sh", "-c", command] if isinstance(command, str) else command
    async with bubbles.bubble() as bubble:
        return await bubble.run(words, **options)


def processes_with(marker: str) -> list[int]:
    """The processes of the machine in whose command line a text is."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if marker.encode() in (process / "cmdline").read_bytes():
                found.append(int(process.name))
    return found
