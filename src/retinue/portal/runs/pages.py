"""Page of a run."""

from collections.abc import Sequence

from starlette.responses import Response

from retinue.agents.service import Agents
from retinue.agents.tables import AgentRow
from retinue.core.errors import NotFound, RetinueError
from retinue.language.translation import gettext as _
from retinue.portal.approvals.waiting import waiting_calls
from retinue.portal.forms import Form, form_number, parse
from retinue.portal.live import live
from retinue.portal.page import Page
from retinue.portal.pages import Pages
from retinue.portal.runs.origin import origin_of
from retinue.portal.runs.timeline import ENDS, is_reply, step_files, timeline
from retinue.portal.templating import render
from retinue.portal.tools.results import split_object
from retinue.runs.continuation import Continuations
from retinue.runs.execution.broadcast import followed_topic, said_topic
from retinue.runs.schemas import RunFork, RunMessage, StepView
from retinue.runs.service import Runs
from retinue.runs.tables import RunRow

pages = Pages()


@pages.get("/runs/{id}")
async def show_run(page: Page) -> Response:
    """Show a run with its steps."""
    return await _show(page)


@pages.get("/runs/{id}/steps/{seq}")
async def show_step(page: Page) -> Response:
    """Show the whole of one step, which the page of the run may shorten."""
    return await _show_step(page, page.path_id("seq"))


@pages.get("/runs/{id}/live")
async def follow_run(page: Page) -> Response:
    """Stream the steps until the run ends."""
    run_id = page.path_id()

    async def show() -> tuple[str, bool]:
        page.platform.notifier.wake(followed_topic(run_id))
        run, steps = await page.service(Runs).with_steps(run_id)
        return render("runs/_timeline.html", **await _view(page, run, steps)), run.ended_at is not None

    return await live(page, [f"run:{run_id}", said_topic(run_id), "runs.stopped"], show, 1.0)


@pages.post("/runs/{id}/cancel")
async def cancel_run(page: Page) -> Response:
    """Cancel a run."""
    run = await page.service(Runs).cancel(page.path_id())
    return page.redirect(f"/runs/{run.id}", _("The run is stopped."))


@pages.post("/runs/{id}/messages")
async def send_message(page: Page) -> Response:
    """Send a message to a run that has not ended. A script gets no page."""
    run_id, form = page.path_id(), await page.form()
    try:
        message = parse(RunMessage, {"message": form.text("message")}).message
        await page.service(Continuations).send(run_id, message)
    except RetinueError as error:
        if page.by_script or isinstance(error, NotFound):
            raise
        return await _show(page, form, error)
    if page.by_script:
        return Response(status_code=204)
    return page.redirect(f"/runs/{run_id}", _("The run reads your message at its next step."))


@pages.post("/runs/{id}/fork")
async def fork_run(page: Page) -> Response:
    """Start a run from the state after a step."""
    run_id, form = page.path_id(), await page.form()
    step = form_number(form.text("step"))
    try:
        fork = parse(RunFork, {"step": step, "message": form.optional("message")})
        run = await page.service(Continuations).fork_run(run_id, fork.step, fork.message)
    except RetinueError as error:
        if isinstance(error, NotFound) or not isinstance(step, int):
            raise
        return await _show_step(page, step, form, error)
    notice = _("This run goes on from step {step} of run {run}.").format(step=fork.step, run=run_id)
    return page.redirect(f"/runs/{run.id}", notice)


async def _show(page: Page, form: Form | None = None, problem: RetinueError | None = None) -> Response:
    run, steps = await page.service(Runs).with_steps(page.path_id())
    values = await _view(page, run, steps)
    here = "agents" if run.agent_id else "playground"
    status = problem.status if problem else 200
    origin = await origin_of(page, run.options)
    return await page.render(
        "runs/run.html", status, **values, **origin, here=here, form=form or Form(), problem=problem
    )


async def _show_step(page: Page, seq: int, form: Form | None = None, problem: RetinueError | None = None) -> Response:
    run, steps = await page.service(Runs).with_steps(page.path_id())
    number = next((number for number, one in enumerate(steps) if one.seq == seq), None)
    if number is None:
        raise problem or NotFound(f"Run {run.id} has no step {seq}.")
    return await page.render(
        "runs/step.html",
        problem.status if problem else 200,
        run=run,
        steps=steps,
        step=steps[number],
        number=number + 1,
        previous=steps[number - 1] if number else None,
        following=steps[number + 1] if number + 1 < len(steps) else None,
        arguments=split_object(steps[number].arguments),
        result=split_object(steps[number].content),
        is_reply=is_reply(steps, number),
        **await _files(page, step_files(steps[number])),
        agent=await _agent(page, run.agent_id),
        ends=ENDS,
        form=form or Form(),
        problem=problem,
        here="agents" if run.agent_id else "playground",
    )


async def _view(page: Page, run: RunRow, steps: Sequence[StepView]) -> dict[str, object]:
    active = page.platform.runner.active.get(run.id)
    reply = active.journal.reply if active else run.reply
    last = steps[-1] if steps else None
    moments = timeline(run, steps)
    return {
        "run": run,
        "steps": steps,
        "moments": moments,
        **await _files(page, [file_id for one in moments for file_id in one.files]),
        "ends": ENDS,
        "approvals": await waiting_calls(page, run),
        "said": reply if reply and not (last and last.type == "model" and last.content == reply) else "",
        "agent": await _agent(page, run.agent_id),
    }


async def _files(page: Page, ids: Sequence[str]) -> dict[str, object]:
    """Return the ids of files, and the files that still exist, for the template."""
    return {"ids": ids, "files": await page.platform.file_access.records(page.caller.account_id, ids)}


async def _agent(page: Page, agent_id: int | None) -> AgentRow | None:
    """Return the agent of a run, or None if there is none or it was deleted."""
    try:
        return await page.service(Agents).get(agent_id) if agent_id else None
    except NotFound:
        return None
