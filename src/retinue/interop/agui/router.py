"""Routes of AG-UI, and of the widget that speaks it."""

from functools import partial
from typing import Annotated

from fastapi import Depends, Header, Path
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from retinue.auth.services import of_caller
from retinue.core.errors import NotFound
from retinue.core.http.envelope import PathId
from retinue.core.http.operations import Api
from retinue.core.http.sse import EventStream
from retinue.core.idempotency.call import refuse_key
from retinue.files.contents import content_of
from retinue.interop.agui.events import RunEvents
from retinue.interop.agui.schemas import RunInput
from retinue.interop.agui.service import AgUi
from retinue.interop.attachments import MAX_BODY

BASE = "/agui"
_HEADERS_WITHIN_S = 2.0
"""How long the response waits for the first output, so that an early failure becomes an ordinary error response."""

AgentId = Annotated[PathId, Path()]
ThreadName = Annotated[str, Path(max_length=100)]
FileName = Annotated[str, Path(max_length=40)]
VisitorToken = Annotated[str | None, Header(alias="X-Visitor-Token")]
ServiceOfCaller = Annotated[AgUi, Depends(of_caller(AgUi))]
_PUBLIC = {"public": True, "include_in_schema": False}

api = Api("agui", base=BASE)


@api.post("/{id}", scope="chat:write", max_body=MAX_BODY, streams=True, binary=True, **_PUBLIC)
async def run_agent(
    id: AgentId, body: RunInput, request: Request, service: ServiceOfCaller, token: VisitorToken = None
) -> Response:
    """Run an agent for the last message of a thread, or go on with a run that waits for an approval or a result."""
    refuse_key(request.headers)
    threads = await service.threads(id, token)
    if body.resume:
        events, after = await service.resume(threads, body)
        return EventStream(events.frames(after))
    thread = await threads.find(body.threadId)
    if thread and (continued := await service.continue_run(threads, thread, body)):
        events, after = continued
        return EventStream(events.frames(after))
    events, live = await service.start(threads, thread, body)
    await live.wait_for_begin(_HEADERS_WITHIN_S)
    if live.error and not live.chunks:
        raise service.refusal(live.error)

    async def abandon() -> None:
        await service.runs.runner.cancel(live.run.id)

    return EventStream(events.frames(), None if body.keeps_running else abandon)


@api.get("/{id}", scope="agents:read", **_PUBLIC)
async def show_agent(id: AgentId, service: ServiceOfCaller) -> Response:
    """Return what a widget shows of an agent before the first message."""
    return JSONResponse(await service.appearance(id))


@api.get("/{id}/threads/{thread_id}", scope="chat:read", **_PUBLIC)
async def show_thread(
    id: AgentId, thread_id: ThreadName, service: ServiceOfCaller, token: VisitorToken = None
) -> Response:
    """Return the messages of a thread, and whether a run is under way."""
    threads = await service.threads(id, token)
    thread = await threads.get(thread_id)
    runs = await threads.open_runs(thread)
    body: dict[str, object] = {"threadId": thread_id, "status": "idle", "messages": await threads.messages(thread)}
    if runs:
        body["status"] = "waiting" if runs[0].status == "waiting" else "running"
        if body["status"] == "waiting":
            events = RunEvents(threads, runs[0], thread, "")
            body["interrupts"] = await events.interrupts()
            body["pendingToolCallIds"] = await events.pending_calls()
    return JSONResponse(body)


@api.get("/{id}/threads/{thread_id}/files/{file_id}", scope="chat:read", **_PUBLIC)
async def download_file(
    id: AgentId,
    thread_id: ThreadName,
    file_id: FileName,
    request: Request,
    service: ServiceOfCaller,
    token: VisitorToken = None,
) -> Response:
    """Return the content of a file that a tool made in a thread."""
    record = await service.artifact(await service.threads(id, token), thread_id, file_id)
    return await content_of(record, request.headers, partial(service.files.open, file_id))


@api.get("/{id}/threads/{thread_id}/events", scope="chat:read", streams=True, **_PUBLIC)
async def follow_thread(
    id: AgentId, thread_id: ThreadName, service: ServiceOfCaller, token: VisitorToken = None
) -> Response:
    """Follow the run of a thread that is under way, for a page that was reloaded."""
    threads = await service.threads(id, token)
    thread = await threads.get(thread_id)
    runs = await threads.open_runs(thread)
    if not runs:
        raise NotFound("No run of this thread is under way. Its messages are at the address without /events.")
    return EventStream(RunEvents(threads, runs[0], thread, f"run_{runs[0].id}").frames(with_history=True))


@api.post("/{id}/threads/{thread_id}/cancel", scope="chat:write", **_PUBLIC)
async def cancel_thread(
    id: AgentId, thread_id: ThreadName, service: ServiceOfCaller, token: VisitorToken = None
) -> Response:
    """Cancel the run of a thread that is under way."""
    cancelled = await service.cancel(await service.threads(id, token), thread_id)
    return JSONResponse({"threadId": thread_id, "cancelled": len(cancelled)})
