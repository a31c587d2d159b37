"""Routes of A2A: the cards, the JSON-RPC binding, and the HTTP+JSON binding."""

import hashlib
from collections.abc import Awaitable, Callable, Mapping
from typing import Annotated, cast

import orjson
from fastapi import Depends, Path, Query, Request
from starlette.responses import JSONResponse, Response

from retinue.auth.services import of_caller, shared_service
from retinue.core.errors import (
    AuthRequired,
    InsufficientScope,
    NotFound,
    RateLimited,
    RetinueError,
    Unavailable,
    ValidationFailed,
)
from retinue.core.http.envelope import PathId
from retinue.core.http.json_body import JsonRequest, parse_object
from retinue.core.http.operations import Api
from retinue.core.http.request_body import BadBody, read_body
from retinue.core.http.server_address import server_address
from retinue.core.http.sse import EventStream
from retinue.core.idempotency.call import carried_out_once, refuse_key
from retinue.interop.a2a import rpc, v03
from retinue.interop.a2a.card import CARD_PATH, SharedCards, card_of, etag_of
from retinue.interop.a2a.errors import PARSE_ERROR, TaskNotFound
from retinue.interop.a2a.service import BASE, A2a
from retinue.interop.a2a.tasks import Tasks
from retinue.interop.a2a.wire import ListQuery, PushConfig, PushQuery, SendRequest, Task, TaskQuery
from retinue.interop.attachments import MAX_BODY

AgentId = Annotated[PathId, Path()]
TaskName = Annotated[str, Path(max_length=120)]
ConfigName = Annotated[str, Path(min_length=1, max_length=100)]
HistoryLength = Annotated[int | None, Query(alias="historyLength", ge=0, le=2**31 - 1)]
ServiceOfCaller = Annotated[A2a, Depends(of_caller(A2a))]
Cards = Annotated[SharedCards, Depends(shared_service(SharedCards))]

_HIDDEN = {"include_in_schema": False}
_MEDIA_TYPE = "application/a2a+json"
_SHARED = {"Cache-Control": "public, max-age=300", "Access-Control-Allow-Origin": "*"}
_OWN = {"Cache-Control": "private, max-age=60"}
_THROUGH = (AuthRequired, InsufficientScope, RateLimited, Unavailable)
"""Errors whose HTTP status and headers tell the client what to do, in JSON-RPC too."""

api = Api("a2a", base=BASE)
rpc_api = Api("a2a", base=BASE)


@rpc_api.get(f"/{{id}}{CARD_PATH}", scope="", **_HIDDEN)
async def show_card(id: AgentId, request: Request, cards: Cards) -> Response:
    """Return the card of an agent: to everybody if its owner shares it by a page, else to its owner."""
    if shared := await cards.find(id):
        return _card(request, card_of(shared, _base(request, id, cards.public_url), shared.appearance), _SHARED)
    if request.scope.get("caller") is None:
        raise AuthRequired(
            "The card of this agent is not public. Send a key of its account, or let its owner create a publishable "
            "key with a page for it."
        )
    service = await of_caller(A2a)(request)
    service.caller.require("agents:read")
    return _card(request, card_of(await service.agent(id), _base(request, id, service.public_url)), _OWN)


@rpc_api.post("/{id}", scope="", raw_body=True, **_HIDDEN)
async def answer_rpc(id: AgentId, request: Request, service: ServiceOfCaller) -> Response:
    """Answer a request of JSON-RPC. Each method has a scope of its own, which `A2a` checks."""
    try:
        raw = await read_body(request, MAX_BODY)
        body = parse_object(raw)
    except BadBody as error:
        return JSONResponse(rpc.invalid_request(str(error), PARSE_ERROR), 400)
    if body.get("jsonrpc") != "2.0":
        return JSONResponse(rpc.invalid_request("The body must be a single JSON-RPC 2.0 request."), 400)
    try:
        call = rpc.read_call(body, rpc.version_of(request.headers, request.query_params))
    except RetinueError as error:
        return JSONResponse(rpc.Call(rpc.id_of(body), "", {}, old=False).error(error))
    await service.agent(id)
    try:
        return await _METHODS[call.method](_Request(request, id, service, call))
    except _THROUGH:
        raise
    except RetinueError as error:
        return JSONResponse(call.error(error))


class _Request:
    """A request of JSON-RPC, with what answers it."""

    def __init__(self, request: Request, agent_id: int, service: A2a, call: rpc.Call) -> None:
        self.request, self.agent_id, self.service, self.call = request, agent_id, service, call
        self.tasks = _tasks(request, service)

    async def send(self) -> Response:
        """Send a message. With an idempotency key, a repeated request gets the response to the first."""
        body = self.call.read(SendRequest)
        key = self.request.headers.get("idempotency-key")
        if key is None:
            task = await self.service.answer(self.tasks, self.agent_id, body, old=self.call.old)
            return JSONResponse(self.call.event(task))
        fingerprint = hashlib.sha256(orjson.dumps(self.call.params)).hexdigest()

        async def carry_out() -> Response:
            service = await of_caller(A2a)(self.request)  # with the claim of the key
            return _respond(
                {"task": (await service.answer(self.tasks, self.agent_id, body, old=self.call.old)).fields()}
            )

        async def recover(_: Request, effect: dict[str, object]) -> Response:
            task = await self.service.result(self.tasks, self.agent_id, int(str(effect["run"])), body)
            return _respond({"task": task.fields()})

        response = await carried_out_once(self.request, key, fingerprint, carry_out, recover)
        stored = orjson.loads(response.body)
        if response.status_code >= ValidationFailed.status:
            raise ValidationFailed(stored["error"]["message"])
        return JSONResponse(self.call.event(Task.model_validate(stored["task"])))

    async def stream(self) -> Response:
        """Send a message and stream the task."""
        refuse_key(self.request.headers)
        body = self.call.read(SendRequest)
        task = await self.service.stream(self.tasks, self.agent_id, body, old=self.call.old)
        return EventStream(self.call.frames(task, body.configuration.history_length))

    async def subscribe(self) -> Response:
        """Stream a task."""
        query = self.call.read(TaskQuery)
        task = await self.service.subscribe(self.tasks, self.agent_id, query)
        return EventStream(self.call.frames(task, query.history_length))

    async def get(self) -> Response:
        """Return a task."""
        task = await self.service.task(self.tasks, self.agent_id, self.call.read(TaskQuery))
        return JSONResponse(self.call.task(task))

    async def list(self) -> Response:
        """Return a page of tasks."""
        return JSONResponse(
            self.call.result(await self.service.page(self.tasks, self.agent_id, self.call.read(ListQuery)))
        )

    async def cancel(self) -> Response:
        """Cancel a task."""
        task = await self.service.cancel(self.tasks, self.agent_id, self.call.read(TaskQuery))
        return JSONResponse(self.call.task(task))

    async def card(self) -> Response:
        """Return the extended card."""
        base = _base(self.request, self.agent_id, self.service.public_url)
        return JSONResponse(self.call.result(await self.service.extended_card(self.agent_id, base)))

    async def set_push(self) -> Response:
        """Add a push notification config."""
        config = self.call.read(PushConfig)
        return self._config(await self.service.set_push(self.tasks, self.agent_id, config, old=self.call.old))

    async def get_push(self) -> Response:
        """Return a push notification config. A client of 0.3 that names none gets the first."""
        found = await self.service.push_configs(self.tasks, self.agent_id, self._push_query())
        if not found:
            raise TaskNotFound("The task has no push notification config.")
        return self._config(found[0])

    async def list_push(self) -> Response:
        """Return the push notification configs of a task."""
        query = self._push_query().model_copy(update={"id": ""})
        found = await self.service.push_configs(self.tasks, self.agent_id, query)
        if self.call.old:
            return JSONResponse(self.call.answer([v03.write_push_config(one) for one in found]))
        return JSONResponse(self.call.answer({"configs": [one.fields() for one in found], "nextPageToken": ""}))

    async def delete_push(self) -> Response:
        """Delete a push notification config."""
        await self.service.delete_push(self.tasks, self.agent_id, self._push_query())
        return JSONResponse(self.call.answer(None if self.call.old else {}))

    def _push_query(self) -> PushQuery:
        return self.call.read(PushQuery, v03.read_push_query)

    def _config(self, config: PushConfig) -> Response:
        return JSONResponse(self.call.answer(v03.write_push_config(config) if self.call.old else config.fields()))


_METHODS: Mapping[str, Callable[[_Request], Awaitable[Response]]] = {
    "SendMessage": _Request.send,
    "SendStreamingMessage": _Request.stream,
    "GetTask": _Request.get,
    "ListTasks": _Request.list,
    "CancelTask": _Request.cancel,
    "SubscribeToTask": _Request.subscribe,
    "GetExtendedAgentCard": _Request.card,
    "CreateTaskPushNotificationConfig": _Request.set_push,
    "GetTaskPushNotificationConfig": _Request.get_push,
    "ListTaskPushNotificationConfigs": _Request.list_push,
    "DeleteTaskPushNotificationConfig": _Request.delete_push,
}


async def _recover_send(request: Request, effect: dict[str, object]) -> Response:
    """Return the task that a process started which then died before it responded."""
    service = await of_caller(A2a)(request)
    tasks, agent_id = _tasks(request, service), int(request.path_params["id"])
    body = SendRequest.model_validate(cast("JsonRequest", request).content)
    task = await service.result(tasks, agent_id, int(str(effect["run"])), body)
    return _respond({"task": task.fields()})


@api.post("/{id}/message:send", scope="chat:write", max_body=MAX_BODY, recover=_recover_send, **_HIDDEN)
async def send_a2a_message(id: AgentId, body: SendRequest, request: Request, service: ServiceOfCaller) -> Response:
    """Send a message, and return its task."""
    return _respond({"task": (await service.answer(_new(request, service), id, body)).fields()})


@api.post("/{id}/message:stream", scope="chat:write", max_body=MAX_BODY, streams=True, binary=True, **_HIDDEN)
async def stream_a2a_message(id: AgentId, body: SendRequest, request: Request, service: ServiceOfCaller) -> Response:
    """Send a message, and stream its task."""
    refuse_key(request.headers)
    task = await service.stream(_new(request, service), id, body)
    return EventStream(rpc.plain_frames(task, body.configuration.history_length))


@api.get("/{id}/tasks", scope="agents:read", **_HIDDEN)
async def list_a2a_tasks(
    id: AgentId, query: Annotated[ListQuery, Query()], request: Request, service: ServiceOfCaller
) -> Response:
    """List the tasks of an agent, most recently changed first."""
    return _respond(await service.page(_new(request, service), id, query))


@api.get("/{id}/tasks/{task_id}", scope="agents:read", streams=True, **_HIDDEN)
async def get_a2a_task(
    id: AgentId, task_id: TaskName, request: Request, service: ServiceOfCaller, history_length: HistoryLength = None
) -> Response:
    """Return a task, or stream it if the path ends with `:subscribe`."""
    tasks, (name, _, action) = _new(request, service), task_id.partition(":")
    if action == "subscribe":
        return EventStream(rpc.plain_frames(await service.subscribe(tasks, id, TaskQuery(id=name))))
    query = TaskQuery(id=task_id, history_length=history_length)
    return _respond((await service.task(tasks, id, query)).fields())


@api.post("/{id}/tasks/{task_id}", scope="agents:read", streams=True, binary=True, **_HIDDEN)
async def act_on_a2a_task(id: AgentId, task_id: TaskName, request: Request, service: ServiceOfCaller) -> Response:
    """Cancel a task, or stream it: the path ends with `:cancel` or `:subscribe`."""
    tasks, (name, _, action) = _new(request, service), task_id.partition(":")
    if action == "cancel":
        return _respond((await service.cancel(tasks, id, TaskQuery(id=name))).fields())
    if action == "subscribe":
        return EventStream(rpc.plain_frames(await service.subscribe(tasks, id, TaskQuery(id=name))))
    raise NotFound("POST to a task ends with :cancel or :subscribe. Send messages with POST …/message:send.")


@api.get("/{id}/extendedAgentCard", scope="agents:read", **_HIDDEN)
async def show_extended_card(id: AgentId, request: Request, service: ServiceOfCaller) -> Response:
    """Return the card of an agent with its tools."""
    rpc.require_new(rpc.version_of(request.headers, request.query_params))
    return _card(request, await service.extended_card(id, _base(request, id, service.public_url)), _OWN)


@api.post("/{id}/tasks/{task_id}/pushNotificationConfigs", scope="agents:write", **_HIDDEN)
async def create_push_config(
    id: AgentId, task_id: TaskName, body: PushConfig, request: Request, service: ServiceOfCaller
) -> Response:
    """Add a push notification config to a task."""
    config = body.model_copy(update={"task_id": task_id})
    return _respond((await service.set_push(_new(request, service), id, config)).fields())


@api.get("/{id}/tasks/{task_id}/pushNotificationConfigs", scope="agents:read", **_HIDDEN)
async def list_push_configs(id: AgentId, task_id: TaskName, request: Request, service: ServiceOfCaller) -> Response:
    """List the push notification configs of a task."""
    found = await service.push_configs(_new(request, service), id, PushQuery(task_id=task_id))
    return _respond({"configs": [one.fields() for one in found], "nextPageToken": ""})


@api.get("/{id}/tasks/{task_id}/pushNotificationConfigs/{config_id}", scope="agents:read", **_HIDDEN)
async def get_push_config(
    id: AgentId, task_id: TaskName, config_id: ConfigName, request: Request, service: ServiceOfCaller
) -> Response:
    """Return one push notification config."""
    (found,) = await service.push_configs(_new(request, service), id, PushQuery(task_id=task_id, id=config_id))
    return _respond(found.fields())


@api.delete("/{id}/tasks/{task_id}/pushNotificationConfigs/{config_id}", scope="agents:write", **_HIDDEN)
async def delete_push_config(
    id: AgentId, task_id: TaskName, config_id: ConfigName, request: Request, service: ServiceOfCaller
) -> Response:
    """Delete a push notification config."""
    await service.delete_push(_new(request, service), id, PushQuery(task_id=task_id, id=config_id))
    return _respond({})


def _new(request: Request, service: A2a) -> Tasks:
    """Return the tasks for a client of HTTP+JSON. Raises `VersionNotSupported`."""
    rpc.require_new(rpc.version_of(request.headers, request.query_params))
    return _tasks(request, service)


def _tasks(request: Request, service: A2a) -> Tasks:
    return service.tasks(server_address(request, service.public_url))


def _base(request: Request, agent_id: int, public_url: str | None) -> str:
    return f"{server_address(request, public_url)}{BASE}/{agent_id}"


def _respond(fields: Mapping[str, object]) -> Response:
    return Response(orjson.dumps(fields), media_type=_MEDIA_TYPE)


def _card(request: Request, card: Mapping[str, object], headers: Mapping[str, str]) -> Response:
    """Return a card, or 304 if the client has it."""
    tag = etag_of(card)
    fields = {**headers, "ETag": tag, "Vary": "Authorization"}
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers=fields)
    return JSONResponse(card, headers=fields)
