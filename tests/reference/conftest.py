"""The OpenAPI document built without a server."""

import json
from typing import Any

import pytest

from retinue.app import APIS
from retinue.openapi import build


@pytest.fixture(scope="session")
def document() -> dict[str, Any]:
    """The OpenAPI document, parsed from JSON."""
    read: dict[str, Any] = json.loads(json.dumps(build(APIS)))
    return read
