"""Tools of the front end: they are offered to the agent, and their calls wait for results in the next request.

A front end sends its tools with the request that starts a run. Visitors bring none: their page is not the account's.
"""

from collections.abc import Iterable, Sequence

import orjson

from retinue.core.database.statements import Row
from retinue.core.errors import ValidationFailed
from retinue.interop.agui.messages import call_id
from retinue.interop.agui.schemas import RunInput, WireMessage
from retinue.runs.continuation import ClientResult
from retinue.runs.run_options import ClientTool, RunOptions

_NO_PARAMETERS: dict[str, object] = {"type": "object", "properties": {}}
_RESULT_CHARACTERS = 1 << 20
_UNANSWERED = ClientResult(orjson.dumps({"error": "The front end sent no result of this call."}).decode(), ok=False)


def read_tools(body: RunInput) -> list[ClientTool]:
    """Return the tools of a front end."""
    return [
        ClientTool(name=tool.name, description=tool.description, parameters=tool.parameters or _NO_PARAMETERS)
        for tool in body.tools or ()
    ]


def waiting_calls(run: Row, journal: Iterable[Row]) -> list[int]:
    """Return the journal rows of the calls whose results a run waits for."""
    names = {tool.name for tool in RunOptions.model_validate(run.options).client_tools}
    return [row.seq for row in journal if row.role == "tool" and row.state == "waiting" and row.tool_name in names]


def read_results(body: RunInput, run_id: int, waiting: Sequence[int]) -> dict[int, ClientResult]:
    """Return the results of waiting calls in a request, by journal row.

    If the user goes on with a message instead, calls without a result have failed. Raises `ValidationFailed` if the
    request ends with neither.
    """
    sent = body.results
    names = {seq: call_id(run_id, seq) for seq in waiting}
    results = {seq: _read_result(sent[name]) for seq, name in names.items() if name in sent}
    if body.messages and body.messages[-1].role == "user":
        return {seq: results.get(seq, _UNANSWERED) for seq in waiting}
    if not results:
        raise ValidationFailed(
            f"messages: the run waits for results of its calls. Add a message with the role tool and the toolCallId "
            f"{' or '.join(names.values())}."
        )
    return results


def _read_result(message: WireMessage) -> ClientResult:
    """Return a result as JSON, which it mostly is already."""
    text = message.text()
    if len(text) + len(message.error or "") > _RESULT_CHARACTERS:
        raise ValidationFailed(f"messages: a result can have at most {_RESULT_CHARACTERS:,} characters.")
    if message.error:
        return ClientResult(orjson.dumps({"error": message.error, "content": text}).decode(), ok=False)
    try:
        orjson.loads(text)
    except orjson.JSONDecodeError:
        return ClientResult(orjson.dumps(text).decode())
    return ClientResult(text)
