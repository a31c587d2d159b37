"""Turns a run into the events of AG-UI."""

from collections.abc import AsyncGenerator, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import orjson

from retinue.core.database.statements import Row
from retinue.interop.agui.messages import artifacts, call_id, message_id, sources
from retinue.interop.agui.threads import Thread, Threads
from retinue.interop.agui.visitor_words import visitor_words
from retinue.runs.execution.broadcast import Chunk
from retinue.runs.watching.resume_cursor import StreamCursor

VERSION = "1.0"
_TOOL = "tool"
"""The name of the step during which a visitor's agent uses tools."""

_ANSWER = {
    "approved": {"type": "boolean", "description": "Whether the call may be made."},
    "arguments": {"type": "object", "description": "Arguments that replace those of the model."},
    "reason": {"type": "string", "description": "Message to the model if the call is denied."},
}
"""The fields of an answer to an interrupt."""

FAILED = "The assistant cannot answer right now. Please try again in a few minutes."
"""The message to visitors when a run has failed. The owner sees the reason on the page of the run."""


def encode(kind: str, **fields: object) -> bytes:
    """Encode an event. Fields that are None are left out."""
    present = {name: value for name, value in fields.items() if value is not None}
    return b"data: " + orjson.dumps({"type": kind, **present}) + b"\n\n"


@dataclass
class RunEvents:
    """The events of one run for one client.

    `announced` are the numbers of the tool calls that the client knows. `results` has the ids of those whose results it
    knows.
    """

    threads: Threads
    run: Row
    thread: Thread
    run_id: str
    announced: set[int] = field(default_factory=set)
    results: Container[str] = ()
    _message: str | None = None
    _step: bool = False
    _restarts: int = 0

    @property
    def _public(self) -> bool:
        return self.threads.caller.is_public

    async def frames(self, after: str | None = None, *, with_history: bool = False) -> AsyncGenerator[bytes]:
        """Yield the events after a place in the run, until it ends or waits for an approval."""
        yield encode("RUN_STARTED", threadId=self.thread.name, runId=self.run_id, protocolVersion=VERSION)
        if with_history:
            earlier = await self.threads.messages(self.thread, without=self.run.id)
            yield encode("MESSAGES_SNAPSHOT", messages=earlier)
        async for event_id, chunk in self.threads.runs.events(self.run, after):
            seq = StreamCursor.parse(event_id).seq
            if chunk["type"] == "text":
                yield b"".join(self._text(seq, chunk["content"]))
            elif chunk["type"] == "restart":
                yield b"".join(self._close())
                self._restarts += 1
                yield encode("MESSAGES_SNAPSHOT", messages=await self.threads.messages(self.thread))
            elif chunk["type"] in ("tool_start", "tool_end", "waiting"):
                yield b"".join([*self._close_text(), *await self._tool(seq, chunk)])
            if chunk["type"] in ("done", "error") or (chunk["type"] == "waiting" and await self._waits(seq)):
                pending = await self._announce_pending() if chunk["type"] == "waiting" else []
                yield b"".join([*self._close(), *pending, await self._end(chunk)])
                return

    def _text(self, seq: int, text: str) -> Iterator[bytes]:
        name = message_id(self.run.id, seq) + (f"_{self._restarts}" if self._restarts else "")
        if name != self._message:
            yield from self._close()
            self._message = name
            yield encode("TEXT_MESSAGE_START", messageId=name, role="assistant")
        yield encode("TEXT_MESSAGE_CONTENT", messageId=name, delta=text)

    def _close_text(self) -> Iterator[bytes]:
        if self._message:
            yield encode("TEXT_MESSAGE_END", messageId=self._message)
        self._message = None

    def _close(self) -> Iterator[bytes]:
        yield from self._close_text()
        if self._step:
            yield encode("STEP_FINISHED", stepName=_TOOL)
        self._step = False

    async def _tool(self, seq: int, chunk: Chunk) -> list[bytes]:
        if self._public:
            opens = not self._step
            self._step = True
            return [encode("STEP_STARTED", stepName=_TOOL)] if opens else []
        if call_id(self.run.id, seq) in self.results:
            return []
        journal = await self.threads.journal(self.run.id)
        frames = [] if seq in self.announced else self._announce(seq, journal)
        self.announced.add(seq)
        if chunk["type"] == "tool_end":
            (row,) = [row for row in journal if row.seq == seq]
            result = {"messageId": message_id(self.run.id, seq), "toolCallId": call_id(self.run.id, seq)}
            frames.append(encode("TOOL_CALL_RESULT", **result, content=row.content, role="tool"))
        return frames

    def _announce(self, seq: int, journal: Sequence[Row]) -> list[bytes]:
        step = max((row for row in journal if row.role == "assistant" and row.seq < seq), key=lambda row: int(row.seq))
        call, name = step.tool_calls[seq - step.seq - 1], call_id(self.run.id, seq)
        parent = message_id(self.run.id, step.seq)
        return [
            encode("TOOL_CALL_START", toolCallId=name, toolCallName=call["name"], parentMessageId=parent),
            encode("TOOL_CALL_ARGS", toolCallId=name, delta=call["arguments"]),
            encode("TOOL_CALL_END", toolCallId=name),
        ]

    async def _waits(self, seq: int) -> bool:
        """Return whether a call still waits: when a stream reads of it, somebody may have decided.

        While a call waits for the front end, the run carries out the other calls of the step first.
        """
        if seq in await self.threads.waiting_calls(self.run):
            await self.threads.runs.wait_until(
                self.run.id, lambda run: run.ended_at is not None or run.status == "waiting"
            )
            return seq in await self.threads.waiting_calls(self.run)
        return any(one.seq == seq for one in await self.threads.pending(self.run.id))

    async def _announce_pending(self) -> list[bytes]:
        """Return the events of the front end's calls that wait and that it does not know yet."""
        waiting = [] if self._public else await self.threads.waiting_calls(self.run)
        unknown = [seq for seq in waiting if seq not in self.announced]
        journal = await self.threads.journal(self.run.id) if unknown else []
        return [event for seq in unknown for event in self._announce(seq, journal)]

    async def pending_calls(self) -> list[str]:
        """Return the ids of the front end's calls that wait for results."""
        if self._public:
            return []
        return [call_id(self.run.id, seq) for seq in await self.threads.waiting_calls(self.run)]

    async def _end(self, chunk: Chunk) -> bytes:
        names = {"threadId": self.thread.name, "runId": self.run_id}
        if chunk["type"] == "waiting":
            if interrupts := await self.interrupts():
                return encode("RUN_FINISHED", **names, outcome={"type": "interrupt", "interrupts": interrupts})
            outcome = {"type": "success", "pendingToolCallIds": await self.pending_calls()}
            return encode("RUN_FINISHED", **names, outcome=outcome)
        run = await self.threads.runs.get(self.run.id)
        if run.status == "cancelled":
            return encode("RUN_FINISHED", **names, outcome={"type": "cancelled"})
        if chunk["type"] == "error":
            message = visitor_words(FAILED) if self._public else chunk["message"]
            return encode("RUN_ERROR", message=message, code=chunk["code"])
        found = sources(run.citations, public=self._public)
        cited = encode("CUSTOM", name="sources", value=found) if found else b""
        made = await self.threads.artifacts(self.thread) if run.tools_used else {}
        if files := made.get(run.id):
            cited += encode("CUSTOM", name="artifacts", value=artifacts(files))
        usage = None if self._public else [{"model": run.model, "totalTokens": run.tokens_used}]
        return cited + encode("RUN_FINISHED", **names, outcome={"type": "success"}, usage=usage)

    async def interrupts(self) -> list[dict[str, object]]:
        """Return the approvals for which the run waits. The owner decides about those of a visitor's run."""
        waiting = await self.threads.pending(self.run.id)
        if self._public or not (waiting or await self.pending_calls()):
            return [{"id": f"run_{self.run.id}", "reason": "approval", "message": "A person must approve this first."}]
        return [
            {
                "id": str(one.id),
                "reason": "question" if one.question else "approval",
                "message": one.question["message"] if one.question else f"The agent wants to use {one.tool}. May it?",
                "toolCallId": call_id(self.run.id, one.seq),
                "responseSchema": _schema_of_answer(one.question),
            }
            for one in waiting
        ]


def _schema_of_answer(question: Mapping[str, object] | None) -> dict[str, object]:
    """Return the schema of the answer to an interrupt. `question` is that of the tool's server."""
    properties: Mapping[str, object] = _ANSWER
    if question is not None:
        properties = {**{name: _ANSWER[name] for name in ("approved", "reason")}, "answer": question["schema"]}
    return {"type": "object", "properties": properties, "required": ["approved"]}
