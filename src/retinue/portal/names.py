"""Look up the names of records by id, and the records that a field offers."""

from collections.abc import Iterable, Sequence

from retinue.agents.service import Agents
from retinue.auth.keys.schemas import KeyView
from retinue.auth.keys.service import Keys
from retinue.core.database.statements import Row
from retinue.core.errors import NotFound
from retinue.core.http.envelope import Page as Part
from retinue.core.runtime.whole_numbers import parse_whole_number
from retinue.files.service import Files
from retinue.fleets.service import Fleets
from retinue.language.translation import gettext as _
from retinue.portal.page import Page
from retinue.portal.tools.fields import ArgumentField

_CHOICES = 100
"""Maximum number of keys that a filter offers."""

_FILES = 50
"""Maximum number of files that a field offers."""


async def agent_names(page: Page, ids: Iterable[int | None]) -> dict[int, str]:
    """Return names by id, without deleted agents."""
    agents, found = page.service(Agents), {}
    for agent_id in {one for one in ids if one}:
        try:
            found[agent_id] = (await agents.get(agent_id)).agent_name
        except NotFound:
            continue
    return found


async def key_names(page: Page, credentials: Iterable[str]) -> dict[str, str]:
    """Return the names of API keys by their credentials, such as `key:17`, without deleted keys."""
    keys, found = page.service(Keys), {}
    for credential in set(credentials):
        kind, _, number = credential.partition(":")
        key_id = parse_whole_number(number)
        if kind != "key" or key_id is None:
            continue
        try:
            found[credential] = _name_of_key(await keys.get(key_id))
        except NotFound:
            continue
    return found


async def key_choices(page: Page) -> dict[str, str]:
    """Return the names of the user's keys by their credentials, the newest first, for a filter."""
    keys, _ = await page.service(Keys).page(Part(per_page=_CHOICES))
    return {f"key:{key.id}": _name_of_key(key) for key in keys}


def _name_of_key(key: KeyView) -> str:
    return key.name or _("API key {id}").format(id=key.id)


async def fleet_names(page: Page, ids: Iterable[int | None]) -> dict[int, str]:
    """Return names by id, without deleted fleets."""
    fleets, found = page.service(Fleets), {}
    for fleet_id in {one for one in ids if one}:
        try:
            found[fleet_id] = (await fleets.get(fleet_id)).name
        except NotFound:
            continue
    return found


async def file_choices(page: Page, fields: Iterable[ArgumentField]) -> Sequence[Row]:
    """Return the user's files, the newest first, if one of the fields takes a file; else none."""
    if not any(field.kind == "file" for field in fields):
        return ()
    files, _ = await page.service(Files).page(Part(per_page=_FILES))
    return files
