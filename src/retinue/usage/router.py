"""Routes of usage."""

from typing import Annotated

from fastapi import Depends, Query
from starlette.responses import Response

from retinue.auth.services import of_caller
from retinue.core.http.envelope import Data, Envelope, ListEnvelope, Listing, listing, one
from retinue.core.http.operations import Api
from retinue.usage.export import csv_response
from retinue.usage.schemas import ExportQuery, HistoryQuery, HistoryView, UsageView
from retinue.usage.service import UsageReport

_report = of_caller(UsageReport)


ReportOfCaller = Annotated[UsageReport, Depends(_report)]

api = Api("usage")


@api.get("/usage", scope="usage:read", response_model=Data[UsageView])
async def get_usage(report: ReportOfCaller) -> Envelope:
    """Retrieve the usage of each metric in the current billing period, and the limits of the plan."""
    return one(await report.summary())


@api.get("/usage/history", scope="usage:read", response_model=Listing[HistoryView])
async def list_usage(query: Annotated[HistoryQuery, Query()], report: ReportOfCaller) -> ListEnvelope:
    """List usage by day and kind, newest first, and on request for each API key, agent, model or user of your app."""
    return listing(await report.history(query), query)


_CSV: dict[int | str, dict[str, object]] = {
    200: {
        "content": {
            "text/csv": {"schema": {"type": "string", "description": "A header line, followed by one line per record."}}
        }
    }
}


@api.get("/usage/export", scope="usage:read", response_model=Data[list[HistoryView]], responses=_CSV)
async def export_usage(query: Annotated[ExportQuery, Query()], report: ReportOfCaller) -> Envelope | Response:
    """Export usage by day and kind, newest first, as JSON or CSV: up to 366 days, and up to 20,000 records.

    On request, each API key, agent, model or user of your app has its own records.
    """
    records = await report.export(query)
    return one(records) if query.format == "json" else csv_response(records, query.group_by)
