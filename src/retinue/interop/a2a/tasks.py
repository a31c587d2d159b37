"""Runs of an agent as tasks: their state, their artifacts and their history."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from retinue.auth.caller import Caller
from retinue.core.database.interface import Database
from retinue.core.database.statements import Row
from retinue.core.errors import ValidationFailed
from retinue.core.http.operations import BASE
from retinue.core.runtime.clock import from_text, to_text
from retinue.core.runtime.whole_numbers import parse_whole_number
from retinue.interop.a2a import statements as sql
from retinue.interop.a2a.errors import TaskNotFound
from retinue.interop.a2a.wire import Artifact, ListQuery, Message, Part, State, Status, Task
from retinue.interop.agui.messages import message_id
from retinue.interop.made_files import MadeFiles
from retinue.runs import statements as runs_sql
from retinue.runs.approvals import statements as approvals_sql
from retinue.runs.context_window import parsed_arguments
from retinue.runs.tool_ends import connect_url

STATES: Mapping[str, State] = {
    "queued": "TASK_STATE_SUBMITTED",
    "running": "TASK_STATE_WORKING",
    "waiting": "TASK_STATE_INPUT_REQUIRED",
    "completed": "TASK_STATE_COMPLETED",
    "failed": "TASK_STATE_FAILED",
    "cancelled": "TASK_STATE_CANCELED",
}
"""The state of a task by the status of its run."""

REPLY, OUTPUT = "reply", "output"
"""The ids of the artifacts with the text of the reply, and with the data of a reply that follows a schema."""

_RUN_STATUS: Mapping[str, str] = {state: status for status, state in STATES.items()}
_END_OF_TIME = datetime(9999, 1, 1, tzinfo=UTC)
_ANSWER = (
    'Reply to this task with the data {"approved": true}, or with the text yes. With false or any other text it is '
    "denied, and the text tells the agent why."
)
_ANSWER_QUESTION = (
    'Reply to this task with the data {"approved": true, "answer": {…}}, where the answer fits answerSchema, or with '
    'the text of the only field. {"approved": false} refuses.'
)


@dataclass(frozen=True)
class Tasks:
    """Reads the tasks of one caller. `address` is that of the server as clients reach it."""

    caller: Caller
    database: Database
    made_files: MadeFiles
    address: str

    async def get(self, agent_id: int, task_id: str) -> Row:
        """Return the run of a task. Raises `TaskNotFound`."""
        run_id = parse_whole_number(task_id)
        row = None if run_id is None else await self._lookup(agent_id, run_id)
        if row is None:
            raise TaskNotFound(f"The agent has no task {task_id[:100]!r}. To start one, send a message without taskId.")
        return row

    async def _lookup(self, agent_id: int, run_id: int) -> Row | None:
        return await self.database.lookup(sql.GET, run=run_id, agent=agent_id, account=self.caller.account_id)

    async def page(self, agent_id: int, query: ListQuery, conversation_id: int | None) -> tuple[list[Row], str, int]:
        """Return tasks, most recently changed first, with the token of the next page and the total number."""
        if query.status and query.status not in _RUN_STATUS and query.status != "TASK_STATE_UNSPECIFIED":
            return [], "", 0
        found = {
            "agent": agent_id,
            "account": self.caller.account_id,
            "conversation": conversation_id,
            "wanted": _RUN_STATUS.get(query.status or ""),
            "since": _read_moment(query.status_timestamp_after) if query.status_timestamp_after else None,
        }
        before, last = _read_token(query.page_token)
        place = {"before": before, "last": last, "most": query.page_size + 1}
        pages = [await self.database.query(one, **found, **place) for one in (sql.PAGE_OF_OPEN, sql.PAGE_OF_ENDED)]
        rows = sorted((row for page in pages for row in page), key=lambda row: (row.changed_at, row.id), reverse=True)
        page_rows = rows[: query.page_size]
        token = f"{to_text(page_rows[-1].changed_at)}_{page_rows[-1].id}" if len(rows) > len(page_rows) else ""
        (counted,) = await self.database.query(sql.COUNT, **found)
        return page_rows, token, counted.count

    async def describe(self, row: Row, history_length: int | None, *, artifacts: bool = True) -> Task:
        """Return a task."""
        journal = await self.database.fetch(runs_sql.OF_RUN, run=row.id) if artifacts or history_length != 0 else []
        messages = [one for one in journal if one.role == "user"]
        history = messages if history_length is None else messages[max(0, len(messages) - history_length) :]
        return Task(
            id=str(row.id),
            context_id=context_of(row),
            status=await self.status(row, journal),
            artifacts=await self.artifacts(row, journal) if artifacts else None,
            history=[self._user_message(one, row) for one in history] if history_length != 0 else None,
        )

    async def status(self, row: Row, journal: Sequence[Row] = ()) -> Status:
        """Return the status of a task, with what its client should know or do."""
        parts = [Part(text=row.error)] if row.error else []
        if row.status == "waiting":
            parts = await self._approvals(row)
        elif row.status == "completed":
            parts = [Part(text=text) for text in _connections(journal)]
        message = agent_message(row, "status", parts) if parts else None
        return Status(state=STATES[row.status], message=message, timestamp=to_text(row.changed_at))

    async def _approvals(self, row: Row) -> list[Part]:
        """Return what the agent asks for, in words and as data."""
        waiting = await self.database.fetch(approvals_sql.PENDING_OF_RUN, run=row.id)
        if not waiting:
            return []
        approvals = [
            {
                "approvalId": str(one.id),
                "tool": one.tool,
                "arguments": parsed_arguments(one.arguments or "{}"),
                **(
                    {"question": one.question["message"], "answerSchema": one.question["schema"]}
                    if one.question
                    else {}
                ),
            }
            for one in waiting
        ]
        questions = [
            f"{one.tool} asks: {one.question['message']} {_ANSWER_QUESTION}" for one in waiting if one.question
        ]
        tools = ", ".join(one.tool for one in waiting if not one.question)
        request = [f"The agent wants to use {tools}. {_ANSWER}"] if tools else []
        return [Part(text="\n\n".join([*request, *questions])), Part(data={"approvals": approvals})]

    async def artifacts(self, row: Row, journal: Sequence[Row]) -> list[Artifact]:
        """Return the outputs of a task that has ended: the reply, its data, and the files that tools made."""
        if row.ended_at is None:
            return []
        found = []
        if row.reply:
            cited = {"citations": row.citations} if row.citations else None
            found.append(Artifact(artifact_id=REPLY, name=REPLY, parts=[Part(text=row.reply)], metadata=cited))
        if row.output is not None:
            data = Part(data=row.output, media_type="application/json")
            found.append(Artifact(artifact_id=OUTPUT, name=OUTPUT, parts=[data]))
        made = await self.made_files.by_run(self.caller.account_id, journal)
        return [
            *found,
            *(Artifact(artifact_id=one.id, name=one.name, parts=[self._file(one)]) for one in made.get(row.id, ())),
        ]

    def _file(self, record: Row) -> Part:
        return Part(url=self._url(record.id), filename=record.name, media_type=record.media_type)

    def _url(self, file_id: str) -> str:
        """Return where the client downloads a file, with the credential that it uses here."""
        return f"{self.address}{BASE}/files/{file_id}/content"

    def _user_message(self, one: Row, row: Row) -> Message:
        files = [Part(url=self._url(file_id)) for file_id in one.attachments or ()]
        return Message(
            message_id=message_id(row.id, one.seq),
            context_id=context_of(row),
            task_id=str(row.id),
            role="ROLE_USER",
            parts=[Part(text=one.content), *files],
        )


def context_of(row: Row) -> str:
    """Return the id of a task's context. A run outside of conversations has one of its own."""
    return row.context or f"run_{row.id}"


def is_over(run: Row) -> bool:
    """Return whether a run has ended or needs input."""
    return run.ended_at is not None or run.status == "waiting"


def agent_message(row: Row, name: str, parts: list[Part]) -> Message:
    """Return a message of the agent about a task."""
    names = {"message_id": f"msg_{row.id}_{name}", "context_id": context_of(row), "task_id": str(row.id)}
    return Message(**names, role="ROLE_AGENT", parts=parts)


def connection_notice(tool: str, address: str) -> str:
    """Return the text for a tool that failed because a person must connect its server."""
    return f"{tool} needs a connection that a person must make: {address}"


def _connections(journal: Sequence[Row]) -> list[str]:
    calls = [one for one in journal if one.role == "tool"]
    found = {one.tool_name: connect_url(one.state, one.content) for one in calls}
    return [connection_notice(tool, address) for tool, address in found.items() if address]


def _read_token(token: str) -> tuple[datetime, int]:
    """Return the place after which a page begins. Raises `ValidationFailed`."""
    if not token:
        return _END_OF_TIME, 0
    moment, _, number = token.rpartition("_")
    last = parse_whole_number(number)
    if last is None:
        raise ValidationFailed("pageToken: send the nextPageToken of the page before.")
    return _read_moment(moment, "pageToken"), last


def _read_moment(text: str, name: str = "statusTimestampAfter") -> datetime:
    try:
        moment = from_text(text)
    except ValueError as error:
        raise ValidationFailed(f"{name}: send a time such as 2026-11-29T05:00:00Z.") from error
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
