"""Pages of simulations."""

from starlette.responses import Response

from retinue.core.errors import RetinueError
from retinue.language.translation import gettext as _
from retinue.language.translation import gettext_noop
from retinue.portal.field_errors import place_error
from retinue.portal.forms import Form, InvalidForm, form_number, parse
from retinue.portal.live import live
from retinue.portal.models.choices import model_choices
from retinue.portal.navigation import MenuEntry
from retinue.portal.page import Page
from retinue.portal.pages import Pages
from retinue.portal.templating import render
from retinue.portal.voice import agents_to_choose
from retinue.simulations.misheard import misheard_words
from retinue.simulations.schemas import ConversationFilter, SimulationCreate, SimulationFilter
from retinue.simulations.service import Simulations, SimulationWithResults
from retinue.simulations.simulator import TOPIC

pages = Pages(MenuEntry("Build", "simulations", gettext_noop("Simulations"), "gauge", "tests evaluations"))
SCENARIOS = (1, 2, 3, 4, 5)
"""The numbers of the scenarios in the form. The API takes a hundred."""

_ROWS = 20
_START = {"max_turns": "8", "repeat": "1", "mode": "text", "tools": "none"}
_FIELDS = {
    "agent_id": "agent_id",
    "max_turns": "max_turns",
    "repeat": "repeat",
    "model": "model",
}
_STATES = {
    "running": gettext_noop("Running"),
    "completed": gettext_noop("Rated"),
    "needs_approval": gettext_noop("Needed approval"),
    "failed": gettext_noop("Failed"),
    "cancelled": gettext_noop("Cancelled"),
}
_ENDINGS = {
    "goal_reached": gettext_noop("The person was satisfied"),
    "gave_up": gettext_noop("The person gave up"),
    "max_turns": gettext_noop("It reached the maximum number of turns"),
}


@pages.get("/simulations")
async def list_simulations(page: Page) -> Response:
    """List the simulations, newest first, of all agents or of one."""
    return await page.render("simulations/list.html", **await _list_values(page))


@pages.get("/simulations/live")
async def follow_simulations(page: Page) -> Response:
    """Stream the list as simulations go on."""

    async def show() -> tuple[str, bool]:
        return render("simulations/_list.html", **await _list_values(page)), False

    return await live(page, [TOPIC], show, 1.0)


@pages.get("/simulations/new")
async def show_new(page: Page) -> Response:
    """Show the form to create a simulation."""
    return await _show_form(page, Form.of({**_START, "agent_id": page.query.optional("agent")}))


@pages.post("/simulations")
async def create_simulation(page: Page) -> Response:
    """Create a simulation from the form."""
    form = await page.form()
    try:
        simulation = await page.service(Simulations).create(parse(SimulationCreate, _fields(form)))
    except RetinueError as error:
        return await _show_form(page, form, place_error(error, _FIELDS))
    return page.redirect(f"/simulations/{simulation['id']}", _("The simulation is running."))


@pages.get("/simulations/{id}")
async def show_simulation(page: Page) -> Response:
    """Show a simulation with its results and conversations."""
    simulation = await page.service(Simulations).get(page.path_id())
    return await page.render("simulations/simulation.html", **await _values(page, simulation))


@pages.get("/simulations/{id}/live")
async def follow_simulation(page: Page) -> Response:
    """Stream the simulation until it has ended."""

    async def show() -> tuple[str, bool]:
        simulation = await page.service(Simulations).get(page.path_id())
        values = await _values(page, simulation)
        return render("simulations/_simulation.html", **values), simulation["ended_at"] is not None

    return await live(page, [TOPIC], show, 1.0)


@pages.post("/simulations/{id}/cancel")
async def cancel_simulation(page: Page) -> Response:
    """Cancel a simulation."""
    simulation = await page.service(Simulations).cancel(page.path_id())
    return page.redirect(f"/simulations/{simulation['id']}", _("The simulation is cancelled."))


@pages.post("/simulations/{id}/delete")
async def delete_simulation(page: Page) -> Response:
    """Delete a simulation."""
    await page.service(Simulations).delete(page.path_id())
    return page.redirect("/simulations", _("The simulation is deleted."))


async def _list_values(page: Page) -> dict[str, object]:
    paging, agent = page.paging(), form_number(page.query.text("agent"))
    agent_id = agent if isinstance(agent, int) and agent > 0 else None
    query = SimulationFilter.model_validate({**paging.part.model_dump(), "agent_id": agent_id})
    simulations, total = await page.service(Simulations).page(query)
    return {"simulations": simulations, "agent_id": agent_id, "paging": paging.of(total)}


async def _values(page: Page, simulation: SimulationWithResults) -> dict[str, object]:
    paging = page.paging(_ROWS)
    query = ConversationFilter.model_validate(paging.part.model_dump())
    conversations, total = await page.service(Simulations).conversations(simulation["id"], query)
    return {
        "simulation": simulation,
        "conversations": conversations,
        "paging": paging.of(total),
        "states": _STATES,
        "endings": _ENDINGS,
        "misheard": misheard_words,
    }


async def _show_form(page: Page, form: Form, problem: RetinueError | None = None) -> Response:
    return await page.render(
        "simulations/form.html",
        problem.status if problem else 200,
        agents=await agents_to_choose(page),
        choices=await model_choices(page),
        numbers=SCENARIOS,
        form=form,
        problem=problem,
    )


def _fields(form: Form) -> dict[str, object]:
    """Return the body of the request. Raises `InvalidForm` if a scenario lacks its persona or goal."""
    scenarios = [one for number in SCENARIOS if (one := _scenario_of(form, number))]
    if not scenarios:
        missing = _("Describe the person.")
        raise InvalidForm(missing, {"persona_1": missing})
    return {
        "agent_id": form_number(form.text("agent_id")),
        "name": form.optional("name"),
        "scenarios": scenarios,
        "model": form.optional("model"),
        "mode": form.text("mode"),
        "tools": form.text("tools"),
        "max_turns": form_number(form.text("max_turns")),
        "repeat": form_number(form.text("repeat")),
    }


def _scenario_of(form: Form, number: int) -> dict[str, object] | None:
    """Return a scenario of the form, or None if it is empty."""
    fields = {name: form.text(f"{name}_{number}") for name in ("name", "persona", "goal", "opening", "criteria")}
    if not any(fields.values()):
        return None
    for name in ("persona", "goal"):
        if not fields[name]:
            raise InvalidForm(_("Fill this in."), {f"{name}_{number}": _("Fill this in.")})
    return {
        "name": fields["name"] or fields["goal"][:60],
        "persona": fields["persona"],
        "goal": fields["goal"],
        "opening": fields["opening"] or None,
        "noise": form.optional(f"noise_{number}"),
        "success_criteria": [line.strip() for line in fields["criteria"].splitlines() if line.strip()],
    }
