"""The reader's data: an export of everything, and the deletion of the user."""

from typing import Any

from starlette.responses import Response

from retinue.account_data.requests import TOPIC
from retinue.account_data.schemas import AccountDeletion
from retinue.account_data.service import Exports
from retinue.auth.account.service import Account
from retinue.auth.sessions.browser import drop_session_cookie
from retinue.core.errors import NotFound, RetinueError
from retinue.core.statements import Row
from retinue.files.service import Files
from retinue.portal.field_errors import place_error
from retinue.portal.forms import parse
from retinue.portal.live import live
from retinue.portal.page import Page
from retinue.portal.pages import Pages
from retinue.portal.templating import render

pages = Pages()


@pages.post("/settings/export")
async def start_export(page: Page) -> Response:
    """Export everything of the account; while an export is under way, show that one."""
    export = await page.service(Exports).request()
    return page.redirect(f"/settings/export/{export.id}")


@pages.get("/settings/export/{id}")
async def show_export(page: Page) -> Response:
    """How far an export is, and its archive."""
    return await page.render("settings/export.html", **await _export(page))


@pages.get("/settings/export/{id}/live")
async def follow_export(page: Page) -> Response:
    """The export, until it is over."""

    async def show() -> tuple[str, bool]:
        values = await _export(page)
        return render("settings/_export.html", **values), values["export"].ended_at is not None

    return await live(page, [TOPIC], show, 1.0)


@pages.get("/settings/delete")
async def show_deletion(page: Page) -> Response:
    """What a deletion takes away, and the proof that it needs."""
    return await page.render("settings/delete.html")


@pages.post("/settings/delete")
async def delete_user(page: Page) -> Response:
    """Delete the reader's user with everything that belongs to it."""
    form = await page.form()
    try:
        proof = parse(AccountDeletion, {"password": form.raw("password") or None, "code": form.optional("code")})
        account = page.service(Account)
        await page.platform.deletions.of_caller(account, proof.password, proof.code, page.client)
    except RetinueError as error:
        problem = place_error(error, {"code": "code"}, "password")
        return await page.render("settings/delete.html", problem.status, problem=problem)
    response = page.redirect("/sign-in", "Your user is deleted.")
    drop_session_cookie(response, secure=page.secure)
    return response


async def _export(page: Page) -> dict[str, Any]:
    export = await page.service(Exports).get(page.path_id())
    return {"export": export, "archive": await _archive(page, export.file_id)}


async def _archive(page: Page, file_id: str | None) -> Row | None:
    """The file of an export; None until there is one, and once it was deleted."""
    try:
        return await page.service(Files).get(file_id) if file_id else None
    except NotFound:
        return None
