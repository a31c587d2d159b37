"""The records that entries of the audit log are about: their names, and the pages that show them."""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from retinue.auth.keys.service import Keys
from retinue.connections.service import Connections
from retinue.core.database.statements import Row
from retinue.core.errors import NotFound
from retinue.oauth.service import Apps
from retinue.portal.page import Page
from retinue.providers.service import Providers
from retinue.schedules.service import Schedules
from retinue.tools.imports.service import Sources
from retinue.webhooks.service import Webhooks


class Target(NamedTuple):
    """A record that still exists."""

    name: str
    path: str


_KINDS: Mapping[str, tuple[type[Any], str, str]] = {
    "key": (Keys, "name", "/keys/{}/edit"),
    "webhook": (Webhooks, "url", "/webhooks/{}"),
    "schedule": (Schedules, "name", "/schedules/{}"),
    "provider": (Providers, "name", "/models/{}"),
    "connection": (Connections, "name", "/connections/{}"),
    "source": (Sources, "name", "/sources/{}"),
    "app": (Apps, "name", "/apps/{}"),
}
"""The service that reads a record, the field with its name, and the address of its page, by the prefix of actions."""


async def name_targets(page: Page, entries: Iterable[Row]) -> dict[int, Target]:
    """Return the records that entries are about, by the id of the entry, without deleted ones."""
    read: dict[tuple[str, int], Target | None] = {}
    found: dict[int, Target] = {}
    for entry in entries:
        kind = entry.action.partition(".")[0]
        if entry.target_id is None or entry.sandbox or kind not in ("user", *_KINDS):
            continue
        if (kind, entry.target_id) not in read:
            read[kind, entry.target_id] = await _read(page, kind, entry.target_id)
        if target := read[kind, entry.target_id]:
            found[entry.id] = target
    return found


async def _read(page: Page, kind: str, record_id: int) -> Target | None:
    if kind == "user":
        return await _read_user(page, record_id)
    service, field, path = _KINDS[kind]
    try:
        record = await page.service(service).get(record_id)
    except NotFound:
        return None
    return Target(getattr(record, field) or f"ID {record_id}", path.format(record_id))


async def _read_user(page: Page, user_id: int) -> Target | None:
    """Return another user, whom only operators see."""
    if user_id == page.caller.user_id or not (await page.account()).operator:
        return None
    try:
        user = await page.platform.users_admin.get(user_id)
    except NotFound:
        return None
    return Target(user.email, f"/users/{user_id}")
