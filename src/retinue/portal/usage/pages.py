"""Page of usage, and its export."""

from datetime import UTC, datetime, time

from starlette.responses import Response

from retinue.core.http.envelope import Data, json_response
from retinue.language.translation import gettext_noop
from retinue.portal.navigation import MenuEntry
from retinue.portal.page import Page
from retinue.portal.pages import Pages
from retinue.portal.usage.report import KINDS, METRICS, SPANS, chosen_by, cost_of, next_period, report_of
from retinue.usage.export import csv_response
from retinue.usage.schemas import HistoryQuery, HistoryView
from retinue.usage.service import UsageReport

pages = Pages(MenuEntry("Account", "usage", gettext_noop("Usage"), "chart-column", "costs tokens limits quota"))
_ROWS = 20


@pages.get("/usage")
async def show_usage(page: Page) -> Response:
    """Show charts by day and resource, the plan's limits, and a table of days."""
    chosen, paging = chosen_by(page.query), page.paging(_ROWS)
    usage = page.service(UsageReport)
    query = HistoryQuery(**chosen.query.model_dump(), page=paging.part.page, per_page=_ROWS)
    days, total = await usage.history(query)
    summary = await usage.summary()
    return await page.render(
        "usage/usage.html",
        report=await report_of(page, chosen),
        chosen=chosen,
        days=days,
        paging=paging.of(total),
        usage=summary,
        is_limited=any(getattr(summary, metric).limit is not None for metric in METRICS),
        renewed_at=datetime.combine(next_period(chosen.last), time(), UTC),
        kinds=KINDS,
        metrics=METRICS,
        spans=SPANS,
        cost_of=cost_of,
    )


@pages.get("/usage/export")
async def export_usage(page: Page) -> Response:
    """Export the selected days as CSV or as the API's JSON."""
    records = (await report_of(page, chosen_by(page.query))).records
    if page.query.text("format") == "csv":
        return csv_response(records)
    response = json_response(Data[list[HistoryView]], records, 200)
    response.headers["Content-Disposition"] = 'attachment; filename="usage.json"'
    return response
