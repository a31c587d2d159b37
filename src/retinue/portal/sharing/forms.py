"""The form of a publishable key."""

from retinue.core.database.statements import Row
from retinue.language.translation import gettext_noop
from retinue.portal.forms import Form, InvalidForm, form_number, parse
from retinue.sharing.schemas import AppearanceInput, PublishableKeyCreate, PublishableKeyUpdate

THEMES = {
    "auto": gettext_noop("As the visitor's device"),
    "light": gettext_noop("Light"),
    "dark": gettext_noop("Dark"),
}
POSITIONS = {"right": gettext_noop("Bottom right"), "left": gettext_noop("Bottom left")}
_LOOKS = ("title", "subtitle", "greeting", "color", "theme", "position")
_NEW = PublishableKeyCreate(agent_id=1)


def form_of(key: Row | None) -> Form:
    """Return a form filled in with a key, or with the defaults of a new one."""
    values = key._asdict() if key else _NEW.model_dump()
    looks = values["appearance"]
    suggestions = "\n".join(looks["suggestions"] or ())
    lists = {"origins": "\n".join(values["origins"]), "suggestions": suggestions}
    return Form.of({**values, **looks, **lists, "color": looks["color"] or "#1b6753"})


def creation_of(agent_id: int, form: Form) -> PublishableKeyCreate:
    """Parse the form of a new key. Raises `InvalidForm`."""
    fields = {"agent_id": agent_id, "name": form.text("name"), "origins": _origins(form)}
    return parse(PublishableKeyCreate, {**fields, "page_enabled": "page_enabled" in form})


def changes_of(form: Form) -> PublishableKeyUpdate:
    """Parse the changes to a key. Raises `InvalidForm`."""
    fields = {
        "name": form.text("name"),
        "origins": _origins(form),
        "page_enabled": "page_enabled" in form,
        "accepts_files": "accepts_files" in form,
        "daily_messages": form_number(form.text("daily_messages")),
        "visitor_daily_messages": form_number(form.text("visitor_daily_messages")),
        "appearance": _appearance(form),
    }
    return parse(PublishableKeyUpdate, fields)


def _appearance(form: Form) -> AppearanceInput:
    looks = {name: form.optional(name) for name in _LOOKS}
    try:
        return parse(AppearanceInput, {**looks, "suggestions": _lines(form.text("suggestions"))})
    except InvalidForm as error:
        problems = {f"appearance.{name}": text for name, text in error.fields.items()}
        raise InvalidForm(f"appearance: {error.message}", problems) from error


def _origins(form: Form) -> list[str]:
    return form.text("origins").replace(",", " ").split()


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]
