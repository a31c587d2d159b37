"""The command palette: find pages, actions, records, guides and tools by a few letters."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from starlette.responses import Response

from retinue.language.text_normalization import stems
from retinue.portal.page import Page
from retinue.portal.pages import Pages
from retinue.portal.palette_records import find_records
from retinue.reference.guide import guides
from retinue.tools.service import Tools

pages = Pages()
_LONGEST = 100
_TOOLS, _FEW_TOOLS = 5, 3
"""Maximum tools among the results, alone and beside others."""


@dataclass(frozen=True)
class PaletteResult:
    """A result: its label, path, icon and kind. `words` also find it, and are not shown.

    A path that begins with # is the selector of a button of the page, which is pressed.
    """

    label: str
    path: str
    icon: str
    kind: str
    words: str = ""


_ACTIONS = (
    PaletteResult("Start here", "/start", "sparkles", "Actions", "first minute begin help onboarding"),
    PaletteResult("New conversation", "/playground", "plus", "Actions", "chat message ask"),
    PaletteResult("New agent", "/agents/new", "plus", "Actions", "create add assistant bot"),
    PaletteResult("New fleet", "/fleets/new", "plus", "Actions", "create add team"),
    PaletteResult(
        "Add provider", "/models/new", "plus", "Actions", "new connect model openai anthropic claude gemini ollama key"
    ),
    PaletteResult("New API key", "/keys/new", "plus", "Actions", "create token program"),
    PaletteResult("New webhook endpoint", "/webhooks/new", "plus", "Actions", "create add"),
    PaletteResult("New schedule", "/schedules/new", "plus", "Actions", "create cron daily every morning"),
    PaletteResult(
        "New connection", "/connections/new", "plus", "Actions", "create mail smtp slack discord telegram credentials"
    ),
    PaletteResult("Import tools", "/sources/new", "plus", "Actions", "openapi mcp api add new"),
    PaletteResult("New OAuth app", "/apps/new", "plus", "Actions", "create"),
    PaletteResult("Call somebody", "/calls/new", "phone", "Actions", "telephone phone new"),
    PaletteResult("New voice room", "/voice-rooms/new", "plus", "Actions", "create talk"),
    PaletteResult(
        "Set up a second factor", "/settings/second-factor", "shield-check", "Actions", "totp 2fa authenticator"
    ),
    PaletteResult("Switch between light and dark", "#theme", "moon", "Actions", "theme dark light mode toggle"),
    PaletteResult("Copy the address of the API", "#copy-api", "copy", "Actions", "url base"),
    PaletteResult("Keyboard shortcuts", "#show-shortcuts", "info", "Actions", "keys help"),
    PaletteResult("Sign out", "#sign-out", "log-out", "Actions", "log out logout leave"),
)
_OPERATE = (PaletteResult("New user", "/users#new-user", "plus", "Actions", "invite colleague add create account"),)


@pages.get("/palette")
async def show_goals(page: Page) -> Response:
    """Return the results for the typed letters, by kind."""
    search = page.query.text("q")[:_LONGEST]
    user = await page.account()
    goals = [*_fitting(search, [*_pages(page, user), *_ACTIONS, *(_OPERATE if user["operator"] else ())])]
    if search.strip():
        records = [PaletteResult(*found) for found in await find_records(page, search.strip())]
        # A record that is named as typed comes before actions that only mention the words.
        goals += [*records, *_fitting(search, _guides())]
        goals += await _tools(page, search, _FEW_TOOLS if goals else _TOOLS)
    groups = [(kind, list(some)) for kind, some in groupby(goals, key=lambda goal: goal.kind)]
    return page.fragment("_palette.html", groups=groups, search=search)


def _pages(page: Page, user: Any) -> list[PaletteResult]:
    entries = (entry for group in page.navigation.of(user).values() for entry in group.entries)
    return [PaletteResult(entry.label, f"/{entry.name}", entry.icon, "Pages", entry.words) for entry in entries]


def _guides() -> list[PaletteResult]:
    found = [PaletteResult("Guides", "/docs/guides", "book-open", "Guides")]
    for guide in guides().values():
        path = f"/docs/guides/{guide.name}"
        found.append(PaletteResult(guide.title, path, "book-open", "Guides"))
        found += [
            PaletteResult(f"{guide.title}: {title}", f"{path}#{anchor}", "book-open", "Guides")
            for anchor, title in guide.sections
        ]
    return found


async def _tools(page: Page, search: str, most: int) -> list[PaletteResult]:
    """Return the tools that have every word of the search in their name, purpose or example requests."""
    known = await page.service(Tools).all()
    _, tools = known.find(search, None, None, 0, 2 * _TOOLS)
    asked = stems(search)
    strong = [
        tool
        for tool in tools
        if asked <= stems(" ".join([tool.name.replace("_", " "), tool.description, *tool.tags, *tool.use_when]))
    ]
    return [PaletteResult(tool.title, f"/tools/{tool.name}", "wrench", "Tools") for tool in strong[:most]]


def _fitting(search: str, goals: Iterable[PaletteResult]) -> list[PaletteResult]:
    """Return the results with every typed word in their label or words; those that begin with the text come first."""
    typed = search.casefold().split()
    found = [goal for goal in goals if all(word in f"{goal.label} {goal.words}".casefold() for word in typed)]
    if not typed:
        return found
    # Within each kind only: the groups keep their order.
    kinds = list(dict.fromkeys(goal.kind for goal in found))
    return sorted(found, key=lambda goal: (kinds.index(goal.kind), _rank(goal.label.casefold(), typed)))[:_MOST]


_MOST = 12
"""Maximum pages and actions, and maximum guides, in the results of a search."""


def _rank(label: str, typed: list[str]) -> int:
    """Return 0 for a label that begins with the text, 1 for one that has its words, 2 for any other."""
    return 0 if label.startswith(" ".join(typed)) else 1 if all(word in label for word in typed) else 2
