"""`retinue serve`."""

import asyncio
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import typer
import uvloop

from retinue import __version__
from retinue.core import log
from retinue.core.garbage import keep_what_is_there, look_rarely
from retinue.settings import Settings

if TYPE_CHECKING:
    from retinue.platform import Platform

_OWNER = "owner@localhost"
_KEY_FILE = "first-key"


def serve() -> None:
    """Start the server; the first start makes a user and prints a first key."""
    look_rarely()
    from retinue.server import serve as run_server  # noqa: PLC0415 - a second that other commands do without

    keep_what_is_there()
    settings = Settings()
    log.configure(settings.log_level)
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(run_server(settings, first_steps, announce))


async def first_steps(platform: "Platform") -> str | None:
    """On the very first start make the owner and a key; returns the key, or where it is kept."""
    if await platform.users_admin.all():
        return None
    await platform.users_admin.create(_OWNER)
    key = str(await platform.users_admin.create_key(_OWNER, name="first key"))
    return f"in {_keep(platform.home.folder / _KEY_FILE, key)}" if _goes_to_journal() else key


def _goes_to_journal() -> bool:
    """Whether standard output is the journal of systemd, which keeps what is printed (systemd.exec(5))."""
    stream = os.fstat(sys.stdout.fileno())
    return os.environ.get("JOURNAL_STREAM") == f"{stream.st_dev}:{stream.st_ino}"


def _keep(path: Path, key: str) -> Path:
    path.unlink(missing_ok=True)
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:  # noqa: PTH123 - a descriptor
        file.write(f"{key}\n")
    return path


def announce(url: str, key: str | None) -> None:
    """Tell where the server is and how to come in."""
    shown = key or f"shown at the first start; make another with: retinue keys create --user {_OWNER}"
    typer.echo(
        f"Retinue {__version__} is running.\n"
        f"  Portal     {url}/\n"
        f"  Reference  {url}/docs\n"
        f"  API        {url}/api/v1\n"
        f"  API key    {shown}\n"
        f"Stop it with Ctrl+C."
    )
