"""The websites and folders of a collection: adding, synchronizing and removing them, on the page of the collection."""

from typing import Any

from starlette.responses import Response

from retinue.core.errors import RetinueError
from retinue.knowledge.sources.schemas import CollectionSourceCreate
from retinue.knowledge.sources.service import CollectionSources
from retinue.portal.forms import Form, parse
from retinue.portal.knowledge.collections import show_problem
from retinue.portal.page import Page
from retinue.portal.pages import Pages

pages = Pages()

_BASE = "/knowledge/collections/{id}/sources"
_NUMBERS = ("max_pages", "max_depth")


@pages.post(_BASE)
async def add_source(page: Page) -> Response:
    """Add a website or a folder from its form."""
    form, key = await page.form(), page.path_id()
    try:
        await page.service(CollectionSources).create(key, parse(CollectionSourceCreate, _fields(form)))
    except RetinueError as error:
        return await show_problem(page, form, error)
    return page.redirect(f"/knowledge/collections/{key}", "It is being read. The documents appear as they are found.")


@pages.post(f"{_BASE}/{{source}}/sync")
async def sync_source(page: Page) -> Response:
    """Synchronize a source now."""
    key = page.path_id()
    await page.service(CollectionSources).sync(key, page.path_id("source"))
    return page.redirect(f"/knowledge/collections/{key}", "It is being read again. Only what has changed is indexed.")


@pages.post(f"{_BASE}/{{source}}/delete")
async def delete_source(page: Page) -> Response:
    """Remove a source with its documents, or keep these."""
    form, key = await page.form(), page.path_id()
    kept = "keep_documents" in form
    await page.service(CollectionSources).delete(key, page.path_id("source"), keep_documents=kept)
    said = "It is removed, and its documents are kept." if kept else "It is removed with its documents."
    return page.redirect(f"/knowledge/collections/{key}", said)


def _fields(form: Form) -> dict[str, Any]:
    """Return the fields of the API for a form. Patterns stand one on a line."""
    numbers = {name: int(form.text(name)) for name in _NUMBERS if form.text(name).isdecimal()}
    hours = form.text("every_hours")
    return {
        "kind": form.text("kind"),
        "url": form.optional("url"),
        "path": form.optional("path"),
        "include": form.text("include").split(),
        "exclude": form.text("exclude").split(),
        "schedule": {"every_hours": int(hours)} if hours.isdecimal() else None,
        **numbers,
    }
