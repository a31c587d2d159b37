"""Forms for connections, parsed into the nested objects of the API."""

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from retinue.connections.kinds import KINDS
from retinue.connections.schemas import ConnectionCreate, ConnectionUpdate
from retinue.core.http.validation_messages import reason
from retinue.language.translation import gettext as _
from retinue.language.translation import gettext_noop
from retinue.portal.connections.fields import SHAPES, Field
from retinue.portal.forms import Form, InvalidForm, form_number

_NAME = Field("name", "Name", form=gettext_noop("Lower-case letters, digits and -, beginning with a letter."))
_LACKING = {
    "settings": {"http": "settings.name", "mail": "settings.smtp.host"},
    "secret": {"webhook": "secret.signing_key"},
}
"""The field that shows a problem with the settings or secret of a kind as a whole."""

_UNNAMED_SERVER = "settings.{}.host"
Json = dict[str, Any]


def new_form(kind: str) -> Form:
    """Return the form for a new connection."""
    return Form.of({"kind": kind, **{field.name: field.usual for field in SHAPES[kind].fields if field.usual}})


def form_of(kind: str, settings: Mapping[str, object]) -> Form:
    """Return a form filled in with settings. It never contains the secret."""
    values: dict[str, object] = {field.name: field.usual for field in SHAPES[kind].fields if not field.secret}
    for name, value in settings.items():
        nested = value.items() if isinstance(value, Mapping) else [(None, value)]
        values |= {f"settings.{name}.{part}" if part else f"settings.{name}": each for part, each in nested}
    return Form.of({"kind": kind, **values})


def creation_of(kind: str, form: Form) -> ConnectionCreate:
    """Parse the form of a new connection. Raises `InvalidForm` with all problems."""
    fields = {"name": form.text("name"), "kind": kind, "settings": _part(kind, form, "settings")}
    fields["secret"] = _part(kind, form, "secret")
    problems = {**_problems(kind, ConnectionCreate, fields, ""), **_problems_of_parts(kind, fields)}
    if problems:
        raise _invalid(problems)
    return ConnectionCreate.model_validate(fields)


def changes_of(kind: str, form: Form) -> ConnectionUpdate:
    """Parse changes to a connection. An empty secret remains unchanged. Raises `InvalidForm`."""
    fields: Json = {"settings": _part(kind, form, "settings")}
    if secret := _part(kind, form, "secret"):
        fields["secret"] = secret
    if problems := _problems_of_parts(kind, fields):
        raise _invalid(problems)
    return ConnectionUpdate.model_validate(fields)


def _part(kind: str, form: Form, part: str) -> Json:
    """Return the settings or the secret, without empty fields and without a mail server that has no name."""
    found: Json = {}
    for field in SHAPES[kind].fields:
        first, *path = field.name.split(".")
        text = form.raw(field.name) if field.secret else form.text(field.name)
        if first != part or not text:
            continue
        if len(path) > 1 and not form.text(_UNNAMED_SERVER.format(path[0])):
            continue
        holder = found.setdefault(path[0], {}) if len(path) > 1 else found
        holder[path[-1]] = form_number(text) if field.whole_number else text
    return found


def _problems_of_parts(kind: str, fields: Json) -> dict[str, str]:
    models = {"settings": KINDS[kind].settings, "secret": KINDS[kind].secret}
    parts = (_problems(kind, model, fields[part], part) for part, model in models.items() if part in fields)
    return {name: text for problems in parts for name, text in problems.items()}


def _problems(kind: str, model: type[BaseModel], fields: Mapping[str, object], part: str) -> dict[str, str]:
    """Return the problems by field name. Messages never repeat a value, which may be secret."""
    try:
        model.model_validate(fields)
    except ValidationError as error:
        return dict(_place(kind, part, problem) for problem in error.errors(include_input=False))
    return {}


def _place(kind: str, part: str, problem: ErrorDetails) -> tuple[str, str]:
    path = [str(step) for step in problem["loc"]]
    name = ".".join([part, *path] if part else path)
    name = _LACKING.get(part, {}).get(kind, name) if not path else name
    field = next((one for one in (_NAME, *SHAPES[kind].fields) if one.name == name), None)
    text = _(field.form) if field and field.form and _is_about_form(problem["type"]) else reason(problem)
    return name, f"{text[:1].upper()}{text[1:].rstrip('.')}."


def _is_about_form(kind: str) -> bool:
    return kind in ("string_pattern_mismatch", "string_too_short")


def _invalid(problems: Mapping[str, str]) -> InvalidForm:
    return InvalidForm(_("Some fields are invalid. The reason is shown next to each of them."), problems)
