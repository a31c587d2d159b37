"""Pages of knowledge."""

from urllib.parse import quote

from starlette.responses import Response

from retinue.core.database.statements import Row
from retinue.core.errors import RetinueError
from retinue.files.service import Files
from retinue.files.upload import announced_size, read_past, read_upload
from retinue.language.translation import gettext as _
from retinue.portal.forms import Form, parse
from retinue.portal.knowledge.collections import collections_of
from retinue.portal.knowledge.documents import DocumentDraft, describe, read_text
from retinue.portal.live import live
from retinue.portal.page import Page
from retinue.portal.pages import Pages
from retinue.portal.templating import render
from retinue.workspace.knowledge import DOCUMENT, MOST_CHARACTERS, MOST_DOCUMENTS, PASSAGE, Knowledge

pages = Pages()
_LONGEST_SEARCH = 500
_FOUND = 8
_PASSAGES = 10
_LOOK_S = 1.0
"""Seconds between two looks at the progress of indexing, which wakes nobody."""


@pages.get("/knowledge")
async def show_knowledge(page: Page) -> Response:
    """Show the collections, and the way to the documents of the workspace."""
    total = await page.service(Knowledge).records.count(DOCUMENT)
    return await page.render("knowledge/list.html", workspace_total=total, **await collections_of(page))


@pages.get("/knowledge/workspace")
async def show_workspace(page: Page) -> Response:
    """List the documents of the workspace, newest first, with the passages that fit a question."""
    if page.by_htmx:
        return page.fragment("knowledge/_found.html", **await _search_values(page))
    return await _show(page)


@pages.get("/knowledge/live")
async def follow_documents(page: Page) -> Response:
    """Stream the list with the progress of indexing."""

    async def show() -> tuple[str, bool]:
        return render("knowledge/_list.html", **await _list_values(page)), False

    return await live(page, [], show, _LOOK_S)


@pages.post("/knowledge")
async def add_text(page: Page) -> Response:
    """Index a text from the form."""
    form = await page.form()
    try:
        draft = parse(DocumentDraft, {name: form.text(name) for name in ("title", "text", "source")})
        document = await page.service(Knowledge).add(draft.title, draft.text, {"source": draft.source})
    except RetinueError as error:
        return await _show(page, form, error)
    return _to_document(page, document)


@pages.post("/knowledge/upload", form="/knowledge/workspace")
async def add_file(page: Page) -> Response:
    """Index a text file: from a form if scripts are off, or as raw content with its name in the query."""
    name = page.query.text("name")
    try:
        receiving = page.service(Files).receiving(announced_size(page.request))
        async with read_past(page.request), receiving as upload:
            label = await read_upload(page.request, name or None, upload)
            text = await read_text(upload.path, label.name)
        document = await page.service(Knowledge).add(label.name[:200], text, {"source": label.name})
    except RetinueError as error:
        if page.by_script:
            raise
        return await _show(page, problem=error)
    return Response(status_code=201) if page.by_script else _to_document(page, document)


@pages.get("/knowledge/documents/{name}")
async def show_document(page: Page) -> Response:
    """Show a document with its passages."""
    knowledge = page.service(Knowledge)
    document, paging = await describe(knowledge, await _document(page)), page.paging(_PASSAGES)
    passages = await knowledge.records.prefix(PASSAGE, "", document.row.id, most=_PASSAGES, skipped=paging.part.offset)
    values: dict[str, object] = {"document": document, "passages": passages, "paging": paging.of(document.stored)}
    return await page.render("knowledge/document.html", **values)


@pages.post("/knowledge/documents/{name}/delete", form="/knowledge/workspace")
async def delete_document(page: Page) -> Response:
    """Delete a document with its passages."""
    document = await _document(page)
    await page.service(Knowledge).remove(document.name)
    return page.redirect("/knowledge/workspace", _("{name} is deleted.").format(name=document.body["title"]))


async def _document(page: Page) -> Row:
    return await page.service(Knowledge).records.get(DOCUMENT, page.request.path_params["name"])


def _to_document(page: Page, document: Row) -> Response:
    return page.redirect(f"/knowledge/documents/{quote(document.name)}", _("The document is indexed."))


async def _search_values(page: Page) -> dict[str, object]:
    search = page.query.text("q")[:_LONGEST_SEARCH]
    found = await page.service(Knowledge).search(search, _FOUND) if search else []
    return {"search": search, "found": found}


async def _list_values(page: Page) -> dict[str, object]:
    knowledge, paging = page.service(Knowledge), page.paging()
    part = paging.part
    rows = await knowledge.records.newest(DOCUMENT, most=part.per_page, skipped=part.offset)
    documents = [await describe(knowledge, row) for row in rows]
    total = await knowledge.records.count(DOCUMENT)
    return {"documents": documents, "paging": paging.of(total), "workspace_total": total}


async def _show(page: Page, form: Form | None = None, problem: RetinueError | None = None) -> Response:
    values = {**await _list_values(page), **await _search_values(page), "form": form or Form(), "problem": problem}
    limits = {"most": MOST_DOCUMENTS, "longest": MOST_CHARACTERS}
    return await page.render("knowledge/workspace.html", problem.status if problem else 200, **values, **limits)
