"""Pages of telephone calls."""

from collections.abc import Sequence
from datetime import timedelta
from functools import partial

from starlette.responses import Response

from retinue.core.database.statements import Row
from retinue.core.errors import NotFound, RetinueError
from retinue.core.http.envelope import Page as Part
from retinue.core.runtime.clock import now
from retinue.files.contents import content_of
from retinue.files.service import Files
from retinue.language.translation import gettext as _
from retinue.language.translation import gettext_noop
from retinue.portal.calls.forms import DETECTIONS, DIRECTIONS, STATUSES, filters_of, order_of
from retinue.portal.field_errors import place_error
from retinue.portal.forms import Form
from retinue.portal.live import live
from retinue.portal.names import agent_names
from retinue.portal.navigation import MenuEntry
from retinue.portal.page import Page
from retinue.portal.pages import Pages
from retinue.portal.paging import Paging
from retinue.portal.templating import render
from retinue.portal.voice import agents_to_choose, clock_length, voice_of
from retinue.voice.batches.schemas import BatchView
from retinue.voice.batches.service import Batches
from retinue.voice.calls.orders import call_topic
from retinue.voice.calls.service import Calls, call_view
from retinue.voice.calls.tables import CallRow
from retinue.voice.event_feed import feed_topic

pages = Pages(MenuEntry("Automate", "calls", gettext_noop("Calls"), "phone", "telephone voice"))
_TURNS = 100
_SAVING = timedelta(seconds=60)
"""Time after the end of a call for which its page waits for the recording."""


@pages.get("/calls")
async def list_calls(page: Page) -> Response:
    """List matching calls, newest first."""
    values: dict[str, object] = {**await _list_values(page), "statuses": STATUSES, "directions": DIRECTIONS}
    return await page.render("calls/list.html", **values, choices=await agents_to_choose(page))


@pages.get("/calls/live")
async def follow_calls(page: Page) -> Response:
    """Stream the list as calls begin and end."""

    async def show() -> tuple[str, bool]:
        return render("calls/_list.html", **await _list_values(page)), False

    return await live(page, ["events"], show)


@pages.get("/calls/new")
async def show_new(page: Page) -> Response:
    """Show the form to place a call."""
    query = page.query
    start = {"to": query.text("to"), "agent_id": query.text("agent"), "opening": "name"}
    return await _show_form(page, Form.of(start))


@pages.post("/calls")
async def start_call(page: Page) -> Response:
    """Place a call."""
    form = await page.form()
    try:
        call = await page.service(Calls).start(order_of(form))
    except RetinueError as error:
        return await _show_form(page, form, place_error(error, {"to": "to", "agent_id": "agent_id"}))
    return page.redirect(f"/calls/{call.id}", _("The call is on its way."))


@pages.get("/calls/{id}")
async def show_call(page: Page) -> Response:
    """Show a call with its transcript."""
    return await page.render("calls/call.html", **await _values(page, await page.service(Calls).row(page.path_id())))


@pages.get("/calls/{id}/live")
async def follow_call(page: Page) -> Response:
    """Stream the call until it has ended, its recording is stored, and it is analyzed."""
    call_id = page.path_id()

    async def show() -> tuple[str, bool]:
        row = await page.service(Calls).row(call_id)
        pending = _saves_recording(row) or row.analysis_status in ("due", "running")
        over = row.ended_at is not None and not pending
        return render("calls/_call.html", **await _values(page, row)), over

    return await live(page, [call_topic(call_id), feed_topic("call", call_id), "events"], show, 1.0)


@pages.post("/calls/{id}/hangup")
async def hang_up(page: Page) -> Response:
    """Hang up a call."""
    call = await page.service(Calls).hang_up(page.path_id())
    flash = _("The call is over.") if call.ended_at else _("The call is ending.")
    return page.redirect(f"/calls/{call.id}", flash)


@pages.get("/calls/{id}/recording")
async def play_recording(page: Page) -> Response:
    """Return the recording, or the byte range that the player requests."""
    call = await page.service(Calls).get(page.path_id())
    file_id = call.recording_file_id
    if file_id is None:
        raise NotFound(f"Call {call.id} has no recording.")
    files = page.service(Files)
    return await content_of(await files.get(file_id), page.request.headers, partial(files.open, file_id))


async def _list_values(page: Page) -> dict[str, object]:
    filters, paging = filters_of(page.query), page.paging()
    calls, total = await page.service(Calls).page(filters.of_page(paging.part))
    names = await agent_names(page, [filters.agent_id, *(call.agent_id for call in calls)])
    values = {"calls": calls, "agents": names, "paging": paging.of(total), "filters": filters, "length": clock_length}
    return {**values, "voice": voice_of(page.platform)}


async def _values(page: Page, row: CallRow) -> dict[str, object]:
    calls, call_id, paging = page.service(Calls), row.id, page.paging(_TURNS)
    turns, total = await calls.turns(call_id, paging.part)
    if "page" not in page.query and total > _TURNS:
        paging = Paging(Part(page=-(-total // _TURNS), per_page=_TURNS))
        turns, total = await calls.turns(call_id, paging.part)
    recording = await _recording(page, row.recording_file_id)
    return {
        "call": call_view(row),
        "max_seconds": row.max_seconds,
        "is_recorded": row.record,
        "entries": _entries(turns, await calls.actions(call_id)),
        "paging": paging.of(total),
        "agents": await agent_names(page, [row.agent_id]),
        "batch": await _batch(page, row.batch_id),
        "recording": recording,
        "saving": _saves_recording(row),
        "length": clock_length,
        "detections": DETECTIONS,
    }


def _saves_recording(row: CallRow) -> bool:
    """Return whether the recording of a call that has just ended is still being stored."""
    lacks = row.record and row.answered_at is not None and row.recording_file_id is None
    return lacks and row.ended_at is not None and now() - row.ended_at < _SAVING


def _entries(turns: Sequence[Row], actions: Sequence[Row]) -> list[Row]:
    """Return the turns of a page with what was done between them, in order."""
    if not turns:
        return list(actions)
    first, last = turns[0], turns[-1]
    begin = first.created_at if first.number > 1 else None
    end = last.created_at if len(turns) == _TURNS else None
    among = [
        one for one in actions if (begin is None or one.created_at > begin) and (end is None or one.created_at <= end)
    ]
    return sorted([*turns, *among], key=lambda one: one.created_at)


async def _recording(page: Page, file_id: str | None) -> Row | None:
    """Return the file of the recording, or None if there is none or it was deleted."""
    try:
        return await page.service(Files).get(file_id) if file_id else None
    except NotFound:
        return None


async def _batch(page: Page, batch_id: int | None) -> BatchView | None:
    """Return the batch of a call, or None if it has none or it was deleted."""
    try:
        return await page.service(Batches).get(batch_id) if batch_id else None
    except NotFound:
        return None


async def _show_form(page: Page, form: Form, problem: RetinueError | None = None) -> Response:
    values = {"voice": voice_of(page.platform), "choices": await agents_to_choose(page), "detections": DETECTIONS}
    return await page.render(
        "calls/form.html", problem.status if problem else 200, **values, form=form, problem=problem
    )
