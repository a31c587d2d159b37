"""Answers to the questions of an MCP server in calls that no run makes.

Nothing waits for the answer of a request to the API. The error says what the server asks, and the caller sends the
request again with the answer. The call then begins from its beginning, and each question that the server asks gets the
answer with its id.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field

import orjson

from retinue.tools.imports.mcp.messages import Json
from retinue.tools.imports.mcp.questions import InputRequired, answer_faults, answer_fields

_SCHEMA_CHARACTERS = 16_000
"""Maximum length of a schema in an error. Larger forms are for the approvals of runs."""


@dataclass(frozen=True, slots=True)
class Answers:
    """Where a call gets the answers to its server's questions.

    `ask` returns the fields of the next attempt, or raises `InputRequired` without an answer. `first` are the fields
    of the first attempt, which answer the question of an earlier call.
    """

    ask: Callable[[InputRequired], Awaitable[Json]]
    first: Json = field(default_factory=dict)


class DirectAnswers:
    """The answers of one request, as pairs of the question's id and the answer. Each is used once."""

    def __init__(self, answers: Sequence[tuple[str, Mapping[str, object]]]) -> None:
        self._left = list(answers)

    def add(self, question: str, answer: Mapping[str, object]) -> None:
        """Add the answer to the question with this id."""
        self._left.append((question, answer))

    async def ask(self, asked: InputRequired) -> Json:
        """Return the fields of the next attempt, which answer a question.

        Raises `InputRequired` without an answer that matches: it says what to send.
        """
        question = asked.question
        for entry in self._left:
            if entry[0] == question.id:
                self._left.remove(entry)
                if faults := answer_faults(question.schema, entry[1]):
                    fault = f"answers: {question.id}: {faults}. A request without this answer returns its JSON Schema."
                    raise InputRequired(asked.tool, question, fault)
                return answer_fields(question.as_json(), entry[1])
        raise explain_answering(asked, "send the request again with")


def explain_answering(asked: InputRequired, request: str) -> InputRequired:
    """Return the error that says how to answer a question: `request` is what to send, up to the answers."""
    question = asked.question
    schema = orjson.dumps(question.schema).decode()
    if len(schema) > _SCHEMA_CHARACTERS:
        return asked
    message = (
        f"{asked.tool} asks a person: {question.message} To answer, {request} "
        f'"answers": [{{"question": "{question.id}", "answer": {{…}}}}], after earlier answers if there are any. '
        f"The answer must match this JSON Schema: {schema}. The call then begins again."
    )
    return InputRequired(asked.tool, question, message)
