"""Running programs in bubbles, on machines that allow it and on others."""

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from retinue.bubbles.bubble import Ended
from retinue.bubbles.bubbles import Bubbles
from retinue.core.errors import Unavailable

PYTHON = "python3"


async def outcome(bubbles: Bubbles, command: str | Sequence[str], **options: Any) -> Ended | None:
    """How a program, or a shell's command, ended; None where this machine runs none, and says so."""
    words = ["/bin/sh", "-c", command] if isinstance(command, str) else command
    if await bubbles.missing(["bwrap"]):
        with pytest.raises(Unavailable, match=r"bwrap not found|bubblewrap (may|does) not work"):
            async with bubbles.bubble() as bubble:
                await bubble.run(words, **options)
        return None
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
