"""Renders daily usage as a CSV response."""

import csv
import io
from collections.abc import Iterable

from starlette.responses import Response

from retinue.usage.schemas import HistoryView
from retinue.usage.tables import TOKENS

_PRICE = ("cost_usd", "unpriced_tokens")
"""The last columns. `cost_usd` is empty if a price is unknown."""


def csv_response(records: Iterable[HistoryView]) -> Response:
    """Return a CSV file (RFC 4180) as the download usage.csv."""
    text = io.StringIO()
    columns = [name for name in HistoryView.model_fields if name not in ("usage", *_PRICE)]
    writer = csv.DictWriter(text, [*columns, *TOKENS, *_PRICE], extrasaction="ignore")
    writer.writeheader()
    for record in records:
        writer.writerow({**record.model_dump(), **(record.usage.model_dump() if record.usage else {})})
    headers = {"Content-Disposition": 'attachment; filename="usage.csv"'}
    return Response(text.getvalue(), media_type="text/csv", headers=headers)
