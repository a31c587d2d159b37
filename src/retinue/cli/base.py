"""Shared code of the operator's commands."""

import asyncio
from functools import partial
from typing import TYPE_CHECKING, Any

from typing_extensions import Unpack

from retinue.cli.configuration import load_settings
from retinue.control.client import CommandArgs, ask_server
from retinue.core.http.server_address import local_address
from retinue.core.runtime.data_dir import DataDir

if TYPE_CHECKING:
    from retinue.settings import Settings


def command(operation: str, /, **args: Unpack[CommandArgs]) -> Any:
    """Execute an operator's command, in the running server if there is one, and return its result."""
    settings = load_settings()
    home = DataDir(settings.home)
    home.create()
    try:
        return asyncio.run(ask_server(home, operation, args))
    except (ConnectionError, FileNotFoundError):
        return _carry_out_here(settings, home, operation, args)


def _carry_out_here(settings: "Settings", home: DataDir, operation: str, args: CommandArgs) -> object:
    from retinue.auth.plans import Plans
    from retinue.control.commands import carry_out
    from retinue.core.runtime import log
    from retinue.files.configured_store import configured_store
    from retinue.migrations.database import open_database

    log.configure("warning")
    plans = Plans.load(settings.plans_file)
    store = configured_store(settings.files_url, settings.files_dir, home)
    address = settings.public_url or local_address(settings.host, settings.port)
    opening = partial(open_database, settings.postgres, home)
    return asyncio.run(carry_out(address, home, opening, store, plans, operation, args))
