"""The rows of the journal, which are the messages of its run, and how they are added."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from retinue.core.clock import now
from retinue.core.database import Tx
from retinue.models.base import ToolCall
from retinue.runs import statements as sql
from retinue.runs.run_options import Run

Fields = Mapping[str, Any]
_OPTIONAL = dict.fromkeys(
    ("conversation_id", "attachments", "tool_calls", "tool_call_id", "tool_name", "tool_arguments")
)


@dataclass(frozen=True, slots=True)
class ModelStep:
    """What the model said before it asked for tools: row `seq` of the journal."""

    seq: int
    text: str
    calls: Sequence[ToolCall]
    tokens: int
    began: datetime


def message(run_id: int, seq: int, role: str, content: str, began: datetime, **details: Any) -> Fields:
    """What somebody said. `details` are other columns."""
    return {
        **_OPTIONAL,
        "state": "done",
        "tokens": 0,
        **details,
        "run_id": run_id,
        "seq": seq,
        "role": role,
        "content": content.replace("\x00", ""),
        "started_at": began,
        "created_at": now(),
    }


def reply(run: Run, seq: int, text: str, began: datetime, state: str, tokens: int) -> Fields:
    """The last that the model said."""
    details = {"conversation_id": run.conversation_id, "state": state, "tokens": tokens}
    return message(run.id, seq, "assistant", text, began, **details)


def model_step(run: Run, step: ModelStep) -> Fields:
    """What the model said, and the tools that it asked for."""
    asked = [{"id": call.id, "name": call.name, "arguments": call.arguments} for call in step.calls]
    details = {"conversation_id": run.conversation_id, "tool_calls": asked, "tokens": step.tokens}
    return message(run.id, step.seq, "assistant", step.text, step.began, **details)


def tool(run: Run, seq: int, call: ToolCall, content: str, state: str, began: datetime) -> Fields:
    """A call of a tool, with its result where it has ended."""
    return message(
        run.id, seq, "tool", content, began,
        conversation_id=run.conversation_id,
        tool_call_id=call.id,
        tool_name=call.name,
        tool_arguments=call.arguments,
        state=state,
    )  # fmt: skip


async def add(tx: Tx, rows: Sequence[Fields]) -> None:
    """Add one row or two."""
    values = {
        parameter: row[name]
        for row, parameters in zip(rows, sql.PARAMETERS, strict=False)
        for name, parameter in parameters.items()
    }
    await tx.run(sql.ADD_MESSAGES[len(rows)], **values)


def last_said(rows: Sequence[Fields]) -> str:
    """What is shown as the last message of a conversation: what a tool returns is not."""
    return next((row["content"] for row in reversed(rows) if row["role"] != "tool"), "")
