"""The OpenAPI document built without a server."""

from typing import Any

import pytest

from tests.support.api_document import api_document


@pytest.fixture(scope="session")
def document() -> dict[str, Any]:
    """The OpenAPI document, parsed from JSON."""
    return api_document()
