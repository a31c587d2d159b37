"""The result of a schedule's last run."""

from dataclasses import dataclass

from retinue.core.errors import NotFound
from retinue.fleets.deployments import Deployments
from retinue.portal.page import Page
from retinue.runs.service import Runs
from retinue.schedules.schemas import ScheduleRunView, ScheduleView


@dataclass(frozen=True)
class LastResult:
    """The last due time of a schedule, and the reply or the error of its work."""

    entry: ScheduleRunView
    reply: str | None = None
    error: str | None = None


async def last_result(page: Page, schedule: ScheduleView) -> LastResult | None:
    """Return the result of the last due time, without a reply if its work was deleted, or None before the first."""
    entry = schedule.last_run
    if entry is None:
        return None
    try:
        if entry.run_id is not None:
            run = await page.service(Runs).get(entry.run_id)
            return LastResult(entry, run.reply, run.error)
        if entry.deployment_id is not None and schedule.fleet_id is not None:
            deployment = await page.service(Deployments).get(schedule.fleet_id, entry.deployment_id)
            return LastResult(entry, str((deployment.result or {}).get("reply") or ""), deployment.error)
    except NotFound:
        pass
    return LastResult(entry)
