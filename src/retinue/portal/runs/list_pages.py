"""The list of runs."""

from collections.abc import Mapping
from urllib.parse import urlencode

from starlette.responses import Response

from retinue.core.runtime.whole_numbers import MAX_ID, parse_whole_number
from retinue.language.translation import gettext_noop
from retinue.portal.live import live
from retinue.portal.names import agent_names
from retinue.portal.navigation import MenuEntry
from retinue.portal.page import Page
from retinue.portal.pages import Pages
from retinue.portal.templating import render
from retinue.runs.schemas import RunStatus
from retinue.runs.service import Runs

pages = Pages(MenuEntry("Automate", "runs", gettext_noop("Runs"), "list-checks", "traces history errors failed"))
_ROWS = 30
_LONGEST_SEARCH = 200
_STATUSES: Mapping[RunStatus, str] = {
    "queued": gettext_noop("Queued"),
    "running": gettext_noop("Running"),
    "waiting": gettext_noop("Waiting"),
    "completed": gettext_noop("Completed"),
    "failed": gettext_noop("Failed"),
    "cancelled": gettext_noop("Cancelled"),
}
"""The label of each status."""


@pages.get("/runs")
async def list_runs(page: Page) -> Response:
    """List runs of agents and chat, the newest first. The query filters by status and by words of the message."""
    return await page.render("runs/list.html", **await _shown_list(page), statuses=_STATUSES)


@pages.get("/runs/live")
async def follow_runs(page: Page) -> Response:
    """Stream the list as runs begin and end."""

    async def show() -> tuple[str, bool]:
        return render("runs/_list.html", **await _shown_list(page)), False

    return await live(page, ["events", "runs", "runs.stopped"], show)


async def _shown_list(page: Page) -> dict[str, object]:
    status = next((one for one in _STATUSES if one == page.query.text("status")), None)
    search = page.query.text("q").strip()[:_LONGEST_SEARCH]
    before = parse_whole_number(page.query.text("before")) or None
    runs = page.service(Runs)
    rows = await runs.find(_ROWS + 1, before or MAX_ID, status, search)
    more = len(rows) > _ROWS
    rows = rows[:_ROWS]
    chosen = urlencode({name: value for name, value in (("status", status), ("q", search)) if value})
    return {
        "runs": rows,
        "failures": await runs.failed_calls(rows),
        "agents": await agent_names(page, (row.agent_id for row in rows)),
        "state": status or "",
        "search": search,
        "before": before,
        "chosen": chosen,
        "older": rows[-1].id if more else None,
    }
