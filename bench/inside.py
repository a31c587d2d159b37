"""The whole platform inside the measuring process, in the server's own environment."""

import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from pydantic import SecretStr

from retinue.auth.caller import Caller
from retinue.platform import Platform
from retinue.server import running_platform
from retinue.settings import Settings


@asynccontextmanager
async def platform_on(url: str, **settings: Any) -> AsyncIterator[Platform]:
    """A platform with fresh data on PostgreSQL at `url`, or on SQLite for an empty one."""
    with tempfile.TemporaryDirectory(prefix="bench-inside-") as folder:
        database_url = SecretStr(url) if url else None
        here = Settings(home=Path(folder), database_url=database_url, local_model="off", **settings)
        async with running_platform(here) as platform:
            yield platform


async def new_caller(platform: Platform) -> Caller:
    """A new user's sandbox."""
    email = f"bench-{time.time_ns()}@example.com"
    await platform.users_admin.create(email, "enterprise")
    key = await platform.users_admin.create_key(email, test=True)
    return await platform.credentials.authenticate(str(key))
