"""What callers send and see of approvals."""

from typing import Any, Literal

from pydantic import ConfigDict, Field

from retinue.core.envelope import Body, Page, Timestamp, View

ApprovalStatus = Literal["pending", "approved", "denied", "cancelled"]


class ApprovalView(View):
    """A tool call that waits, or waited, for a person."""

    id: int = Field(description="The approval's id.")
    run_id: int = Field(description="The run that waits for it.")
    agent_id: int | None = Field(description="The agent at work.")
    tool: str = Field(description="The tool to be called.")
    arguments: Any = Field(description="What it is to be called with.")
    status: ApprovalStatus = Field(description="Where it stands; cancelled once its run is over.")
    reason: str | None = Field(description="What the person said to it.")
    created_at: Timestamp = Field(description="When it was asked for.")
    decided_at: Timestamp | None = Field(description="When it was decided.")


class ApprovalQuery(Page):
    """Which approvals to list."""

    model_config = ConfigDict(extra="ignore")

    status: ApprovalStatus | None = Field(None, description="Only those in this state.")


class ApprovalDecision(Body):
    """What a person decides."""

    decision: Literal["approve", "deny"] = Field(description="Whether the tool may be called.")
    arguments: dict[str, Any] | None = Field(
        None, description="Arguments in place of those that the model chose; they must fit the tool."
    )
    reason: str | None = Field(None, max_length=2000, description="Told to the model when the call is denied.")
