"""Renders daily usage as a CSV response."""

import csv
import io
from collections.abc import Iterable, Mapping
from typing import Any

from starlette.responses import Response

from retinue.usage.schemas import HistoryView


def csv_response(records: Iterable[Mapping[str, Any]]) -> Response:
    """Return a CSV file (RFC 4180) as the download usage.csv."""
    text = io.StringIO()
    writer = csv.DictWriter(text, list(HistoryView.model_fields))
    writer.writeheader()
    writer.writerows(records)
    headers = {"Content-Disposition": 'attachment; filename="usage.csv"'}
    return Response(text.getvalue(), media_type="text/csv", headers=headers)
