"""The command palette: find pages, actions, records, guides and tools by a few letters."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import groupby

from starlette.responses import Response

from retinue.auth.account.schemas import AccountView
from retinue.language.text_normalization import stems
from retinue.language.translation import gettext as _
from retinue.language.translation import gettext_noop
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
    """A result: its label, path, icon and kind, which is a message. `words` also find it, and are not shown.

    A path that begins with # is the selector of a button of the page, which is pressed.
    """

    label: str
    path: str
    icon: str
    kind: str
    words: str = ""


_ACTION, _GUIDE = gettext_noop("Actions"), gettext_noop("Guides")
_ACTIONS = (
    PaletteResult(gettext_noop("Start here"), "/start", "sparkles", _ACTION, "first minute begin help onboarding"),
    PaletteResult(gettext_noop("New conversation"), "/playground", "plus", _ACTION, "chat message ask"),
    PaletteResult(gettext_noop("New agent"), "/agents/new", "plus", _ACTION, "create add assistant bot"),
    PaletteResult(gettext_noop("New fleet"), "/fleets/new", "plus", _ACTION, "create add team"),
    PaletteResult(
        gettext_noop("Add provider"),
        "/models/new",
        "plus",
        _ACTION,
        "new connect model openai anthropic claude gemini ollama key",
    ),
    PaletteResult(gettext_noop("New API key"), "/keys/new", "plus", _ACTION, "create token program"),
    PaletteResult(gettext_noop("New webhook endpoint"), "/webhooks/new", "plus", _ACTION, "create add"),
    PaletteResult(gettext_noop("New schedule"), "/schedules/new", "plus", _ACTION, "create cron daily every morning"),
    PaletteResult(
        gettext_noop("New connection"),
        "/connections/new",
        "plus",
        _ACTION,
        "create mail smtp slack discord telegram credentials",
    ),
    PaletteResult(gettext_noop("Import tools"), "/sources/new", "plus", _ACTION, "openapi mcp api add new"),
    PaletteResult(gettext_noop("New OAuth app"), "/apps/new", "plus", _ACTION, "create"),
    PaletteResult(gettext_noop("Call somebody"), "/calls/new", "phone", _ACTION, "telephone phone new"),
    PaletteResult(gettext_noop("New voice room"), "/voice-rooms/new", "plus", _ACTION, "create talk"),
    PaletteResult(
        gettext_noop("Set up a second factor"),
        "/settings/second-factor",
        "shield-check",
        _ACTION,
        "totp 2fa authenticator",
    ),
    PaletteResult(
        gettext_noop("Switch between light and dark"), "#theme", "moon", _ACTION, "theme dark light mode toggle"
    ),
    PaletteResult(gettext_noop("Copy the address of the API"), "#copy-api", "copy", _ACTION, "url base"),
    PaletteResult(gettext_noop("Keyboard shortcuts"), "#show-shortcuts", "info", _ACTION, "keys help"),
    PaletteResult(gettext_noop("Sign out"), "#sign-out", "log-out", _ACTION, "log out logout leave"),
)
_OPERATE = (
    PaletteResult(gettext_noop("New user"), "/users#new-user", "plus", _ACTION, "invite colleague add create account"),
)


@pages.get("/palette")
async def show_goals(page: Page) -> Response:
    """Return the results for the typed letters, by kind."""
    search = page.query.text("q")[:_LONGEST]
    user = await page.account()
    own = [*_pages(page, user), *_ACTIONS, *(_OPERATE if user.operator else ())]
    goals = _fitting(search, map(_translate, own))
    if search.strip():
        records = [PaletteResult(*found) for found in await find_records(page, search.strip())]
        # A record that is named as typed comes before actions that only mention the words.
        goals += [*records, *_fitting(search, _guides())]
        goals += await _tools(page, search, _FEW_TOOLS if goals else _TOOLS)
    groups = [(kind, list(group)) for kind, group in groupby(goals, key=lambda goal: goal.kind)]
    return page.fragment("_palette.html", groups=groups, search=search)


def _translate(result: PaletteResult) -> PaletteResult:
    """Return the result in the language of the page. The English words still find it."""
    return replace(result, label=_(result.label), words=f"{result.label} {result.words} {_(result.words)}")


def _pages(page: Page, user: AccountView) -> list[PaletteResult]:
    entries = (entry for group in page.navigation.of(user).values() for entry in group.entries)
    kind = gettext_noop("Pages")
    return [PaletteResult(entry.label, f"/{entry.name}", entry.icon, kind, entry.words) for entry in entries]


def _guides() -> list[PaletteResult]:
    found = [PaletteResult(_(_GUIDE), "/docs/guides", "book-open", _GUIDE, _GUIDE)]
    for guide in guides().values():
        path = f"/docs/guides/{guide.name}"
        found.append(PaletteResult(guide.title, path, "book-open", _GUIDE))
        found += [
            PaletteResult(f"{guide.title}: {title}", f"{path}#{anchor}", "book-open", _GUIDE)
            for anchor, title in guide.sections
        ]
    return found


async def _tools(page: Page, search: str, most: int) -> list[PaletteResult]:
    """Return the tools that have every word of the search in their name, purpose or example requests."""
    known = await page.service(Tools).all()
    _, tools = known.find(search, None, None, 0, 2 * _TOOLS)
    search_stems = stems(search)
    strong = [
        tool
        for tool in tools
        if search_stems <= stems(" ".join([tool.name.replace("_", " "), tool.description, *tool.tags, *tool.use_when]))
    ]
    kind = gettext_noop("Tools")
    return [PaletteResult(tool.title, f"/tools/{tool.name}", "wrench", kind) for tool in strong[:most]]


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
