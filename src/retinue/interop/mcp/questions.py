"""Puts the questions of tools' servers to MCP clients, as `approvals` does for the tools of runs.

The answer to a request in a stream may reach any node. It is stored like the response of an idempotency key, under the
ID of the request: once, for the node that carries out the call.
"""

import hmac
import re
import secrets
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import orjson

from retinue.auth.caller import Caller
from retinue.core.errors import RetinueError, ValidationFailed
from retinue.core.idempotency.keys import Claim, IdempotentRequests
from retinue.core.runtime.vault import Vault
from retinue.interop.mcp.elicitation import Channel, action_of, content_of, form_params
from retinue.interop.mcp.messages import INVALID_PARAMS, ClientResponse, Message, ProtocolError
from retinue.interop.mcp.request_states import RequestStates
from retinue.interop.mcp.tools import OfferedTools, Result, error_result
from retinue.tools.imports.mcp.direct_answers import Answers, explain_answering
from retinue.tools.imports.mcp.messages import Json
from retinue.tools.imports.mcp.questions import ELICIT, InputRequired, StoredQuestion, answer_faults, answer_fields

_NAME = "question"
_REQUEST_ID = re.compile(rf"{_NAME}_([0-9a-f]{{32}})_([0-9a-f]{{64}})", re.ASCII)
_IN_STREAM, _WITH_STATE = f"MCP {ELICIT}", "MCP requestState"
"""What the answers are stored as."""

_LASTS_S = 3600.0
_STATE_CHARACTERS = 200_000


@dataclass(frozen=True)
class QuestionRequests:
    """Asks the user of a client in the calls of one caller, and takes the answers."""

    caller: Caller
    vault: Vault
    states: RequestStates
    once: IdempotentRequests

    async def call(self, tools: OfferedTools, message: Message, channel: Channel, *, may_ask: bool) -> Result:
        """Call a tool, and return its result or the request for input. Raises `ProtocolError`.

        `may_ask` is whether the client can ask its user. If not, the result says how to answer.
        """
        try:
            return await self._call(tools, message, channel, may_ask=may_ask)
        except RetinueError as error:
            return error_result(error)

    async def _call(self, tools: OfferedTools, message: Message, channel: Channel, *, may_ask: bool) -> Result:
        first: Json = {}
        if message.standalone and "requestState" in message.params:
            state = self.states.open(message)
            response = message.mapping("inputResponses").get(_NAME)
            if action_of(response) is None:
                return self._input_required(message, state["id"], state["tool"], state["question"])
            first = _answer(state["tool"], state["question"], response)
            await self._use(state["id"])
        ask = _refuse if message.standalone or not may_ask else self._asker(channel)
        try:
            return await tools.call(message.text("name"), message.mapping("arguments"), Answers(ask, first))
        except InputRequired as asked:
            if not (message.standalone and may_ask):
                raise
            return self._input_required(message, secrets.token_hex(16), asked.tool, asked.question.as_json())

    def has_issued(self, request_id: object) -> bool:
        """Return whether this server has asked this credential's client a question with this ID."""
        asked = _REQUEST_ID.fullmatch(request_id) if isinstance(request_id, str) else None
        return asked is not None and hmac.compare_digest(asked[2], self._sign(asked[1]))

    async def take(self, response: ClientResponse) -> None:
        """Store the answer to a question in a stream. A second answer is ignored."""
        request_id = str(response.id)
        claim = await self.once.claim(self.caller.account_id, _IN_STREAM, request_id, "")
        if isinstance(claim, Claim):
            answer = {"action": action_of(response.result), "content": content_of(response.result)}
            await self.once.finish(claim, self.caller.account_id, request_id, 200, orjson.dumps(answer).decode())

    def _asker(self, channel: Channel) -> Callable[[InputRequired], Awaitable[Json]]:
        """Return what asks in the stream of a call, and waits for the answer."""

        async def ask(asked: InputRequired) -> Json:
            number = secrets.token_hex(16)
            request_id = f"{_NAME}_{number}_{self._sign(number)}"
            channel.ask(request_id, ELICIT, form_params(asked.question.message, asked.question.schema))
            stored = await self.once.wait_for(self.caller.account_id, _IN_STREAM, request_id, _LASTS_S)
            return _answer(asked.tool, asked.question.as_json(), orjson.loads(stored.body) if stored else None)

        return ask

    def _sign(self, number: str) -> str:
        return self.vault.digest(f"MCP question {number} to {self.states.owner}")

    async def _use(self, state_id: str) -> None:
        """Use a request state. Raises `ProtocolError` the second time, so that a call is made once with an answer."""
        claim = await self.once.claim(self.caller.account_id, _WITH_STATE, state_id, "")
        if not isinstance(claim, Claim):
            raise ProtocolError(INVALID_PARAMS, "params.requestState was answered before. Call the tool again.")
        await self.once.finish(claim, self.caller.account_id, state_id, 200, "")

    def _input_required(self, message: Message, state_id: str, tool: str, question: StoredQuestion) -> Result:
        state = {"id": state_id, "tool": tool, "question": question}
        if len(orjson.dumps(state)) > _STATE_CHARACTERS:
            raise ValidationFailed(f"The question of {tool} is too long for this client. Let an agent call the tool.")
        asked = {"method": ELICIT, "params": form_params(question["message"], question["schema"])}
        return {
            "resultType": "input_required",
            "inputRequests": {_NAME: asked},
            "requestState": self.states.seal(message, state),
        }


async def _refuse(asked: InputRequired) -> Json:
    """Raise an error that says how to answer without this client."""
    path = f"/api/v1/tools/{asked.tool}/execute"
    raise explain_answering(asked, f'send POST {path} with the same arguments as "args", and with')


def _answer(tool: str, question: StoredQuestion, response: object) -> Json:
    """Return the fields of a call that answer a question. Raises `ValidationFailed` unless the user answered it."""
    if action_of(response) != "accept":
        raise ValidationFailed(f"{tool} was not completed, because the user did not answer: {question['message']}")
    content = content_of(response) or {}
    if faults := answer_faults(question["schema"], content):
        raise ValidationFailed(f"{tool} was not completed, because the answer does not match its form: {faults}.")
    return answer_fields(question, content)
