"""The command palette: find pages, agents, fleets, rooms and tools by a few letters of their names."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from starlette.responses import Response

from retinue.agents.service import Agents
from retinue.core.http.envelope import Page as Part
from retinue.fleets.service import Fleets
from retinue.portal.navigation import navigation_of
from retinue.portal.page import Page
from retinue.portal.pages import Pages
from retinue.tools.service import Tools
from retinue.voice.rooms.service import Rooms

pages = Pages()
_LOOKED_AT = 100
"""Number of newest agents, fleets and rooms to search."""

_OF_A_KIND = 5
_LONGEST = 100
_ACTIONS = (
    ("New agent", "/agents/new", "plus"),
    ("New fleet", "/fleets/new", "plus"),
    ("Call somebody", "/calls/new", "phone"),
    ("New voice room", "/voice-rooms/new", "plus"),
)


@dataclass(frozen=True)
class PaletteResult:
    """A result of the palette: its label, path, icon and kind."""

    label: str
    path: str
    icon: str
    kind: str


@pages.get("/palette")
async def show_goals(page: Page) -> Response:
    """Return the results for the typed letters."""
    search = page.query.text("q")[:_LONGEST]
    goals = [
        *_pages(search, await page.account()),
        *await _agents(page, search),
        *await _fleets(page, search),
        *await _rooms(page, search),
        *await _tools(page, search),
    ]
    return page.fragment("_palette.html", goals=goals, search=search)


def _pages(search: str, user: Mapping[str, Any]) -> list[PaletteResult]:
    entries = (entry for group in navigation_of(user).values() for entry in group)
    every = [PaletteResult(entry.label, f"/{entry.name}", entry.icon, "Page") for entry in entries]
    every += [PaletteResult(label, path, icon, "Action") for label, path, icon in _ACTIONS]
    every.append(PaletteResult("Guides", "/docs/guides", "book-open", "Page"))
    return list(_fitting(search, every))


async def _agents(page: Page, search: str) -> list[PaletteResult]:
    agents, _ = await page.service(Agents).page(Part(per_page=_LOOKED_AT))
    every = (PaletteResult(agent.agent_name, f"/agents/{agent.id}", "bot", "Agent") for agent in agents)
    return list(_fitting(search, every))[:_OF_A_KIND]


async def _fleets(page: Page, search: str) -> list[PaletteResult]:
    fleets, _ = await page.service(Fleets).page(Part(per_page=_LOOKED_AT))
    every = (PaletteResult(fleet.name, f"/fleets/{fleet.id}", "boxes", "Fleet") for fleet in fleets)
    return list(_fitting(search, every))[:_OF_A_KIND]


async def _rooms(page: Page, search: str) -> list[PaletteResult]:
    rooms, _ = await replace(page.service(Rooms), address=page.address).page(Part(per_page=_LOOKED_AT))
    every = (PaletteResult(room["name"], f"/voice-rooms/{room['id']}", "audio-lines", "Room") for room in rooms)
    return list(_fitting(search, every))[:_OF_A_KIND]


async def _tools(page: Page, search: str) -> list[PaletteResult]:
    if not search:
        return []
    known = await page.service(Tools).all()
    _, tools = known.find(search, None, None, 0, _OF_A_KIND)
    return [PaletteResult(tool.name, f"/tools/{tool.name}", "wrench", "Tool") for tool in tools]


def _fitting(search: str, goals: Iterable[PaletteResult]) -> Iterator[PaletteResult]:
    """Return the goals whose labels contain every typed word."""
    words = search.casefold().split()
    return (goal for goal in goals if all(word in goal.label.casefold() for word in words))
