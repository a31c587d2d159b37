"""Assign errors of a service to form fields."""

from collections.abc import Mapping

from retinue.core.errors import RetinueError, ValidationFailed
from retinue.portal.forms import InvalidForm


def place_error(error: RetinueError, fields: Mapping[str, str], otherwise: str = "") -> RetinueError:
    """Return the error as an `InvalidForm` for one field.

    `fields` maps the first word of a message, such as `name` in "name: you have a connection named x", to the form's
    field. Other messages go to the field `otherwise`, if given. Errors that already have fields, and errors that
    concern no input, such as `RateLimited`, are returned unchanged.
    """
    if isinstance(error, InvalidForm) or not isinstance(error, ValidationFailed):
        return error
    word = next((one for one in fields if error.message.startswith((f"{one} ", f"{one}:"))), "")
    field = fields.get(word, otherwise)
    text = error.message.removeprefix(f"{word}: ")
    text = f"{text[:1].upper()}{text[1:]}"
    return InvalidForm(text, {field: text}) if field else error
