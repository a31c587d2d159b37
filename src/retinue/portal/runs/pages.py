"""Page of a run."""

from typing import Any

from starlette.responses import Response

from retinue.agents.service import Agents
from retinue.core.errors import NotFound
from retinue.portal.live import live
from retinue.portal.page import Page
from retinue.portal.pages import Pages
from retinue.portal.runs.timeline import timeline
from retinue.portal.templating import render
from retinue.runs.execution.broadcast import followed_topic, said_topic
from retinue.runs.service import Runs

pages = Pages()


@pages.get("/runs/{id}")
async def show_run(page: Page) -> Response:
    """Show a run with its steps."""
    shown = await _view(page)
    return await page.render("runs/run.html", **shown, here="agents" if shown["run"]["agent_id"] else "playground")


@pages.get("/runs/{id}/steps/{seq}")
async def show_step(page: Page) -> Response:
    """Show the whole of one step, which the page of the run may shorten."""
    run = await page.service(Runs).details(page.path_id())
    seq = page.path_id("seq")
    step = next((one for one in run["steps"] if one["seq"] == seq), None)
    if step is None:
        raise NotFound(f"Run {run['id']} has no step {seq}.")
    agent = await _agent(page, run["agent_id"])
    here = "agents" if run["agent_id"] else "playground"
    return await page.render("runs/step.html", run=run, step=step, agent=agent, here=here)


@pages.get("/runs/{id}/live")
async def follow_run(page: Page) -> Response:
    """Stream the steps until the run ends."""
    run_id = page.path_id()

    async def show() -> tuple[str, bool]:
        page.platform.notifier.wake(followed_topic(run_id))
        shown = await _view(page)
        return render("runs/_timeline.html", **shown), shown["run"]["ended_at"] is not None

    return await live(page, [f"run:{run_id}", said_topic(run_id), "runs.stopped"], show, 1.0)


@pages.post("/runs/{id}/cancel")
async def cancel_run(page: Page) -> Response:
    """Cancel a run."""
    run = await page.service(Runs).cancel(page.path_id())
    return page.redirect(f"/runs/{run.id}", "The run is stopped.")


async def _view(page: Page) -> dict[str, Any]:
    run_id = page.path_id()
    details = await page.service(Runs).details(run_id)
    active = page.platform.runner.active.get(run_id)
    steps = details["steps"]
    said = active.journal.reply if active else details["reply"]
    last = steps[-1] if steps else None
    return {
        "run": details,
        "moments": timeline(details),
        "said": said if said and not (last and last["type"] == "model" and last["content"] == said) else "",
        "agent": await _agent(page, details["agent_id"]),
    }


async def _agent(page: Page, agent_id: int | None) -> Any:
    """Return the agent of a run, or None if there is none or it was deleted."""
    try:
        return await page.service(Agents).get(agent_id) if agent_id else None
    except NotFound:
        return None
