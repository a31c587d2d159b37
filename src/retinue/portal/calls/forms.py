"""The form to place a call, and the filters of the list."""

from dataclasses import asdict, dataclass
from typing import get_args
from urllib.parse import urlencode

from retinue.core.http.envelope import Page as Part
from retinue.core.runtime.whole_numbers import parse_whole_number
from retinue.language.translation import gettext_noop
from retinue.portal.forms import Form, form_number, parse
from retinue.voice.calls.events import Direction
from retinue.voice.calls.schemas import CallCreate, CallFilter, CallStatus

STATUSES: tuple[str, ...] = get_args(CallStatus)
DETECTIONS = {
    "": gettext_noop("Do not detect"),
    "enable": gettext_noop("Detect who answers, and talk"),
    "hangup": gettext_noop("Hang up"),
    "detect_message_end": gettext_noop("Wait for the beep, and leave the greeting as a message"),
}
DIRECTIONS: tuple[str, ...] = get_args(Direction)


@dataclass(frozen=True)
class Filters:
    """Filters of the list of calls. None matches any value."""

    status: str | None
    direction: str | None
    agent_id: int | None

    def of_page(self, part: Part) -> CallFilter:
        """The filter of a page of calls."""
        return CallFilter.model_validate({**asdict(self), "page": part.page, "per_page": part.per_page})

    @property
    def query(self) -> str:
        """The filters as a query string prefix: empty, or ending in `&`."""
        chosen = {"status": self.status, "direction": self.direction, "agent": self.agent_id}
        filled = {name: value for name, value in chosen.items() if value is not None}
        return f"{urlencode(filled)}&" if filled else ""


def filters_of(query: Form) -> Filters:
    """Parse the filters of a query, ignoring invalid values."""
    status, direction = query.text("status"), query.text("direction")
    return Filters(
        status if status in STATUSES else None,
        direction if direction in DIRECTIONS else None,
        parse_whole_number(query.text("agent")) or None,
    )


def order_of(form: Form) -> CallCreate:
    """Parse the form to place a call. Raises `InvalidForm`."""
    return parse(CallCreate, {"to": form.text("to"), **call_options(form)})


def call_options(form: Form) -> dict[str, object]:
    """Return the fields of `CallOptions`, for a schema to check."""
    return {
        "agent_id": form_number(form.text("agent_id")),
        "voice_engine": form.optional("voice_engine"),
        "greeting": _greeting(form),
        "machine_detection": form.optional("machine_detection"),
        "record": form.text("record") == "on",
        "max_seconds": form_number(form.text("max_seconds")),
    }


def _greeting(form: Form) -> str | None:
    """Return the greeting: None lets the agent greet with its name, "" waits for the other side to speak."""
    return {"own": form.text("greeting"), "none": ""}.get(form.text("opening"))
