"""Forms for OAuth apps."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from retinue.language.translation import gettext_noop
from retinue.oauth.meanings import MEANINGS
from retinue.oauth.schemas import AppCreate, AppUpdate, AppView
from retinue.portal.forms import Form, parse

EVERYTHING = "*"
SCOPES = {scope: meaning for scope, meaning in MEANINGS.items() if scope != EVERYTHING}
"""Descriptions of the scopes, as on the consent page."""


class Permission(NamedTuple):
    """A scope in a few words. If it `acts`, tools can change and delete data and send messages in the user's name."""

    scope: str
    label: str
    acts: bool = False


PERMISSIONS: Mapping[str, Sequence[Permission]] = {
    gettext_noop("Agents"): (
        Permission("agents:read", gettext_noop("See your agents and their runs")),
        Permission("agents:write", gettext_noop("Create, change and run agents"), acts=True),
    ),
    gettext_noop("Chat"): (
        Permission("chat:read", gettext_noop("See your conversations")),
        Permission("chat:write", gettext_noop("Chat as you"), acts=True),
    ),
    gettext_noop("Tools, files and knowledge"): (
        Permission("tools:read", gettext_noop("See tools, files and documents")),
        Permission("tools:execute", gettext_noop("Use tools, change files and documents"), acts=True),
    ),
    gettext_noop("Fleets"): (
        Permission("fleets:read", gettext_noop("See your fleets")),
        Permission("fleets:write", gettext_noop("Create, change and deploy fleets"), acts=True),
    ),
    gettext_noop("Calls and rooms"): (
        Permission("voice:read", gettext_noop("See calls, transcripts and rooms")),
        Permission("voice:write", gettext_noop("Make calls and manage rooms")),
    ),
    gettext_noop("Marketplace"): (
        Permission("marketplace:read", gettext_noop("Browse, and see what is installed")),
        Permission("marketplace:write", gettext_noop("Install, uninstall and rate")),
        Permission("marketplace:publish", gettext_noop("Publish in your name")),
    ),
    gettext_noop("Usage"): (Permission("usage:read", gettext_noop("See and export usage")),),
}
"""The scopes by area: read scopes come first."""


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
