"""Pages of connections."""

from collections.abc import Mapping
from datetime import datetime

from starlette.responses import Response

from retinue.connections.kinds import KINDS
from retinue.connections.service import MOST_CONNECTIONS, Connections
from retinue.core.database.statements import Row
from retinue.core.errors import RetinueError, ValidationFailed
from retinue.core.http.envelope import Page as Part
from retinue.core.runtime.whole_numbers import parse_whole_number
from retinue.language.translation import gettext as _
from retinue.language.translation import gettext_noop
from retinue.portal.connections.fields import SHAPES
from retinue.portal.connections.forms import changes_of, creation_of, form_of, new_form
from retinue.portal.field_errors import place_error
from retinue.portal.forms import Form
from retinue.portal.navigation import MenuEntry
from retinue.portal.page import Page
from retinue.portal.pages import Pages
from retinue.tools.imports.service import Sources

pages = Pages(
    MenuEntry("Connect", "connections", gettext_noop("Connections"), "plug", "mail slack telegram credentials")
)
_SOURCES = 100


@pages.get("/connections")
async def list_connections(page: Page) -> Response:
    """List connections, newest first."""
    paging = page.paging()
    connections, total = await page.service(Connections).page(paging.part)
    values: dict[str, object] = {"connections": connections, "paging": paging.of(total), "most": MOST_CONNECTIONS}
    return await page.render("connections/list.html", shapes=SHAPES, test_of=_test_of, **values)


@pages.get("/connections/new")
async def show_new(page: Page) -> Response:
    """Show the kinds to choose from, or the form for the kind in the query."""
    kind = page.query.text("kind")
    if kind not in SHAPES:
        return await page.render("connections/kinds.html", shapes=SHAPES, kinds=KINDS)
    return await _show_form(page, kind, new_form(kind))


@pages.post("/connections")
async def create_connection(page: Page) -> Response:
    """Create a connection."""
    form = await page.form()
    kind = form.text("kind")
    if kind not in SHAPES:
        raise ValidationFailed(_("The form has no kind of connection. Choose one at /connections/new."))
    try:
        connection = await page.service(Connections).create(creation_of(kind, form))
    except RetinueError as error:
        return await _show_form(page, kind, form, place_error(error, {"name": "name"}))
    testable = KINDS[kind].testable
    notice = _("The connection was created. Test it now.") if testable else _("The connection was created.")
    return page.redirect(f"/connections/{connection.id}", notice)


@pages.get("/connections/{id}")
async def show_connection(page: Page) -> Response:
    """Show a connection with the form to change it."""
    return await _show(page, await _connection(page))


@pages.post("/connections/{id}/edit")
async def edit_connection(page: Page) -> Response:
    """Replace the settings, the secret, or both."""
    form, connection = await page.form(), await _connection(page)
    try:
        changes = changes_of(connection.kind, form)
        await page.service(Connections).update(connection.id, changes)
    except RetinueError as error:
        secret = next(field.name for field in SHAPES[connection.kind].fields if field.secret)
        return await _show(page, connection, form, place_error(error, {"secret": secret}))
    return page.redirect(f"/connections/{connection.id}", _("The changes are saved."))


@pages.post("/connections/{id}/test")
async def test_connection(page: Page) -> Response:
    """Test the connection and show the outcome."""
    connection = await page.service(Connections).test(page.path_id())
    return page.redirect(f"/connections/{connection.id}")


@pages.post("/connections/{id}/give")
async def give_connection(page: Page) -> Response:
    """Let an imported source use the connection."""
    form, connection = await page.form(), await _connection(page)
    source_id = parse_whole_number(form.text("source"))
    try:
        if source_id is None:
            raise ValidationFailed(_("Choose a source."))
        source = await page.service(Sources).connect(source_id, connection.name)
    except RetinueError as error:
        return await _show(page, connection, problem=place_error(error, {}, otherwise="source"))
    notice = _("The tools of {name} use it from now on.").format(name=source.name)
    return page.redirect(f"/connections/{connection.id}", notice)


@pages.post("/connections/{id}/delete")
async def delete_connection(page: Page) -> Response:
    """Delete a connection. If it is in use, the page lists what uses it."""
    connection = await _connection(page)
    try:
        await page.service(Connections).delete(connection.id)
    except ValidationFailed as error:
        return await _show(page, connection, problem=error)
    return page.redirect("/connections", _("The connection {name} is deleted.").format(name=connection.name))


async def _connection(page: Page) -> Row:
    return await page.service(Connections).get(page.path_id())


async def _sources(page: Page) -> list[Row]:
    rows, _ = await page.service(Sources).page(Part(per_page=_SOURCES))
    return list(rows)


async def _show(page: Page, connection: Row, form: Form | None = None, problem: RetinueError | None = None) -> Response:
    return await page.render(
        "connections/connection.html",
        problem.status if problem else 200,
        connection=connection,
        shape=SHAPES[connection.kind],
        kind=KINDS[connection.kind],
        sources=await _sources(page) if connection.kind == "http" else [],
        test=_test_of(connection),
        form=form or form_of(connection.kind, connection.settings),
        problem=problem,
    )


async def _show_form(page: Page, kind: str, form: Form, problem: RetinueError | None = None) -> Response:
    values = {"kind": kind, "shape": SHAPES[kind], "about": KINDS[kind].description, "problem": problem}
    return await page.render("connections/form.html", problem.status if problem else 200, form=form, **values)


def _test_of(connection: Row) -> Mapping[str, object] | None:
    """Return the last test with its time parsed."""
    test = connection.last_test
    return {**test, "tested_at": datetime.fromisoformat(test["tested_at"])} if test else None
