"""An agent that answers from documents, made of one file or text."""

from collections.abc import Mapping
from pathlib import PurePosixPath
from urllib.parse import unquote, urlsplit

from starlette.responses import Response

from retinue.agents.schemas import AgentCreate, AgentUpdate
from retinue.agents.service import Agents
from retinue.core.database.statements import Row
from retinue.core.errors import RetinueError
from retinue.core.http.envelope import Page as Part
from retinue.files.service import Files
from retinue.files.upload import announced_size, read_past, read_upload
from retinue.knowledge.schemas import CollectionCreate, CollectionUpdate, DocumentCreate
from retinue.knowledge.service import Collections
from retinue.knowledge.worker import TOPIC
from retinue.language.translation import gettext as _
from retinue.portal.field_errors import place_error
from retinue.portal.forms import Form, parse, require
from retinue.portal.live import live
from retinue.portal.page import Page
from retinue.portal.pages import Pages
from retinue.portal.templating import render

pages = Pages()
_INSTRUCTIONS = (
    "You answer questions from the documents that you were given. Answer in one to three sentences, with the facts "
    "and figures of the documents. If they do not have the answer, say so."
)
_NAME = 60
"""Maximum characters of the name that a collection takes from its document."""

_DOCUMENTS = 20
_LOOK_S = 0.5


@pages.get("/start/documents")
async def show_documents(page: Page) -> Response:
    """Show the form for a file or a text."""
    return await _show_form(page, Form())


@pages.post("/start/documents/upload")
async def upload_document(page: Page) -> Response:
    """Make an agent that answers from the uploaded file."""
    files = page.service(Files)
    try:
        async with read_past(page.request), files.receiving(announced_size(page.request)) as upload:
            label = await read_upload(page.request, None, upload)
            stored = await files.add(upload, label)
        return await _create(page, _without_extension(label.name), {"file_id": stored.id})
    except RetinueError as error:
        return await _show_form(page, Form(), place_error(error, {}, otherwise="file"))


@pages.post("/start/documents")
async def add_text(page: Page) -> Response:
    """Make an agent that answers from a text or a web page."""
    form = await page.form()
    field = "url" if "url" in form else "text"
    fields = {name: form.optional(name) for name in ("text", "url")}
    try:
        require(form, field)
        name = _name_of_page(form.text("url")) or form.text("text").partition("\n")[0].strip("# ")
        return await _create(page, name or _("My text"), fields)
    except RetinueError as error:
        return await _show_form(page, form, place_error(error, {}, otherwise=field))


@pages.get("/start/documents/{id}")
async def show_reading(page: Page) -> Response:
    """Show how the documents of the new agent are read, and then what comes next."""
    return await _show_reading(page)


@pages.post("/start/documents/{id}")
async def rename(page: Page) -> Response:
    """Change the names of the agent and its collection."""
    form, agents = await page.form(), page.service(Agents)
    agent = await agents.get(page.path_id())
    try:
        changes = parse(AgentUpdate, {"agent_name": form.text("agent_name")})
        if agent.knowledge:
            collection = parse(CollectionUpdate, {"name": form.text("name")})
            await page.service(Collections).update(agent.knowledge[0], collection)
        await agents.update(agent.id, changes)
    except RetinueError as error:
        return await _show_reading(page, form, error)
    return page.redirect(f"/start/documents/{agent.id}", _("The names are saved."))


@pages.get("/start/documents/{id}/live")
async def follow_reading(page: Page) -> Response:
    """Stream the state of the documents until all are read."""

    async def show() -> tuple[str, bool]:
        values = await _find_documents(page)
        return render("start/_reading.html", **values), values["is_read"] is True

    return await live(page, [TOPIC], show, _LOOK_S)


def _without_extension(name: str) -> str:
    """Return the name of a file as people say it: "Price_list.docx" becomes "Price list"."""
    return PurePosixPath(name).stem.replace("_", " ").strip()


def _name_of_page(url: str) -> str:
    """Return the last part of the address of a web page, or its host."""
    parts = urlsplit(url)
    return _without_extension(unquote(parts.path)) or parts.hostname or ""


async def _create(page: Page, name: str, document: Mapping[str, object]) -> Response:
    """Create a collection with the document, and an agent that answers from it."""
    draft = parse(DocumentCreate, document)
    collections, title = page.service(Collections), name[:_NAME].strip()
    collection = await collections.create(CollectionCreate(name=title))
    await collections.add(collection.id, draft)
    name = _("{title} assistant").format(title=title)
    agent = AgentCreate(agent_name=name, agent_role="specialist", instructions=_INSTRUCTIONS, knowledge=[collection.id])
    created = await page.service(Agents).create(agent)
    return page.redirect(f"/start/documents/{created.id}")


async def _find_documents(page: Page) -> dict[str, object]:
    agent = await page.service(Agents).get(page.path_id())
    collections = page.service(Collections)
    documents: list[Row] = []
    for key in agent.knowledge or ():
        rows, _ = await collections.documents(key, Part(per_page=_DOCUMENTS))
        documents += rows
    states = {one.status for one in documents}
    return {
        "agent": agent,
        "documents": documents,
        "collection": await collections.get(agent.knowledge[0]) if agent.knowledge else None,
        "is_read": states <= {"ready", "failed"},
        "works": "ready" in states,
    }


async def _show_reading(page: Page, form: Form | None = None, problem: RetinueError | None = None) -> Response:
    values, status = await _find_documents(page), problem.status if problem else 200
    return await page.render("start/reading.html", status, **values, sent=form, problem=problem)


async def _show_form(page: Page, form: Form, problem: RetinueError | None = None) -> Response:
    return await page.render("start/documents.html", problem.status if problem else 200, form=form, problem=problem)
