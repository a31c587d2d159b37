"""Answers to the questions of an MCP server in calls that no run makes.

Nothing waits for the answer. The error says what the server asks, and the caller sends the request again with the
answer. The call then begins from its beginning, and each question that the server asks gets the answer with its id.
"""

from collections.abc import Mapping, Sequence

import orjson

from retinue.core.errors import ValidationFailed
from retinue.tools.imports.mcp.messages import Json
from retinue.tools.imports.mcp.questions import InputRequired, answer_faults, answer_fields

_SCHEMA_CHARACTERS = 16_000
"""Maximum length of a schema in an error. Larger forms are for the approvals of runs."""


class DirectAnswers:
    """The answers of one request, as pairs of the question's id and the answer. Each is used once."""

    def __init__(self, answers: Sequence[tuple[str, Mapping[str, object]]]) -> None:
        self._left = list(answers)

    def fields(self, asked: InputRequired) -> Json:
        """Return the fields of the next attempt, which answer a question.

        Raises `ValidationFailed` if the answer does not match, and, without an answer, with what to send.
        """
        question = asked.question
        for entry in self._left:
            if entry[0] == question.id:
                self._left.remove(entry)
                if faults := answer_faults(question.schema, entry[1]):
                    raise ValidationFailed(
                        f"answers: {question.id}: {faults}. A request without this answer returns its JSON Schema."
                    )
                return answer_fields(question.as_json(), entry[1])
        schema = orjson.dumps(question.schema).decode()
        if len(schema) > _SCHEMA_CHARACTERS:
            raise asked
        raise ValidationFailed(
            f"{asked.tool} asks a person: {question.message} To answer, send the request again with "
            f'"answers": [{{"question": "{question.id}", "answer": {{…}}}}], after earlier answers if there are any. '
            f"The answer must match this JSON Schema: {schema}. The call then begins again."
        ) from asked
