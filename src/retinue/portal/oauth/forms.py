"""Forms for OAuth apps."""

from retinue.oauth.meanings import MEANINGS
from retinue.oauth.schemas import AppCreate, AppUpdate, AppView
from retinue.portal.forms import Form, parse

EVERYTHING = "*"
SCOPES = {scope: meaning for scope, meaning in MEANINGS.items() if scope != EVERYTHING}
"""Descriptions of the scopes, as on the consent page."""


def creation_of(form: Form) -> AppCreate:
    """Parse the form of a new app. Raises `InvalidForm`."""
    return parse(AppCreate, {**_fields(form), "public": form.text("kind") == "public"})


def changes_of(form: Form) -> AppUpdate:
    """Parse the changes to an app. Raises `InvalidForm`."""
    return parse(AppUpdate, _fields(form))


def form_of(app: AppView) -> Form:
    """Return a form filled in with an app."""
    everything = EVERYTHING in app.scopes
    fields = {"name": app.name, "access": "all" if everything else "some", "scopes": app.scopes}
    return Form.of({**fields, "redirect_uris": "\n".join(app.redirect_uris)})


def _fields(form: Form) -> dict[str, object]:
    everything = form.text("access") == "all"
    return {
        "name": form.text("name"),
        "redirect_uris": form.text("redirect_uris").split(),
        "scopes": [EVERYTHING] if everything else form.list("scopes"),
    }
