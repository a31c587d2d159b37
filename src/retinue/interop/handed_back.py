"""Calls of the client's tools with which an agent's run ended, and what the run did before them.

A client that keeps the conversation does not see the calls of the agent's own tools. The ids of the calls that it gets
name the run, so that the next request continues with the run's own calls and their results.
"""

from collections.abc import Awaitable, Callable, Sequence

from retinue.core.database.statements import Row
from retinue.core.runtime.whole_numbers import parse_whole_number
from retinue.models.base import ToolCall
from retinue.runs.context_window import RESULT_CHARACTERS, cut_result, images_of
from retinue.runs.execution.broadcast import RunStream
from retinue.runs.run_options import ClientCall, ClientMessage, RunOptions

_RUN = "_run"

Find = Callable[[int], Awaitable[tuple[Row, Sequence[Row]] | None]]
"""Finds a run and its journal; None if the client may not continue it."""


def calls_of(live: RunStream) -> Sequence[ToolCall]:
    """Return the calls of the client's tools with which a run has ended."""
    handed_back = live.journal.handed_back
    return _with_run_ids(live.run.id, live.run.agent_id, handed_back.calls) if handed_back else ()


def stored_calls(row: Row, journal: Sequence[Row]) -> Sequence[ToolCall]:
    """Return what `calls_of` returned for a stored run."""
    return _with_run_ids(row.id, row.agent_id, handed_back_calls(row, journal))


def handed_back_calls(row: Row, journal: Sequence[Row]) -> Sequence[ToolCall]:
    """Return the calls of the client's tools with which a stored run ended, as its model wrote them."""
    last = next((one for one in reversed(journal) if one.role == "assistant"), None)
    if row.status != "completed" or last is None:
        return ()
    theirs = {one.name for one in RunOptions.model_validate(row.options).client_tools}
    calls = [ToolCall(one["id"], one["name"], one["arguments"]) for one in last.tool_calls or ()]
    return [one for one in calls if one.name in theirs]


def _with_run_ids(run_id: int, agent_id: int | None, calls: Sequence[ToolCall]) -> Sequence[ToolCall]:
    """Return calls with ids for the client. Only an agent has tools of its own, and so a need for the run's id."""
    if agent_id is None:
        return calls
    return [ToolCall(f"{one.id}{_RUN}{run_id}", one.name, one.arguments) for one in calls]


def _run_of(call_id: str) -> int | None:
    """Return the run that the id of a call names, or None."""
    _, _, number = call_id.rpartition(_RUN)
    return parse_whole_number(number) if number != call_id else None


async def with_own_calls(messages: Sequence[ClientMessage], find: Find) -> tuple[list[ClientMessage], str | None]:
    """Return a conversation with the calls of the agent's own tools and their results, where they were left out.

    Also returns the untrusted content that the runs read, or None.
    """
    completed: list[ClientMessage] = []
    untrusted = None
    seen: set[int] = set()
    for message in messages:
        runs = [run for call in message.calls if (run := _run_of(call.id))]
        found = await find(runs[0]) if runs and runs[0] not in seen else None
        seen.update(runs[:1])
        if found is None:
            completed.append(message)
            continue
        row, journal = found
        completed += steps_of(journal, message, row.id)
        untrusted = untrusted or row.untrusted
    return completed, untrusted


def steps_of(journal: Sequence[Row], answer: ClientMessage, run_id: int) -> list[ClientMessage]:
    """Return the steps of a run from its journal, with results. `answer` is the last step as the client sent it."""
    ended = {one.tool_call_id: one for one in journal if one.role == "tool" and one.state in ("done", "failed")}
    theirs = {call.id: call for call in answer.calls}
    steps = []
    for row in journal:
        if row.role != "assistant" or row.tool_calls == []:
            continue
        calls = [ClientCall(id=one["id"], name=one["name"], arguments=one["arguments"]) for one in row.tool_calls or ()]
        own = [call for call in calls if call.id in ended]
        known = [theirs[name] for call in calls if (name := f"{call.id}{_RUN}{run_id}") in theirs]
        steps.append(ClientMessage(role="assistant", content=row.content, calls=[*own, *known]))
        steps += [_result(ended[call.id]) for call in own]
    return steps


def _result(row: Row) -> ClientMessage:
    return ClientMessage(
        role="tool",
        content=cut_result(row.content, RESULT_CHARACTERS),
        call_id=row.tool_call_id,
        name=row.tool_name,
        attachments=list(images_of(row)),
    )
