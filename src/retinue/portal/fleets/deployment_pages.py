"""Deploy a fleet, and the board of its agents' work."""

from starlette.responses import Response

from retinue.core.errors import RetinueError
from retinue.fleets.deployment_stream import moved_topic
from retinue.fleets.deployments import Deployments
from retinue.fleets.schemas import DeploymentDetails, FleetDeploy
from retinue.fleets.service import Fleets
from retinue.language.translation import gettext as _
from retinue.portal.fleets.pages import STRATEGIES, shown_fleet
from retinue.portal.forms import parse
from retinue.portal.live import live
from retinue.portal.page import Page
from retinue.portal.pages import Pages
from retinue.portal.templating import render

pages = Pages()
_DEPLOYMENT = "/fleets/{id}/deployments/{deployment_id}"


@pages.post("/fleets/{id}/deploy")
async def deploy_fleet(page: Page) -> Response:
    """Deploy the fleet."""
    fleet_id, form = page.path_id(), await page.form()
    try:
        order = parse(FleetDeploy, {"task": form.optional("task"), "strategy": form.optional("strategy")})
        deployment = await page.service(Deployments).deploy(fleet_id, order)
    except RetinueError as error:
        values = await shown_fleet(page)
        return await page.render("fleets/fleet.html", error.status, **values, form=form, problem=error)
    return page.redirect(f"/fleets/{fleet_id}/deployments/{deployment.deployment_id}")


@pages.get(_DEPLOYMENT)
async def show_deployment(page: Page) -> Response:
    """Show a deployment with the work of each agent."""
    return await page.render("fleets/deployment.html", **await _view(page, await _deployment(page)))


@pages.get(_DEPLOYMENT + "/live")
async def follow_deployment(page: Page) -> Response:
    """Stream the board until the deployment ends."""

    async def show() -> tuple[str, bool]:
        deployment = await _deployment(page)
        return render("fleets/_board.html", **await _view(page, deployment)), deployment.ended_at is not None

    return await live(page, [moved_topic(page.path_id("deployment_id"))], show)


@pages.post(_DEPLOYMENT + "/cancel")
async def cancel_deployment(page: Page) -> Response:
    """Cancel a deployment and all its runs."""
    fleet_id, deployment_id = page.path_id(), page.path_id("deployment_id")
    await page.service(Deployments).cancel(fleet_id, deployment_id)
    return page.redirect(f"/fleets/{fleet_id}/deployments/{deployment_id}", _("The deployment is cancelled."))


async def _deployment(page: Page) -> DeploymentDetails:
    return await page.service(Deployments).details(page.path_id(), page.path_id("deployment_id"))


async def _view(page: Page, deployment: DeploymentDetails) -> dict[str, object]:
    fleet = await page.service(Fleets).get(page.path_id())
    return {"fleet": fleet, "deployment": deployment, "strategies": STRATEGIES}
