"""An agent made with the protocol's own SDK, on a free port of this machine, for A2A 1.0, for 0.3, and with a token."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn
from a2a.helpers import new_data_part, new_raw_part, new_task, new_text_message, new_text_part
from a2a.server.agent_execution import AgentExecutor, RequestContext
from a2a.server.events import EventQueue
from a2a.server.request_handlers import DefaultRequestHandlerV2
from a2a.server.routes import create_agent_card_routes, create_jsonrpc_routes
from a2a.server.tasks import InMemoryTaskStore, TaskUpdater
from a2a.types import a2a_pb2 as pb
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Mount
from starlette.types import ASGIApp, Receive, Scope, Send

TOKEN = "sesame-7a10-open"
VERSIONS = {"new": "1.0", "old": "0.3", "closed": "1.0"}


class _Executor(AgentExecutor):
    """Echoes a message, or does what it says: `fail`, `ask`, `talk` without a task, or return a `file`."""

    async def execute(self, context: RequestContext, event_queue: EventQueue) -> None:
        """Answer a message."""
        said = context.get_user_input()
        if said == "talk":
            await event_queue.enqueue_event(new_text_message("No task needed.", context_id=context.context_id))
            return
        updater = TaskUpdater(event_queue, str(context.task_id), str(context.context_id))
        if context.current_task is None:
            await event_queue.enqueue_event(
                new_task(updater.task_id, updater.context_id, pb.TaskState.TASK_STATE_SUBMITTED)
            )
        await updater.start_work()
        if said == "fail":
            await updater.failed(updater.new_agent_message([new_text_part("I was told to fail.")]))
        elif said == "ask":
            await updater.requires_input(updater.new_agent_message([new_text_part("Which one?")]))
        else:
            parts = [new_text_part(f"You said: {said}"), new_data_part({"words": len(said.split())})]
            if said == "file":
                parts.append(new_raw_part(b"hello", media_type="text/plain", filename="note.txt"))
            await updater.add_artifact(parts)
            await updater.complete()

    async def cancel(self, context: RequestContext, event_queue: EventQueue) -> None:
        """Cancel a task."""
        await TaskUpdater(event_queue, str(context.task_id), str(context.context_id)).cancel()


class _Guard:
    """Lets requests with the token through."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        answer: ASGIApp = self._app
        if Request(scope).headers.get("authorization") != f"Bearer {TOKEN}":
            answer = JSONResponse({"error": {"code": 401, "message": "Send the token."}}, 401)
        await answer(scope, receive, send)


def _card(url: str, version: str) -> pb.AgentCard:
    return pb.AgentCard(
        name="Echo",
        description="Repeats what it hears",
        version="1",
        supported_interfaces=[pb.AgentInterface(url=url, protocol_binding="JSONRPC", protocol_version=version)],
        capabilities=pb.AgentCapabilities(streaming=True),
        default_input_modes=["text/plain"],
        default_output_modes=["text/plain"],
        skills=[pb.AgentSkill(id="echo", name="Repeat words", description="Repeats words.", tags=["test"])],
    )


def _routes(url: str, version: str) -> list[BaseRoute]:
    card = _card(url, version)
    handler = DefaultRequestHandlerV2(_Executor(), InMemoryTaskStore(), card)
    rpc = create_jsonrpc_routes(handler, "/rpc", enable_v0_3_compat=True)
    return [*create_agent_card_routes(card), *rpc]


async def _elsewhere(request: Request) -> Response:
    """A card whose agent is at another host."""
    host = {"url": "https://other.example/rpc", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}
    return JSONResponse({"name": "Elsewhere", "supportedInterfaces": [host]})


@contextmanager
def running_agent() -> Iterator[str]:
    """Run the agent on a thread of its own. Yields its address, below which each of `VERSIONS` has a path."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        address = f"http://127.0.0.1:{listener.getsockname()[1]}"
        app = Starlette()
        for name, version in VERSIONS.items():
            inner: ASGIApp = Starlette(routes=_routes(f"{address}/{name}/rpc", version))
            app.routes.append(Mount(f"/{name}", _Guard(inner) if name == "closed" else inner))
        app.add_route("/elsewhere.json", _elsewhere)
        server = uvicorn.Server(uvicorn.Config(app, lifespan="off", log_config=None))
        thread = threading.Thread(target=server.run, args=([listener],), daemon=True)
        thread.start()
        try:
            yield address
        finally:
            server.should_exit = True
            thread.join(120)
