"""Questions within the connection of a call (revisions 2025-06-18 and 2025-11-25, "Elicitation").

A person may need hours to answer, and no connection lasts that long. So the call is cancelled at the question, and made
again with the answer: the server asks the same question again, and gets the stored answer at once. What the server did
before its question it does again.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from typing import TypedDict

import orjson

from retinue.connections.redaction import Redaction
from retinue.core.errors import ValidationFailed
from retinue.tools.imports.mcp.messages import Json, reply_to
from retinue.tools.imports.mcp.questions import ELICIT, Question, read_question

MOST_ANSWERS = 10
"""Maximum number of questions in one call: a server may never ask the same one twice."""

_ASKED = ("mode", "message", "requestedSchema", "url")
"""The parameters that make two questions the same one."""


class StoredAnswer(TypedDict):
    """An answer: the digest of its question, and the result to return."""

    question: str
    result: Json


class Asked(Exception):
    """The server asks questions that have no answer yet: the call must be cancelled. `requests` are their parameters.

    `digest` identifies the question within a call. It is empty if the server ended the call with the questions.
    """

    def __init__(self, requests: Sequence[object], digest: str = "") -> None:
        super().__init__()
        self.requests, self.digest = requests, digest


class StoredAnswers:
    """What a person has answered to the questions of one call, each with the digest of its question, in order."""

    def __init__(self, answers: Sequence[StoredAnswer]) -> None:
        self._answers = answers
        self._left = list(answers)

    def reply(self, request: Json) -> Json:
        """Return the answer to a request of the server. Raises `Asked` for a question without an answer."""
        if request["method"] != ELICIT:
            return reply_to(request)
        digest = _digest(request.get("params"))
        for answer in self._left:
            if answer["question"] == digest:
                self._left.remove(answer)
                return {"jsonrpc": "2.0", "id": request["id"], "result": answer["result"]}
        raise Asked([request.get("params")], digest)

    def question(self, asked: Asked, tool: str, redaction: Redaction) -> Question:
        """Return the question to put to a person. Raises `ValidationFailed` if it is not supported."""
        if len(self._answers) >= MOST_ANSWERS:
            raise ValidationFailed(f"{tool} asked more than {MOST_ANSWERS} questions in one call.")
        requests = {str(at): {"method": ELICIT, "params": params} for at, params in enumerate(asked.requests, 1)}
        question = read_question(redaction.value({"inputRequests": requests}), tool)
        return replace(question, digest=asked.digest, earlier=list(self._answers))


def _digest(params: object) -> str:
    given = params if isinstance(params, dict) else {}
    asked = [given.get(name) for name in _ASKED]
    return hashlib.sha256(orjson.dumps(asked, option=orjson.OPT_SORT_KEYS)).hexdigest()
