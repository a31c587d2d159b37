"""Parse and validate forms with the schemas of the API."""

from collections.abc import Iterable, Mapping
from typing import TypeVar
from urllib.parse import parse_qsl

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails
from starlette.requests import Request

from retinue.core.errors import ValidationFailed
from retinue.core.http.json_body import parse_object
from retinue.core.http.request_body import BadBody, media_type, read_body
from retinue.core.http.validation_messages import describe_fields, reason
from retinue.core.runtime.whole_numbers import parse_whole_number
from retinue.language.error_words import error_words
from retinue.language.formats import format_number
from retinue.language.translation import gettext as _

_MOST_FIELDS = 2000
_TYPE = "application/x-www-form-urlencoded"

BUDGETS = ("monthly_tokens", "monthly_credits", "monthly_cost_usd")

Model = TypeVar("Model", bound=BaseModel)


class Form:
    """Form fields by name. `text` strips values and normalizes their line ends."""

    def __init__(self, pairs: Iterable[tuple[str, str]] = ()) -> None:
        self._values: dict[str, list[str]] = {}
        for name, value in pairs:
            self._values.setdefault(name, []).append(value)

    @classmethod
    def of(cls, values: Mapping[str, object]) -> "Form":
        """Build a form from a record. Lists become several values; None and False are left out."""
        pairs: list[tuple[str, str]] = []
        for name, value in values.items():
            if value is None or value is False:
                continue
            many = value if isinstance(value, list | tuple) else ["on" if value is True else value]
            pairs += [(name, str(each)) for each in many]
        return cls(pairs)

    def __contains__(self, name: str) -> bool:
        return name in self._values

    def raw(self, name: str) -> str:
        """Return a value as sent, for example a password, or an empty string."""
        return self._values.get(name, [""])[0]

    def text(self, name: str) -> str:
        """Return a stripped value, or an empty string."""
        return self.raw(name).replace("\r\n", "\n").strip()

    def optional(self, name: str) -> str | None:
        """Return `text(name)`, or None if it is empty."""
        return self.text(name) or None

    def list(self, name: str) -> list[str]:
        """Return all values of a name, without duplicates."""
        return list(dict.fromkeys(value for value in self._values.get(name, ()) if value))


async def read_form(request: Request) -> Form:
    """Read a form. Raises `ValidationFailed`."""
    text = (await _read(request, _TYPE)).decode("utf-8", "replace")
    if "%00" in text or "\0" in text:  # PostgreSQL cannot store it.
        raise ValidationFailed(_("Text must not contain the NUL character (U+0000)."))
    return parse_form(text)


async def read_json(request: Request) -> dict[str, object]:
    """Read a JSON object. Raises `ValidationFailed`."""
    try:
        return parse_object(await _read(request, "application/json"))
    except BadBody as error:
        raise ValidationFailed(str(error)) from error


async def _read(request: Request, kind: str) -> bytes:
    if media_type(request) != kind:
        raise ValidationFailed(f"Send the body as {kind}.")
    try:
        return await read_body(request)
    except BadBody as error:
        raise ValidationFailed(str(error)) from error


def parse_form(text: str) -> Form:
    """Parse a form. Raises `ValidationFailed`."""
    return Form(_pairs(text))


def parse_query(text: str) -> Form:
    """Parse a query string, without NUL, which PostgreSQL cannot compare. Raises `ValidationFailed`."""
    return Form((name.replace("\0", ""), value.replace("\0", "")) for name, value in _pairs(text))


def _pairs(text: str) -> list[tuple[str, str]]:
    try:
        return parse_qsl(text, keep_blank_values=True, max_num_fields=_MOST_FIELDS)
    except ValueError as error:
        many = format_number(_MOST_FIELDS)
        raise ValidationFailed(_("The form has more than {number} fields.").format(number=many)) from error


def form_number(text: str) -> int | str | None:
    """Return a number if the text is one, None if it is empty, else the text for the schema to refuse."""
    number = parse_whole_number(text)
    return text or None if number is None else number


def budgets_of(form: Form) -> dict[str, int | str | None]:
    """Parse the monthly budgets of an agent or key from the inputs of the macro `budgets`."""
    amounts = {name: form_number(form.text(name)) for name in ("monthly_tokens", "monthly_credits")}
    return {**amounts, "monthly_cost_usd": form.text("monthly_cost_usd") or None}


class InvalidForm(ValidationFailed):
    """The schema refused some fields. `fields` maps each of them to its problem."""

    def __init__(self, message: str, fields: Mapping[str, str]) -> None:
        super().__init__(message)
        self.fields = fields


def parse(model: type[Model], values: Mapping[str, object]) -> Model:
    """Validate values as a request body of the API. Raises `InvalidForm`."""
    try:
        return model.model_validate(values)
    except ValidationError as error:
        fields = {str(problem["loc"][0]): _reason(problem) for problem in error.errors() if problem["loc"]}
        raise InvalidForm(describe_fields(error), fields) from error


def require(form: Form, name: str) -> None:
    """Raise `InvalidForm` if a field is empty."""
    if not form.text(name):
        raise InvalidForm(_("Fill this in."), {name: _("Fill this in.")})


def _reason(problem: ErrorDetails) -> str:
    """Return the problem of a field as a sentence. One of an entry in a list says which entry it is."""
    text = reason(problem)
    sentence = f"{text[:1].upper()}{text[1:]}."
    match problem["loc"]:
        case (_field, int(index), *_rest):
            return _("Entry {number}: {reason}").format(number=index + 1, reason=error_words(sentence))
    return sentence
