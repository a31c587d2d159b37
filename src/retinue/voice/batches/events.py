"""The events of batches of calls."""

from typing import Literal

from retinue.core.work.events import Event


class VoiceBatchStarted(Event):
    """A batch of calls was started."""

    event_name = "voice.batch.started"
    batch_id: int
    name: str
    agent_id: int | None
    recipients: int
    status: Literal["running"] = "running"


class VoiceBatchEnded(Event):
    """A batch of calls ended: every recipient has a final state. `counts` has the recipients by state."""

    event_name = "voice.batch.ended"
    batch_id: int
    name: str
    agent_id: int | None
    status: Literal["completed", "cancelled"]
    counts: dict[str, int]
