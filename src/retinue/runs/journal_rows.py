"""Builds and inserts journal rows, which are the messages of a run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from retinue.core.database.interface import Tx
from retinue.core.runtime.clock import now
from retinue.models.base import ToolCall
from retinue.runs import statements as sql
from retinue.runs.model_answer import ModelAnswer
from retinue.runs.run_options import Run
from retinue.runs.tables import JournalRow

Fields = Mapping[str, object]
_OPTIONAL = dict.fromkeys(
    ("conversation_id", "attachments", "tool_calls", "tool_call_id", "tool_name", "tool_arguments", "details")
)

_COSTS = ("usage", "unmetered", "cost_usd")


@dataclass(frozen=True, slots=True)
class ModelStep:
    """A model step after which the run goes on: row `seq` of the journal.

    A `rejected` step is not part of the conversation: it is empty, does not fit the schema of the reply, or its call
    failed. Its row has an empty list of tool calls.
    """

    seq: int
    answer: ModelAnswer
    rejected: bool = False


def message(run_id: int, seq: int, role: str, content: str, began: datetime, **details: object) -> Fields:
    """Build the row of a message. `details` are further columns."""
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


def reply(run: Run, seq: int, text: str, answer: ModelAnswer | None, state: str) -> Fields:
    """Build the row of the final reply. `answer` is None if no model wrote it."""
    details = {"conversation_id": run.conversation_id, "state": state}
    if answer is None:
        return message(run.id, seq, "assistant", text, now(), **details)
    usage = {"tokens": answer.tokens, "details": answer.details()}
    return message(run.id, seq, "assistant", text, answer.began, **details, **usage)


def model_step(run: Run, step: ModelStep) -> Fields:
    """Build the row of a model step with its tool calls."""
    answer = step.answer
    tool_calls = [
        {"id": call.id, "name": call.name, "arguments": call.arguments, **({} if call.offered else {"offered": False})}
        for call in answer.calls
    ]
    details = {
        "conversation_id": None if step.rejected else run.conversation_id,
        "tool_calls": tool_calls if tool_calls or step.rejected else None,
        "tokens": answer.tokens,
        "details": answer.details(),
        "state": "failed" if step.rejected else "done",
    }
    return message(run.id, step.seq, "assistant", answer.text, answer.began, **details)


def compaction(run: Run, seq: int, answer: ModelAnswer, upto: int) -> Fields:
    """Build the row of a summary that replaces everything up to the row `upto` but the run's request."""
    details = {"tokens": answer.tokens, "details": {**answer.details(), "upto": upto}}
    return message(run.id, seq, "compaction", answer.text, answer.began, **details)


def tool(
    run: Run, seq: int, call: ToolCall, content: str, state: str, began: datetime, details: Fields | None = None
) -> Fields:
    """Build the row of a tool call, with its result if it has ended. `details` name the images that it returned."""
    return message(
        run.id, seq, "tool", content, began,
        conversation_id=run.conversation_id,
        tool_call_id=call.id,
        tool_name=call.name,
        tool_arguments=call.arguments,
        state=state,
        details=details,
    )  # fmt: skip


def copy(run_id: int, row: JournalRow) -> Fields:
    """Build the row of another run that shares this step. What it cost remains with the run that carried it out."""
    details = {name: value for name, value in (row.details or {}).items() if name not in _COSTS}
    copied = {name: getattr(row, name) for name in sql.COPIED}
    return {**copied, "run_id": run_id, "conversation_id": None, "tokens": 0, "details": details or None}


async def add(tx: Tx, rows: Sequence[Fields]) -> None:
    """Insert one or two rows."""
    values = {
        parameter: row[name]
        for row, parameters in zip(rows, sql.PARAMETERS, strict=False)
        for name, parameter in parameters.items()
    }
    await tx.run(sql.ADD_MESSAGES[len(rows)], **values)


def last_text(rows: Sequence[Fields]) -> str:
    """Return the text to show as the conversation's last message, which is never a tool result."""
    return next((str(row["content"]) for row in reversed(rows) if row["role"] != "tool"), "")
