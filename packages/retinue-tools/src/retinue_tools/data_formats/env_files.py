"""Parsing and writing of .env files."""

import re
from collections.abc import Mapping
from typing import Annotated, Any

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.data_formats._values import dump, plain


def text_of_value(value: Any) -> str:
    """Format a value on one line: text as it is, anything else as JSON; null becomes empty."""
    if isinstance(value, str):
        return value
    return "" if value is None else dump(value, None)


def write_env(value: dict[str, Any]) -> str:
    lines = []
    for name, part in value.items():
        if not re.fullmatch(r"[A-Za-z_]\w*", name, re.ASCII):
            raise ToolError(
                f"{name[:60]!r} is not a valid name of an environment variable: use only letters, digits and _."
            )
        text = text_of_value(part)
        if not re.fullmatch(r"[\w./:@%+,-]*", text, re.ASCII):
            text = '"' + re.sub(r'([\\"$`])', r"\\\1", text).replace("\n", "\\n") + '"'
        lines.append(f"{name}={text}\n")
    return "".join(lines)


_ASSIGNMENT = re.compile(
    r"""[ \t]*(?:\#[^\n]*|(?:export[ \t]+)?(?P<name>[A-Za-z_][\w.-]*)[ \t]*=[ \t]*"""
    r"""(?P<value>'[^']*'|"(?:[^"\\]|\\.)*"|[^\n]*?)[ \t]*(?:(?<![^\s'"])\#[^\n]*)?)?(?:\n|\Z)""",
    re.DOTALL,
)
_REFERENCE = re.compile(r"(?<!\\)\$(?:\{([A-Za-z_]\w*)(?::?-([^}]*))?\}|([A-Za-z_]\w*))")
ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "f": "\f"}

_LONGEST = 100_000


class Variables(TypedDict):
    """Variables of an .env file."""

    variables: Annotated[dict[str, str], About("Names and values; for duplicate names, the last one wins")]
    duplicates: Annotated[list[str], About("Names that are set more than once")]


@tool(
    tags="env dotenv environment variables parse export docker settings",
    use_when=(
        "Parse this .env file",
        "Which variables does this dotenv file set?",
        "What is DATABASE_URL after substitution in this .env?",
    ),
    examples=(
        Example(
            {"text": "export HOST=localhost # dev\nURL=\"http://${HOST}:${PORT:-80}/\\n\"\nRAW='$HOST #1'\nEMPTY=\n"},
            {"variables": {"HOST": "localhost", "URL": "http://localhost:80/\n", "RAW": "$HOST #1", "EMPTY": ""}},
            source="by hand, by the rules of POSIX shell quoting and parameter expansion",
        ),
        Example(
            {"text": "A=1\nB=$A\nA=2\n", "expand": False},
            {"variables": {"A": "2", "B": "$A"}, "duplicates": ["A"]},
            source="by hand",
        ),
        Refusal({"text": "A=1\nnot a line\n"}, "Line 2"),
        Refusal({"text": 'A="open\n'}, "not closed"),
    ),
    reply={
        "variables, duplicates": "The file sets these variables, {duplicates} more than once: {variables}",
        "variables": "The variables: {variables}",
        "": "The file sets no variables.",
    },
)
def env_parse_variables(
    text: Annotated[str, About("Text of the .env file", 'HOST=localhost\nURL="http://${HOST}/"', max_length=500_000)],
    expand: Annotated[bool, About("Whether to replace $NAME and ${NAME:-default} with earlier variables")] = True,
) -> Variables:
    """Parse a .env file: quotes, escapes, comments, export, multi-line quotes, and references.

    Use it to read or check environment settings. Returns the variables as text, and names set more than once. A
    reference to an unknown variable becomes empty.
    """
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    variables: dict[str, str] = {}
    duplicates: dict[str, None] = {}
    position = 0
    while position < len(text):
        found = _ASSIGNMENT.match(text, position)
        line = text.count("\n", 0, position) + 1
        if not found:
            raise ToolError(f"Line {line} is not NAME=value. Correct it or put # before it.")
        position = found.end()
        if name := found["name"]:
            duplicates.update({name: None} if name in variables else {})
            variables[name] = _env_value(found["value"], variables if expand else None, line)
    return {"variables": plain(variables), "duplicates": list(duplicates)}


def _env_value(raw: str, known: Mapping[str, str] | None, line: int) -> str:
    """Return the value of an assignment; `known` contains the variables for references, None keeps references."""
    quote = raw[:1] if raw[:1] in ("'", '"') else ""
    if quote and (len(raw) < 2 or raw[-1] != quote):
        raise ToolError(f"The quote in line {line} is not closed.")
    if quote == "'":
        return raw[1:-1]
    value = raw[1:-1] if quote else raw
    if known is not None:
        value = _REFERENCE.sub(lambda found: known.get(found[1] or found[3]) or found[2] or "", value)
        if len(value) > _LONGEST:
            raise ToolError(f"The value in line {line} becomes too long through its references.")
    return re.sub(r"\\(.)", lambda found: ESCAPES.get(found[1], found[1]), value, flags=re.DOTALL) if quote else value
