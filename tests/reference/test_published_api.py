"""The paths, parameters, bodies and responses of the API are those on record."""

from typing import Any

from tests.reference.published_api import SNAPSHOT, api_lines


def test_the_api_promises_what_is_recorded(document: dict[str, Any]) -> None:
    difference = SNAPSHOT.difference(api_lines(document))
    assert not difference, difference
