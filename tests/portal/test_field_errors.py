"""Placing errors of services beside fields."""

import pytest

from retinue.core.errors import RateLimited, RetinueError, ValidationFailed
from retinue.portal.field_errors import place_error
from retinue.portal.forms import InvalidForm


@pytest.mark.parametrize(
    ("message", "otherwise", "placed"),
    [
        ("name: you have one.", "", {"name": "You have one."}),
        ("code is wrong.", "password", {"code": "Code is wrong."}),
        ("codes are wrong.", "password", {"password": "Codes are wrong."}),
        ("secret: send it again.", "", {"secret.value": "Send it again."}),
    ],
)
def test_a_message_stands_beside_its_field(message: str, otherwise: str, placed: dict[str, str]) -> None:
    fields = {"name": "name", "code": "code", "secret": "secret.value"}
    error = place_error(ValidationFailed(message), fields, otherwise)
    assert isinstance(error, InvalidForm)
    assert error.fields == placed
    assert error.message in placed.values()


@pytest.mark.parametrize(
    "error", [ValidationFailed("There are too many."), RateLimited("name: wait.", 1), InvalidForm("x", {"a": "b"})]
)
def test_an_error_about_no_field_stays(error: RetinueError) -> None:
    assert place_error(error, {"name": "name"}) is error
