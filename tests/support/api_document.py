"""The OpenAPI document of the API, built without a server."""

import json
from typing import Any

from retinue.app import APIS
from retinue.reference.routes import document


def api_document() -> dict[str, Any]:
    """Return a new copy of the document, which is built once in each process: that takes a second."""
    read: dict[str, Any] = json.loads(document(APIS))
    return read
