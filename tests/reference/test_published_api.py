"""The paths, parameters, bodies and responses of the API are those on record."""

from typing import Any

from tests.reference.published_api import SNAPSHOT, api_lines


def test_the_openapi_document_matches_the_record(document: dict[str, Any]) -> None:
    difference = SNAPSHOT.difference(api_lines(document))
    assert not difference, difference
