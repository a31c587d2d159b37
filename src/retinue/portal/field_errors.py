"""Assign errors of a service to form fields."""

import re
from collections.abc import Mapping

from retinue.core.errors import RetinueError, ValidationFailed
from retinue.language.error_words import error_words
from retinue.language.translation import gettext as _
from retinue.language.translation import gettext_noop
from retinue.portal.forms import Form, InvalidForm

_FIELD = re.compile(r"(?P<name>[a-z_]{1,64})(?P<colon>:)? ")
_SETTING = re.compile(r"\bRETINUE_[A-Z_]+\b")
_ADDRESS = re.compile(r"\b(?P<v4>\d{1,3}(?:\.\d{1,3}){3})\b is not a public address")
_SCHEMA_WORDS = {
    "is required": gettext_noop("Fill this in."),
    "must not be empty": gettext_noop("Fill this in."),
    "must be an integer": gettext_noop("Use a whole number."),
    "must be a number": gettext_noop("Use a number."),
    "must be a string": gettext_noop("Use text."),
    "must be true or false": gettext_noop("Choose yes or no."),
}
"""What the reasons of a schema mean to somebody who fills in a form."""


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


def place_in_form(error: RetinueError | None, form: Form) -> RetinueError | None:
    """Return the error for the field of a form that its message begins with, else unchanged."""
    match = _FIELD.match(error.message) if isinstance(error, ValidationFailed) else None
    if error is None or match is None or isinstance(error, InvalidForm) or match["name"] not in form:
        return error
    return place_error(error, {match["name"]: match["name"]})


def in_form_words(text: str) -> str:
    """Return the problem of a field as somebody reads it who does not know the API."""
    if sentence := _SCHEMA_WORDS.get(text[:1].lower() + text[1:].rstrip(".")):
        return _(sentence)
    return error_words(text)


def settings_for(message: str) -> str:
    """Return the settings that a message names, as lines to copy, with the address that it is about."""
    names = dict.fromkeys(_SETTING.findall(message))
    address = _ADDRESS.search(message)
    known = {"RETINUE_ALLOWED_NETWORKS": f"{address['v4']}/32"} if address else {}
    return "\n".join(f"{name}={known.get(name, '')}" for name in names)
