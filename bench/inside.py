"""Run the whole platform inside the measuring process, in the server's own environment."""

import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from pydantic import SecretStr

from retinue.auth.caller import Caller
from retinue.core.runtime.gc_tuning import collect_less_often, freeze_existing_objects
from retinue.platform.platform import Platform
from retinue.server import running_platform
from retinue.settings import Settings


@asynccontextmanager
async def platform_on(url: str, **settings: Any) -> AsyncIterator[Platform]:
    """Open a platform with fresh data on PostgreSQL at `url`, or on SQLite if it is empty.

    The process runs garbage collection as rarely as the server does.
    """
    with tempfile.TemporaryDirectory(prefix="bench-inside-") as folder:
        database_url = SecretStr(url) if url else None
        here = Settings(home=Path(folder), database_url=database_url, local_model="off", **settings)
        collect_less_often()
        async with running_platform(here) as lifecycle:
            platform = lifecycle.platform
            freeze_existing_objects()
            yield platform


async def new_caller(platform: Platform) -> Caller:
    """Create a user and return a caller for its sandbox."""
    email = f"bench-{time.time_ns()}@example.com"
    await platform.users_admin.create(email, "enterprise")
    key = await platform.users_admin.create_key(email, test=True)
    return await platform.credentials.authenticate(str(key))
