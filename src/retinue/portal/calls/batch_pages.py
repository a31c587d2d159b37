"""Pages of batches of calls, and of the do-not-call list."""

from collections.abc import Sequence
from typing import get_args
from zoneinfo import ZoneInfo

from starlette.responses import Response

from retinue.core.errors import RetinueError
from retinue.files.service import Files
from retinue.files.upload import announced_size, read_past, read_upload
from retinue.language.translation import gettext as _
from retinue.portal.calls.batch_forms import DAY_NAMES, OUTCOMES, START, options_of
from retinue.portal.calls.forms import DETECTIONS
from retinue.portal.field_errors import place_error
from retinue.portal.forms import Form, InvalidForm, parse
from retinue.portal.live import live
from retinue.portal.names import agent_names
from retinue.portal.page import Page
from retinue.portal.pages import Pages
from retinue.portal.schedules.forms import zones
from retinue.portal.templating import render
from retinue.portal.voice import agents_to_choose, voice_of
from retinue.voice.batches.schemas import (
    BatchRecipientView,
    BatchView,
    PlannedCall,
    PlanQuery,
    RecipientFilter,
    RecipientStatus,
)
from retinue.voice.batches.service import TOPIC, Batches
from retinue.voice.do_not_call.schemas import DoNotCallCreate
from retinue.voice.do_not_call.service import DoNotCall

pages = Pages()
_ROWS = 50
_FIELDS = {"country": "country", "start_at": "start_at", "agent_id": "agent_id", "at_once": "at_once"}
STATES: tuple[str, ...] = get_args(RecipientStatus)


@pages.get("/calls/batches")
async def list_batches(page: Page) -> Response:
    """List the batches, newest first."""
    return await page.render("calls/batches.html", **await _list_values(page), voice=voice_of(page.platform))


@pages.get("/calls/batches/live")
async def follow_batches(page: Page) -> Response:
    """Stream the list as batches go on."""

    async def show() -> tuple[str, bool]:
        return render("calls/_batches.html", **await _list_values(page)), False

    return await live(page, [TOPIC], show)


@pages.get("/calls/batches/new")
async def show_new(page: Page) -> Response:
    """Show the form to create a batch."""
    return await _show_form(page, Form.of({**START, "country": _country_of(page)}))


@pages.post("/calls/batches")
async def create_batch(page: Page) -> Response:
    """Create a draft from the form, and show what it would do."""
    fields: dict[str, str] = {}
    receiving = page.service(Files).receiving(announced_size(page.request))
    try:
        async with read_past(page.request), receiving as upload:
            await read_upload(page.request, None, upload, fields)
            options = options_of(Form.of(fields))
            source = upload.path if upload.size else fields.get("recipients", "")
            if not source:
                missing = _("Choose a CSV file, or paste one.")
                raise InvalidForm(missing, {"recipients": missing})
            batch = await page.service(Batches).create_from(options, source)
    except RetinueError as error:
        return await _show_form(page, Form.of(fields or START), place_error(error, _FIELDS, "recipients"))
    return page.redirect(f"/calls/batches/{batch.id}", _("The draft is ready. Nobody is called until you start it."))


@pages.get("/calls/batches/{id}")
async def show_batch(page: Page) -> Response:
    """Show a batch with its recipients, or the plan of a draft."""
    return await page.render("calls/batch.html", **await _values(page, await page.service(Batches).get(page.path_id())))


@pages.get("/calls/batches/{id}/live")
async def follow_batch(page: Page) -> Response:
    """Stream the batch until it has ended."""

    async def show() -> tuple[str, bool]:
        batch = await page.service(Batches).get(page.path_id())
        return render("calls/_batch.html", **await _values(page, batch)), batch.ended_at is not None

    return await live(page, [TOPIC], show, 1.0)


@pages.post("/calls/batches/{id}/start")
async def start_batch(page: Page) -> Response:
    """Start a draft."""
    return _to_batch(page, await page.service(Batches).start(page.path_id()), _("The batch is running."))


@pages.post("/calls/batches/{id}/pause")
async def pause_batch(page: Page) -> Response:
    """Pause a batch."""
    return _to_batch(page, await page.service(Batches).pause(page.path_id()), _("The batch is paused."))


@pages.post("/calls/batches/{id}/resume")
async def resume_batch(page: Page) -> Response:
    """Go on with a paused batch."""
    return _to_batch(page, await page.service(Batches).resume(page.path_id()), _("The batch is running again."))


@pages.post("/calls/batches/{id}/cancel")
async def cancel_batch(page: Page) -> Response:
    """Cancel a batch."""
    return _to_batch(page, await page.service(Batches).cancel(page.path_id()), _("The batch is cancelled."))


@pages.post("/calls/batches/{id}/delete")
async def delete_batch(page: Page) -> Response:
    """Delete a draft, or a batch that has ended."""
    await page.service(Batches).delete(page.path_id())
    return page.redirect("/calls/batches", _("The batch is deleted."))


@pages.get("/calls/do-not-call")
async def list_do_not_call(page: Page) -> Response:
    """Show the do-not-call list, with the form to add a number."""
    return await _show_do_not_call(page)


@pages.post("/calls/do-not-call")
async def add_do_not_call(page: Page) -> Response:
    """Add a number to the list."""
    form = await page.form()
    try:
        fields = {"number": form.text("number"), **{name: form.optional(name) for name in ("country", "note")}}
        row = await page.service(DoNotCall).add(parse(DoNotCallCreate, fields))
    except RetinueError as error:
        return await _show_do_not_call(page, form, error)
    return page.redirect("/calls/do-not-call", _("{number} is not called any more.").format(number=row.number))


@pages.post("/calls/do-not-call/{id}/delete")
async def remove_do_not_call(page: Page) -> Response:
    """Remove a number from the list."""
    await page.service(DoNotCall).remove(page.path_id())
    return page.redirect("/calls/do-not-call", _("The number may be called again."))


def _country_of(page: Page) -> str:
    """Return the country that a new form contains: that of the server's own phone numbers."""
    return page.service(DoNotCall).country or ""


def _to_batch(page: Page, batch: BatchView, done: str) -> Response:
    return page.redirect(f"/calls/batches/{batch.id}", done)


async def _list_values(page: Page) -> dict[str, object]:
    paging = page.paging()
    batches, total = await page.service(Batches).page(paging.part)
    names = await agent_names(page, [batch.agent_id for batch in batches])
    return {"batches": batches, "agents": names, "paging": paging.of(total)}


async def _values(page: Page, batch: BatchView) -> dict[str, object]:
    batches, batch_id, paging = page.service(Batches), batch.id, page.paging(_ROWS)
    part, state = paging.part.model_dump(), page.query.text("status")
    state = state if state in STATES else ""
    rows: Sequence[PlannedCall | BatchRecipientView]
    if batch.status == "draft":
        rows, total = await batches.plan(batch_id, PlanQuery(**part))
    else:
        rows, total = await batches.recipients(
            batch_id, RecipientFilter.model_validate({**part, "status": state or None})
        )
    return {
        "batch": batch,
        "waits_for_hours": _waits_for_hours(batch),
        "rows": rows,
        "paging": paging.of(total),
        "state": state,
        "states": STATES,
        "agents": await agent_names(page, [batch.agent_id]),
        "day_names": DAY_NAMES,
        "outcomes": OUTCOMES,
        "detections": DETECTIONS,
    }


def _waits_for_hours(batch: BatchView) -> bool:
    """Return whether the next call begins as soon as the hours of the batch do."""
    at, window = batch.next_call_at, batch.window
    return bool(at and window and f"{at.astimezone(ZoneInfo(window.timezone)):%H:%M}" == window.start)


async def _show_form(page: Page, form: Form, problem: RetinueError | None = None) -> Response:
    values: dict[str, object] = {
        "voice": voice_of(page.platform),
        "choices": await agents_to_choose(page),
        "detections": DETECTIONS,
        "day_names": DAY_NAMES,
        "outcomes": OUTCOMES,
        "zones": zones(),
    }
    status = problem.status if problem else 200
    return await page.render("calls/batch_form.html", status, **values, form=form, problem=problem)


async def _show_do_not_call(page: Page, form: Form | None = None, problem: RetinueError | None = None) -> Response:
    paging = page.paging(_ROWS)
    rows, total = await page.service(DoNotCall).page(paging.part)
    values = {
        "numbers": rows,
        "paging": paging.of(total),
        "form": form or Form.of({"country": _country_of(page)}),
        "problem": problem,
    }
    return await page.render("calls/do_not_call.html", problem.status if problem else 200, **values)
