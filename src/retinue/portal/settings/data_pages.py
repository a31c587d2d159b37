"""Export the user's data, and delete the user."""

from starlette.responses import Response

from retinue.account_data.requests import TOPIC
from retinue.account_data.schemas import AccountDeletion
from retinue.account_data.service import Exports
from retinue.auth.account.service import Account
from retinue.auth.sessions.browser import drop_session_cookie
from retinue.core.database.statements import Row
from retinue.core.errors import NotFound, RetinueError
from retinue.files.service import Files
from retinue.language.translation import gettext as _
from retinue.portal.field_errors import place_error
from retinue.portal.forms import parse
from retinue.portal.live import live
from retinue.portal.page import Page
from retinue.portal.pages import Pages
from retinue.portal.templating import render

pages = Pages()


@pages.post("/settings/export")
async def start_export(page: Page) -> Response:
    """Start an export of the account, or show the one in progress."""
    export = await page.service(Exports).request()
    return page.redirect(f"/settings/export/{export.id}")


@pages.get("/settings/export/{id}")
async def show_export(page: Page) -> Response:
    """Show the progress of an export, and its archive."""
    return await page.render("settings/export.html", **await _values(page, await _export(page)))


@pages.get("/settings/export/{id}/live")
async def follow_export(page: Page) -> Response:
    """Stream the progress of the export until it ends."""

    async def show() -> tuple[str, bool]:
        export = await _export(page)
        return render("settings/_export.html", **await _values(page, export)), export.ended_at is not None

    return await live(page, [TOPIC], show, 1.0)


@pages.get("/settings/delete")
async def show_deletion(page: Page) -> Response:
    """Show the consequences of a deletion, and the form to confirm it."""
    return await page.render("settings/delete.html")


@pages.post("/settings/delete", protective=True)
async def delete_user(page: Page) -> Response:
    """Delete the user and all its data."""
    form = await page.form()
    try:
        proof = parse(AccountDeletion, {"password": form.raw("password") or None, "code": form.optional("code")})
        account = page.service(Account)
        await page.platform.deletions.of_caller(account, proof.password, proof.code, page.client)
    except RetinueError as error:
        problem = place_error(error, {"code": "code"}, "password")
        return await page.render("settings/delete.html", problem.status, problem=problem)
    response = page.redirect("/sign-in", _("Your user is deleted."))
    drop_session_cookie(response, secure=page.secure)
    return response


async def _export(page: Page) -> Row:
    return await page.service(Exports).get(page.path_id())


async def _values(page: Page, export: Row) -> dict[str, object]:
    return {"export": export, "archive": await _archive(page, export.file_id)}


async def _archive(page: Page, file_id: str | None) -> Row | None:
    """Return the archive of an export, or None if it does not exist yet or was deleted."""
    try:
        return await page.service(Files).get(file_id) if file_id else None
    except NotFound:
        return None
