"""The events of batches of calls."""

from typing import Literal

from pydantic import Field

from retinue.core.work.events import Event


class VoiceBatchStarted(Event):
    """A batch of calls was started."""

    event_name = "voice.batch.started"
    batch_id: int = Field(description="ID of the batch.", examples=[3])
    name: str = Field(description="Name of the batch.", examples=["Reminders for December"])
    agent_id: int | None = Field(description="ID of the agent; null for the built-in assistant.", examples=[1])
    recipients: int = Field(description="Number of recipients.", examples=[120])
    status: Literal["running"] = Field("running", description="Always `running`.", examples=["running"])


class VoiceBatchEnded(Event):
    """A batch of calls ended: every recipient has a final state. `counts` has the recipients by state."""

    event_name = "voice.batch.ended"
    batch_id: int = Field(description="ID of the batch.", examples=[3])
    name: str = Field(description="Name of the batch.", examples=["Reminders for December"])
    agent_id: int | None = Field(description="ID of the agent; null for the built-in assistant.", examples=[1])
    status: Literal["completed", "cancelled"] = Field(
        description="`completed`, or `cancelled` by a person or a program.", examples=["completed"]
    )
    counts: dict[str, int] = Field(
        description="The recipients by status.", examples=[{"completed": 103, "failed": 8, "machine": 9}]
    )
