"""Pages of the request log."""

from urllib.parse import urlencode

from starlette.responses import Response

from retinue.core.database.statements import Row
from retinue.core.errors import NotFound, RetinueError
from retinue.language.translation import gettext_noop
from retinue.portal.audit.pages import named_credential
from retinue.portal.forms import Form, parse
from retinue.portal.live import live
from retinue.portal.names import key_choices, key_names
from retinue.portal.navigation import MenuEntry
from retinue.portal.page import Page
from retinue.portal.pages import Pages
from retinue.portal.templating import render
from retinue.request_log.schemas import Mode, RequestQuery
from retinue.request_log.service import Requests
from retinue.request_log.writer import requests_topic
from retinue.runs.service import Runs

pages = Pages(MenuEntry("Developers", "requests", gettext_noop("Requests"), "terminal", "log"))
_FILTERS = ("status", "method", "path", "credential", "request_id", "since", "until")
_ROWS = 30


@pages.get("/requests")
async def list_requests(page: Page) -> Response:
    """List matching requests, newest first."""
    status, values = 200, _empty_list(page)
    try:
        values = await _shown_list(page)
    except RetinueError as error:
        status, values["problem"] = error.status, error
    rarely = bool(_filters(page).keys() & {"request_id", "since", "until"})
    keys = await key_choices(page)
    return await page.render("requests/list.html", status, **values, form=page.query, keys=keys, rarely=rarely)


@pages.get("/requests/live")
async def follow_requests(page: Page) -> Response:
    """Stream the list as requests are logged."""

    async def show() -> tuple[str, bool]:
        return render("requests/_list.html", **await _shown_list(page)), False

    account_id = await page.service(Requests).account_id(_mode(page.query))
    return await live(page, [requests_topic(account_id)], show)


@pages.get("/requests/{request_id:path}")
async def show_request(page: Page) -> Response:
    """Show a request by its id."""
    mode = _mode(page.query)
    request = await page.service(Requests).get(page.request.path_params["request_id"], mode)
    names = await key_names(page, [request.credential])
    values = {"request": request, "run": await _run_of(page, request)}
    return await page.render("requests/request.html", **values, mode=mode, named=named_credential, key_names=names)


async def _run_of(page: Page, request: Row) -> Row | None:
    """Return the run that a request started, unless it belongs to the sandbox or was deleted."""
    try:
        return await page.service(Runs).get(request.run_id) if request.run_id else None
    except NotFound:
        return None


def _mode(query: Form) -> Mode:
    return "test" if query.text("mode") == "test" else "live"


async def _shown_list(page: Page) -> dict[str, object]:
    """Return the rows, and the id to page from for older ones."""
    chosen, before = _filters(page), page.query.text("before")
    fields = {**chosen, "mode": _mode(page.query), "per_page": _ROWS, "before": before or None}
    portal_too = bool(chosen.keys() & {"credential", "request_id"})
    rows, total = await page.service(Requests).page(parse(RequestQuery, fields), portal_too=portal_too)
    names = await key_names(page, (row.credential for row in rows))
    older = rows[-1].id if total > len(rows) else None
    found = {"requests": rows, "total": total, "before": before, "older": older}
    return {**_empty_list(page), **found, "key_names": names}


def _filters(page: Page) -> dict[str, str]:
    return {name: page.query.text(name) for name in _FILTERS if page.query.text(name)}


def _empty_list(page: Page) -> dict[str, object]:
    chosen, mode = _filters(page), _mode(page.query)
    more = urlencode({**chosen, "mode": mode} if mode == "test" else chosen)
    values: dict[str, object] = {"chosen": chosen, "mode": mode, "more": more, "named": named_credential}
    return {**values, "key_names": {}, "requests": [], "total": 0, "before": "", "older": None, "problem": None}
