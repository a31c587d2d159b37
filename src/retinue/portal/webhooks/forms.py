"""Forms for endpoints."""

from retinue.portal.forms import Form, parse
from retinue.webhooks.schemas import WebhookCreate, WebhookUpdate, WebhookView


def creation_of(form: Form) -> WebhookCreate:
    """Parse the form of a new endpoint. Raises `InvalidForm`."""
    return parse(WebhookCreate, _fields(form))


def changes_of(form: Form) -> WebhookUpdate:
    """Parse the changes to an endpoint. Raises `InvalidForm`."""
    return parse(WebhookUpdate, _fields(form))


def form_of(endpoint: WebhookView) -> Form:
    """Return a form filled in with an endpoint."""
    chosen = "some" if endpoint.events else "all"
    return Form.of({"which": chosen, **endpoint.model_dump(include={"url", "events", "description"})})


def _fields(form: Form) -> dict[str, object]:
    return {
        "url": form.text("url"),
        "events": form.list("events") if form.text("which") == "some" else None,
        "description": form.text("description"),
    }
