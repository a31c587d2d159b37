"""Pages of the playground."""

from starlette.responses import JSONResponse, Response

from retinue.agents.service import Agents
from retinue.agents.tables import AgentRow
from retinue.chat.schemas import ChatRequest
from retinue.chat.service import Chats
from retinue.core.errors import NotFound, RetinueError
from retinue.core.http.envelope import Data, json_response
from retinue.core.http.envelope import Page as Part
from retinue.files.schemas import FileView
from retinue.files.service import Files
from retinue.files.upload import announced_size, read_past, read_upload
from retinue.interop.openai.audio import TRANSCRIBE, transcribe
from retinue.language.error_words import error_words
from retinue.language.translation import gettext_noop
from retinue.models.assistant import installed_assistant
from retinue.models.known_weights import INCLUDED
from retinue.portal.forms import form_number, parse
from retinue.portal.live import live
from retinue.portal.models.choices import model_choices, own_providers
from retinue.portal.navigation import MenuEntry
from retinue.portal.page import Page
from retinue.portal.pages import Pages
from retinue.portal.playground.conversations import latest_turns, list_values, shown_files
from retinue.portal.templating import render
from retinue.runs.watching.sse_responses import stream
from retinue.tools.service import Tools

pages = Pages(MenuEntry("Build", "playground", gettext_noop("Playground"), "message-square", "chat conversation"))
_AGENTS = 100
_CONVERSATION = "X-Conversation-Id"
"""The header that names the conversation of a message, so that the page can continue it if the answer breaks off."""

_RUN = "X-Run-Id"
"""The header that names the run, so that the page can send it messages."""


@pages.get("/playground")
async def show_playground(page: Page) -> Response:
    """Show the playground with the agent or conversation in the query."""
    conversation = page.query.text("conversation")
    record = await page.service(Chats).get(conversation) if conversation else None
    agents, _ = await page.service(Agents).page(Part(per_page=_AGENTS))
    chosen = record.agent_id if record else form_number(page.query.text("agent"))
    if isinstance(chosen, int) and chosen not in {one.id for one in agents}:
        agents = [*await _agent(page, chosen, deleted=record is not None), *agents]
    turns = await latest_turns(page, conversation) if conversation else []
    choices, model_status = await model_choices(page), page.platform.models.status()
    return await page.render(
        "playground/playground.html",
        agents=agents,
        chosen=chosen,
        choices=choices,
        small_models=choices.included_names if model_status.get("weights") in INCLUDED else [],
        model=record.model if record else "",
        record=record,
        turns=turns,
        files=await shown_files(page, turns),
        own_providers=await own_providers(page),
        takes_voice=await _takes_voice(page),
        current=conversation,
        model_status=model_status,
        permissions=assistant.permission_requests() if (assistant := installed_assistant()) else [],
        **await list_values(page),
    )


@pages.get("/playground/model")
async def follow_model(page: Page) -> Response:
    """Stream the loading progress of the model until it is ready."""

    async def show() -> tuple[str, bool]:
        status = page.platform.models.status()
        return render("playground/_model.html", model_status=status), status["state"] == "ready"

    return await live(page, [], show, 1.0)


@pages.post("/playground/chat")
async def chat(page: Page) -> Response:
    """Send a message to the model or an agent, and stream the answer as the API does, with translated errors."""
    conversation_id, run = await page.service(Chats).send(parse(ChatRequest, await page.json()))
    final = {"conversation_id": conversation_id, "agent_id": run.run.agent_id, "model": run.run.model}
    try:
        response = await stream(run, page.platform.runner, final, error_words)
    except RetinueError as error:
        error.headers[_CONVERSATION] = conversation_id
        raise
    response.headers[_CONVERSATION] = conversation_id
    response.headers[_RUN] = str(run.run.id)
    return response


@pages.post("/playground/transcription")
async def transcribe_recording(page: Page) -> Response:
    """Transcribe a recording of the browser, which is not stored."""
    files = page.service(Files)
    async with read_past(page.request), files.receiving(announced_size(page.request)) as upload:
        await read_upload(page.request, "recording", upload)
        transcript = await transcribe(page.service(Tools), upload.path)
    return JSONResponse({"text": transcript.text})


async def _takes_voice(page: Page) -> bool:
    """Return True if the server can transcribe recordings of this user."""
    try:
        await page.service(Tools).admit(TRANSCRIBE)
    except RetinueError:
        return False
    return page.platform.libraries.ready


@pages.post("/playground/files")
async def upload_file(page: Page) -> Response:
    """Store a file to attach to a message; its name is in the query."""
    files, name = page.service(Files), page.query.text("name")
    async with read_past(page.request), files.receiving(announced_size(page.request)) as upload:
        label = await read_upload(page.request, name or None, upload)
        return json_response(Data[FileView], await files.add(upload, label), 201)


async def _agent(page: Page, agent_id: int, *, deleted: bool) -> list[AgentRow]:
    """Return the agent, or nothing if it may be `deleted`. Raises `NotFound`."""
    try:
        return [await page.service(Agents).get(agent_id)]
    except NotFound:
        if deleted:
            return []
        raise
