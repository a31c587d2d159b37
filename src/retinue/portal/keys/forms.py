"""Forms for keys."""

from retinue.auth.caller import SCOPES
from retinue.auth.keys.schemas import KeyCreate, KeyRotate, KeyUpdate, KeyView
from retinue.language.translation import gettext_noop
from retinue.portal.forms import Form, budgets_of, form_number, parse

EVERYTHING = "*"
RESOURCES: dict[str, list[str]] = {}
"""The scopes by resource: `agents` has `agents:read` and `agents:write`."""
for _scope in sorted(SCOPES - {EVERYTHING}):
    RESOURCES.setdefault(_scope.partition(":")[0], []).append(_scope)

LABELS = {
    "agents": gettext_noop("Agents"),
    "chat": gettext_noop("Chat"),
    "fleets": gettext_noop("Fleets"),
    "marketplace": gettext_noop("Marketplace"),
    "tools": gettext_noop("Tools"),
    "usage": gettext_noop("Usage"),
    "voice": gettext_noop("Voice"),
    "read": gettext_noop("Read"),
    "write": gettext_noop("Write"),
    "execute": gettext_noop("Execute"),
    "publish": gettext_noop("Publish"),
}
"""Labels of the resources, and of what a scope allows with them."""

LIFETIMES = {
    "": gettext_noop("Never"),
    "30": gettext_noop("In 30 days"),
    "90": gettext_noop("In 90 days"),
    "365": gettext_noop("In a year"),
}
OVERLAPS = {"0": gettext_noop("At once"), "1": gettext_noop("In a day"), "7": gettext_noop("In 7 days")}


def creation_of(form: Form) -> KeyCreate:
    """Parse the form of a new key. Raises `InvalidForm`."""
    everything = form.text("access") != "some"
    fields: dict[str, object] = {
        "name": form.text("name"),
        "mode": form.text("mode"),
        "scopes": [EVERYTHING] if everything else form.list("scopes"),
        "networks": _networks_of(form),
        "expires_in_days": form_number(form.text("expires_in_days")),
        **budgets_of(form),
    }
    return parse(KeyCreate, fields)


def form_of(key: KeyView) -> Form:
    """Return a form filled in with a key."""
    return Form.of({**key.model_dump(), "networks": ", ".join(key.networks or ())})


def changes_of(form: Form) -> KeyUpdate:
    """Parse the changes to a key. Raises `InvalidForm`."""
    fields = {"name": form.text("name"), "networks": _networks_of(form), **budgets_of(form)}
    return parse(KeyUpdate, fields)


def _networks_of(form: Form) -> list[str] | None:
    return form.text("networks").replace(",", " ").split() or None


def rotation_of(form: Form) -> KeyRotate:
    """Parse the overlap of a rotation. Raises `InvalidForm`."""
    return parse(KeyRotate, {"overlap_days": form_number(form.text("overlap_days")) or 0})
