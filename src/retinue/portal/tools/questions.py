"""The question of a tool's server, as a form under that of the tool: it sends the call again with the answer."""

from urllib.parse import urlsplit

import orjson

from retinue.core.errors import ValidationFailed
from retinue.language.translation import gettext as _
from retinue.portal.forms import Form, parse
from retinue.portal.tools.fields import ANSWER, Json, fields_of, fields_of_question, values_of
from retinue.tools.authoring.tool import Tool
from retinue.tools.imports.mcp.direct_answers import DirectAnswers
from retinue.tools.imports.mcp.questions import InputRequired, answer_faults
from retinue.tools.schemas import QuestionAnswer, ToolRun

_EARLIER, _QUESTION, _DECISION = ".earlier", ".question", ".decision"
"""Fields of the form. No argument has such a name."""


class FormAnswers:
    """The answers of a form: `given` to earlier questions, and the fields that answer the latest.

    `problem` is why the latest answer, `typed`, does not match its question. Raises `ValidationFailed` if the earlier
    answers differ from those of the page.
    """

    def __init__(self, form: Form) -> None:
        self.given = _read_earlier(form)
        self.typed: Json | None = None
        self.problem: ValidationFailed | None = None
        self._form, self._latest = form, form.text(_QUESTION)
        self._direct = DirectAnswers([(one.question, one.answer) for one in self.given])

    @property
    def answers(self) -> list[dict[str, object]]:
        """The answers so far, as the API takes them."""
        return [one.model_dump() for one in self.given]

    @property
    def is_declined(self) -> bool:
        """Whether the user chose not to answer."""
        return self._form.text(_DECISION) == "decline"

    async def ask(self, asked: InputRequired) -> dict[str, object]:
        """Return the fields of the next attempt. Raises `InputRequired` for a question without a valid answer."""
        question = asked.question
        if question.id == self._latest:
            self._latest = ""
            answer = values_of(fields_of_question(question.schema), self._form, ANSWER)
            if faults := answer_faults(question.schema, answer):
                self.typed = answer
                self.problem = ValidationFailed(_("Your answer does not fit: {faults}.").format(faults=faults))
                raise asked
            self.given.append(QuestionAnswer(question=question.id, answer=answer))
            self._direct.add(question.id, answer)
        return await self._direct.ask(asked)

    def show(self, tool: Tool, asked: InputRequired) -> dict[str, object]:
        """Return what the template shows of a question."""
        question = asked.question
        hidden = {field.name: self._form.raw(field.name) for field in fields_of(tool)}
        return {
            "message": question.message,
            "links": [(url, urlsplit(url).netloc) for url in question.urls.values()],
            "fields": fields_of_question(question.schema, self.typed),
            "hidden": {**hidden, _QUESTION: question.id, _EARLIER: orjson.dumps(self.answers).decode()},
            "decision": _DECISION,
        }


def _read_earlier(form: Form) -> list[QuestionAnswer]:
    try:
        earlier = orjson.loads(form.text(_EARLIER) or "[]")
    except orjson.JSONDecodeError as error:
        raise ValidationFailed(_("This is not JSON: {problem}.").format(problem=error)) from error
    return parse(ToolRun, {"args": {}, "answers": earlier}).answers or []
