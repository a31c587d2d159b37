"""The overview page."""

from collections.abc import Sequence
from contextlib import suppress

from starlette.responses import Response

from retinue.auth.account.service import Account
from retinue.auth.sessions.browser import session_token, set_session_cookie
from retinue.chat.schemas import ConversationFilter
from retinue.chat.service import Chats
from retinue.core.database.interface import DatabaseUnavailable
from retinue.language.translation import gettext as _
from retinue.language.translation import gettext_noop
from retinue.portal.live import live
from retinue.portal.navigation import MenuEntry
from retinue.portal.overview.activity import (
    HIDDEN,
    METRICS,
    FirstStep,
    first_steps,
    latest_deliveries,
    latest_runs,
    use_of,
)
from retinue.portal.page import Page
from retinue.portal.pages import Pages
from retinue.portal.templating import render
from retinue.runs.service import Runs
from retinue.runs.tables import RunRow
from retinue.usage.schemas import UsageView
from retinue.usage.service import UsageReport

pages = Pages(MenuEntry("Build", "overview", gettext_noop("Overview"), "layout-dashboard", "home dashboard"))
_LOOK_S = 5.0


@pages.get("/overview")
async def show_overview(page: Page) -> Response:
    """Show the overview and renew the session cookie."""
    response = await page.render("overview/overview.html", **await _view(page))
    set_session_cookie(response, session_token(page.request), secure=page.secure)
    return response


@pages.post("/overview/steps/hide")
async def hide_steps(page: Page) -> Response:
    """Hide the list of first steps for good."""
    account = page.service(Account)
    await account.save_first_steps({*await account.first_steps(), HIDDEN})
    return page.redirect("/overview", _("The list is hidden. Start here still leads to all of it."))


@pages.get("/overview/live")
async def follow_overview(page: Page) -> Response:
    """Stream the parts that change."""

    async def show() -> tuple[str, bool]:
        return render("overview/_activity.html", **await _view(page)), False

    return await live(page, ["events"], show, _LOOK_S)


async def _view(page: Page) -> dict[str, object]:
    usage = await page.service(UsageReport).summary()
    runs = await latest_runs(page)
    _, conversations = await page.service(Chats).page(ConversationFilter(per_page=1))
    return {
        "usage": usage,
        "metrics": METRICS,
        "use": await use_of(page),
        "runs": runs,
        "failures": await page.service(Runs).failed_calls(runs),
        "deliveries": await latest_deliveries(page),
        "steps": await _steps(page, usage, conversations, runs),
    }


async def _steps(page: Page, usage: UsageView, conversations: int, runs: Sequence[RunRow]) -> list[FirstStep]:
    """Return the first steps, or none if the user has hidden them.

    The ones that are newly done are stored.
    """
    account = page.service(Account)
    saved = await account.first_steps()
    if HIDDEN in saved:
        return []
    steps = first_steps(usage, conversations, runs, saved)
    done = {step.name for step in steps if step.done}
    if done != saved:
        with suppress(DatabaseUnavailable):  # The page can be read while nothing can be written.
            await account.save_first_steps(done)
    return steps
