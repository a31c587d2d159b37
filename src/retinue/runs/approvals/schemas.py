"""Request and response schemas of approvals."""

from typing import Any, Literal

from pydantic import ConfigDict, Field

from retinue.core.http.envelope import Body, Page, Timestamp, View

ApprovalStatus = Literal["pending", "approved", "denied", "cancelled"]


class ApprovalQuestion(View):
    """What the server of an imported tool asks a person before it completes a call."""

    message: str = Field(description="The question, in the words of the server.")
    answer_schema: dict[str, Any] = Field(description="The JSON Schema of the answer, an object without nested ones.")
    urls: list[str] = Field(description="Pages that the server asks the person to open before they approve.")
    repeats_call: bool = Field(
        description="Whether the answer makes the call again from its beginning, as servers of older revisions need."
    )


class ApprovalView(View):
    """A tool call that is waiting, or was waiting, for approval or for an answer."""

    id: int = Field(description="ID of the approval.")
    run_id: int = Field(description="ID of the run that is waiting.")
    agent_id: int | None = Field(description="ID of the agent.")
    tool: str = Field(description="Name of the tool.")
    arguments: Any = Field(description="Arguments of the call.")
    untrusted: str | None = Field(
        description="First untrusted content that the run had read, such as `web page https://…`; null if none."
    )
    question: ApprovalQuestion | None = Field(
        description="What the tool's server asks; null if the call needs approval."
    )
    answer: dict[str, Any] | None = Field(description="The answer to the question; null if there is none.")
    status: ApprovalStatus = Field(description="Status of the approval; `cancelled` if the run ended first.")
    reason: str | None = Field(description="Comment of the person who decided.")
    created_at: Timestamp = Field(description="Time of the request.")
    decided_at: Timestamp | None = Field(description="Time of the decision.")


class ApprovalQuery(Page):
    """Filter and page of the list of approvals."""

    model_config = ConfigDict(extra="ignore")

    status: ApprovalStatus | None = Field(None, description="Only return approvals with this status.")


class ApprovalDecision(Body):
    """Request body for deciding on an approval."""

    decision: Literal["approve", "deny"] = Field(description="Whether to allow the call.")
    arguments: dict[str, Any] | None = Field(
        None, description="Arguments that replace those of the model. They must match the tool's schema."
    )
    answer: dict[str, Any] | None = Field(
        None, description="The answer to the question of the tool's server. It must match the `answer_schema`."
    )
    reason: str | None = Field(None, max_length=2000, description="Message to the model if the call is denied.")
