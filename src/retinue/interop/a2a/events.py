"""The updates of a task, live and from any node. Each stream of a task has the same events in the same order."""

from collections.abc import AsyncGenerator

from retinue.core.database.statements import Row
from retinue.core.runtime.clock import now, to_text
from retinue.interop.a2a.tasks import REPLY, STATES, Tasks, agent_message, connection_notice, context_of, is_over
from retinue.interop.a2a.wire import Artifact, ArtifactUpdate, Event, Part, Status, StatusUpdate
from retinue.runs import statements as runs_sql
from retinue.runs.approvals import statements as approvals_sql
from retinue.runs.execution.broadcast import Chunk
from retinue.runs.service import Runs
from retinue.runs.watching.resume_cursor import StreamCursor

_WORKING = "running"


class TaskEvents:
    """The events of one task for one client."""

    def __init__(self, tasks: Tasks, runs: Runs, row: Row) -> None:
        self._tasks, self._runs, self._row = tasks, runs, row
        self._state = row.status
        self._text = ""
        self._seq = 0
        """The step to which the text belongs. The text of a later step replaces it: only the last one is the reply."""

    async def events(self, history_length: int | None = None) -> AsyncGenerator[Event]:
        """Yield the task, and its updates until it has ended or needs input."""
        yield await self._tasks.describe(self._row, history_length)
        run = await self._runs.get(self._row.id)
        async for event_id, chunk in self._runs.events(run, None):
            seq = StreamCursor.parse(event_id).seq
            if chunk["type"] in ("done", "error"):
                for event in await self._end():
                    yield event
                return
            if chunk["type"] == "waiting":
                if (current := await self._find_paused_run(seq)) is not None:
                    yield self._update(await self._tasks.status(current))
                    return
                continue
            for event in self._progress(event_id, seq, chunk):
                yield event

    def _progress(self, event_id: str, seq: int, chunk: Chunk) -> list[Event]:
        begun = [] if self._state == _WORKING else [self._working_update("")]
        self._state = _WORKING
        if chunk["type"] == "text":
            return [*begun, self._append(seq, chunk["content"])]
        if chunk["type"] == "restart":
            self._seq, self._text = 0, ""
        elif chunk["type"] == "tool_start":
            return [*begun, self._working_update(f"The agent uses {chunk['tool']}.", event_id)]
        elif address := chunk.get("connect_url"):
            return [*begun, self._working_update(connection_notice(chunk["tool"], address), event_id)]
        return begun

    def _append(self, seq: int, text: str) -> Event:
        appends = seq == self._seq
        self._text = self._text + text if appends else text
        self._seq = seq
        return self._artifact(Artifact(artifact_id=REPLY, name=REPLY, parts=[Part(text=text)]), append=appends)

    async def _end(self) -> list[Event]:
        """Return the artifacts that the client does not have yet, and the last status."""
        row = await self._current()
        journal = await self._tasks.database.fetch(runs_sql.OF_RUN, run=row.id)
        artifacts = await self._tasks.artifacts(row, journal)
        events: list[Event] = []
        for artifact in artifacts:
            known = artifact.artifact_id == REPLY and artifact.parts[0].text == self._text
            rest = artifact.model_copy(update={"parts": [Part(text="")]}) if known else artifact
            events.append(self._artifact(rest, append=known, last=True))
        return [*events, self._update(await self._tasks.status(row, journal))]

    async def _find_paused_run(self, seq: int) -> Row | None:
        """Return the run once it has paused for a call; None if somebody has decided about the call."""
        pending = await self._tasks.database.fetch(approvals_sql.PENDING_OF_RUN, run=self._row.id)
        if not any(one.seq == seq for one in pending):
            return None
        run = await self._runs.wait_until(self._row.id, is_over)
        return await self._current() if run.status == "waiting" else None

    async def _current(self) -> Row:
        return await self._tasks.get(self._row.agent_id, str(self._row.id))

    def _working_update(self, text: str, event_id: str = "") -> Event:
        message = agent_message(self._row, event_id, [Part(text=text)]) if text else None
        return self._update(Status(state=STATES[_WORKING], message=message, timestamp=to_text(now())))

    def _update(self, status: Status) -> Event:
        return StatusUpdate(task_id=str(self._row.id), context_id=context_of(self._row), status=status)

    def _artifact(self, artifact: Artifact, *, append: bool, last: bool = False) -> Event:
        names = {"task_id": str(self._row.id), "context_id": context_of(self._row)}
        return ArtifactUpdate(**names, artifact=artifact, append=append, last_chunk=last)
