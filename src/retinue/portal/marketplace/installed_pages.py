"""Pages of installations."""

from starlette.responses import Response

from retinue.core.database.statements import Row
from retinue.core.errors import NotFound, RetinueError
from retinue.language.translation import gettext as _
from retinue.marketplace.installing import Installations, view_of
from retinue.marketplace.tables import InstallationRow
from retinue.portal.connections.choices import http_connections
from retinue.portal.field_errors import place_error
from retinue.portal.forms import Form, parse
from retinue.portal.marketplace.item_views import TYPES, example_of, made_by
from retinue.portal.page import Page
from retinue.portal.pages import Pages
from retinue.tools.imports.schemas import SourceChange
from retinue.tools.imports.service import Sources

pages = Pages()


@pages.get("/marketplace/installed")
async def list_installations(page: Page) -> Response:
    """List installations, newest first."""
    paging = page.paging()
    found, total = await page.service(Installations).page(paging.part)
    values: dict[str, object] = {"installations": found, "paging": paging.of(total), "types": TYPES}
    return await page.render("marketplace/installed.html", **values)


@pages.get("/marketplace/installed/{id}")
async def show_installation(page: Page) -> Response:
    """Show the resources of an installation, and what it still needs."""
    return await _show(page, await page.service(Installations).row(page.path_id()))


@pages.post("/marketplace/installed/{id}/connect")
async def connect(page: Page) -> Response:
    """Change the connection of an installation's tools."""
    form, found = await page.form(), await page.service(Installations).row(page.path_id())
    source = await _source(page, found)
    if source is None:
        raise NotFound(_("The tools of this installation were deleted. Uninstall it, and install it again."))
    try:
        change = parse(SourceChange, {"connection": form.optional("connection")})
        await page.service(Sources).connect(source.id, change.connection)
    except RetinueError as error:
        return await _show(page, found, form, place_error(error, {}, otherwise="connection"))
    if change.connection:
        notice = _("It uses {connection} from now on.").format(connection=change.connection)
    else:
        notice = _("It no longer uses a connection.")
    return page.redirect(f"/marketplace/installed/{found.id}", notice)


@pages.post("/marketplace/installed/{id}/uninstall")
async def uninstall(page: Page) -> Response:
    """Uninstall an item and delete its resources."""
    await page.service(Installations).uninstall(page.path_id())
    return page.redirect("/marketplace/installed", _("It is uninstalled."))


async def _show(
    page: Page, found: InstallationRow, form: Form | None = None, problem: RetinueError | None = None
) -> Response:
    view, source = view_of(found), await _source(page, found)
    connection = source.connection if source else None
    values: dict[str, object] = {
        "installation": view,
        "made": made_by(found),
        "example": example_of(found),
        "types": TYPES,
        "source": source,
        "connections": await http_connections(page) if source else [],
        "lacks": view.needs != "none" and connection is None,
        "form": form or Form.of({"connection": connection}),
        "problem": problem,
    }
    return await page.render("marketplace/installation.html", problem.status if problem else 200, **values)


async def _source(page: Page, installation: InstallationRow) -> Row | None:
    """Return the source of an installation of tools, or None if there is none or it was deleted."""
    if installation.type != "tool":
        return None
    try:
        return await page.service(Sources).get(installation.installed[0]["id"])
    except NotFound:
        return None
