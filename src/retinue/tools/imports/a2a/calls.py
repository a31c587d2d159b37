"""Send messages to agents by A2A, and wait for their answers."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from uuid import uuid4

import orjson

from retinue.core.database.interface import Database
from retinue.core.errors import NotFound, Unavailable, ValidationFailed
from retinue.tools.catalogue.imported_tool import A2aCall, A2aTool
from retinue.tools.execution.connection_arguments import redact
from retinue.tools.execution.output_files import Keep
from retinue.tools.imports import statements as sql
from retinue.tools.imports.a2a.endpoint import endpoint
from retinue.tools.imports.a2a.results import ENDED, INTERRUPTED, AgentAnswer, Json
from retinue.tools.imports.client import OutsideClient, read_answer
from retinue.tools.imports.credentials import Credential, SourceCredentials
from retinue.tools.imports.schema_trimming import as_object, text

_ANSWER_BYTES = 4 << 20
_FIRST_POLL_S, _LAST_POLL_S = 0.5, 5.0
_METHODS = {"1.0": ("SendMessage", "GetTask"), "0.3": ("message/send", "tasks/get")}


@dataclass(frozen=True)
class A2aCalls:
    """Sends the messages of tools that are agents, with their sources' credentials."""

    database: Database
    credentials: SourceCredentials
    client: OutsideClient

    async def execute(self, tool: A2aTool, args: Mapping[str, object], account_id: int, keep: Keep) -> Json:
        """Return the agent's answer to a message: state, text, data, files, context_id, task_id.

        Raises `ValidationFailed` if the agent refuses or fails, `Unavailable` if it does not answer in time. The
        sandbox sends nothing: the result shows the message.
        """
        route = await self.database.lookup(sql.ROUTE, account=account_id, tool=tool.name)
        if route is None:
            raise NotFound(f"The source of the tool {tool.name} has been deleted.")
        if route.sandbox:
            simulated = {"simulated": True, "message": args["message"], "url": route.base_url}
            empty: dict[str, object] = {"files": [], "context_id": None, "task_id": None}
            return {"state": "completed", "text": "", "data": [simulated], **empty}
        credential, redaction = await self.credentials.of(route, account_id)
        agent = _RemoteAgent(self.client, route.base_url, credential, tool.call)
        answer = await redact(self._ask(agent, tool, args), redaction)
        return await AgentAnswer.read(answer).result(tool.name, keep)

    @staticmethod
    async def _ask(agent: "_RemoteAgent", tool: A2aTool, args: Mapping[str, object]) -> Json:
        """Send a message, and ask for its task until the agent is done or needs something."""
        pause, task_id = _FIRST_POLL_S, None
        try:
            async with asyncio.timeout(tool.timeout_s):
                answer = await agent.send(args, tool.timeout_s)
                while (read := AgentAnswer.read(answer)).state not in ENDED | INTERRUPTED and read.task_id:
                    task_id = read.task_id
                    await asyncio.sleep(pause)
                    pause = min(2 * pause, _LAST_POLL_S)
                    answer = await agent.get(task_id)
                return answer
        except TimeoutError as error:
            at_work = f" It still works on its task {task_id}." if task_id else ""
            raise Unavailable(f"The agent did not answer within {tool.timeout_s:g} seconds.{at_work}") from error


@dataclass(frozen=True)
class _RemoteAgent:
    """An agent at an address. It follows no redirects: the credential goes to this address alone."""

    client: OutsideClient
    address: str
    credential: Credential | None
    call: A2aCall

    async def send(self, args: Mapping[str, object], timeout_s: float) -> Json:
        """Send a message of the user, and return the task or the message that answers it."""
        is_old = self.call.version == "0.3"
        part = {"text": args["message"]}
        ids = {"contextId": args.get("context_id"), "taskId": args.get("task_id")}
        message = {
            "messageId": str(uuid4()),
            "role": "user" if is_old else "ROLE_USER",
            "parts": [{"kind": "text", **part} if is_old else part],
            **{name: value for name, value in ids.items() if value},
            **({"kind": "message"} if is_old else {}),
        }
        waits = {"blocking": True} if is_old else {"returnImmediately": False}
        params = {"message": message, "configuration": waits}
        return await self._request(_METHODS[self.call.version][0], params, timeout_s)

    async def get(self, task_id: str) -> Json:
        """Return a task."""
        return await self._request(_METHODS[self.call.version][1], {"id": task_id})

    async def _request(self, method: str, params: Json, timeout_s: float | None = None) -> Json:
        address, request = endpoint(self.address, "POST", self.credential)
        request.headers.update({"Content-Type": "application/json", "A2A-Version": self.call.version})
        tenant = {"tenant": self.call.tenant} if self.call.tenant else {}
        body = {"jsonrpc": "2.0", "id": str(uuid4()), "method": method, "params": {**tenant, **params}}
        async with self.client.open_response(
            "POST", address, request.headers, orjson.dumps(body), timeout_s=timeout_s
        ) as response:
            answer = await read_answer(response, _ANSWER_BYTES)
        return _result_of(answer.status, answer.body, truncated=answer.truncated)


def _result_of(status: int, body: bytes, *, truncated: bool) -> Json:
    """Return the result in a response of JSON-RPC. Raises `ValidationFailed` for an error of the agent."""
    if truncated:
        raise Unavailable(f"The answer of the agent is larger than {_ANSWER_BYTES >> 20} MiB.")
    try:
        answer = as_object(orjson.loads(body))
    except orjson.JSONDecodeError:
        answer = {}
    if error := as_object(answer.get("error")):
        reason = text(error.get("message"), 1000) or "it gave no reason"
        raise ValidationFailed(f"The agent refused the message with status {status}: {reason}")
    result = answer.get("result")
    if status != 200 or not isinstance(result, dict):
        raise Unavailable(f"The agent answered with status {status}, and with no result.")
    return result
