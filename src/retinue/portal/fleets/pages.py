"""Pages of fleets."""

from typing import NamedTuple

from starlette.responses import Response

from retinue.agents.schemas import AgentUpdate
from retinue.agents.service import Agents
from retinue.core.errors import RetinueError, ValidationFailed
from retinue.core.http.envelope import Page as Part
from retinue.core.runtime.whole_numbers import parse_whole_number
from retinue.fleets.deployments import Deployments
from retinue.fleets.schemas import FleetCreate, FleetUpdate
from retinue.fleets.service import Fleets
from retinue.language.translation import gettext as _
from retinue.language.translation import gettext_noop
from retinue.portal.forms import Form, parse
from retinue.portal.navigation import MenuEntry
from retinue.portal.page import Page
from retinue.portal.pages import Pages

pages = Pages(MenuEntry("Build", "fleets", gettext_noop("Fleets"), "boxes", "teams"))
_AGENTS = 100


class StrategyWords(NamedTuple):
    """The label of a strategy, and what its agents do."""

    label: str
    about: str


STRATEGIES = {
    "parallel": StrategyWords(gettext_noop("Parallel"), gettext_noop("All work at the same time, each on its part")),
    "sequential": StrategyWords(
        gettext_noop("Sequential"), gettext_noop("One after the other, each on the previous result")
    ),
    "round-robin": StrategyWords(gettext_noop("Round-robin"), gettext_noop("The parts are assigned in turn")),
}


@pages.get("/fleets")
async def list_fleets(page: Page) -> Response:
    """List fleets, newest first."""
    paging = page.paging()
    fleets, total = await page.service(Fleets).page(paging.part)
    return await page.render("fleets/list.html", fleets=fleets, paging=paging.of(total))


@pages.get("/fleets/new")
async def show_new(page: Page) -> Response:
    """Show the form for a new fleet."""
    return await page.render("fleets/form.html", form=Form.of({"max_agents": 5}), fleet=None)


@pages.post("/fleets")
async def create_fleet(page: Page) -> Response:
    """Create a fleet."""
    form = await page.form()
    try:
        fleet = await page.service(Fleets).create(parse(FleetCreate, _fields(form)))
    except RetinueError as error:
        return await page.render("fleets/form.html", error.status, form=form, fleet=None, problem=error)
    return page.redirect(f"/fleets/{fleet.id}", _("{name} was created. Attach agents to it.").format(name=fleet.name))


@pages.get("/fleets/{id}")
async def show_fleet(page: Page) -> Response:
    """Show a fleet with its members and deployments."""
    return await page.render("fleets/fleet.html", **await shown_fleet(page), form=Form())


@pages.get("/fleets/{id}/edit")
async def show_edit(page: Page) -> Response:
    """Show the form for a fleet."""
    fleet = await page.service(Fleets).get(page.path_id())
    form = Form.of({name: getattr(fleet, name) for name in FleetCreate.model_fields})
    return await page.render("fleets/form.html", form=form, fleet=fleet)


@pages.post("/fleets/{id}/edit")
async def edit_fleet(page: Page) -> Response:
    """Change a fleet."""
    fleets, form = page.service(Fleets), await page.form()
    fleet = await fleets.get(page.path_id())
    try:
        await fleets.update(fleet.id, parse(FleetUpdate, _fields(form)))
    except RetinueError as error:
        return await page.render("fleets/form.html", error.status, form=form, fleet=fleet, problem=error)
    return page.redirect(f"/fleets/{fleet.id}", _("The changes are saved."))


@pages.post("/fleets/{id}/delete")
async def delete_fleet(page: Page) -> Response:
    """Delete a fleet."""
    await page.service(Fleets).delete(page.path_id())
    return page.redirect("/fleets", _("The fleet is deleted. Its agents are kept."))


@pages.post("/fleets/{id}/members")
async def attach_agent(page: Page) -> Response:
    """Attach an agent."""
    fleet_id, form = page.path_id(), await page.form()
    try:
        agent_id = parse_whole_number(form.text("agent_id"))
        if agent_id is None:
            raise ValidationFailed(_("Choose an agent."))
        await page.service(Agents).update(agent_id, AgentUpdate(fleet_id=fleet_id))
    except RetinueError as error:
        values = await shown_fleet(page)
        return await page.render("fleets/fleet.html", error.status, **values, problem=error)
    return page.redirect(f"/fleets/{fleet_id}")


@pages.post("/fleets/{id}/members/{agent_id}/remove")
async def detach_agent(page: Page) -> Response:
    """Detach an agent, unless it has been moved to another fleet since the page was loaded."""
    agents, agent_id = page.service(Agents), page.path_id("agent_id")
    if (await agents.get(agent_id)).fleet_id == page.path_id():
        await agents.update(agent_id, AgentUpdate(fleet_id=None))
    return page.redirect(f"/fleets/{page.path_id()}")


async def shown_fleet(page: Page) -> dict[str, object]:
    """Return the values of a fleet's page."""
    fleet_id, paging = page.path_id(), page.paging(10)
    fleets = page.service(Fleets)
    fleet = await fleets.get(fleet_id)
    members = await fleets.members(fleet_id)
    agents, _ = await page.service(Agents).page(Part(per_page=_AGENTS))
    deployments, total = await page.service(Deployments).page(fleet_id, paging.part)
    return {
        "fleet": fleet,
        "members": members,
        "others": [agent for agent in agents if agent.fleet_id != fleet_id],
        "deployments": deployments,
        "paging": paging.of(total),
        "strategies": STRATEGIES,
    }


def _fields(form: Form) -> dict[str, object]:
    return {
        "name": form.text("name"),
        "description": form.text("description"),
        "max_agents": parse_whole_number(form.text("max_agents")) or 0,
        "auto_scale": "auto_scale" in form,
    }
