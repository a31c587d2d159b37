"""The calls of one run that wait for a decision."""

from retinue.core.http.envelope import Page as Part
from retinue.portal.approvals.changes import ApprovalWithChange, with_change
from retinue.portal.page import Page
from retinue.runs.approvals.service import Approvals
from retinue.runs.tables import RunRow

_MOST = 100


async def waiting_calls(page: Page, run: RunRow) -> list[ApprovalWithChange]:
    """Return the calls of a run that wait for a decision, with what they would change."""
    if run.status != "waiting":
        return []
    rows, _ = await page.service(Approvals).page(Part(per_page=_MOST), "pending")
    return [await with_change(page, one) for one in rows if one.run_id == run.id]
