"""`retinue serve`."""

import asyncio
import os
import shlex
import sys
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import typer
import uvloop

from retinue import __version__
from retinue.auth.sign_in.links import link_address
from retinue.cli.configuration import load_settings
from retinue.core.children.processes import set_close_on_exec
from retinue.core.errors import ValidationFailed
from retinue.core.runtime import log
from retinue.core.runtime.gc_tuning import collect_less_often

if TYPE_CHECKING:
    from retinue.platform.platform import Platform

_OWNER = "owner@localhost"
_FIRST_FILE = "first-key"


def serve() -> None:
    """Start the server. The first start creates a user and prints a first key."""
    collect_less_often()
    settings = load_settings()  # A wrong setting is refused before the server is imported, which takes seconds.
    from retinue.server import serve as run_server

    set_close_on_exec()
    log.configure(settings.log_level, for_people=sys.stderr.isatty())
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(run_server(settings, first_steps, partial(announce, public_url=settings.public_url)))


@dataclass(frozen=True)
class FirstAccess:
    """The key and sign-in link that the first start creates for the owner, and the file to write them to, if any."""

    key: str
    link: str
    file: Path | None


async def first_steps(platform: "Platform") -> FirstAccess | None:
    """On the first start, create the owner, a key and a sign-in link.

    They do not belong into the systemd journal, which more people may read than the data folder.
    """
    if await platform.users_admin.all():
        return None
    try:
        await platform.users_admin.create(_OWNER)
    except ValidationFailed:  # another node on the same database has just created the user, and prints the key
        return None
    key = await platform.users_admin.create_key(_OWNER, name="first key")
    link = await platform.users_admin.link(_OWNER)
    return FirstAccess(str(key), link, platform.home.folder / _FIRST_FILE if _writes_to_journal() else None)


def _writes_to_journal() -> bool:
    """Return True if standard output is the systemd journal (systemd.exec(5))."""
    stream = os.fstat(sys.stdout.fileno())
    return os.environ.get("JOURNAL_STREAM") == f"{stream.st_dev}:{stream.st_ino}"


def _write_private_file(path: Path, text: str) -> None:
    path.unlink(missing_ok=True)
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:  # noqa: PTH123 - a descriptor
        file.write(text)


def _access_lines(url: str, first: FirstAccess | None) -> str:
    """Return how to sign in, and the API key. Writes both to the private file if there is one."""
    if first is None:
        return (
            f"  Sign in    {_command()} users link {_OWNER}\n"
            f"  API key    shown at the first start; create another with: retinue keys create --user {_OWNER}\n"
        )
    lines = f"  Sign in    {link_address(url, first.link)} (works once)\n  API key    {first.key}\n"
    if first.file is None:
        return lines
    _write_private_file(first.file, lines)
    return f"  Sign in    see {first.file}\n  API key    see {first.file}\n"


def _command() -> str:
    """Return this command as the reader can repeat it in a shell: with its path, and the data folder of this server."""
    home = os.environ.get("RETINUE_HOME")
    return f"RETINUE_HOME={shlex.quote(home)} {shlex.quote(sys.argv[0])}" if home else shlex.quote(sys.argv[0])


def announce(url: str, first: FirstAccess | None, public_url: str | None = None) -> None:
    """Print the server's addresses and how to sign in."""
    typer.echo(
        f"Retinue {__version__} is running.\n"
        f"  Portal     {url}/\n"
        f"  Reference  {url}/docs\n"
        f"  API        {url}/api/v1\n"
        f"{_access_lines(public_url or url, first)}"
        "Stop it with Ctrl+C."
    )
