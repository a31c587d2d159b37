"""Pages of schedules."""

from datetime import datetime

from starlette.responses import Response

from retinue.agents.service import Agents
from retinue.core.errors import RetinueError
from retinue.core.http.envelope import Page as Part
from retinue.fleets.service import Fleets
from retinue.language.translation import gettext as _
from retinue.language.translation import gettext_noop
from retinue.portal.forms import Form, InvalidForm
from retinue.portal.live import live
from retinue.portal.names import agent_names, fleet_names
from retinue.portal.navigation import MenuEntry
from retinue.portal.page import Page
from retinue.portal.pages import Pages
from retinue.portal.schedules.forms import (
    MISSED,
    OVERLAPS,
    beside_field,
    changes_of,
    creation_of,
    due_times,
    form_of,
    preview_of,
    zones,
)
from retinue.portal.schedules.repetition import FIRST, INTERVALS, REPETITIONS, WEEKDAYS, repetition_of
from retinue.portal.schedules.results import last_result
from retinue.portal.templating import render
from retinue.schedules.schemas import ScheduleView
from retinue.schedules.service import Schedules

pages = Pages(MenuEntry("Automate", "schedules", gettext_noop("Schedules"), "calendar-clock", "cron"))
_CHOICES = 100
"""Number of newest agents and fleets that a form offers."""

_TOPICS = ["schedules", "events", "runs.stopped"]


@pages.get("/schedules")
async def list_schedules(page: Page) -> Response:
    """List schedules, newest first."""
    return await page.render("schedules/list.html", **await _shown_list(page))


@pages.get("/schedules/live")
async def follow_schedules(page: Page) -> Response:
    """Stream the list as due times pass."""

    async def show() -> tuple[str, bool]:
        return render("schedules/_list.html", **await _shown_list(page)), False

    return await live(page, _TOPICS, show)


@pages.get("/schedules/new")
async def show_new(page: Page) -> Response:
    """Show the form for a new schedule."""
    agent = page.query.text("agent")
    start = {"when": "cron", "cron": FIRST, "timezone": "UTC", "target": "agent", "jitter_s": "0"}
    return await _show_form(page, Form.of({**start, **repetition_of(FIRST), "agent_id": agent}))


@pages.get("/schedules/preview")
async def preview_schedule(page: Page) -> Response:
    """Say in words when the schedule of a form is due, with the next times."""
    return page.fragment("schedules/_preview.html", **_preview(page.query))


@pages.get("/schedules/mail")
async def check_mail(page: Page) -> Response:
    """Say whether the task of a form asks for an e-mail that cannot be sent."""
    fleet = page.query.text("target") == "fleet"
    task = page.query.text("task" if fleet else "message")
    return page.fragment("schedules/_mail.html", no_mail=await page.service(Schedules).lacks_mail(task))


@pages.post("/schedules")
async def create_schedule(page: Page) -> Response:
    """Create a schedule."""
    form = await page.form()
    try:
        schedule = await page.service(Schedules).create(creation_of(form))
    except RetinueError as error:
        return await _show_form(page, form, problem=beside_field(error))
    return page.redirect(f"/schedules/{schedule.id}", _("The schedule was created."))


@pages.get("/schedules/{id}")
async def show_schedule(page: Page) -> Response:
    """Show a schedule with its history."""
    return await page.render("schedules/schedule.html", **await _view(page))


@pages.get("/schedules/{id}/live")
async def follow_schedule(page: Page) -> Response:
    """Stream the history as due times pass."""

    async def show() -> tuple[str, bool]:
        return render("schedules/_activity.html", **await _view(page)), False

    return await live(page, _TOPICS, show)


@pages.get("/schedules/{id}/edit")
async def show_edit(page: Page) -> Response:
    """Show the form for a schedule."""
    schedule = await page.service(Schedules).get(page.path_id())
    return await _show_form(page, form_of(schedule), schedule)


@pages.post("/schedules/{id}/edit")
async def edit_schedule(page: Page) -> Response:
    """Change a schedule."""
    schedules, form = page.service(Schedules), await page.form()
    schedule = await schedules.get(page.path_id())
    try:
        await schedules.update(schedule.id, changes_of(form))
    except RetinueError as error:
        return await _show_form(page, form, schedule, beside_field(error))
    return page.redirect(f"/schedules/{schedule.id}", _("The changes are saved."))


@pages.post("/schedules/{id}/pause")
async def pause_schedule(page: Page) -> Response:
    """Pause a schedule until it is resumed."""
    schedule = await page.service(Schedules).switch(page.path_id(), enabled=False)
    return page.redirect(f"/schedules/{schedule.id}", _("The schedule is paused."))


@pages.post("/schedules/{id}/resume")
async def resume_schedule(page: Page) -> Response:
    """Resume a schedule from the next due time."""
    schedule = await page.service(Schedules).switch(page.path_id(), enabled=True)
    return page.redirect(f"/schedules/{schedule.id}", _("The schedule continues with its next due time."))


@pages.post("/schedules/{id}/run")
async def run_schedule(page: Page) -> Response:
    """Run a schedule now."""
    schedule_id = page.path_id()
    await page.service(Schedules).run(schedule_id)
    return page.redirect(f"/schedules/{schedule_id}", _("It has begun."))


@pages.post("/schedules/{id}/delete")
async def delete_schedule(page: Page) -> Response:
    """Delete a schedule with its history."""
    await page.service(Schedules).delete(page.path_id())
    return page.redirect("/schedules", _("The schedule is deleted."))


async def _shown_list(page: Page) -> dict[str, object]:
    paging = page.paging()
    schedules, total = await page.service(Schedules).page(paging.part)
    return {
        "schedules": schedules,
        "paging": paging.of(total),
        "agents": await agent_names(page, (one.agent_id for one in schedules)),
        "fleets": await fleet_names(page, (one.fleet_id for one in schedules)),
    }


async def _view(page: Page) -> dict[str, object]:
    paging, schedules = page.paging(15), page.service(Schedules)
    schedule = await schedules.get(page.path_id())
    history, total = await schedules.runs(schedule.id, paging.part)
    return {
        "schedule": schedule,
        "history": history,
        "paging": paging.of(total),
        "agents": await agent_names(page, [schedule.agent_id]),
        "fleets": await fleet_names(page, [schedule.fleet_id]),
        "overlaps": OVERLAPS,
        "missed": MISSED,
        "upcoming": _next_due_times(schedule),
        "last": await last_result(page, schedule),
        "no_mail": await schedules.lacks_mail(schedule.message or schedule.task or ""),
    }


def _next_due_times(schedule: ScheduleView) -> list[datetime]:
    """Return the next due times of a schedule."""
    if schedule.cron:
        return due_times(schedule.cron, schedule.timezone, schedule.next_at)
    return [schedule.next_at] if schedule.next_at else []


def _preview(form: Form) -> dict[str, object]:
    try:
        cron, zone, times = preview_of(form)
    except InvalidForm:  # The field says what is wrong when the form is sent.
        return {"preview": "", "zone": "", "times": []}
    return {"preview": cron, "zone": zone, "times": times}


async def _show_form(
    page: Page, form: Form, schedule: ScheduleView | None = None, problem: RetinueError | None = None
) -> Response:
    agents, _ = await page.service(Agents).page(Part(per_page=_CHOICES))
    fleets, _ = await page.service(Fleets).page(Part(per_page=_CHOICES))
    names = {"agents": {one.id: one.agent_name for one in agents}, "fleets": {one.id: one.name for one in fleets}}
    if schedule:  # its agent or fleet may be older than those in the choices
        names["agents"] |= await agent_names(page, [schedule.agent_id])
        names["fleets"] |= await fleet_names(page, [schedule.fleet_id])
    choices = {"overlaps": OVERLAPS, "missed": MISSED, "zones": zones()}
    choices |= {"repetitions": REPETITIONS, "intervals": INTERVALS, "weekdays": WEEKDAYS}
    no_mail = await page.service(Schedules).lacks_mail(form.text("message") or form.text("task"))
    values = {
        **names,
        **choices,
        **_preview(form),
        "no_mail": no_mail,
        "form": form,
        "schedule": schedule,
        "problem": problem,
    }
    return await page.render("schedules/form.html", problem.status if problem else 200, **values)
