"""Conversations: their list, names and pins, their export, and answers in progress."""

from collections.abc import Iterable, Sequence
from urllib.parse import quote

from pydantic import Field
from starlette.responses import Response

from retinue.chat.schemas import ConversationView, MessageView
from retinue.chat.service import Chats
from retinue.core.database.statements import Row
from retinue.core.errors import NotFound
from retinue.core.http.envelope import Body
from retinue.core.http.envelope import Page as Part
from retinue.language.translation import gettext as _
from retinue.portal.approvals.changes import ApprovalWithChange
from retinue.portal.approvals.waiting import waiting_calls
from retinue.portal.forms import parse
from retinue.portal.live import live
from retinue.portal.models.choices import own_providers
from retinue.portal.names import agent_names
from retinue.portal.page import Page
from retinue.portal.pages import Pages
from retinue.portal.playground.turns import ShownTurn, as_markdown, turn_of_steps, turns_of
from retinue.portal.templating import render
from retinue.runs.execution.broadcast import followed_topic, said_topic
from retinue.runs.schemas import StepView
from retinue.runs.service import Runs
from retinue.runs.tables import JournalRow, RunRow

pages = Pages()
CONVERSATION_PAGE = "/playground?conversation={conversation_id}"
"""The address of the page that shows a conversation."""

_LISTED = 40
_MESSAGES = 100
_EXPORTED = 10_000
"""Maximum messages of an export."""

_LONGEST_SEARCH = 100


class ConversationTitle(Body):
    """A new title of a conversation."""

    title: str = Field(min_length=1, max_length=100)


class ConversationExport(ConversationView):
    """A conversation with its messages, as the API has them."""

    messages: list[MessageView]


@pages.get("/playground/conversations")
async def list_conversations(page: Page) -> Response:
    """List the latest conversations, or the results of a search."""
    current = page.query.text("current")
    return page.fragment("playground/_conversations.html", current=current, **await list_values(page))


@pages.post("/playground/conversations/{conversation_id}/rename", form=CONVERSATION_PAGE)
async def rename_conversation(page: Page) -> Response:
    """Change the title of a conversation."""
    form = await page.form()
    title = parse(ConversationTitle, {"title": form.text("title")}).title
    await page.service(Chats).change(_id(page), title=title)
    return page.redirect(_address(page))


@pages.post("/playground/conversations/{conversation_id}/pin", form=CONVERSATION_PAGE)
async def pin_conversation(page: Page) -> Response:
    """Pin a conversation to the top of the list, or unpin it."""
    form = await page.form()
    await page.service(Chats).change(_id(page), pinned=form.text("pinned") == "yes")
    return page.redirect(_address(page))


@pages.post("/playground/conversations/{conversation_id}/delete", form=CONVERSATION_PAGE)
async def delete_conversation(page: Page) -> Response:
    """Delete a conversation."""
    await page.service(Chats).delete(_id(page))
    return page.redirect("/playground", _("The conversation is deleted."))


@pages.get("/playground/conversations/{conversation_id}/export")
async def export_conversation(page: Page) -> Response:
    """Download a conversation as Markdown, or as JSON with everything that the API has of it."""
    conversation = await page.service(Chats).get(_id(page))
    messages = await _messages(page, _id(page), _EXPORTED)
    if page.query.text("format") == "json":
        export = ConversationExport.of_row(conversation, messages=messages)
        return _download(f"{conversation.public_id}.json", export.model_dump_json(indent=2), "application/json")
    names = await agent_names(page, [conversation.agent_id])
    speaker = names.get(conversation.agent_id or 0, conversation.model)
    text = as_markdown(conversation.title, speaker, await _turns(page, _id(page), messages))
    return _download(f"{conversation.public_id}.md", text, "text/markdown; charset=utf-8")


def _download(name: str, text: str, media_type: str) -> Response:
    return Response(text, media_type=media_type, headers={"Content-Disposition": f'attachment; filename="{name}"'})


@pages.get("/playground/conversations/{conversation_id}/answers/{run_id}")
async def follow_answer(page: Page) -> Response:
    """Stream an answer, with the calls that wait for approval, until its run has ended."""
    conversation = await page.service(Chats).get(_id(page))
    run_id = page.path_id("run_id")
    if (await page.service(Runs).get(run_id)).conversation_id != conversation.id:
        raise NotFound(_("The conversation has no run {id}.").format(id=run_id))

    async def show() -> tuple[str, bool]:
        page.platform.notifier.wake(followed_topic(run_id))
        run, steps = await page.service(Runs).with_steps(run_id)
        turn, approvals = await _answer(page, run, steps)
        files = await shown_files(page, [turn])
        values = {"turn": turn, "approvals": approvals, "conversation": conversation.public_id, "files": files}
        values["own_providers"] = await own_providers(page) if run.error else {}
        return render("playground/_answer.html", **values), run.ended_at is not None

    return await live(page, [f"run:{run_id}", said_topic(run_id), "runs.stopped"], show, 1.0)


async def list_values(page: Page) -> dict[str, object]:
    """Return the conversations that the query asks for and the names of their agents, for the template."""
    search = page.query.text("q").strip()[:_LONGEST_SEARCH]
    rows = await page.service(Chats).find_recent(search, _LISTED)
    agents = await agent_names(page, (row.agent_id for row in rows))
    return {"conversations": rows, "agent_names": agents, "search": search}


async def latest_turns(page: Page, conversation: str) -> list[ShownTurn]:
    """Return the last turns of a conversation."""
    return await _turns(page, conversation, await _messages(page, conversation, _MESSAGES))


async def shown_files(page: Page, turns: Iterable[ShownTurn]) -> dict[str, Row]:
    """Return the files of the messages that still exist, by id."""
    ids = [file_id for turn in turns for file_id in turn.files]
    return await page.platform.file_access.records(page.caller.account_id, ids)


async def _messages(page: Page, conversation: str, most: int) -> list[JournalRow]:
    chats = page.service(Chats)
    total = (await chats.get(conversation)).message_count
    messages: list[JournalRow] = []
    last = max(1, -(-total // _MESSAGES))
    for number in range(max(1, last - -(-most // _MESSAGES)), last + 1):
        rows, _ = await chats.messages(conversation, Part(page=number, per_page=_MESSAGES))
        messages += rows
    return messages[-most:]


async def _turns(page: Page, conversation: str, messages: Sequence[JournalRow]) -> list[ShownTurn]:
    if not messages:
        return []
    ids = [message.run_id for message in messages]
    return turns_of(messages, await page.service(Chats).runs(conversation, min(ids), max(ids)))


async def _answer(page: Page, run: RunRow, steps: Sequence[StepView]) -> tuple[ShownTurn, list[ApprovalWithChange]]:
    """Return the answer of a run so far, and the calls that wait for approval."""
    active = page.platform.runner.active.get(run.id)
    text = active.journal.reply if active else run.reply or ""
    return turn_of_steps(run, steps, text), await waiting_calls(page, run)


def _id(page: Page) -> str:
    return str(page.request.path_params["conversation_id"])


def _address(page: Page) -> str:
    return f"/playground?conversation={quote(_id(page))}"
