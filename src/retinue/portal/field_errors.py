"""Placing what a service refuses beside the field that it is about."""

from collections.abc import Mapping

from retinue.core.errors import RetinueError, ValidationFailed
from retinue.portal.forms import InvalidForm


def place_error(error: RetinueError, fields: Mapping[str, str], otherwise: str = "") -> RetinueError:
    """The error as an `InvalidForm` of one field.

    `fields` maps the word that a message begins with, such as `name` in "name: you have a connection named x", to the
    field of the form; any other message goes to the field `otherwise`, if one is given. An error that is placed
    already, and one that is about no input, such as `RateLimited`, stays as it is.
    """
    if isinstance(error, InvalidForm) or not isinstance(error, ValidationFailed):
        return error
    word = next((one for one in fields if error.message.startswith((f"{one} ", f"{one}:"))), "")
    field = fields.get(word, otherwise)
    text = error.message.removeprefix(f"{word}: ")
    text = f"{text[:1].upper()}{text[1:]}"
    return InvalidForm(text, {field: text}) if field else error
