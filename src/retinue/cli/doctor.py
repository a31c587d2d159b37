"""`retinue doctor`: check the requirements of Retinue and explain how to fix problems."""

import asyncio
import os
import platform
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterator
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from retinue.cli.configuration import load_settings
from retinue.cli.doctor_configuration import configuration_checks
from retinue.cli.doctor_voice import check_voice
from retinue.core.errors import RetinueError
from retinue.core.runtime import log
from retinue.core.runtime.data_dir import DataDir, DataDirBusy
from retinue.core.runtime.redaction import hide_url_users
from retinue.models.known_weights import WEIGHTS, FileWeights, Weights, default_weights, known_weights
from retinue.platform.unknown_variables import unknown_variables
from retinue.sandbox import system_requirements
from retinue.sandbox.sandboxes import Sandboxes
from retinue.tools.catalogue.catalogue import Catalogue
from retinue.tools.execution.confinement import Confinement
from retinue.tools.execution.process import try_out
from retinue.tools.plugins.discovery import folder_modules, package_modules
from retinue.tools.plugins.tools import compile_modules
from retinue.voice.environment import VoiceEnvironment

if TYPE_CHECKING:
    from retinue.settings import Settings

_ENOUGH_DISK = 2_000_000_000
_LOCAL = ("127.0.0.1", "::1", "localhost")


class Part(StrEnum):
    """A part that can be tried out."""

    VOICE = "voice"


def doctor(
    part: Annotated[
        Part | None, typer.Argument(help="Check one part with a trial: `voice` makes a call on this machine.")
    ] = None,
) -> None:
    """Check the machine and the configuration. Exits with status 1 if a problem must be fixed."""
    if part is Part.VOICE:
        return check_voice()
    log.configure("error")
    settings = load_settings()
    home = DataDir(settings.home)
    required = settings.sandbox == "require"
    checks: dict[str, Callable[[], str]] = {
        "python": platform.python_version,
        "data folder": lambda: _folder(home),
        "disk": lambda: _disk(home),
        "database": lambda: _database(settings),
        **configuration_checks(settings, home),
        "tools": lambda: f"{len(Catalogue.load(home.cache, confined=required))} in the catalogue",
        "tools of other authors": lambda: _added_tools(home, required),
        "sandbox of tools": _sandbox,
        "programs": lambda: _programs(settings, home),
        "audio and video": lambda: (
            _optional(system_requirements.describe_missing(["ffmpeg", "ffprobe"])) or "by ffmpeg"
        ),
        "voice": lambda: _voice(home),
        "model": lambda: _model(settings, home),
        "server": lambda: _server(home),
    }
    outcomes = [_report(name, check) for name, check in checks.items()]
    for risk in (*find_risks(settings, os.geteuid()), *unknown_variables(settings, os.environ)):
        typer.echo(f"WARN  configuration: {risk}")
    if not all(outcomes):
        raise typer.Exit(1)
    return None


class _Missing(Exception):
    """Something optional is missing, or less safe than it should be."""


def _optional(missing: str) -> str:
    """Raise `_Missing` for a sentence that says what is missing."""
    if missing:
        raise _Missing(missing)
    return missing


def find_risks(settings: "Settings", user: int) -> Iterator[str]:
    """Yield a sentence for each setting that makes a server less safe than it could be."""
    if user == 0:
        yield "Retinue runs as root. Run it as a user of its own, as in the guide on operating."
    if settings.host not in _LOCAL and not settings.public_url:
        yield (
            f"HOST={settings.host} is reachable from other machines, but RETINUE_PUBLIC_URL is not set, so addresses "
            "in responses come from the Host header. Set it to the address that clients use."
        )
    if any(not network.prefixlen for network in settings.trusted_proxies):
        yield "RETINUE_TRUSTED_PROXIES trusts every address, so clients can forge theirs. Name your proxies only."
    if settings.sign_up == "open":
        yield "RETINUE_SIGN_UP=open lets anybody create a user."
    if settings.rate_limits == "off":
        yield "RETINUE_RATE_LIMITS=off refuses nobody. Use it on test servers only."


def _report(name: str, check: Callable[[], str]) -> bool:
    try:
        _print(f"ok    {name}: {check()}")
    except _Missing as missing:
        _print(f"WARN  {name}: {missing}")
    except (RetinueError, RuntimeError, OSError) as error:
        _print(f"MEND  {name}: {error}")
        return False
    return True


def _print(line: str) -> None:
    """Print a line without the passwords that are part of URLs."""
    typer.echo(hide_url_users(line))


def _folder(home: DataDir) -> str:
    home.create()
    if not os.access(home.folder, os.W_OK):
        raise PermissionError(f"{home.folder} is not writable. Set RETINUE_HOME to a folder that you can write to.")
    if home.key.exists() and home.key.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise _Missing(f"Other users may read {home.key}. Run: chmod 600 {home.key}")
    return str(home.folder)


def _disk(home: DataDir) -> str:
    free = shutil.disk_usage(home.folder).free
    if free < _ENOUGH_DISK:
        raise OSError(f"{free / 1e9:.1f} GB free at {home.folder}, but {_ENOUGH_DISK / 1e9:.0f} GB are recommended.")
    return f"{free / 1e9:.1f} GB free"


def _added_tools(home: DataDir, required: bool) -> str:
    modules, unreadable = folder_modules(home.added_tools)
    tools, faults = asyncio.run(compile_modules([*package_modules(), *modules], Confinement(required)))
    if faults := [*unreadable, *faults]:
        raise RuntimeError("; ".join(faults))
    return f"{len(tools)}, from packages and {home.added_tools}"


def _database(settings: "Settings") -> str:
    if settings.postgres is None:
        return "SQLite, embedded"
    from retinue.core.database.postgres import connect_once

    async def version(url: str) -> str:
        connection = await connect_once(url)
        try:
            return str(await connection.fetchval("SHOW server_version"))
        finally:
            await connection.close()

    return f"PostgreSQL {asyncio.run(version(settings.postgres))}"


def _sandbox() -> str:
    """Check that the kernel confines tool workers. Otherwise a vulnerable library could expose the server's files."""
    with tempfile.TemporaryDirectory() as scratch:
        confinement = asyncio.run(try_out(Path(scratch)))
    if confinement.missing:
        raise OSError(
            f"{confinement.status}. Tools still run, unless RETINUE_SANDBOX=require is set. Linux 5.13 or "
            "later confines them, with landlock in /sys/kernel/security/lsm and seccomp, unless a "
            "container forbids it."
        )
    return confinement.status


def _programs(settings: "Settings", home: DataDir) -> str:
    """Check whether callers' programs can run. They are optional, so missing parts are a warning."""
    sandboxes = Sandboxes(settings.programs, home.cache / "doctor", lambda: None)

    async def lacking() -> str:
        await sandboxes.start()
        return await sandboxes.missing(["bwrap", "git"])

    return _optional(asyncio.run(lacking())) or "can run in bubblewrap"


def _voice(home: DataDir) -> str:
    """Check the speech engines. They are optional, so their absence is a warning."""
    ready = VoiceEnvironment.beside(home.cache).ready
    _optional("" if ready else "There are no speech engines. Install them with: retinue voice install")
    return "speech engines are installed"


def _model(settings: "Settings", home: DataDir) -> str:
    if settings.model_url:
        return f"{settings.model_name or 'the default'} at {settings.model_url}"
    if settings.local_model not in ("auto", "off"):
        return _chosen_model(known_weights(settings.local_model), settings.weights_dir or home.models)
    here = list(_weights_here(settings, home))
    if not here and settings.local_model != "off":
        return f"{default_weights()} will be downloaded by the server, or now with: retinue models pull"
    if not here:
        raise RuntimeError("None. Set RETINUE_MODEL_URL, or RETINUE_LOCAL_MODEL=auto.")
    return f"local, weights here: {', '.join(here)}"


def _chosen_model(weights: Weights, folder: Path) -> str:
    """Check the weights that RETINUE_LOCAL_MODEL names. Only files on this machine are not downloaded."""
    if weights.present_in(folder):
        return f"local, {weights.name}"
    if isinstance(weights, FileWeights):
        raise OSError(f"The file {weights.name} does not exist. Correct RETINUE_LOCAL_MODEL.")
    return f"{weights.name} will be downloaded by the server"


def _weights_here(settings: "Settings", home: DataDir) -> Iterator[str]:
    folder = settings.weights_dir or home.models
    return (weights.name for weights in WEIGHTS.values() if weights.present_in(folder))


def _server(home: DataDir) -> str:
    try:
        home.acquire()
    except DataDirBusy:
        return "running"
    home.release()
    return "not running"
