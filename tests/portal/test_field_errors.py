"""Placing errors of services beside fields."""

import pytest

from retinue.core.errors import RateLimited, RetinueError, ValidationFailed
from retinue.portal.field_errors import in_form_words, place_error, place_in_form, settings_for
from retinue.portal.forms import Form, InvalidForm


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


def test_an_error_is_placed_beside_the_field_that_it_names() -> None:
    form = Form.of({"url": "http://127.0.0.1", "name": "x"})
    placed = place_in_form(ValidationFailed("url: 127.0.0.1 is not a public address."), form)
    assert isinstance(placed, InvalidForm)
    assert placed.fields == {"url": "127.0.0.1 is not a public address."}
    for error in (None, ValidationFailed("address: none."), RateLimited("url: wait.", 1), InvalidForm("x", {"a": "b"})):
        assert place_in_form(error, form) is error


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Must not be empty.", "Fill this in."),
        ("Must be an integer.", "Use a whole number."),
        ("Must be at most 5.", "Must be at most 5."),
        ("You have no file x. GET /api/v1/files lists yours.", "You have no file x. The page Files lists yours."),
    ],
)
def test_reasons_are_told_in_the_words_of_a_form(text: str, said: str) -> None:
    assert in_form_words(text) == said


def test_the_settings_of_a_message_can_be_copied() -> None:
    refused = "127.0.0.1 is not a public address. The operator can allow its network with RETINUE_ALLOWED_NETWORKS."
    assert settings_for(refused) == "RETINUE_ALLOWED_NETWORKS=127.0.0.1/32"
    assert settings_for("Check RETINUE_MODEL_URL.") == "RETINUE_MODEL_URL="
    assert settings_for("There is no agent 7.") == ""
