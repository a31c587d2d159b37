"""The sources of a collection: adding, synchronizing and removing them, and the page that changes one."""

from starlette.responses import Response

from retinue.core.errors import RetinueError
from retinue.core.runtime.whole_numbers import parse_whole_number
from retinue.knowledge.service import Collections
from retinue.knowledge.sources.schemas import CollectionSourceCreate, CollectionSourceUpdate
from retinue.knowledge.sources.service import CONNECTION_KINDS, CollectionSources, Source
from retinue.language.translation import gettext as _
from retinue.portal.forms import Form, parse
from retinue.portal.knowledge.collections import connection_names, show_problem, source_choices
from retinue.portal.page import Page
from retinue.portal.pages import Pages

pages = Pages()

_COLLECTION = "/knowledge/collections/{id}"
_BASE = f"{_COLLECTION}/sources"
_NUMBERS = ("max_pages", "max_depth")


@pages.post(_BASE)
async def add_source(page: Page) -> Response:
    """Add a source from its form."""
    form, key = await page.form(), page.path_id()
    try:
        await page.service(CollectionSources).create(key, parse(CollectionSourceCreate, _fields(form)))
    except RetinueError as error:
        return await show_problem(page, form, error)
    return page.redirect(
        f"/knowledge/collections/{key}", _("It is being read. The documents appear as they are found.")
    )


@pages.get(f"{_BASE}/{{source}}")
async def show_source(page: Page) -> Response:
    """Show the state of a source with the form that changes it."""
    source = await page.service(CollectionSources).get(page.path_id(), page.path_id("source"))
    return await _show_form(page, source, _form_of(source))


@pages.post(f"{_BASE}/{{source}}")
async def change_source(page: Page) -> Response:
    """Change a source, and synchronize it."""
    form, key, service = await page.form(), page.path_id(), page.service(CollectionSources)
    source = await service.get(key, page.path_id("source"))
    place = "path" if source.kind == "folder" else "url"
    fields = {**_fields(form), place: form.text(place)}
    if source.kind not in CONNECTION_KINDS:
        del fields["connection"]
    del fields["kind"], fields["path" if place == "url" else "url"]
    try:
        await service.update(key, source.id, parse(CollectionSourceUpdate, fields))
    except RetinueError as error:
        return await _show_form(page, source, form, error)
    return page.redirect(f"/knowledge/collections/{key}", _("It is being read again with the new settings."))


@pages.post(f"{_BASE}/{{source}}/sync", form=_COLLECTION)
async def sync_source(page: Page) -> Response:
    """Synchronize a source now."""
    key = page.path_id()
    await page.service(CollectionSources).sync(key, page.path_id("source"))
    return page.redirect(
        f"/knowledge/collections/{key}", _("It is being read again. Only what has changed is indexed.")
    )


@pages.post(f"{_BASE}/{{source}}/delete", form=_COLLECTION)
async def delete_source(page: Page) -> Response:
    """Remove a source with its documents, or keep these."""
    form, key = await page.form(), page.path_id()
    keeps = "keep_documents" in form
    await page.service(CollectionSources).delete(key, page.path_id("source"), keep_documents=keeps)
    notice = _("It is removed, and its documents are kept.") if keeps else _("It is removed with its documents.")
    return page.redirect(f"/knowledge/collections/{key}", notice)


async def _show_form(page: Page, source: Source, form: Form, problem: RetinueError | None = None) -> Response:
    hours, depth = form.text("every_hours"), form.text("max_depth")
    rhythms = {hours: _("Every {hours} hours").format(hours=hours)} if hours else {}
    depths = {depth: _("Up to {depth} links away").format(depth=depth)} if depth else {}
    collection = await page.service(Collections).get(page.path_id())
    values = {"source": source, "form": form, "problem": problem, "collection": collection}
    usual = source_choices()
    choices: dict[str, object] = {"depths": depths | usual["depths"], "rhythms": rhythms | usual["rhythms"]}
    choices["connections"] = await connection_names(page)
    return await page.render("knowledge/edit_source.html", problem.status if problem else 200, **values, **choices)


def _form_of(source: Source) -> Form:
    names = ("url", "path", "connection", "max_pages", "max_depth")
    patterns = {name: "\n".join(getattr(source, name)) for name in ("include", "exclude")}
    return Form.of({name: getattr(source, name) for name in names} | patterns | source.schedule)


def _schedule(form: Form) -> dict[str, object] | None:
    if cron := form.optional("cron"):
        return {"cron": cron, "timezone": form.text("timezone") or "UTC"}
    hours = parse_whole_number(form.text("every_hours"))
    return None if hours is None else {"every_hours": hours}


def _fields(form: Form) -> dict[str, object]:
    """Return the fields of the API for a form. Patterns stand one on a line."""
    parsed = {name: parse_whole_number(form.text(name)) for name in _NUMBERS}
    numbers = {name: number for name, number in parsed.items() if number is not None}
    return {
        "kind": form.text("kind"),
        "url": form.optional("url"),
        "path": form.optional("path"),
        "connection": form.optional("connection"),
        "include": form.text("include").split(),
        "exclude": form.text("exclude").split(),
        "schedule": _schedule(form),
        **numbers,
    }
