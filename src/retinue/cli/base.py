"""Shared code of the commands."""

import asyncio
from typing import Any

from retinue.auth.plans import Plans
from retinue.control import carry_out
from retinue.core.runtime import log
from retinue.core.runtime.data_dir import Home
from retinue.files.store import FileStore
from retinue.settings import Settings
from retinue.storage import open_database


def command(operation: str, /, **args: Any) -> Any:
    """Run an operator command and return its result."""
    settings = Settings()
    log.configure("warning")
    home = Home(settings.home)
    plans = Plans.load(settings.plans_file)
    store = FileStore.from_settings(settings.files_dir, home)
    return asyncio.run(carry_out(home, lambda: open_database(settings.postgres, home), store, plans, operation, args))
