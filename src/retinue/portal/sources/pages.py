"""Pages of imported tool sources."""

from collections.abc import Iterable, Mapping
from urllib.parse import urlsplit

from starlette.responses import Response

from retinue.connections.service import MOST_CONNECTIONS, Connections
from retinue.core.database.statements import Row
from retinue.core.errors import RetinueError
from retinue.core.http.envelope import Page as Part
from retinue.language.translation import gettext as _
from retinue.language.translation import gettext_noop, ngettext
from retinue.portal.field_errors import place_error
from retinue.portal.files.sizes import size_text
from retinue.portal.forms import Form
from retinue.portal.live import live
from retinue.portal.navigation import MenuEntry
from retinue.portal.page import Page
from retinue.portal.pages import Pages
from retinue.portal.sources.forms import PROGRAM, WAYS, client_of, creation_of, refresh_of, response_of
from retinue.portal.templating import number, render
from retinue.tools.authoring.tool import CATEGORIES
from retinue.tools.imports.authorization.registration import CALLBACK
from retinue.tools.imports.authorization.service import AuthorizationFailed, SourceAuthorizations
from retinue.tools.imports.mcp.programs import Program
from retinue.tools.imports.schemas import SourceRefresh
from retinue.tools.imports.service import Sources

pages = Pages(MenuEntry("Connect", "sources", gettext_noop("Tool sources"), "download", "import openapi mcp"))
_FIELDS = {name: name for name in ("name", "url", "base_url", "document", "program", "connection", "category")} | {
    "You have no connection": "connection",
    "Your connection": "connection",
}
_LOOK_S = 1.0
"""Seconds between two looks at imports, which wake nobody."""

_MOST_PARTS = -(-MOST_CONNECTIONS // 100)


@pages.get("/sources")
async def list_sources(page: Page) -> Response:
    """List sources, newest first."""
    values = {**await _list_values(page), "limits": page.caller.plan.imports, "programs": _programs(page)}
    return await page.render("sources/list.html", **values)


@pages.get("/sources/live")
async def follow_sources(page: Page) -> Response:
    """Stream the list, with the imports in progress."""

    async def show() -> tuple[str, bool]:
        return render("sources/_list.html", **await _list_values(page)), False

    return await live(page, [], show, _LOOK_S)


@pages.get("/sources/progress")
async def follow_imports(page: Page) -> Response:
    """Stream the imports in progress."""

    async def show() -> tuple[str, bool]:
        return render("sources/_progress.html", **_under_way(page)), False

    return await live(page, [], show, _LOOK_S)


@pages.get("/sources/new")
async def show_new(page: Page) -> Response:
    """Show the form to import tools."""
    return await _show_form(page, Form.of({"way": "address", "category": "web"}))


@pages.post("/sources")
async def import_tools(page: Page) -> Response:
    """Import the tools of a document or server."""
    form = await page.form()
    try:
        source = await page.service(Sources).create(creation_of(form))
    except RetinueError as error:
        return await _show_form(page, form, place_error(error, _FIELDS))
    if source.status == "needs_authorization":
        added = _("{name} is added. Connect it to import its tools.").format(name=source.name)
        return page.redirect(f"/sources/{source.id}", added)
    imported = ngettext("{count} tool is imported.", "{count} tools are imported.", source.tools)
    return page.redirect(f"/sources/{source.id}", imported.format(count=number(source.tools)))


@pages.get("/sources/callback")
async def finish_authorization(page: Page) -> Response:
    """Finish the authorization of an MCP server, to which its authorization server redirects, and read its tools."""
    service = page.service(Sources)
    try:
        source_id = await page.service(SourceAuthorizations).finish(response_of(page.query))
    except AuthorizationFailed as error:
        return await _show(page, await service.get(error.source_id), problem=_at_connection(error))
    try:
        source = await service.refresh(source_id, SourceRefresh())
    except RetinueError as error:
        return await _show(page, await service.get(source_id), problem=_at_connection(error))
    connected = ngettext(
        "{name} is connected. {count} tool is imported.",
        "{name} is connected. {count} tools are imported.",
        source["tools"],
    )
    return page.redirect(f"/sources/{source_id}", connected.format(name=source["name"], count=number(source["tools"])))


@pages.get("/sources/{id}")
async def show_source(page: Page) -> Response:
    """Show a source with its tools and the forms to change it."""
    return await _show(page, await _source(page))


@pages.post("/sources/{id}/connect")
async def connect_source(page: Page) -> Response:
    """Change or remove the source's connection."""
    form, source = await page.form(), await _source(page)
    try:
        await page.service(Sources).connect(source.id, form.optional("connection"))
    except RetinueError as error:
        return await _show(page, source, form, place_error(error, {}, otherwise="connection"))
    return page.redirect(f"/sources/{source.id}", _("The connection is saved."))


@pages.post("/sources/{id}/authorize")
async def begin_authorization(page: Page) -> Response:
    """Begin the authorization of an MCP server, and show where it leads."""
    form, source = await page.form(), await _source(page)
    try:
        start = await page.service(SourceAuthorizations).begin(source.id, page.address, client_of(form))
    except RetinueError as error:
        problem = place_error(error, {"client_id": "client_id"}, otherwise="authorization")
        return await _show(page, source, form, problem)
    return await page.render("sources/authorize.html", source=source, start=start, host=urlsplit(start.url).netloc)


@pages.post("/sources/{id}/refresh")
async def refresh_source(page: Page) -> Response:
    """Refresh the source and show what changed."""
    form, source = await page.form(), await _source(page)
    try:
        changes = await page.service(Sources).refresh(source.id, refresh_of(source.kind, form))
    except RetinueError as error:
        return await _show(page, source, form, place_error(error, _FIELDS))
    notice = _("The source was read again: {added} added, {changed} changed, {removed} removed.")
    counts = {name: len(changes[name]) for name in ("added", "changed", "removed")}
    return page.redirect(f"/sources/{source.id}", notice.format_map(counts))


@pages.post("/sources/{id}/delete")
async def delete_source(page: Page) -> Response:
    """Delete a source and its tools."""
    source = await _source(page)
    await page.service(Sources).delete(source.id)
    return page.redirect("/sources", _("The source {name} is deleted.").format(name=source.name))


def _under_way(page: Page) -> dict[str, object]:
    return {"imports": page.service(Sources).under_way(), "size_text": size_text}


def _programs(page: Page) -> Mapping[str, Program]:
    return page.platform.mcp_programs.allowed.open_to(page.caller.user_id, page.caller.plan_name)


async def _list_values(page: Page) -> dict[str, object]:
    paging = page.paging()
    sources, total = await page.service(Sources).page(paging.part)
    refused = _failing_connections(await _connections(page))
    return {**_under_way(page), "sources": sources, "refused": refused, "paging": paging.of(total)}


async def _source(page: Page) -> Row:
    return await page.service(Sources).get(page.path_id())


async def _connections(page: Page) -> list[Row]:
    """Return the connections that a source can use."""
    found: list[Row] = []
    for part in range(1, _MOST_PARTS + 1):
        rows, _ = await page.service(Connections).page(Part(page=part, per_page=100))
        found += [row for row in rows if row.kind == "http"]
    return found


def _failing_connections(connections: Iterable[Row]) -> dict[str, int]:
    """Return the ids, by name, of the connections whose last test failed."""
    return {row.name: row.id for row in connections if row.last_test and not row.last_test["ok"]}


async def _show(page: Page, source: Row, form: Form | None = None, problem: RetinueError | None = None) -> Response:
    paging, connections = page.paging(), await _connections(page)
    fields = {"connection": source.connection, "url": source.document_url, "trust_hints": source.trust_hints}
    return await page.render(
        "sources/source.html",
        problem.status if problem else 200,
        source=source,
        category=CATEGORIES.get(source.category, source.category),
        tools=await page.service(Sources).tools_page(source.id, paging.part),
        paging=paging.of(source.tools),
        connections=[row.name for row in connections],
        refused=_failing_connections(connections),
        authorization=await page.service(SourceAuthorizations).get(source.id),
        callback=f"{page.address}{CALLBACK}",
        **_under_way(page),
        form=form or Form.of(fields),
        problem=problem,
    )


async def _show_form(page: Page, form: Form, problem: RetinueError | None = None) -> Response:
    programs = _programs(page)
    values: dict[str, object] = {
        "ways": WAYS | (PROGRAM if programs else {}),
        "programs": programs,
        "categories": CATEGORIES,
        "connections": [row.name for row in await _connections(page)],
        **_under_way(page),
    }
    return await page.render(
        "sources/form.html", problem.status if problem else 200, **values, form=form, problem=problem
    )


def _at_connection(error: RetinueError) -> RetinueError:
    return place_error(error, {}, otherwise="authorization")
