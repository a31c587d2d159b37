"""Parses values in the form of an agent."""

from retinue.core.http.json_body import parse_object
from retinue.core.http.request_body import BadBody
from retinue.portal.forms import Form, InvalidForm


def decimal_number(text: str) -> float | str | None:
    """Return a number if the text is one, None if it is empty, else the text for the schema to refuse."""
    try:
        return float(text) if text else None
    except ValueError:
        return text


def json_object(form: Form, name: str) -> dict[str, object] | None:
    """Parse a field that contains a JSON object; None if it is empty. Raises `InvalidForm`."""
    text = form.text(name)
    if not text:
        return None
    try:
        return parse_object(text.encode())
    except BadBody as error:
        reason = str(error).replace("The body", "This", 1)
        raise InvalidForm(f"{name}: {reason}", {name: reason}) from error
