"""Pages of agents."""

from starlette.responses import Response

from retinue.agents.schemas import DEFAULT_ENGINE, ExecuteRequest
from retinue.agents.service import Agents
from retinue.agents.tables import AgentRow
from retinue.agents.views import AgentViews
from retinue.agents.work import AgentWork
from retinue.core.errors import InUse, RetinueError
from retinue.core.http.envelope import Page as Part
from retinue.fleets.service import Fleets
from retinue.knowledge.service import Collections
from retinue.language.translation import gettext as _
from retinue.language.translation import gettext_noop
from retinue.models.defaults import DefaultModel
from retinue.portal.agents.example import EXAMPLE
from retinue.portal.agents.forms import (
    AMOUNTS,
    APPROVALS,
    EFFORTS,
    LIMITS,
    MEMORIES,
    ROLES,
    changes_of,
    creation_of,
    form_of,
)
from retinue.portal.agents.sections import sections_of
from retinue.portal.agents.voice_form import LANGUAGE_CHOICES
from retinue.portal.forms import Form, parse
from retinue.portal.live import live
from retinue.portal.models.choices import model_choices, own_providers
from retinue.portal.navigation import MenuEntry
from retinue.portal.page import Page
from retinue.portal.pages import Pages
from retinue.portal.templating import render, role_label
from retinue.portal.voice import voice_of
from retinue.runs.schemas import RunFilter
from retinue.runs.service import Runs
from retinue.skills.service import MOST_SKILLS, Skills

pages = Pages(MenuEntry("Build", "agents", gettext_noop("Agents"), "bot"))
_FLEETS = 100
_FOUND = 50
"""Maximum agents of a search."""

_LONGEST_SEARCH = 100


@pages.get("/agents")
async def list_agents(page: Page) -> Response:
    """List agents, newest first, or those with a name."""
    paging, search = page.paging(), page.query.text("q").strip()[:_LONGEST_SEARCH]
    agents, total = await page.service(Agents).overview(paging.part)
    listed = await page.service(Agents).search(search, _FOUND) if search else agents
    return await page.render("agents/list.html", agents=listed, search=search, paging=paging.of(total))


@pages.get("/agents/new")
async def show_new(page: Page) -> Response:
    """Show the form for a new agent."""
    usual = {"agent_role": "generalist", "voice_engine": DEFAULT_ENGINE, "fleet_id": page.query.optional("fleet")}
    form = Form.of({**usual, **(EXAMPLE if page.query.text("example") == "shop" else {})})
    return await _show_form(page, form)


@pages.post("/agents")
async def create_agent(page: Page) -> Response:
    """Create an agent."""
    form = await page.form()
    try:
        agent = await page.service(Agents).create(creation_of(form))
    except RetinueError as error:
        return await _show_form(page, form, problem=error)
    if form.text("then") == "try":
        flash = _("{name} is ready. Send it a message.").format(name=agent.agent_name)
        return page.redirect(f"/agents/{agent.id}/edit#try", flash)
    return page.redirect(f"/agents/{agent.id}", _("{name} is ready.").format(name=agent.agent_name))


@pages.get("/agents/{id}")
async def show_agent(page: Page) -> Response:
    """Show an agent with its runs."""
    return await page.render("agents/agent.html", **await _view(page), form=Form())


@pages.get("/agents/{id}/live")
async def follow_agent(page: Page) -> Response:
    """Stream the agent's state and runs as they change."""

    async def show() -> tuple[str, bool]:
        return render("agents/_activity.html", **await _view(page)), False

    return await live(page, ["events", "runs.stopped"], show)


@pages.get("/agents/{id}/edit")
async def show_edit(page: Page) -> Response:
    """Show the form for an agent."""
    agent = await page.service(Agents).get(page.path_id())
    return await _show_form(page, form_of(agent), agent)


@pages.post("/agents/{id}/edit")
async def edit_agent(page: Page) -> Response:
    """Change an agent. A script that saves before it tries the agent gets no page."""
    agents, form = page.service(Agents), await page.form()
    agent = await agents.get(page.path_id())
    try:
        await agents.update(agent.id, changes_of(form))
    except RetinueError as error:
        if page.by_script:
            raise
        return await _show_form(page, form, agent, error)
    if page.by_script:
        return Response(status_code=204)
    return page.redirect(f"/agents/{agent.id}", _("The changes are saved."))


@pages.post("/agents/{id}/run")
async def run_agent(page: Page) -> Response:
    """Start a background run of the agent."""
    agent_id, form = page.path_id(), await page.form()
    work = page.service(AgentWork)
    try:
        body = parse(ExecuteRequest, {"message": form.text("message")})
        run = await work.execute_in_background(agent_id, body)
    except RetinueError as error:
        return await _show(page, form, error)
    return page.redirect(f"/runs/{run.id}")


@pages.post("/agents/{id}/deploy")
async def deploy_agent(page: Page) -> Response:
    """Start the agent on its task."""
    agent = await page.service(AgentWork).deploy(page.path_id())
    return page.redirect(f"/agents/{agent.id}", _("{name} is at work.").format(name=agent.agent_name))


@pages.post("/agents/{id}/stop")
async def stop_agent(page: Page) -> Response:
    """Stop the agent's runs."""
    agent = await page.service(AgentWork).stop(page.path_id())
    return page.redirect(f"/agents/{agent.id}", _("{name} has stopped.").format(name=agent.agent_name))


@pages.post("/agents/{id}/delete")
async def delete_agent(page: Page) -> Response:
    """Delete an agent. If other agents may call it, the page lists them."""
    try:
        await page.service(AgentWork).delete(page.path_id())
    except InUse as error:
        return await _show(page, Form(), error)
    return page.redirect("/agents", _("The agent is deleted."))


async def _show(page: Page, form: Form, problem: RetinueError) -> Response:
    values = await _view(page)
    return await page.render("agents/agent.html", problem.status, **values, form=form, problem=problem)


async def _view(page: Page) -> dict[str, object]:
    agent_id, paging = page.path_id(), page.paging(10)
    agent = await page.service(Agents).get(agent_id)
    runs, total = await page.service(AgentWork).runs(
        agent_id, RunFilter(page=paging.part.page, per_page=paging.part.per_page)
    )
    fleet = await page.service(Fleets).get(agent.fleet_id) if agent.fleet_id else None
    default = (await page.service(DefaultModel).get()).model
    values = {"agent": agent, "roles": ROLES, "amounts": AMOUNTS, "fleet": fleet, "default_model": default}
    values["skills"] = await page.service(Skills).find_by_ids(agent.agent_skills)
    values["budgets"] = await page.service(AgentViews).one(agent)
    values["failures"] = await page.service(Runs).failed_calls(runs)
    return {**values, "runs": runs, "paging": paging.of(total)}


async def _show_form(
    page: Page, form: Form, agent: AgentRow | None = None, problem: RetinueError | None = None
) -> Response:
    service = page.service(Fleets)
    fleets, _total = await service.page(Part(per_page=_FLEETS))
    if agent and agent.fleet_id and agent.fleet_id not in {fleet.id for fleet in fleets}:
        fleets = [await service.get(agent.fleet_id), *fleets]
    others, _total = await page.service(Agents).page(Part(per_page=_FLEETS))
    collections, _total = await page.service(Collections).page(Part(per_page=_FLEETS))
    skills, _total = await page.service(Skills).page(Part(per_page=MOST_SKILLS))
    own = agent.id if agent else None
    values = {
        "form": form,
        "agent": agent,
        "roles": ROLES,
        "approvals": APPROVALS,
        "memories": MEMORIES,
        "fleets": fleets,
        "problem": problem,
        "choices": await model_choices(page),
        "limits": LIMITS,
        "efforts": EFFORTS,
        "sections": sections_of(form, {str(one.id): one.name for one in fleets}),
        "skills": skills,
        "collections": {str(one.id): one.name for one in collections},
        "others": {str(one.id): f"{one.agent_name} ({role_label(one.agent_role)})" for one in others if one.id != own},
    }
    values["own_providers"] = await own_providers(page)
    values |= {"engines": voice_of(page.platform).engines, "languages": LANGUAGE_CHOICES}
    return await page.render("agents/form.html", problem.status if problem else 200, **values)
