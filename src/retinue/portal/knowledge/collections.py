"""Pages of collections: their documents, what a search finds, and the passages of a document."""

from starlette.responses import Response

from retinue.connections.service import MOST_CONNECTIONS, Connections
from retinue.core.database.statements import Row
from retinue.core.errors import InUse, RetinueError
from retinue.core.http.envelope import Page as Part
from retinue.files.service import Files
from retinue.files.upload import announced_size, read_past, read_upload
from retinue.knowledge.schemas import CollectionCreate, CollectionUpdate, DocumentCreate, Search
from retinue.knowledge.service import Collections
from retinue.knowledge.sources.schemas import USUAL_PAGES
from retinue.knowledge.sources.service import CONNECTION_KINDS, MOST_SOURCES, CollectionSources
from retinue.knowledge.worker import SOURCES, TOPIC
from retinue.language.translation import gettext as _
from retinue.language.translation import gettext_noop
from retinue.portal.field_errors import place_error
from retinue.portal.forms import Form, parse
from retinue.portal.live import live
from retinue.portal.navigation import MenuEntry
from retinue.portal.page import Page
from retinue.portal.pages import Pages
from retinue.portal.templating import render

pages = Pages(MenuEntry("Build", "knowledge", gettext_noop("Knowledge"), "file-text", "documents collections rag"))
_FOUND, _LISTED, _PASSAGES = 8, 50, 10
_LONGEST_SEARCH = 500
_FIELDS = ("name", "description", "reranker")
DEPTHS = {
    "3": gettext_noop("The whole site"),
    "1": gettext_noop("This page and those it links to"),
    "0": gettext_noop("Only this page"),
}
RHYTHMS = {
    "1": gettext_noop("Every hour"),
    "6": gettext_noop("Every 6 hours"),
    "24": gettext_noop("Every day"),
    "168": gettext_noop("Every week"),
    "0": gettext_noop("Only when I ask"),
}
_LOOK_S = 1.0
"""Seconds between two looks at the progress of indexing."""


def source_choices() -> dict[str, dict[str, str]]:
    """Return the options of a source's form with their labels in the language of the page."""
    options = {"depths": DEPTHS, "rhythms": RHYTHMS}
    return {name: {value: _(label) for value, label in labels.items()} for name, labels in options.items()}


async def collections_of(page: Page) -> dict[str, object]:
    """Return the values that the list of collections shows."""
    rows, total = await page.service(Collections).page(Part(per_page=_LISTED))
    return {"collections": rows, "collections_total": total}


@pages.post("/knowledge/collections")
async def create_collection(page: Page) -> Response:
    """Create a collection from the form."""
    form = await page.form()
    draft = parse(CollectionCreate, {name: form.text(name) for name in ("name", "description")})
    collection = await page.service(Collections).create(draft)
    return page.redirect(
        f"/knowledge/collections/{collection.id}",
        _("{name} is created. Add documents to it.").format(name=collection.name),
    )


@pages.get("/knowledge/collections/{id}")
async def show_collection(page: Page) -> Response:
    """Show the documents of a collection, and the passages that fit a question."""
    if page.by_htmx:
        return page.fragment("knowledge/_hits.html", **await _search_values(page))
    return await _show(page)


@pages.get("/knowledge/collections/{id}/live")
async def follow_collection(page: Page) -> Response:
    """Stream the list of documents with their status."""

    async def show() -> tuple[str, bool]:
        return render("knowledge/_documents.html", **await _list_values(page)), False

    return await live(page, [TOPIC, SOURCES], show, _LOOK_S)


@pages.get("/knowledge/collections/{id}/edit")
async def edit_collection(page: Page) -> Response:
    """Show the form with the name, the description and the reranker of a collection."""
    collection = await page.service(Collections).get(page.path_id())
    return await _show_form(page, collection, Form.of({name: getattr(collection, name) for name in _FIELDS}))


@pages.post("/knowledge/collections/{id}/edit")
async def change_collection(page: Page) -> Response:
    """Change a collection by the form."""
    service, key, form = page.service(Collections), page.path_id(), await page.form()
    collection = await service.get(key)
    try:
        await service.update(key, parse(CollectionUpdate, {name: form.text(name) for name in _FIELDS}))
    except RetinueError as error:
        return await _show_form(
            page, collection, form, place_error(error, {"reranker": "reranker"}, otherwise="reranker")
        )
    return page.redirect(f"/knowledge/collections/{key}", _("The collection is changed."))


@pages.post("/knowledge/collections/{id}/delete")
async def delete_collection(page: Page) -> Response:
    """Delete a collection with its documents. If agents answer from it, the page lists them."""
    try:
        await page.service(Collections).delete(page.path_id())
    except InUse as error:
        return await _show(page, problem=error)
    return page.redirect("/knowledge", _("The collection is deleted."))


@pages.post("/knowledge/collections/{id}/add")
async def add_document(page: Page) -> Response:
    """Add a text or a web page from the form."""
    form, key = await page.form(), page.path_id()
    try:
        fields = {name: form.optional(name) for name in ("title", "text", "url")}
        await page.service(Collections).add(key, parse(DocumentCreate, fields))
    except RetinueError as error:
        return await _show(page, form, error)
    return page.redirect(f"/knowledge/collections/{key}", _("The document is being read."))


@pages.post("/knowledge/collections/{id}/upload")
async def upload_document(page: Page) -> Response:
    """Store a file and add it: from a form if scripts are off, or as raw content with its name in the query."""
    files, key, name = page.service(Files), page.path_id(), page.query.text("name")
    try:
        async with read_past(page.request), files.receiving(announced_size(page.request)) as upload:
            label = await read_upload(page.request, name or None, upload)
            stored = await files.add(upload, label)
        await page.service(Collections).add(key, DocumentCreate(file_id=stored.id))
    except RetinueError as error:
        if page.by_script:
            raise
        return await _show(page, problem=error)
    if page.by_script:
        return Response(status_code=201)
    return page.redirect(f"/knowledge/collections/{key}", _("{name} is being read.").format(name=label.name))


@pages.get("/knowledge/collections/{id}/documents/{document}")
async def show_document(page: Page) -> Response:
    """Show a document with its passages. `?passage=` opens the part of the list with that passage."""
    service, key, document_id = page.service(Collections), page.path_id(), page.path_id("document")
    document, paging = await service.document(key, document_id), page.paging(_PASSAGES)
    passages, total = await service.passages(key, document_id, paging.part)
    values: dict[str, object] = {"document": document, "passages": passages, "paging": paging.of(total)}
    return await page.render("knowledge/source.html", collection=await service.get(key), **values)


@pages.post("/knowledge/collections/{id}/documents/{document}/refresh")
async def refresh_document(page: Page) -> Response:
    """Read a document again."""
    key, document_id = page.path_id(), page.path_id("document")
    await page.service(Collections).refresh(key, document_id)
    return page.redirect(f"/knowledge/collections/{key}", _("The document is being read again."))


@pages.post("/knowledge/collections/{id}/documents/{document}/delete")
async def delete_document(page: Page) -> Response:
    """Delete a document with its passages."""
    key = page.path_id()
    await page.service(Collections).remove(key, page.path_id("document"))
    return page.redirect(f"/knowledge/collections/{key}", _("The document is deleted."))


async def _search_values(page: Page) -> dict[str, object]:
    question = page.query.text("q").strip()[:_LONGEST_SEARCH]
    key = page.path_id()
    service = page.service(Collections)
    hits = (await service.search(key, Search(query=question, limit=_FOUND))).hits if question else []
    return {"search": question, "hits": hits, "collection_id": key, "per_page": _PASSAGES}


async def _list_values(page: Page) -> dict[str, object]:
    paging, key = page.paging(), page.path_id()
    rows, total = await page.service(Collections).documents(key, paging.part)
    sources, _total = await page.service(CollectionSources).page(key, Part(per_page=MOST_SOURCES))
    return {"documents": rows, "paging": paging.of(total), "collection_id": key, "sources": sources}


async def connection_names(page: Page) -> dict[str, list[str]]:
    """Return the names of the connections that sources can use, by kind."""
    rows, _total = await page.service(Connections).page(Part(per_page=MOST_CONNECTIONS))
    return {kind: sorted(row.name for row in rows if row.kind == kind) for kind in CONNECTION_KINDS.values()}


async def _show_form(page: Page, collection: Row, form: Form, problem: RetinueError | None = None) -> Response:
    values: dict[str, object] = {"collection": collection, "form": form, "problem": problem}
    return await page.render("knowledge/edit_collection.html", problem.status if problem else 200, **values)


async def show_problem(page: Page, form: Form, problem: RetinueError) -> Response:
    """Show the page of a collection with a form that was refused."""
    return await _show(page, form, problem)


async def _show(page: Page, form: Form | None = None, problem: RetinueError | None = None) -> Response:
    collection = await page.service(Collections).get(page.path_id())
    values = {**await _list_values(page), **await _search_values(page), "form": form or Form(), "problem": problem}
    choices: dict[str, object] = {**source_choices(), "usual_pages": USUAL_PAGES}
    choices["connections"] = await connection_names(page)
    status = problem.status if problem else 200
    return await page.render("knowledge/collection.html", status, collection=collection, **choices, **values)
