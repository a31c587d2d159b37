"""Response schemas of the demo."""

from typing import Literal

from pydantic import Field

from retinue.core.http.envelope import View


class DemoView(View):
    """The records of the demo in your account. All are null if it is not loaded."""

    agent_id: int | None = Field(description="ID of the agent.")
    collection_id: int | None = Field(description="ID of the collection that the agent answers from.")
    schedule_id: int | None = Field(description="ID of the schedule, which is paused.")
    conversation_id: str | None = Field(
        description="ID of the conversation. Its reply was given by the model that it names; null if no model answers."
    )


class DemoRemoved(View):
    """The demo is removed."""

    deleted: Literal[True]
