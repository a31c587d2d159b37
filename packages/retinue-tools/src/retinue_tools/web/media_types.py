"""Media types as headers write them."""

from email.message import Message
from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool


class MediaType(TypedDict):
    """The parts of a media type, or of a header like it."""

    value: Annotated[str, About("Without parameters: text/csv")]
    type: str | None
    subtype: str | None
    suffix: Annotated[str | None, About("What it is written in: json of application/problem+json")]
    parameters: dict[str, str]
    charset: str | None


@tool(
    tags="content-type media type mime header parameters charset boundary content-disposition filename attachment",
    use_when=(
        "Which charset and media type are in Content-Type: text/csv; charset=utf-8; header=present?",
        'What filename does Content-Disposition: attachment; filename="report 2024.pdf" give?',
        "Boundary of multipart/form-data; boundary=----abc123",
    ),
    examples=(
        Example(
            {"header": "Content-Type: text/csv; charset=utf-8; header=present"},
            {
                "value": "text/csv",
                "subtype": "csv",
                "charset": "utf-8",
                "parameters": {"charset": "utf-8", "header": "present"},
            },
            source="RFC 9110, section 8.3.1",
        ),
        Example(
            {"header": "attachment; filename*=UTF-8''na%C3%AFve%20plan.txt"},
            {"value": "attachment", "parameters": {"filename": "naïve plan.txt"}, "type": None},
            source="RFC 8187",
        ),
        Example({"header": "application/problem+json"}, {"suffix": "json"}, source="RFC 9457"),
        Refusal({"header": ";"}, "no value"),
    ),
)
def media_type_parse(
    header: Annotated[
        str,
        About("The header's value, with or without its name", "text/csv; charset=utf-8", min_length=1, max_length=4000),
    ],
) -> MediaType:
    """Take apart a Content-Type or Content-Disposition header: type, charset, file name and other parameters."""
    name, colon, rest = header.partition(":")
    is_named = bool(colon) and name.strip().replace("-", "").isalpha()
    message = Message()
    message["Content-Type"] = (rest if is_named else header).strip()
    (value, _), *pairs = message.get_params(failobj=[("", "")])
    if not value:
        raise ToolError("The header has no value before its parameters. Write it as text/csv; charset=utf-8.")
    parameters = {key: _decode(message, key) for key, _ in pairs}
    kind, slash, subtype = value.partition("/")
    return {
        "value": value,
        "type": kind if slash else None,
        "subtype": subtype if slash else None,
        "suffix": subtype.rpartition("+")[2] if "+" in subtype else None,
        "parameters": parameters,
        "charset": parameters.get("charset"),
    }


def _decode(message: Message, key: str) -> str:
    """The parameter's text: three parts where it was told with its charset (RFC 2231)."""
    value = message.get_param(key)
    if isinstance(value, tuple):
        charset, _, text = value
        return text.encode("latin-1").decode(charset or "ascii", errors="replace")
    return str(value)
