"""The form that rings somebody, and the filters of the list."""

from dataclasses import dataclass
from typing import get_args
from urllib.parse import urlencode

from retinue.core.envelope import MAX_ID
from retinue.portal.forms import Form, form_number, parse
from retinue.voice.calls.events import Direction
from retinue.voice.calls.schemas import CallCreate, CallStatus

STATUSES: tuple[str, ...] = get_args(CallStatus)
DETECTIONS = {
    "": "Do not look for one",
    "enable": "Find out who answers, and talk",
    "hangup": "Hang up",
    "detect_message_end": "Wait for the beep, and leave the greeting",
}
DIRECTIONS: tuple[str, ...] = get_args(Direction)


@dataclass(frozen=True)
class Filters:
    """Which calls a reader wants to see. None fits any value."""

    status: str | None
    direction: str | None
    agent_id: int | None

    @property
    def query(self) -> str:
        """The same as the beginning of a query: empty, or with `&` at its end."""
        chosen = {"status": self.status, "direction": self.direction, "agent": self.agent_id}
        given = {name: value for name, value in chosen.items() if value is not None}
        return f"{urlencode(given)}&" if given else ""


def filters_of(query: Form) -> Filters:
    """The filters that a query names; values that there are not count as none."""
    status, direction, agent = query.text("status"), query.text("direction"), form_number(query.text("agent"))
    return Filters(
        status if status in STATUSES else None,
        direction if direction in DIRECTIONS else None,
        agent if isinstance(agent, int) and 1 <= agent <= MAX_ID else None,
    )


def order_of(form: Form) -> CallCreate:
    """The call that a form describes, or `InvalidForm`."""
    fields = {
        "to": form.text("to"),
        "agent_id": form_number(form.text("agent_id")),
        "voice_engine": form.optional("voice_engine"),
        "greeting": _greeting(form),
        "machine_detection": form.optional("machine_detection"),
        "record": form.text("record") == "on",
        "max_seconds": form_number(form.text("max_seconds")),
    }
    return parse(CallCreate, fields)


def _greeting(form: Form) -> str | None:
    """None lets the agent greet with its name, and "" lets the other side begin."""
    return {"own": form.text("greeting"), "none": ""}.get(form.text("opening"))
