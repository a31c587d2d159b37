"""The calls of one run that wait for a decision."""

from collections.abc import Mapping
from typing import Any

from retinue.core.http.envelope import Page as Part
from retinue.portal.approvals.changes import with_change
from retinue.portal.page import Page
from retinue.runs.approvals.service import Approvals

_MOST = 100


async def waiting_calls(page: Page, run: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the calls of a run that wait for a decision, with what they would change."""
    if run["status"] != "waiting":
        return []
    rows, _ = await page.service(Approvals).page(Part(per_page=_MOST), "pending")
    return [await with_change(page, one) for one in rows if one["run_id"] == run["id"]]
