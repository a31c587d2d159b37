"""The user's records that the command palette finds by their names."""

import re
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import replace
from typing import NamedTuple

from retinue.agents.service import Agents
from retinue.auth.keys.service import Keys
from retinue.chat.service import Chats
from retinue.connections.service import Connections
from retinue.core.database.statements import Row
from retinue.core.errors import NotFound
from retinue.core.http.envelope import Page as Part
from retinue.core.runtime.whole_numbers import MAX_ID, parse_whole_number
from retinue.files.service import Files
from retinue.fleets.service import Fleets
from retinue.knowledge.service import Collections
from retinue.language.translation import gettext as _
from retinue.language.translation import gettext_noop
from retinue.portal.page import Page
from retinue.portal.records.lists import KINDS
from retinue.runs.service import Runs
from retinue.schedules.service import Schedules
from retinue.skills.service import Skills
from retinue.voice.rooms.service import Rooms
from retinue.webhooks.service import Webhooks
from retinue.workspace.stored_items import StoredItems

_LOOKED_AT = 100
"""Number of newest records of each kind to search."""

_COLLECTIONS = 10
"""Number of newest collections whose documents are searched."""

_OF_A_KIND = 5
_KEPT = gettext_noop("My records")
_RUN = re.compile(r"(?:run\s*#?\s*)?([0-9]+)")
_MESSAGE = 80
"""Maximum characters of a message."""


class Found(NamedTuple):
    """A record: its name, path, icon and kind, which is a message."""

    label: str
    path: str
    icon: str
    kind: str


Find = Callable[[Page, str], Awaitable[Iterable[Found]]]


async def find_records(page: Page, search: str) -> list[Found]:
    """Return the records whose names contain every word of a search."""
    words, found = search.casefold().split(), list[Found]()
    for find in _FINDERS:
        labelled = [one for one in await find(page, search) if one.label]
        found += [one for one in labelled if find in _SEARCHING or all(word in one.label.casefold() for word in words)][
            :_OF_A_KIND
        ]
    return found


async def _agents(page: Page, search: str) -> list[Found]:
    rows, _ = await page.service(Agents).page(Part(per_page=_LOOKED_AT))
    return [Found(row.agent_name, f"/agents/{row.id}", "bot", gettext_noop("Agents")) for row in rows]


async def _fleets(page: Page, search: str) -> list[Found]:
    rows, _ = await page.service(Fleets).page(Part(per_page=_LOOKED_AT))
    return [Found(row.name, f"/fleets/{row.id}", "boxes", gettext_noop("Fleets")) for row in rows]


async def _conversations(page: Page, search: str) -> list[Found]:
    rows = await page.service(Chats).find_recent(search, _OF_A_KIND)
    return [
        Found(row.title, f"/playground?conversation={row.public_id}", "message-square", gettext_noop("Conversations"))
        for row in rows
    ]


async def _runs(page: Page, search: str) -> list[Found]:
    """Return the run with a number, or the runs whose messages have the text."""
    runs = page.service(Runs)
    named = _RUN.fullmatch(search.casefold())
    run_id = parse_whole_number(named[1]) if named else None
    if not run_id:
        rows = await runs.find(_OF_A_KIND, MAX_ID, None, search)
    else:
        try:
            rows = [await runs.get(run_id)]
        except NotFound:
            return []
    return [Found(_run_label(row), f"/runs/{row.id}", "list-checks", gettext_noop("Runs")) for row in rows]


def _run_label(run: Row) -> str:
    return _("Run {id}: {message}").format(id=run.id, message=run.message[:_MESSAGE])


async def _schedules(page: Page, search: str) -> list[Found]:
    rows, _ = await page.service(Schedules).page(Part(per_page=_LOOKED_AT))
    return [Found(row.name, f"/schedules/{row.id}", "calendar-clock", gettext_noop("Schedules")) for row in rows]


async def _webhooks(page: Page, search: str) -> list[Found]:
    rows, _ = await page.service(Webhooks).page(Part(per_page=_LOOKED_AT))
    return [Found(row.url, f"/webhooks/{row.id}", "webhook", gettext_noop("Webhooks")) for row in rows]


async def _connections(page: Page, search: str) -> list[Found]:
    rows, _ = await page.service(Connections).page(Part(per_page=_LOOKED_AT))
    return [Found(row.name, f"/connections/{row.id}", "plug", gettext_noop("Connections")) for row in rows]


async def _documents(page: Page, search: str) -> list[Found]:
    """Return the collections, and the documents of the newest ones."""
    service = page.service(Collections)
    collections, _ = await service.page(Part(per_page=_LOOKED_AT))
    found = [
        Found(row.name, f"/knowledge/collections/{row.id}", "folder", gettext_noop("Documents")) for row in collections
    ]
    for collection in collections[:_COLLECTIONS]:
        rows, _ = await service.documents(collection.id, Part(per_page=_LOOKED_AT))
        place = f"/knowledge/collections/{collection.id}/documents"
        found += [Found(row.title or "", f"{place}/{row.id}", "file-text", gettext_noop("Documents")) for row in rows]
    return found


async def _find_records(page: Page, search: str) -> list[Found]:
    """Return the newest records of each kind that the user keeps by chat."""
    stored = page.service(StoredItems)
    counts = await stored.counts()
    found = list[Found]()
    for kind in (kind for kind in KINDS.values() if counts.get(kind.name)):
        path = f"/records?kind={kind.name}#record-"
        rows = await stored.records.newest(kind.name, most=_LOOKED_AT)
        found += [Found(row.body[kind.title], f"{path}{row.id}", "circle-check", _KEPT) for row in rows]
    return found


async def _skills(page: Page, search: str) -> list[Found]:
    rows, _ = await page.service(Skills).page(Part(per_page=_LOOKED_AT))
    return [Found(row.name, f"/skills/{row.id}", "sparkles", gettext_noop("Skills")) for row in rows]


async def _files(page: Page, search: str) -> list[Found]:
    rows, _ = await page.service(Files).page(Part(per_page=_LOOKED_AT))
    return [Found(row.name, "/files", "folder", gettext_noop("Files")) for row in rows]


async def _keys(page: Page, search: str) -> list[Found]:
    rows, _ = await page.service(Keys).page(Part(per_page=_LOOKED_AT))
    return [Found(row.name, f"/keys/{row.id}/edit", "key-round", gettext_noop("API keys")) for row in rows]


async def _rooms(page: Page, search: str) -> list[Found]:
    rooms = replace(page.service(Rooms), address=page.address)
    rows, _ = await rooms.page(Part(per_page=_LOOKED_AT))
    return [Found(row.name, f"/voice-rooms/{row.id}", "audio-lines", gettext_noop("Rooms")) for row in rows]


_FINDERS: tuple[Find, ...] = (
    _agents,
    _fleets,
    _conversations,
    _documents,
    _find_records,
    _skills,
    _schedules,
    _webhooks,
    _connections,
    _keys,
    _files,
    _rooms,
    _runs,
)
_SEARCHING: tuple[Find, ...] = (_conversations, _runs)
"""Finders that search by themselves, also in text that is not shown."""
