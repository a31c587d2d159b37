"""Renders daily usage as a CSV response."""

import csv
import io
from collections.abc import Iterable

from starlette.responses import Response

from retinue.usage.groups import FIELDS
from retinue.usage.schemas import GroupBy, HistoryView
from retinue.usage.tables import TOKENS

_PRICE = ("cost_usd", "unpriced_tokens")
"""The last columns of usage. `cost_usd` is empty if a price is unknown."""


def csv_response(records: Iterable[HistoryView], group_by: GroupBy | None = None) -> Response:
    """Return a CSV file (RFC 4180) as the download usage.csv. A grouping has the last column."""
    text = io.StringIO()
    columns = [name for name in HistoryView.model_fields if name not in ("usage", *_PRICE, *FIELDS.values())]
    group = [FIELDS[group_by]] if group_by else []
    writer = csv.DictWriter(text, [*columns, *TOKENS, *_PRICE, *group], extrasaction="ignore")
    writer.writeheader()
    for record in records:
        writer.writerow({**record.model_dump(), **(record.usage.model_dump() if record.usage else {})})
    headers = {"Content-Disposition": 'attachment; filename="usage.csv"'}
    return Response(text.getvalue(), media_type="text/csv", headers=headers)
